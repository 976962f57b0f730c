"""Whether a deal for one can be won by a player who knows the stock, and how.

The search tries every tile in hand on every step, then on the waste, depth first. The waste of one
pass is the stock of the next, so pass ``p`` reads from one row of ``work`` and throws onto row
``p + 1``, and taking a move back restores everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redouble.kernel.rng import Generator, below
from uphill.greedy import greedy
from uphill.rules import (
    EMPTY,
    HAND,
    KINDS,
    MAX_REDEALS,
    MAX_STEPS,
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

# The parts of ``work``: for each pass its tiles, their number and how many were drawn; the path;
# the hand; and for each move made, which one was tried last, its tile, and what it drew;
# the number of tiles left of each kind.
_ROWS = MAX_REDEALS + 2
_ROW = 0
_ROW_N = _ROWS * MAX_TILES
_DRAWN = _ROW_N + _ROWS
_PATH = _DRAWN + _ROWS
_HAND = _PATH + MAX_STEPS
_TRIED = _HAND + HAND
_TILE = _TRIED + MAX_MOVES + 1
_DREW = _TILE + MAX_MOVES + 1
_LEFT = _DREW + MAX_MOVES + 1
WORK = max(_LEFT + KINDS, 2048)

_NOTHING = 0
_ONE = 1
_ONE_AFTER_REDEAL = 2


def graded(options: Mapping[str, Any]) -> bool:
    """Return whether decisions matter: they always do."""
    return True


def solve(s: Position, out: list[int], work: list[int], max_positions: int) -> int:
    """Write and play the actions of a win; return their number, or LOST or UNDECIDED."""
    found = _search(s, work, max_positions)
    if found < 0:
        return found
    for i in range(found):
        out[i] = work[_TILE + i] * SPOTS + _spot(work[_TRIED + i], s.steps)
        play(s, out[i])
    out[found] = 0
    return found


def winnable(s: Position, out: list[int], work: list[int], max_positions: int) -> int:
    """Return 1 if the deal can be won, else LOST or UNDECIDED."""
    found = _search(s, work, max_positions)
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


def _search(s: Position, work: list[int], max_positions: int) -> int:
    """Return the number of moves of a win, or LOST or UNDECIDED."""
    if s.turn < 0:
        return 0 if s.reason == TOP_REACHED else LOST
    _read(s, work)
    left = s.steps - s.laid[0]
    passes = s.redeals - s.redealt
    at = 0
    depth = 0
    seen = 0
    work[_TRIED] = -1
    while left:
        work[_TRIED + depth] += 1
        tried = work[_TRIED + depth]
        if tried == HAND * (s.steps + 1):
            if depth == 0:
                return LOST
            depth -= 1
            at -= work[_DREW + depth] == _ONE_AFTER_REDEAL
            left += _take_back(work, depth, at, s.steps)
        elif _allowed(s, work, tried, left):
            seen += 1
            if seen > max_positions:
                return UNDECIDED
            left -= _make(work, depth, at, s.steps, passes)
            at += work[_DREW + depth] == _ONE_AFTER_REDEAL
            depth += 1
            hopeless = left > 0 and _hopeless(s, work, at, passes)
            work[_TRIED + depth] = HAND * (s.steps + 1) - 1 if hopeless else -1
    return depth


def _read(s: Position, work: list[int]) -> None:
    for row in range(_ROWS):
        work[_ROW_N + row] = 0
        work[_DRAWN + row] = 0
    for i in range(s.stock_at, s.stock_n):
        work[_ROW + work[_ROW_N]] = s.deck[s.stock[i]]
        work[_ROW_N] += 1
    for i in range(s.waste_n):
        work[_ROW + MAX_TILES + i] = s.deck[s.waste[i]]
        work[_ROW_N + 1] += 1
    for step in range(s.steps):
        place = s.path[0][step]
        work[_PATH + step] = EMPTY if place == EMPTY else s.deck[place]
    for i in range(HAND):
        work[_HAND + i] = s.deck[s.hand[0][i]] if i < s.hand_n[0] else EMPTY


def _spot(tried: int, steps: int) -> int:
    spot = tried % (steps + 1)
    return WASTE if spot == steps else spot


def _allowed(s: Position, work: list[int], tried: int, left: int) -> bool:
    """Return whether a move is legal and not the same as an earlier one."""
    i = tried // (s.steps + 1)
    tile = work[_HAND + i]
    spot = _spot(tried, s.steps)
    if tile == EMPTY or (i and tile == work[_HAND]):
        return False
    if spot == WASTE:
        return True
    if work[_PATH + spot] != EMPTY:
        return False
    gap = 0 if s.terraces else 1
    if spot > 0 and work[_PATH + spot - 1] != EMPTY:
        return tile - work[_PATH + spot - 1] >= gap
    if spot + 1 < s.steps and work[_PATH + spot + 1] != EMPTY:
        return work[_PATH + spot + 1] - tile >= gap
    return left == s.steps


def _hopeless(s: Position, work: list[int], at: int, passes: int) -> bool:
    """Return whether too few numbers are left for the free steps at one end of the path."""
    for kind in range(KINDS):
        work[_LEFT + kind] = 0
    for i in range(HAND):
        if work[_HAND + i] != EMPTY:
            work[_LEFT + work[_HAND + i]] += 1
    for row in range(at, at + 2 if at < passes else at + 1):
        for i in range(work[_DRAWN + row], work[_ROW_N + row]):
            work[_LEFT + work[_ROW + row * MAX_TILES + i]] += 1
    low = KINDS
    high = -1
    below = 0
    above = 0
    for step in range(s.steps):
        tile = work[_PATH + step]
        if tile != EMPTY:
            low = min(low, tile)
            high = tile
        elif high < 0:
            below += 1
        else:
            above += 1
    if high < 0:
        above = below
        below = 0
    for kind in range(KINDS):
        copies = work[_LEFT + kind] if s.terraces else min(work[_LEFT + kind], 1)
        gap = 0 if s.terraces else 1
        if low - kind >= gap and high >= 0:
            below -= copies
        if kind - high >= gap:
            above -= copies
    return below > 0 or above > 0


def _make(work: list[int], depth: int, at: int, steps: int, passes: int) -> int:
    """Make the move that is tried; return 1 if it takes a step, 0 if it throws a tile away."""
    tried = work[_TRIED + depth]
    i = tried // (steps + 1)
    spot = _spot(tried, steps)
    tile = work[_HAND + i]
    work[_TILE + depth] = tile
    if spot == WASTE:
        work[_ROW + (at + 1) * MAX_TILES + work[_ROW_N + at + 1]] = tile
        work[_ROW_N + at + 1] += 1
    else:
        work[_PATH + spot] = tile
    drew = _ONE
    if work[_DRAWN + at] == work[_ROW_N + at]:
        redeal = at < passes and work[_ROW_N + at + 1] > 0
        drew = _ONE_AFTER_REDEAL if redeal else _NOTHING
        at += redeal
    work[_HAND + i] = EMPTY
    if drew:
        work[_HAND + i] = work[_ROW + at * MAX_TILES + work[_DRAWN + at]]
        work[_DRAWN + at] += 1
    work[_DREW + depth] = drew
    return 0 if spot == WASTE else 1


def _take_back(work: list[int], depth: int, at: int, steps: int) -> int:
    """Take the last move back; return 1 if it had taken a step. ``at`` is the pass before it."""
    tried = work[_TRIED + depth]
    spot = _spot(tried, steps)
    if work[_DREW + depth]:
        work[_DRAWN + at + (work[_DREW + depth] == _ONE_AFTER_REDEAL)] -= 1
    work[_HAND + tried // (steps + 1)] = work[_TILE + depth]
    if spot == WASTE:
        work[_ROW_N + at + 1] -= 1
        return 0
    work[_PATH + spot] = EMPTY
    return 1
