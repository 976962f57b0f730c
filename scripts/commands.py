#!/usr/bin/env python3
"""Write docs/command-line.md, every command with its arguments and options, from the commands.

.venv/bin/python scripts/commands.py            write it
.venv/bin/python scripts/commands.py --check    exit 1 when it is not what would be written
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from typer.main import get_command

from redouble.commands.command_line import GROUPS, app
from redouble.commands.errors import EXIT_FAULT, EXIT_INTERRUPTED, EXIT_USAGE
from redouble.commands.help import default, meaning, names

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "command-line.md"

MANY = 2
"""Commands that share an option, which is then explained once."""
INTRODUCTION = """
`redouble` without a command means `redouble serve --open` and takes its options: start the
server and open its page.

Names in capitals stand for what you type; defaults are in parentheses. Rule options are given as
`-o name=value`; the name alone means yes: `-o forgetful`. `redouble games` lists them.
[Options of several commands](#options-of-several-commands) are explained once.
"""
CODES = (
    ("0", "The command did what you asked, or you left a game."),
    ("1", "The answer is no: `verify` found an unfair deal, or you didn't confirm `admin close`."),
    (f"{EXIT_USAGE}", "The command line, or a file that it names, can't be used."),
    (f"{EXIT_FAULT}", "Redouble itself has failed: run the command again, or report it."),
    (
        f"{EXIT_INTERRUPTED}",
        "You pressed Ctrl-C. Long commands print or write their results so far. In the first"
        " hundredths of a second, while Python itself starts, it prints a traceback.",
    ),
)
SPANS = "OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_ENDPOINT"
VARIABLES = (
    (
        "REDOUBLE_DATABASE_PASSWORD_FILE",
        "the same commands",
        "a file with the password of the database, for an address without one.",
    ),
    (
        "REDOUBLE_CACHE_DIR",
        "every command that compiles",
        "the folder for compiled code (`redouble` in your cache folder).",
    ),
    (SPANS, "`serve`", "where spans go: see [hosting](hosting.md)."),
    ("OTEL_SDK_DISABLED", "`serve`", "`true` switches spans off."),
    (
        "XDG_DATA_HOME, XDG_CACHE_HOME",
        "every command, on Linux",
        "the parents of the data and cache folders (`~/.local/share` and `~/.cache`).",
    ),
    (
        "PAGER, LESS",
        "`play`, `rules`",
        "the program that shows long texts on a terminal, and its options.",
    ),
    ("NO_COLOR, TERM", "every command", "`NO_COLOR=1` or `TERM=dumb` prints without colors."),
)
"""Variables that are not the default of an option: names, who reads them, and what they say."""


def page() -> str:
    """The whole page."""
    root: Any = get_command(app)
    shared = _shared(root)
    lines = ["# Command line", "", *_paragraphs(INTRODUCTION)]
    for title in GROUPS:
        lines += [f"## {title}", ""]
        for name, command in root.commands.items():
            if command.rich_help_panel == title:
                lines += list(_command(command, f"redouble {name}", shared))
    lines += ["## Options of several commands", ""]
    lines += _list((f"`{name}`", _with(*one)) for name, one in shared.items())
    lines += [
        "## Exit codes",
        "",
        "An error is one sentence on standard error. If Redouble itself has failed, lines above it "
        "show where.",
        "",
    ]
    lines += _list(CODES)
    lines += ["## Environment variables", ""]
    lines += ["An option on the command line wins over its variable.", ""]
    lines += _list([*_variables(root), *_listed()])
    return "\n".join(lines).rstrip() + "\n"


def _commands(command: Any) -> Iterator[Any]:
    for one in command.commands.values():
        yield one
        if hasattr(one, "commands"):
            yield from _commands(one)


def _shared(root: Any) -> dict[str, tuple[str, str]]:
    """The parameters that mean the same in commands, with their usual defaults and meanings."""
    found: dict[tuple[str, str], list[str]] = {}
    for command in _commands(root):
        for one in command.params:
            found.setdefault((names(one), meaning(one)), []).append(default(one))
    return {
        name: (Counter(defaults).most_common(1)[0][0], said)
        for (name, said), defaults in found.items()
        if len(defaults) >= MANY
    }


def _command(command: Any, name: str, shared: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    """A command's section; in that of a group, each subcommand has an item of a list."""
    yield from (f"### {name}", "")
    yield from _paragraphs(command.help)
    own, others = _own_and_shared(command, shared)
    if own:
        yield from _list(map(_row, own))
    if others:
        yield from (f"{'Also takes' if own else 'Takes'} {', '.join(others)}.", "")
    inner = getattr(command, "commands", {})
    if not inner:
        return
    takes = {name: _own_and_shared(one, shared)[1] for name, one in inner.items()}
    everywhere = dict.fromkeys(name for found in takes.values() for name in found)
    general = {}
    for name in everywhere:
        without = [f"`{one}`" for one, found in takes.items() if name not in found]
        if len(without) < MANY:
            general[name] = f"{name} (not {without[0]})" if without else name
    if general:
        yield from (f"Each takes {', '.join(general.values())}.", "")
    for subname, one in inner.items():
        own, others = _own_and_shared(one, shared)
        said = [" ".join(one.help.split())]
        said += [f"{name}: {text}" for name, text in map(_row, own)]
        special = [name for name in others if name not in general]
        said += [f"Takes {', '.join(special)}."] if special else []
        yield f"- `{subname}`: {' '.join(said)}"
    yield ""


def _own_and_shared(
    command: Any, shared: Mapping[str, tuple[str, str]]
) -> tuple[list[Any], list[str]]:
    """The parameters that only this command has, and the names of the others."""
    own, others = [], []
    for one in command.params:
        usual, said = shared.get(names(one), ("", ""))
        if said != meaning(one):
            own.append(one)
        elif default(one) in ("", usual):
            others.append(f"`{_short(one)}`")
        else:
            others.append(f"`{_short(one)}` ({default(one)})")
    return own, others


def _short(parameter: Any) -> str:
    """The longest name of a parameter, without its value."""
    is_option = parameter.param_type_name == "option"
    return max(parameter.opts, key=len) if is_option else names(parameter)


def _with(usual: str, said: str) -> str:
    """A parameter's meaning, and its default in parentheses."""
    return f"{said.rstrip('.')} ({usual})." if usual else said


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs, each on a line and followed by an empty one."""
    for paragraph in text.strip().split("\n\n"):
        yield from (" ".join(paragraph.split()), "")


def _row(parameter: Any) -> tuple[str, str]:
    """How to write a parameter, and what it means, with its default."""
    name = f"`{names(parameter)}`"
    if parameter.required and parameter.param_type_name == "option":
        return f"{name} (required)", meaning(parameter)
    return name, _with(default(parameter), meaning(parameter))


def _variables(root: Any) -> Iterator[tuple[str, str]]:
    """The variables that set options, with the commands that have these."""
    readers: dict[tuple[str, str], list[str]] = {}
    for name, command in root.commands.items():
        for one in [command, *getattr(command, "commands", {}).values()]:
            for parameter in one.params:
                if parameter.envvar:
                    found = readers.setdefault((parameter.envvar, parameter.opts[0]), [])
                    found += [] if f"`{name}`" in found else [f"`{name}`"]
    for (variable, option), commands in readers.items():
        yield f"`{variable}`", f"{', '.join(commands)}: sets `{option}`."


def _listed() -> Iterator[tuple[str, str]]:
    for variables, readers, said in VARIABLES:
        yield ", ".join(f"`{name}`" for name in variables.split(", ")), f"{readers}: {said}"


def _list(rows: Iterable[tuple[str, str]]) -> list[str]:
    return [*(f"- {name}: {said}" for name, said in rows), ""]


def main(arguments: list[str]) -> int:
    text = page()
    if "--check" not in arguments:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        print(f"{PAGE.name} is not what scripts/commands.py would write")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
