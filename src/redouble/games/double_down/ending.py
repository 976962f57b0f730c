"""How a game of Double Down ended, in words."""

from __future__ import annotations

from redouble.contract.outcome import Ending
from redouble.games.double_down.rules import STALE, STALEMATE, TURN, VALUES, Position
from redouble.games.double_down.text import CARDS

ORDER = ("first", "second", "third", "fourth", "fifth", "sixth")


def ending(before: Position, after: Position, action: int, viewer: int | None) -> Ending:
    """Return the card that put the last player out, or the stalemate, and everyone's chips."""
    left = tuple(_left(after, one) for one in range(after.seats))
    if after.reason == STALEMATE:
        said = f"{STALE:,} cards of this round were shuffled back, so the most chips win"
        return Ending(f"Stalemate, by our own rule: {said}.", left)
    seat = before.turn
    mine = seat == viewer
    whose, who = ("Your", "you") if mine else (f"{{{seat}}}'s", f"{{{seat}}}")
    card = "turn card" if action == TURN else CARDS[action]
    total = before.total + VALUES[action]
    decided = f"{whose} {card} made {total}, and {who} had no chip left."
    return Ending(decided, left)


def _left(s: Position, seat: int) -> str:
    if s.place_out[seat]:
        return f"out {ORDER[s.place_out[seat] - 1]}" if s.seats > 2 else "out"
    chips = s.lives[seat] - 1
    return "on a free ride" if not chips else "1 chip left" if chips == 1 else f"{chips} chips left"
