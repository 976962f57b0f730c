"""The bots of a tournament, from names, files and commands."""

import ast
import re
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from redouble.bots import BOTS, Bot, UnknownBot
from redouble.bots.levels import LevelBot
from redouble.bots.policy import SEARCH, Policy, search_policy
from redouble.bots.simple import GreedyBot, RandomBot
from redouble.kernel import checks
from redouble.kernel.errors import RedoubleError, about_file

__all__ = ["Entrant", "EntrantError", "entrant", "entrants"]

MAX_TEXT = 4000
COMMAND = "cmd:"
HOST = "redouble.lab.arena.host"
"""The program that runs a file's bot."""
_LABEL = re.compile(r"([\w.-]{1,40})=(?=.)")


class EntrantError(RedoubleError):
    """A bot from a file or a command that cannot be used."""


@dataclass(frozen=True)
class Entrant:
    """A bot that takes part: one of ours or of yours, or a program with its ``argv``."""

    name: str
    bot: Bot | None = None
    argv: tuple[str, ...] = ()
    from_file: bool = False
    """Whether the program is :mod:`redouble.lab.arena.host`, running a bot from a file."""

    @property
    def kind(self) -> str:
        """``ours``, ``object``, ``file`` or ``command``."""
        if self.bot:
            return "ours" if self.policy else "object"
        return "file" if self.from_file else "command"

    @property
    def policy(self) -> Policy | None:
        """The policy it follows in compiled games; None if it cannot play in those."""
        if isinstance(self.bot, LevelBot):
            return self.bot.policy
        if isinstance(self.bot, GreedyBot):
            return Policy()
        return Policy(mistakes=1.0) if isinstance(self.bot, RandomBot) else None


def entrants(texts: Sequence[str]) -> list[Entrant]:
    """Return the bots of these texts, each with a different name.

    ``NAME=`` in front of a text sets the name. Raises :class:`EntrantError` and
    :class:`~redouble.bots.UnknownBot`.
    """
    given = checks.texts(texts, "bots", EntrantError)
    if len(given) < 2:
        raise EntrantError("a tournament needs at least two bots: name another one")
    found = [entrant(text) for text in given]
    counts = Counter(one.name for one in found)
    seen: Counter[str] = Counter()
    for i, one in enumerate(found):
        if counts[one.name] > 1:
            seen[one.name] += 1
            found[i] = replace(one, name=f"{one.name} #{seen[one.name]}")
    return found


def entrant(text: str) -> Entrant:
    """Return the bot of a text: a name, FILE.py, FILE.py:NAME, or with search: or cmd:.

    Raises :class:`EntrantError`, :class:`~redouble.bots.UnknownBot` and, for a search,
    :class:`~redouble.kernel.errors.InputError`.
    """
    checks.text(text, "a bot", EntrantError, MAX_TEXT)
    if "\0" in text:
        raise EntrantError("a bot's text has a zero byte: give a name, a file or a command")
    label = _LABEL.match(text)
    if label and not Path(text).exists():
        return replace(entrant(text[label.end() :]), name=label[1])
    if text.startswith(COMMAND):
        return _command(text)
    if text.startswith(SEARCH):
        return Entrant(text, LevelBot(text, search_policy(text)))
    path, _, name = text.partition(":")
    if path.endswith(".py"):
        return _file(path, name)
    if text in BOTS:
        return Entrant(text, BOTS[text])
    raise UnknownBot(
        f"there is no bot {text!r}: choose {', '.join(BOTS)}, FILE.py, FILE.py:NAME or"
        f' "{COMMAND}COMMAND"'
    )


def _command(text: str) -> Entrant:
    try:
        argv = shlex.split(text.removeprefix(COMMAND))
    except ValueError as error:
        raise EntrantError(f"{text!r} cannot be read as a command: {error}") from None
    if not argv:
        raise EntrantError(f'{text!r} names no program: write "{COMMAND}PROGRAM ARGUMENTS"')
    if shutil.which(argv[0]) is None:
        raise EntrantError(f"{text!r} cannot be run: there is no program {argv[0]}")
    return Entrant(text, argv=tuple(argv))


def _file(path: str, name: str) -> Entrant:
    """Return the bot of a file. The file is read but not run here."""
    try:
        source = Path(path).read_text(encoding="utf-8-sig")
        body = ast.parse(source, path).body
    except OSError as error:
        raise EntrantError(about_file(error, path)) from None
    except UnicodeDecodeError:
        raise EntrantError(f"{path} isn't a valid Python file: it isn't UTF-8 text") from None
    except SyntaxError as error:
        raise EntrantError(f"{path}, line {error.lineno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise EntrantError(f"{path} isn't a valid Python file: {error}") from None
    label = f"{Path(path).stem}:{name}" if name else Path(path).stem
    if not name:
        name = _only_bot(body, path)
    elif name not in (known := _names(body)):
        raise EntrantError(f"{path} has no {name}; it has: {', '.join(known) or 'nothing'}")
    argv = (sys.executable, "-m", HOST, str(Path(path).resolve()), name)
    return Entrant(label, argv=argv, from_file=True)


def _only_bot(body: list[ast.stmt], path: str) -> str:
    """Return the one class with a method ``choose``; ``.`` if the file has that function."""
    if any(isinstance(node, ast.FunctionDef) and node.name == "choose" for node in body):
        return "."
    classes = [
        node.name
        for node in body
        if isinstance(node, ast.ClassDef)
        and any(isinstance(part, ast.FunctionDef) and part.name == "choose" for part in node.body)
    ]
    if len(classes) == 1:
        return classes[0]
    found = f"has several ({', '.join(classes)})" if classes else "has none"
    raise EntrantError(
        f"which bot of {path}? It {found} with choose(observation, rng): write {path}:NAME"
    )


def _names(body: list[ast.stmt]) -> list[str]:
    names = []
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.append(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names += [(name.asname or name.name).split(".")[0] for name in node.names]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names += [
                part.id for t in targets for part in ast.walk(t) if isinstance(part, ast.Name)
            ]
    return names
