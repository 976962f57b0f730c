"""Whether a deal for one can be won by a player who knows the stock, and how.

The search plays every legal move, depth first, and takes it back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redouble.kernel.rng import Generator, below
from uphill.greedy import greedy
from uphill.rules import (
    EMPTY,
    KINDS,
    MAX_REDEALS,
    MAX_TILES,
    SPOTS,
    TOP_REACHED,
    WASTE,
    Position,
    legal,
    play,
)

LOST = -1
UNDECIDED = -2
MAX_MOVES = MAX_TILES * (MAX_REDEALS + 2)
SLIPS = 12
"""In :func:`human`, one decision in this many is a slip, on average."""

# The parts of ``work``: for each move made its action, how many moves were tried there, where
# the stock began before it and the redeals until then; the stock before each redeal, and its end;
# the tiles left of each kind.
_ACTION = 0
_TRIED = _ACTION + MAX_MOVES + 1
_STOCK_AT = _TRIED + MAX_MOVES + 1
_REDEALT = _STOCK_AT + MAX_MOVES + 1
_STOCK = _REDEALT + MAX_MOVES + 1
_STOCK_N = _STOCK + MAX_REDEALS * MAX_TILES
_LEFT = _STOCK_N + MAX_REDEALS
WORK = max(_LEFT + KINDS, 2048)


def graded(options: Mapping[str, Any]) -> bool:
    """Return whether decisions matter: they always do."""
    return True


def solve(s: Position, out: list[int], work: list[int], max_positions: int) -> int:
    """Write and play the actions of a win; return their number, or LOST or UNDECIDED."""
    found = _search(s, out, work, max_positions)
    for i in range(found):
        out[i] = work[_ACTION + i]
    if found >= 0:
        out[found] = 0
    return found


def winnable(s: Position, out: list[int], work: list[int], max_positions: int) -> int:
    """Return 1 if the deal can be won, else LOST or UNDECIDED."""
    found = _search(s, out, work, max_positions)
    return 1 if found >= 0 else found


def careful(
    s: Position, rng: Generator, out: list[int], work: list[int], max_positions: int
) -> int:
    """Play to the end like :func:`greedy`, which looks at no hidden tile; return 1 for a win."""
    n = legal(s, out)
    while n:
        play(s, greedy(s, out, n, rng, work))
        n = legal(s, out)
    return 1 if s.reason == TOP_REACHED else 0


def human(s: Position, rng: Generator, out: list[int], work: list[int]) -> int:
    """Play to the end as :func:`careful` with slips; return 1 for a win, else 0."""
    n = legal(s, out)
    while n:
        if below(rng, SLIPS) == 0:
            play(s, out[below(rng, n)])
        else:
            play(s, greedy(s, out, n, rng, work))
        n = legal(s, out)
    return 1 if s.reason == TOP_REACHED else 0


def _search(s: Position, out: list[int], work: list[int], max_positions: int) -> int:
    """Play a win and return the number of its moves, or play nothing: LOST or UNDECIDED."""
    depth = 0
    seen = 0
    work[_TRIED] = 0
    while s.reason != TOP_REACHED:
        tried = work[_TRIED + depth]
        over = seen == max_positions or (depth > 0 and _hopeless(s, work))
        if not over and tried < legal(s, out):
            work[_TRIED + depth] = tried + 1
            _make(s, out[tried], work, depth)
            seen += 1
            depth += 1
            work[_TRIED + depth] = 0
        elif depth > 0:
            depth -= 1
            _take_back(s, work, depth)
        else:
            return UNDECIDED if seen == max_positions else LOST
    return depth


def _hopeless(s: Position, work: list[int]) -> bool:
    """Return whether too few numbers are left for the free steps at one end of the path."""
    for kind in range(KINDS):
        work[_LEFT + kind] = 0
    for i in range(s.hand_n[0]):
        work[_LEFT + s.deck[s.hand[0][i]]] += 1
    for i in range(s.stock_at, s.stock_n):
        work[_LEFT + s.deck[s.stock[i]]] += 1
    for i in range(s.waste_n if s.redealt < s.redeals else 0):
        work[_LEFT + s.deck[s.waste[i]]] += 1
    low = KINDS
    high = -1
    below = 0
    above = 0
    for step in range(s.steps):
        place = s.path[0][step]
        if place != EMPTY:
            low = min(low, s.deck[place])
            high = s.deck[place]
        elif high < 0:
            below += 1
        else:
            above += 1
    if high < 0:
        above = below
        below = 0
    gap = 0 if s.terraces else 1
    for kind in range(KINDS):
        copies = work[_LEFT + kind] if s.terraces else min(work[_LEFT + kind], 1)
        if low - kind >= gap and high >= 0:
            below -= copies
        if kind - high >= gap:
            above -= copies
    return s.turn >= 0 and (below > 0 or above > 0)


def _make(s: Position, action: int, work: list[int], depth: int) -> None:
    """Play, and note what :func:`_take_back` needs to know."""
    work[_ACTION + depth] = action
    work[_STOCK_AT + depth] = s.stock_at
    work[_REDEALT + depth] = s.redealt
    if s.stock_at == s.stock_n and s.redealt < s.redeals:
        work[_STOCK_N + s.redealt] = s.stock_n
        for i in range(s.stock_n):
            work[_STOCK + s.redealt * MAX_TILES + i] = s.stock[i]
    play(s, action)


def _take_back(s: Position, work: list[int], depth: int) -> None:
    """Take the last move back; the tiles in hand may then be in another order."""
    redealt = s.redealt != work[_REDEALT + depth]
    if redealt or s.stock_at != work[_STOCK_AT + depth]:
        s.hand_n[0] -= 1
        for i in range(s.hand_n[0]):
            if s.hand[0][i] == s.stock[s.stock_at - 1]:  # the tile that was drawn
                s.hand[0][i] = s.hand[0][s.hand_n[0]]
    if redealt:
        s.redealt -= 1
        s.waste_n = s.stock_n
        for i in range(s.stock_n):
            s.waste[i] = s.stock[i]
        s.stock_n = work[_STOCK_N + s.redealt]
        for i in range(s.stock_n):
            s.stock[i] = work[_STOCK + s.redealt * MAX_TILES + i]
    s.stock_at = work[_STOCK_AT + depth]
    action = work[_ACTION + depth]
    spot = action % SPOTS
    if spot == WASTE:
        s.waste_n -= 1
        place = s.waste[s.waste_n]
    else:
        place = s.path[0][spot]
        s.path[0][spot] = EMPTY
        s.laid[0] -= 1
        s.height[0] -= action // SPOTS + 1
    s.hand[0][s.hand_n[0]] = place
    s.hand_n[0] += 1
    s.turn = 0
    s.reason = 0
