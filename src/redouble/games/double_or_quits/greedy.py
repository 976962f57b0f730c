"""A careful human's Double or Quits: mind which card moves into the cell you empty.

Whether to flip is the game's only choice, and only `free-flip` offers it. Which of several cards
of the needed rank goes to the foundation makes no difference, since the same ranks are left.
"""

from __future__ import annotations

from redouble.games.double_or_quits.rules import COMPLETE, FLIP, KING, WASTE, WON, Position
from redouble.kernel.rng import Generator


def greedy(s: Position, out: list[int], n: int, rng: Generator, work: list[int]) -> int:
    """Return a play if there is one, unless a poor card would fill the emptied cell."""
    turn_up = out[n - 1]
    if out[0] == WASTE or out[0] >= FLIP or turn_up < FLIP:
        return out[0]
    # Only cells can be played, and there is a card or the waste to turn over instead.
    if s.waste_n:
        filler = s.line[s.waste_n - 1]
    elif s.redealt and s.stock_at + 1 < s.stock_n:
        filler = s.line[s.stock_at]  # turned up once, so it is remembered
    else:
        return out[0]
    rank = s.deck[filler] >> 2
    if turn_up == FLIP and s.redealt == s.redeals:
        # Cards flipped past now stay buried, so only a king on its own is worth it.
        return turn_up if rank == KING and s.waste_n <= 1 else out[0]
    # A king blocks the cell for good, and a rank that another cell holds is of little use.
    if rank == KING or s.held[rank]:
        return turn_up
    return out[0]


def evaluate(s: Position, out: list[int]) -> None:
    """Write 1000 for a win, else up to 500 in proportion to the cards on the foundation."""
    out[0] = 1000 if s.reason == WON else 500 * s.foundation_n // COMPLETE
