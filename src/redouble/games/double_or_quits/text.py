"""Double or Quits in words: move texts, options, and what the player sees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redouble.contract.options import Flag, Number, Option
from redouble.contract.outcome import NOT_OVER, EndReason
from redouble.contract.view import Card, Fact, Scene, Zone
from redouble.games.double_or_quits.rules import (
    CELLS,
    COMPLETE,
    DECK,
    DOUBLED,
    EMPTY,
    FLIP,
    KING,
    LOST,
    REDEAL,
    WASTE,
    WON,
    Position,
)
from redouble.kernel.piles import ERASED

RANKS = ("A", *(str(pips) for pips in range(2, 11)), "J", "Q", "K")
CARDS = tuple(rank + suit for rank in RANKS for suit in "SHDC")
SPOKEN = tuple(rank + suit for rank in RANKS for suit in "♠♥♦♣")
MOVES = ("waste", *(f"cell {cell}" for cell in range(1, CELLS + 1)), "flip", "redeal")
REASONS = (NOT_OVER, EndReason("foundation complete", won=True), EndReason("no more moves"))

OPTIONS: tuple[Option, ...] = (
    Flag(
        "free-flip",
        "Free flips",
        False,
        "You may flip or redeal even when you could play a card.",
    ),
    Number("redeals", "Redeals", 2, "How often you may turn the waste over.", low=0, high=9),
)


def box(seats: int, options: Mapping[str, Any]) -> list[int]:
    """Return the 52 cards."""
    return list(range(DECK))


def check(seats: int, options: Mapping[str, Any]) -> None:
    """Accept everything: no options contradict each other."""


def name(s: Position, action: int) -> str:
    """Return ``waste``, ``cell 3``, ``flip`` or ``redeal``."""
    return MOVES[action]


def parse(s: Position, text: str) -> int:
    """Return the action that :func:`name` gives this text, or -1."""
    return MOVES.index(text) if text in MOVES else -1


def tell(before: Position, after: Position, action: int) -> str:
    """Return, for instance, ``plays 8♥ from cell 3; K♦ blocks it for good``."""
    if action == FLIP:
        said = f"flips {_spoken(after, after.line[after.waste_n - 1])}"
    elif action == REDEAL:
        said = f"redeals; {_redeals_left(after)}"
    elif action == WASTE:
        said = f"plays {_spoken(after, after.top)} from the waste"
    else:
        said = f"plays {_spoken(after, after.top)} from {MOVES[action]}"
        place = after.cell[action - 1]
        if place == EMPTY:
            said += "; nothing is left to fill it"
        elif after.deck[place] >> 2 == KING:
            said += f"; {_spoken(after, place)} blocks it for good"
        else:
            said += f"; {_spoken(after, place)} fills it"
    if after.reason == WON:
        said += ": the foundation is complete"
    elif after.reason == LOST:
        said += f": no more moves, with {after.foundation_n} cards on the foundation"
    return said


def describe(s: Position, action: int) -> str:
    """Return, for instance, ``Play 8♥ from cell 3`` or ``Flip a card``."""
    if action in (FLIP, REDEAL):
        return "Flip a card" if action == FLIP else "Redeal"
    if action == WASTE:
        return f"Play {_spoken(s, s.line[s.waste_n - 1])} from the waste"
    return f"Play {_spoken(s, s.cell[action - 1])} from {MOVES[action]}"


def show(s: Position, seat: int | None) -> Scene:
    """Return foundation, cells and waste, the back of the stock, and what is known of it."""
    dimmed = _dimmed(s) if s.turn >= 0 and seat in (None, s.turn) else {}
    return Scene(tuple(_zones(s)), tuple(_facts(s)), _prompt(s), dimmed=dimmed)


def _zones(s: Position) -> list[Zone]:
    waste = tuple(_card(s, place) for place in s.line[: s.waste_n])
    stock = s.stock_n - s.stock_at
    zones = [Zone("foundation", (_card(s, s.top),), size=s.foundation_n)]
    for number, place in enumerate(s.cell, 1):
        cards = () if place == EMPTY else (_card(s, place),)
        zones.append(Zone(f"cell {number}", cards, size=len(cards)))
    zones.append(Zone("waste", waste, size=len(waste)))
    zones.append(Zone("stock", (None,) * min(stock, 1), size=stock))
    return zones


def _facts(s: Position) -> list[Fact]:
    coming = [s.needed]
    while len(coming) < min(4, COMPLETE - s.foundation_n):
        coming.append(DOUBLED[coming[-1]])
    facts = [
        Fact("needed", RANKS[s.needed] if s.foundation_n < COMPLETE else "nothing"),
        Fact("then", " ".join(RANKS[rank] for rank in coming[1:]) or "nothing"),
        Fact("foundation", f"{s.foundation_n} of {COMPLETE}"),
        Fact("redeals left", s.redeals - s.redealt),
    ]
    # DQ7: what was turned up once is known with its order; so are the kings of the deal.
    stock = s.line[s.stock_at : s.stock_n]
    if stock and s.redealt:
        facts.append(Fact("stock from the top", " ".join(_name(s, place) for place in stock)))
    elif stock and s.kings:
        bottom = stock[-min(s.kings, len(stock)) :]
        facts.append(Fact("bottom of the stock", " ".join(_name(s, place) for place in bottom)))
    return facts


def _prompt(s: Position) -> str:
    if s.turn < 0:
        return ""
    needed = RANKS[s.needed]
    playable = s.moves & ((1 << FLIP) - 1)
    if s.moves >> REDEAL:
        rest = f"redeal; {_redeals_left(s)}."
    else:
        rest = f"flip a card; {_redeals_left(s)}."
    if playable == s.moves:
        return f"Play {_a(needed)} to the foundation."
    if playable:
        return f"Play {_a(needed)} to the foundation, or {rest}"
    return f"No {needed} to play: {rest}"


def _dimmed(s: Position) -> dict[str, str]:
    """Return why cards in the cells or the waste can't be played now."""
    dimmed = {}
    for place in (*s.line[: s.waste_n], *s.cell):
        if place != EMPTY and s.deck[place] >> 2 != s.needed:
            dimmed[_name(s, place)] = _misfit(s.needed, s.deck[place] >> 2)
    for place in s.line[: max(s.waste_n - 1, 0)]:
        dimmed.setdefault(_name(s, place), "Only the top card of the waste can be played.")
    return dimmed


def _misfit(needed: int, rank: int) -> str:
    """Return why a card of this rank does not go on the foundation."""
    if rank == KING:
        return "Kings can't be played."
    return f"A{_a(RANKS[needed])[1:]} is needed, not {_a(RANKS[rank])}."


def _a(rank: str) -> str:
    return f"an {rank}" if rank in ("A", "8") else f"a {rank}"


def _redeals_left(s: Position) -> str:
    left = s.redeals - s.redealt
    return {0: "no redeals left", 1: "1 redeal left"}.get(left, f"{left} redeals left")


def _spoken(s: Position, place: int) -> str:
    return SPOKEN[s.deck[place]]


def _name(s: Position, place: int) -> str:
    return CARDS[s.deck[place]]


def _card(s: Position, place: int) -> Card | None:
    card = s.deck[place]
    if card == ERASED:
        return None
    return Card(CARDS[card], "red" if CARDS[card][-1] in "HD" else "")


assert len(CARDS) == DECK
