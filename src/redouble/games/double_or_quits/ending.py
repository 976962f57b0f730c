"""How a game of Double or Quits ended, in words."""

from __future__ import annotations

from redouble.contract.outcome import Ending
from redouble.games.double_or_quits.rules import COMPLETE, WON, Position
from redouble.games.double_or_quits.text import RANKS


def ending(before: Position, after: Position, action: int, viewer: int | None) -> Ending:
    """Return which card was missing, and how far the foundation got."""
    lie = f"{after.foundation_n} of {COMPLETE} cards"
    if after.reason == WON:
        left = after.redeals - after.redealt
        spare = f", with {left} redeal{'' if left == 1 else 's'} to spare" if left else ""
        return Ending(f"All {COMPLETE} cards are on the foundation{spare}.")
    rank = RANKS[after.needed]
    article = "an" if rank in ("A", "8") else "a"
    return Ending(f"The foundation needed {article} {rank}, and there was none to play.", (lie,))
