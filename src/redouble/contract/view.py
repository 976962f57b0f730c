"""Views: the piles of cards, facts and prompt that one seat sees.

A view is made only from a redacted state, so it cannot hold anything that its seat does not know.
It is plain data: pages, terminals and programs can draw any game from it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from redouble.kernel import checks
from redouble.kernel.errors import InputError

__all__ = ["Card", "Fact", "Scene", "View", "Zone"]


@dataclass(frozen=True)
class Card:
    """A face-up card: its text and, if it has one, its color."""

    text: str
    color: str = ""


@dataclass(frozen=True)
class Zone:
    """A pile of cards.

    ``cards`` lists the cards to draw, from the bottom or the left; ``None`` is a face-down card.
    ``size`` counts all cards in the pile: a draw pile may list only the back of its top card.
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

    A view lists the most important facts first: where space is short, the last may be left out.
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
    """What the seat to move must decide, and why: one or two sentences; empty at the end."""
    board: dict[str, Any] = field(default_factory=dict)
    """Plain JSON for the game's own template; empty if zones and facts are enough."""
    dimmed: dict[str, str] = field(default_factory=dict)
    """Why cards in the hand of the seat to move can't be played now: a short sentence for each, by
    the card's text. Only in that seat's own scene and in the scene of everything."""
    moves: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What legal moves do, by their text: plain JSON for the game's own template, which doesn't
    parse texts. Each has a ``kind`` and names its cards or places. Empty if the game needs none,
    and, like ``dimmed``, for every seat but the one to move."""
    tie_break: str = ""
    """At the end: the name of the fact that ranked seats with equal scores, which only these seats
    have. Empty when no scores were equal, and during the game."""


@dataclass(frozen=True)
class View:
    """A scene as one seat sees it, with the moves open to that seat."""

    game: str
    seats: int
    seat: int | None
    """The seat that this view is for; -1 for a spectator, None for a view of everything."""
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
    """Why cards in the hand of the seat to move can't be played now: a short sentence for each, by
    the card's text. Only in that seat's own view and in the view of everything."""
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
        """Return the view as plain JSON."""
        return asdict(self)

    def zones_of(self, seat: int | None) -> list[Zone]:
        """Return the zones of a seat, or with None those of the table."""
        return [zone for zone in self.zones if zone.seat == seat]

    def facts_of(self, seat: int | None) -> list[Fact]:
        """Return the facts of a seat, or with None those of the table."""
        return [fact for fact in self.facts if fact.seat == seat]
