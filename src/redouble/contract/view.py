"""What one seat sees: piles of cards, named numbers and words, and what is asked of it.

A view is made from a redacted state and from nothing else, so it cannot hold what its seat does not
know. It is plain data: pages, terminals and programs draw any game from it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from redouble.kernel import checks
from redouble.kernel.errors import InputError

__all__ = ["Card", "Fact", "Scene", "View", "Zone"]


@dataclass(frozen=True)
class Card:
    """A card face up: its text, and the color it is drawn in, if it has one."""

    text: str
    color: str = ""


@dataclass(frozen=True)
class Zone:
    """A pile of cards.

    ``cards`` lists those that are drawn, bottom or left first; ``None`` is a card face down.
    ``size`` counts all cards of the pile: of a draw pile only the back on top need be listed.
    """

    name: str
    cards: tuple[Card | None, ...]
    seat: int | None = None
    size: int = 0
    spread: bool = False
    """Whether the cards lie side by side (a hand), or on top of each other (a pile)."""


@dataclass(frozen=True)
class Fact:
    """A named number or word, of one seat or of the table.

    A view names the most important ones first: where room is short, the last may be left out.
    """

    name: str
    value: int | str
    seat: int | None = None


@dataclass(frozen=True)
class Scene:
    """What a game shows of a redacted state."""

    zones: tuple[Zone, ...]
    facts: tuple[Fact, ...]
    prompt: str = ""
    """What is asked of the seat to move, and why: one or two sentences; empty at the end."""
    board: dict[str, Any] = field(default_factory=dict)
    """Plain JSON for a template of the game's own; empty when zones and facts say it all."""
    dimmed: dict[str, str] = field(default_factory=dict)
    """Cards of the seat to move, by their text as they stand in its hand, that cannot be played
    now: the reason, one short sentence. Empty but for that seat and in a scene of everything."""
    moves: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What legal moves do, by their text: plain JSON for a template of the game's own, which reads
    this and never takes a move's text apart. Each has a ``kind`` and names its cards or places.
    Empty for a game that needs none, and like ``dimmed`` for everyone but the seat to move."""
    tie_break: str = ""
    """At the end: the name of the fact that ranked seats with equal scores, which only these seats
    have. Empty when no scores were equal, and during the game."""


@dataclass(frozen=True)
class View:
    """A scene as one seat sees it, with the moves open to that seat."""

    game: str
    seats: int
    seat: int | None
    """The seat that looks; -1 for a spectator, None for a view of everything."""
    ply: int
    turn: int | None
    zones: tuple[Zone, ...]
    facts: tuple[Fact, ...]
    prompt: str
    board: dict[str, Any]
    legal_moves: tuple[str, ...]
    """Only in the view of the seat to move, and in the view of everything."""
    outcome: dict[str, Any] | None
    dimmed: dict[str, str] = field(default_factory=dict)
    """Cards of the seat to move, by their text as they stand in its hand, that cannot be played
    now: the reason, one short sentence. Only in that seat's own view and in the view of
    everything."""
    moves: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What legal moves do, as far as the game says: see :class:`Scene`."""
    tie_break: str = ""
    """The name of the fact that ranked seats with equal scores: see :class:`Scene`."""

    def __post_init__(self) -> None:
        if not isinstance(self.moves, dict):
            raise checks.wrong("moves", self.moves, "a dictionary of legal moves", InputError)
        legal = checks.texts(self.legal_moves, "legal_moves")
        for move in self.moves:
            if move not in legal:
                shown = checks.quoted(move)
                raise InputError(f"moves: {shown} is not legal: describe legal moves only")
        names = {fact.name for fact in self.facts if fact.seat is not None}
        if self.tie_break and self.tie_break not in names:
            shown = checks.quoted(self.tie_break)
            raise InputError(f"tie_break: no seat has a fact {shown}: list it in facts")

    def to_dict(self) -> dict[str, Any]:
        """The view as plain JSON."""
        return asdict(self)

    def zones_of(self, seat: int | None) -> list[Zone]:
        """The zones of one seat, or with None those of the table."""
        return [zone for zone in self.zones if zone.seat == seat]

    def facts_of(self, seat: int | None) -> list[Fact]:
        """The facts of one seat, or with None those of the table."""
        return [fact for fact in self.facts if fact.seat == seat]
