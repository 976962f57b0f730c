"""The parts of a table that belong to one subject each, such as its claims."""

from collections import deque
from dataclasses import dataclass, field
from typing import Self

TABLE = -1
"""The seat of an event that no seat caused."""


class Copyable:
    """A part of a table, or all of it, that is copied before it changes."""

    def copy(self) -> Self:
        """Return an independent copy: what the containers hold never changes."""
        twin = object.__new__(type(self))
        for name, value in vars(self).items():
            held = isinstance(value, (list, deque, dict, Copyable))
            twin.__dict__[name] = value.copy() if held else value
        return twin


@dataclass(frozen=True, slots=True)
class Request:
    """A seat asks the others for a pause, or to undo moves until ``keep`` are left."""

    seat: int
    keep: int = 0
    agreed: frozenset[str] = frozenset()
    """The people who have agreed."""
    hindsight: bool = False
    """Whether the asker has seen something hidden since these moves."""


@dataclass
class Undone(Copyable):
    """What was undone, and what is to be."""

    request: Request | None = None
    moves: list[str] = field(default_factory=list)
    """Undone moves, the next one to redo last."""
    times: int = 0
    hindsight: int = 0
    """How often a player undid moves after seeing something hidden."""
    refused: frozenset[tuple[int, int]] = frozenset()
    """What a seat can't ask again: the seats, and how many moves were to be left."""


@dataclass
class Hands(Copyable):
    """Whose hands have made the moves of each seat. Moves that were undone count, too."""

    own: dict[int, int] = field(default_factory=dict)
    """Moves by the seat's person, or by a bot that owns it."""
    stand_in: dict[int, int] = field(default_factory=dict)
    """Moves by a bot for the seat's person."""
    timed_out: bool = False
    """Whether a bot makes the next move, since a player's time has run out."""
    missing: frozenset[int] = frozenset()
    """The seats whose player's time has run out, and who hasn't come back."""

    def note(self, seat: int, stands_in: bool) -> None:
        """Note a move of a seat."""
        by_bot = stands_in or self.timed_out
        made = self.stand_in if by_bot else self.own
        made[seat] = made.get(seat, 0) + 1
        self.timed_out = False
        self.missing -= set() if by_bot else {seat}


@dataclass
class Pause(Copyable):
    """A pause, or the request for one."""

    request: Request | None = None
    begun: bool = False
    """Whether the clocks stand, and nobody moves, because all players wanted that."""
    refused: frozenset[tuple[int, int]] = frozenset()
    """The seats that can't ask again, each with the number of moves at which that is so."""


@dataclass
class Claims(Copyable):
    """Seats that people say are theirs, taken in another browser."""

    asked: dict[int, str] = field(default_factory=dict)
    """By seat: the person who claims it, until the host has answered."""
    denied: frozenset[tuple[int, str]] = frozenset()
    """Seats that people have claimed in vain."""


@dataclass(frozen=True, slots=True)
class KeptSeat:
    """A seat of a rematch, for the person who had it in the game before."""

    person: str
    name: str


@dataclass
class NextGame(Copyable):
    """The rematch, and who plays it."""

    token: str = ""
    """The token of the table where the same players continue; empty before."""
    by: int = TABLE
    """The seat that has asked for it, or ``TABLE``."""
    later: frozenset[int] = frozenset()
    """The seats of people who don't continue right now."""
    wants: dict[str, str] = field(default_factory=dict)
    """The names of spectators who want a bot's seat, by person."""
