"""Moves in advance: what a player wants to do at their next turns, decided before.

They aren't in a table's log: everyone at the table counts its entries, and would learn of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from redouble.web.errors import NotYours, WebError
from redouble.web.table.state import Table

MAX_PREMOVES = 30
"""Moves in advance of one seat."""
MAX_NUMBER = 10**6
Bound = Annotated[int, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]


class Premove(BaseModel):
    """A move in advance. It is made if it is legal then, and its condition holds."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    move: Annotated[str, Field(min_length=1, max_length=200)]
    number: Annotated[str, Field(max_length=60)] = ""
    """The number on the table that decides, by its name; empty if the move has no condition."""
    at_least: Bound | None = None
    at_most: Bound | None = None

    @property
    def words(self) -> str:
        """The condition in words, such as ``if the total is at most 60``; empty without one."""
        if self.at_least is not None and self.at_most is not None:
            return f"if {self.number} is {self.at_least} to {self.at_most}"
        if self.at_most is not None:
            return f"if {self.number} is at most {self.at_most}"
        return f"if {self.number} is at least {self.at_least}" if self.number else ""


def allows_premoves(table: Table, person: str | None) -> bool:
    """Return whether a person can decide moves in advance at a table.

    They play with others, nobody has only minutes for a move, and the game names the numbers by
    which its players choose. The game may still have to begin.
    """
    slow = table.clocks.control.slow or not table.clocks.control
    plays = any(not table.seats[seat].bot for seat in table.seats_of(person))
    others = table.gathering or bool(table.others(person))
    return slow and plays and others and _counts(table) and not table.over


def _counts(table: Table) -> bool:
    return table.game.words.numbers is not None


def check_allows_premoves(table: Table, person: str) -> int:
    """Return the seat for which a person can decide moves in advance.

    Raises :class:`NotYours` and :class:`WebError`.
    """
    if not (mine := table.seats_of(person)):
        raise NotYours("you don't have a seat at this table")
    if not _counts(table):
        raise WebError(f"there are no moves in advance in {table.game.title}")
    if not allows_premoves(table, person) or table.status != "playing":
        raise WebError(
            "moves in advance are for running games with other people, without a clock or with "
            "days for a move"
        )
    return mine[0]


def numbers_at(table: Table, seat: int) -> dict[str, int]:
    """Return the numbers by which a seat's moves in advance can be chosen, as it sees them."""
    numbers = table.game.words.numbers
    return {} if numbers is None else dict(numbers(table.match.seen_by(seat)))


def moves_to_choose(table: Table, seat: int) -> list[str]:
    """Return moves that a seat may have at its next turns: the legal ones, and its cards."""
    known = table.match.seen_by(seat)
    parse = table.game.text.parse
    legal = list(table.match.legal_moves) if table.turn == seat else []
    cards = [
        card.text for zone in table.view(seat).zones if zone.seat == seat for card in zone.cards
    ]
    found = [move for move in [*legal, *cards] if move and parse(known, move) >= 0]
    return list(dict.fromkeys(found))


def check_premoves(table: Table, seat: int, premoves: Sequence[Premove]) -> None:
    """Raise :class:`WebError` if a seat can't have these moves in advance."""
    if len(premoves) > MAX_PREMOVES:
        raise WebError(
            f"{len(premoves)} moves in advance are too many: give at most {MAX_PREMOVES}"
        )
    known, numbers = table.match.seen_by(seat), numbers_at(table, seat)
    for one in premoves:
        if table.game.text.parse(known, one.move) < 0:
            raise WebError(
                f"{one.move!r} is no move of {table.game.title}: write it as in a record"
            )
        bounds = [bound for bound in (one.at_least, one.at_most) if bound is not None]
        if bounds and one.number not in numbers:
            known_numbers = ", ".join(numbers)
            raise WebError(f"{one.number!r} is no number on the table: use one of {known_numbers}")
        if one.number and not bounds:
            raise WebError(f"say what {one.number} has to be for {one.move}: at least, at most")
        if bounds != sorted(bounds):
            raise WebError(f"{one.number} can't be at least {bounds[0]} and at most {bounds[1]}")


def chosen_premove(table: Table, seat: int, premoves: Sequence[Premove]) -> int | None:
    """Return which of a seat's moves in advance it makes now, the first that it can; None if none.

    It has to be the seat's turn.
    """
    numbers = numbers_at(table, seat)
    for i, one in enumerate(premoves):
        number = numbers.get(one.number, 0)
        low = number if one.at_least is None else one.at_least
        high = number if one.at_most is None else one.at_most
        if low <= number <= high and table.match.legal_moves.action(one.move) is not None:
            return i
    return None
