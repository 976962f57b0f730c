"""Kinds of fields: what the ints of a state mean to a program that learns.

The fourth element of a field's annotation is its kind::

    turn: Annotated[int, int8, "seat to move; -1 when the game is over", SEAT]
    lives: Annotated[list[int], int8[MAX_SEATS], "chips", by_seat(NUMBER)]
    hand: Annotated[
        list[list[int]], uint8[MAX_SEATS, HAND], "places", by_seat(bag(FACES, length="hand_n"))
    ]

From the kinds, :mod:`redouble.envs.arrays.observation` writes a game's ``observe``, which turns a
redacted state into a row of small numbers, a *tensor*. Cards are counted by their faces and never
listed by their places, so that equal hands look equal. Seats are counted from the observer on.

An array whose kind is for one int holds many of that kind, in the order of its indices. With
:func:`by_seat`, its first index is a seat.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "BIG_NUMBER",
    "DERIVED",
    "HISTORY",
    "HUGE_NUMBER",
    "NUMBER",
    "OPTION",
    "SEAT",
    "Kind",
    "bag",
    "bits",
    "by_seat",
    "cards",
    "one_hot",
    "row",
    "several",
    "through",
]


class Kind:
    """What the ints of a field mean."""


@dataclass(frozen=True)
class NumberKind(Kind):
    slots: int


@dataclass(frozen=True)
class SeatKind(Kind):
    pass


@dataclass(frozen=True)
class UnseenKind(Kind):
    pass


@dataclass(frozen=True)
class OneHotKind(Kind):
    """A choice: a slot for each value from ``low`` to ``high``; any other value sets none."""

    low: int
    high: int


@dataclass(frozen=True)
class BitsKind(Kind):
    """A set: a slot for each of ``n`` bits. With ``word``, a row of ints has so many in each."""

    n: int
    word: int = 0


@dataclass(frozen=True)
class CardsKind(Kind):
    """A list of faces: how many there are of each. The field ``stop`` says where the list ends."""

    faces: int
    stop: str


@dataclass(frozen=True)
class BagKind(Kind):
    """A list of places: how many of its cards have each face, then how many are unknown.

    It begins at the index in the field ``start``, or at 0, and ends before that in ``stop``, or
    after ``length`` cards. By seats, these fields have an element for each.
    """

    faces: int
    start: str = ""
    stop: str = ""
    length: str = ""


@dataclass(frozen=True)
class RowKind(Kind):
    """A list of places whose order counts: for each 1 + its card, -1 if unknown, 0 after the last.

    It begins at the index in the field ``start``, or at 0, and ends before that in ``stop``.
    """

    start: str = ""
    stop: str = ""


@dataclass(frozen=True)
class BySeatKind(Kind):
    """An array whose first index is a seat: the observer's part comes first, then on in order."""

    of: Kind


@dataclass(frozen=True)
class ThroughKind(Kind):
    """An index of another field: what lies there, as ``of``. An index of -1 leads to -1."""

    field: str
    of: Kind


@dataclass(frozen=True)
class SeveralKind(Kind):
    """A field that is seen in several ways, one after the other."""

    kinds: tuple[Kind, ...]


NUMBER: Kind = NumberKind(1)
"""A number from -128 to 127: one slot."""
BIG_NUMBER: Kind = NumberKind(2)
"""A number from -12800 to 12799: two slots, its hundreds and the rest."""
HUGE_NUMBER: Kind = NumberKind(3)
"""A number from -1280000 to 1279999: three slots, its ten thousands, hundreds and the rest."""
SEAT: Kind = SeatKind()
"""A seat: a slot for each, the observer's first; -1 sets none."""
OPTION: Kind = UnseenKind()
"""Not observed: it is the same all game long, and in all games with the same options."""
DERIVED: Kind = UnseenKind()
"""Not observed: other fields tell what matters of it."""
HISTORY: Kind = UnseenKind()
"""Not observed: it follows from earlier moves, which a program with a memory has seen."""

# What annotations call the others.
one_hot, bits, cards, bag, row = OneHotKind, BitsKind, CardsKind, BagKind, RowKind
by_seat, through = BySeatKind, ThroughKind


def several(*kinds: Kind) -> Kind:
    """Return :class:`SeveralKind` of these kinds."""
    return SeveralKind(kinds)
