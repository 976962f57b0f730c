"""The base works without NumPy, a compiler and what only POSIX has, and plays the same games."""

from __future__ import annotations

import contextlib
import io
import json
from importlib import import_module
from itertools import cycle
from pkgutil import walk_packages
from typing import Any
from unittest.mock import patch

import pytest

import redouble
from redouble.commands import errors
from redouble.commands.command_line import invoke
from redouble.contract.registry import GAMES
from redouble.kernel.errors import MissingExtra
from redouble.match.match import Match
from tests.helpers.extras import WITHOUT_EXTRAS
from tests.helpers.places import ROOT
from tests.helpers.programs import python

FAST = ("numba", "numpy", "llvmlite")
POSIX = ("fcntl", "grp", "pwd", "readline", "resource", "termios", "tty")
"""What Windows lacks."""
CHILD = """
import json, sys
sys.modules.update(dict.fromkeys({blocked}))
from tests import test_base
print(json.dumps(test_base.{name}(), default=repr))
"""


def in_child(name: str, *blocked: str) -> Any:
    """Return what a function returns in a process that can't import these modules."""
    ended = python("-c", CHILD.format(name=name, blocked=blocked), cwd=ROOT)
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
    return [command(line, "a\n1\n" * 100) for line in lines]


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


def refusals() -> list[Any]:
    """Return how the commands that need the compiler end, and which modules can't be imported."""
    game = next(iter(GAMES))
    failed: list[str] = []
    for module in walk_packages(redouble.__path__, "redouble.", onerror=lambda _: None):
        try:
            import_module(module.name)
        except MissingExtra:
            pass
        except Exception as error:
            failed.append(f"{module.name}: {error!r}")
    lines = [
        (f"{name} {words}".replace("GAME", game), extra)
        for name, (words, extra) in WITHOUT_EXTRAS.items()
        if extra in ("data", "fast", "lab")
    ]
    return [failed, [(line, extra, *command(line)) for line, extra in lines]]


@pytest.mark.parametrize("name", ["games", "searches"])
def test_the_same_seeds_give_the_same_games_without_a_compiler(name: str) -> None:
    found = in_child(name, *FAST, *POSIX)
    assert found == in_child(name)
    assert len(found) >= len(GAMES)


def test_what_needs_a_compiler_says_in_a_sentence_how_to_install_it() -> None:
    failed, ended = in_child("refusals", *FAST, *POSIX)
    assert failed == []
    for line, extra, code, _, said in ended:
        assert code == errors.EXIT_USAGE, line
        assert said.endswith(f"pip install 'redouble[{extra}]'.\n"), line
        assert said.count("\n") == 1, line
