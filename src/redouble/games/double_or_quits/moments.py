"""What people see in the middle of a move of Double or Quits, in words."""

from __future__ import annotations

from redouble.contract.moments import Headline, MomentKind
from redouble.games.double_or_quits.rules import COMPLETED, REDEALT, Position


def _redealt(s: Position, seat: int | None) -> Headline:
    left = s.redeals - s.redealt
    words = {0: "No redeals left", 1: "1 redeal left"}.get(left, f"{left} redeals left")
    return Headline("The waste becomes the stock", f"{words}.")


def _completed(s: Position, seat: int | None) -> Headline:
    return Headline("The foundation is complete: you win!")


MOMENTS = (
    MomentKind("redealt", _redealt, seconds=0.7, sound="pickup"),
    MomentKind("completed", _completed, seconds=2.5, sound="win"),
)

assert tuple(range(len(MOMENTS))) == (REDEALT, COMPLETED)
