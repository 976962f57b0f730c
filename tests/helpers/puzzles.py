"""The puzzles that come with the games, for tests."""

from dataclasses import replace
from typing import Any

import pytest

from redouble.analysis.puzzle import Puzzle, puzzle_numbered, puzzles_of
from redouble.contract.game import WORK
from redouble.contract.registry import GAMES
from redouble.kernel.rng import seed_words
from redouble.match.match import Reached
from tests.helpers.worlds import own_games

SEVERAL = [name for name in own_games() if GAMES[name].max_seats > 1]
SHIPPED = [one for name in SEVERAL for one in puzzles_of(GAMES[name])]
ONE = puzzle_numbered(GAMES["double-down"], 1)


def label(puzzle: Puzzle) -> str:
    return f"{puzzle.record.game}-{puzzle.number}"


def sample(each: int) -> list[Any]:
    """This many puzzles of every game, spread over its file."""
    picked = []
    for name in SEVERAL:
        found = puzzles_of(GAMES[name])
        for puzzle in found[:: max(1, len(found) // each)][:each]:
            picked.append(pytest.param(puzzle, id=label(puzzle)))
    return picked


def elsewhere(puzzle: Puzzle, seed: str) -> Puzzle:
    """The puzzle in a world that its seat cannot tell from the real one."""
    match = puzzle.match()
    state = match.seen_by(puzzle.seat)
    puzzle.game.rules.determinize(state, seed_words(seed), [0] * WORK)
    match._here = Reached(puzzle.game, state)
    twin = replace(puzzle)
    twin.__dict__["_position"] = match, tuple(puzzle.last_moves())
    return twin
