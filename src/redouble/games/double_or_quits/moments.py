"""What people see in the middle of a move of Double or Quits, and at its end, in words."""

from __future__ import annotations

from redouble.contract.moments import Headline, MomentKind
from redouble.contract.outcome import Ending
from redouble.games.double_or_quits.rules import COMPLETE, COMPLETED, REDEALT, WON, Position
from redouble.games.double_or_quits.text import RANKS, a_rank, redeals_left
from redouble.kernel.checks import counted


def _redealt(s: Position, seat: int | None) -> Headline:
    left = redeals_left(s)
    return Headline("The waste becomes the stock", f"{left[0].upper()}{left[1:]}.")


def _completed(s: Position, seat: int | None) -> Headline:
    return Headline("The foundation is complete: you win!")


MOMENTS = (
    MomentKind("redealt", _redealt, seconds=0.7, sound="pickup"),
    MomentKind("completed", _completed, seconds=2.5, sound="win"),
)

assert tuple(range(len(MOMENTS))) == (REDEALT, COMPLETED)


def ending(before: Position, after: Position, action: int, viewer: int | None) -> Ending:
    """Return which card was missing, and how far the foundation got."""
    lie = f"{after.foundation_n} of {COMPLETE} cards"
    if after.reason == WON:
        left = after.redeals - after.redealt
        spare = f", with {counted(left, 'redeal')} to spare" if left else ""
        return Ending(f"All {COMPLETE} cards are on the foundation{spare}.")
    needed = a_rank(RANKS[after.needed])
    return Ending(f"The foundation needed {needed}, and there was none to play.", (lie,))
