"""Highest Card in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from highest_card.rules import DECK, Position
from redouble.contract.options import Flag
from redouble.contract.outcome import NOT_OVER, EndReason
from redouble.contract.view import Card, Fact, Scene, Zone
from redouble.kernel.piles import ERASED

CARDS = tuple(str(card + 1) for card in range(DECK))
REASONS = (NOT_OVER, EndReason("all cards played"))
OPTIONS = (Flag("lowest-wins", "Lowest wins", False, "the lowest card takes the round"),)


def box(seats: int, options: Mapping[str, Any]) -> list[int]:
    """The cards 1 to 12."""
    return list(range(DECK))


def check(seats: int, options: Mapping[str, Any]) -> None:
    """Nothing contradicts anything."""


def name(s: Position, action: int) -> str:
    """The card's number."""
    return CARDS[action]


def parse(s: Position, text: str) -> int:
    """The inverse of :func:`name`; -1 when the text is no card."""
    return CARDS.index(text) if text in CARDS else -1


def tell(before: Position, after: Position, action: int) -> str:
    """For instance ``lays 7`` or ``lays 12; {2} takes the round``."""
    for seat in range(before.seats):
        if after.taken[seat] > before.taken[seat]:
            return f"lays {CARDS[action]}; {{{seat}}} takes the round"
    return f"lays {CARDS[action]}"


def describe(s: Position, action: int) -> str:
    """For instance ``Lay the 7``."""
    return f"Lay the {CARDS[action]}"


def show(s: Position, seat: int | None) -> Scene:
    """Hands, the cards laid, and the rounds taken."""
    laid = [place for place in s.laid[: s.seats] if place >= 0]
    hands = [s.hand[other][: s.hand_n[other]] for other in range(s.seats)]
    rest = s.deck_n - len(laid) - sum(map(len, hands))
    zones = [
        Zone("laid", _cards(s, laid), size=len(laid), spread=True),
        Zone("rest", (), size=rest, name="out of play"),
    ]
    for other, places in enumerate(hands):
        cards = _cards(s, sorted(places, key=lambda place: s.deck[place]))
        zones.append(Zone("hand", cards, other, len(places), spread=True))
    facts = [Fact("rounds", s.taken[other], other) for other in range(s.seats)]
    return Scene(tuple(zones), tuple(facts), "Lay a card." if s.turn >= 0 else "")


def _cards(s: Position, places: list[int]) -> tuple[Card, ...]:
    texts = ("" if s.deck[place] == ERASED else CARDS[s.deck[place]] for place in places)
    return tuple(Card(text, place=str(place)) for text, place in zip(texts, places, strict=True))
