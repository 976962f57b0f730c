"""A person's first tries at puzzles, and the rating that follows from them.

Each puzzle has points by its stars. A first try is a game against it: the rating changes by Elo's
formula, with larger steps for the first puzzles.
"""

from collections.abc import Collection
from dataclasses import dataclass
from random import SystemRandom
from typing import Any

import sqlalchemy as sa

from redouble.analysis.puzzle import Puzzle, puzzles_of
from redouble.contract.registry import GAMES
from redouble.web.people.people import lock
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import metadata, owned_by

puzzle_tries = sa.Table(
    "puzzle_tries",
    metadata,
    sa.Column("person", owned_by("people.id"), primary_key=True),
    sa.Column("game", sa.String, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("right", sa.Boolean, nullable=False),
    sa.Column("points", sa.Float, nullable=False),  # the person's rating after it
    sa.Column("at", sa.Float, nullable=False),
)
"""People's first tries at puzzles."""

FIRST_POINTS = 1200.0
STARS = {1: 900.0, 2: 1200.0, 3: 1500.0, 4: 1800.0, 5: 2100.0}
"""The points of a puzzle, by its stars."""
STEPS = ((10, 80.0), (30, 40.0))
"""How much a puzzle changes a rating at most: pairs of a number of first tries and that limit."""
LAST_STEP = 20.0
"""The same for all later tries."""


@dataclass(frozen=True)
class PuzzleRating:
    """How a person does at puzzles."""

    points: float
    tried: int
    row: int
    """Puzzles solved in a row, up to the last one."""
    best_row: int
    gained: int = 0
    """Points, by the last puzzle."""


def tries_of(connection: sa.Connection, person: str) -> list[dict[str, Any]]:
    """Return a person's first tries, oldest first."""
    query = sa.select(puzzle_tries).filter_by(person=person)
    ordered = query.order_by(puzzle_tries.c.at, puzzle_tries.c.game, puzzle_tries.c.number)
    return [dict(row._mapping) for row in connection.execute(ordered)]


def note_try(connection: sa.Connection, person: str, puzzle: Puzzle, right: bool) -> bool:
    """Note a person's first try at a puzzle, and return whether it is the first."""
    lock(connection, person)
    tries = tries_of(connection, person)
    game = puzzle.game.name
    if any((one["game"], one["number"]) == (game, puzzle.number) for one in tries):
        return False
    before = tries[-1]["points"] if tries else FIRST_POINTS
    expected = 1 / (1 + 10 ** ((STARS[puzzle.stars] - before) / 400))
    step = next((size for first, size in STEPS if len(tries) < first), LAST_STEP)
    row = {
        "person": person,
        "game": game,
        "number": puzzle.number,
        "right": right,
        "points": before + step * (right - expected),
        "at": max(CLOCK.now(), tries[-1]["at"] if tries else 0.0),
    }
    connection.execute(sa.insert(puzzle_tries).values(row))
    return True


def puzzle_rating(tries: Collection[dict[str, Any]]) -> PuzzleRating | None:
    """Return the rating after these first tries, oldest first; None if there are none."""
    if not tries:
        return None
    row = best = 0
    before = last = FIRST_POINTS
    for one in tries:
        row = row + 1 if one["right"] else 0
        best = max(best, row)
        before, last = last, one["points"]
    return PuzzleRating(last, len(tries), row, best, round(last) - round(before))


def next_puzzle(tries: Collection[dict[str, Any]], game: str = "") -> Puzzle | None:
    """Return an untried puzzle whose difficulty fits the rating after these first tries.

    None if they have tried all, of the ``game`` if one is named.
    """
    known = {(one["game"], one["number"]) for one in tries}
    rating = puzzle_rating(tries)
    points = rating.points if rating else FIRST_POINTS
    left = [
        puzzle
        for name in ([game] if game else GAMES)
        for puzzle in puzzles_of(GAMES[name])
        if (name, puzzle.number) not in known
    ]
    if not left:
        return None
    nearest = min(abs(STARS[one.stars] - points) for one in left)
    return SystemRandom().choice([p for p in left if abs(STARS[p.stars] - points) == nearest])
