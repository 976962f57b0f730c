"""The base works without NumPy, a compiler and what only POSIX has, and plays the same games."""

import contextlib
import io
import json
import re
import tempfile
from importlib import import_module
from itertools import cycle
from pkgutil import walk_packages
from typing import Any
from unittest.mock import patch

import pytest
from typer.main import get_command

import redouble
from redouble.commands import errors
from redouble.commands.arguments import warn_if_slow
from redouble.commands.command_line import app, invoke
from redouble.contract.registry import GAMES
from redouble.kernel.errors import MissingExtra
from redouble.match.match import Match
from tests.helpers.extras import IN_THE_BASE, SEARCHING, WITHOUT_EXTRAS
from tests.helpers.places import ROOT
from tests.helpers.programs import python

FAST = ("numba", "numpy", "llvmlite")
OTHERS = ("fastapi", "mcp", "pyarrow", "scipy")
"""Packages of other extras."""
POSIX = ("fcntl", "grp", "pwd", "readline", "resource", "termios", "tty")
POSIX_NAMES = {
    "os": ("fork", "forkpty", "register_at_fork", "getuid", "killpg", "nice", "set_blocking"),
    "select": ("epoll", "poll"),
    "signal": ("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "pthread_sigmask"),
}
"""Modules that Windows lacks, and names of others."""
CHILD = """
import importlib, json, sys
sys.modules.update(dict.fromkeys({blocked}))
if "fcntl" in {blocked}:
    for module, names in {names}.items():
        for name in names:
            delattr(importlib.import_module(module), name)
from tests import test_base
print(json.dumps(test_base.{name}(), default=repr))
"""


def in_child(name: str, *blocked: str) -> Any:
    """Return what a function returns in a process that can't import these modules."""
    ended = python("-c", CHILD.format(name=name, blocked=blocked, names=POSIX_NAMES), cwd=ROOT)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def command(line: str, typed: str = "") -> tuple[int, str, str]:
    """Run a command; return its exit code, and what it prints."""
    printed, said = io.StringIO(), io.StringIO()
    with (
        patch("sys.stdin", io.StringIO(typed)),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(said),
    ):
        code = errors.run(lambda: invoke(line.split()))
    return code, printed.getvalue(), said.getvalue()


def games() -> list[Any]:
    """Return what is printed of a game in the terminal, of each kind."""
    levels = cycle(("novice", "casual", "club", "expert"))
    lines = [
        f"play {name} --seed base --plain --fast --level {level}"
        for name, level in zip(GAMES, levels, strict=False)
    ]
    return [command(line, "a\n1\n" * 100)[:2] for line in lines]


def searches() -> list[Any]:
    """Return what a short search finds in each game, and what a solver does."""
    from redouble.analysis.solve import Solving
    from redouble.bots import own_chance
    from redouble.bots.policy import BEST, Policy
    from redouble.bots.search import Search, forecast

    found: list[Any] = []
    for game in GAMES.values():
        match = Match(game, game.usual_seats, "interpreted")
        while match.ply < 6 or len(match.legal_moves) < 2:
            match.push(match.legal_moves[0])
        observation, chance = match.observation(), own_chance("interpreted", 0, 0)
        search = Search(observation, chance, Policy(iterations=60, method=BEST))
        search.run(60)
        found += [search.candidates(), forecast(observation, chance, 5)]
        if game.solver is not None:
            solving, state = Solving(game), Match(game, 1, "3").state
            found += [solving.solve(state, 2000), solving.ease(state, playouts=2)]
            found += [solving.chances(observation, worlds=2, max_positions=200)]
            found += [solving.play_deals({}, 2, 0.1), solving.solve_deals({}, 2, "", 300)]
    return found


def commands() -> list[Any]:
    """Return the modules that can't be imported, and how commands end and what they complain."""
    failed: list[str] = []
    for module in walk_packages(redouble.__path__, "redouble.", onerror=lambda _: None):
        try:
            import_module(module.name)
        except MissingExtra:
            pass
        except Exception as error:
            failed.append(f"{module.name}: {error!r}")
    lines = {name: (words, "") for name, (words, _) in WITHOUT_EXTRAS.items()} | IN_THE_BASE
    ended = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, (words, typed) in lines.items():
            warn_if_slow.cache_clear()  # it is said once a process
            code, _, complaint = command(f"{name} {words}", typed)
            ended[name] = code, complaint
    return [failed, ended]


@pytest.mark.parametrize("name", ["games", "searches"])
def test_the_same_seeds_give_the_same_games_without_a_compiler(name: str) -> None:
    found = in_child(name, *FAST, *POSIX)
    assert found == in_child(name)
    assert len(found) >= len(GAMES)


def test_every_command_says_in_one_sentence_what_an_extra_would_bring() -> None:
    failed, ended = in_child("commands", *FAST, *OTHERS, *POSIX)
    assert failed == []
    program: Any = get_command(app)
    assert set(ended) == set(program.commands)
    for name, (code, complaint) in ended.items():
        _, extra = WITHOUT_EXTRAS.get(name, ("", "fast" if name in SEARCHING else ""))
        assert code == (errors.EXIT_USAGE if name in WITHOUT_EXTRAS else 0), name
        said = rf"redouble: .*: pip install 'redouble\[{extra}\]'\.\n" if extra else ""
        assert re.fullmatch(said, complaint), name
