"""An exact solver: whether a deal can be won by a player who knows the stock, and how.

With the published rules there are no choices: the deal plays itself. With ``free-flip`` the search
rests on five facts, each proved in docs/solitaire.md:

- Which of several cards of the needed rank is played makes no difference. So each play removes one
  card from the line: it fills a cell, or is itself the card played.
- The cards removed from the line determine the contents of the cells. So a position is the set of
  cards left in the line and a time: the pass and the top of the waste. Earlier is never worse.
- The deal is won as soon as only kings are left in the line.
- By each step of the ring, enough cards of each rank must have left the line to supply all steps so
  far, and each step removes only one card. A position where the demand comes too early is lost.
- In the last pass the waste is a stack that must be emptied: before a card can leave, every card
  flipped onto it must have left. So the pass falls into blocks of the stock that leave completely.
  What a block can do depends on its first card, the step and the cells, not on the cards below.

All functions except ``graded`` are compiled like rules: they use only ints and arrays. ``work`` is
a scratch array of WORK numbers, all zero before its first use; it can be reused for other deals.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redouble.games.double_or_quits.greedy import greedy
from redouble.games.double_or_quits.last_pass import last_pass
from redouble.games.double_or_quits.rules import (
    COMPLETE,
    DOUBLED,
    EMPTY,
    FLIP,
    REDEAL,
    WASTE,
    WON,
    Position,
    legal,
    play,
)
from redouble.games.double_or_quits.scratch import FAIL, OPEN, WIN, Spot
from redouble.games.double_or_quits.scratch import WORK as WORK
from redouble.games.double_or_quits.sets import order_from_both, search
from redouble.games.double_or_quits.shortest import UNLIMITED, shortest
from redouble.kernel.piles import lowest_bit
from redouble.kernel.rng import Generator, below

LOST = -1
"""Returned by :func:`solve` when the deal can't be won."""
UNDECIDED = -2
"""Returned by :func:`solve` when the search reached its limit."""
MAX_MOVES = 1024
"""No solution is longer: 47 cards are played, and each of ten passes has at most 45 other moves."""
SLIPS = 20
"""In :func:`human`, one decision in this many is a slip, on average."""

_QUICK = 300  # positions searched before the search that proves begins


def graded(options: Mapping[str, Any]) -> bool:
    """Return whether deals differ in difficulty: the published rules leave no choices."""
    return bool(options["free-flip"])


def solve(s: Position, out: list[int], work: list[int], max_positions: int) -> int:
    """Write and play the actions of a solution; return their number, or LOST or UNDECIDED.

    LOST means that there is no solution, UNDECIDED that ``max_positions`` positions were searched
    without a decision. The solution is short, and the number after its actions is 1 if it is proved
    that none is shorter, else 0. ``out`` has room for MAX_MOVES + 1 numbers.
    """
    if s.free_flip == 0 or s.turn < 0:
        moves = _forced(s, out)
        if moves >= 0:
            out[moves] = 1
        return moves
    found = _decide(s, work, max_positions, True)
    if found == WIN:
        certain = True
        if work[Spot.PASSES]:
            better = shortest(work, work[Spot.FLIPS], max_positions)
            certain = better == FAIL or (better == WIN and work[Spot.CERTAIN] == 1)
        moves = _carry_out(s, out, work)
        out[moves] = 1 if certain else 0
        return moves
    return LOST if found == FAIL else UNDECIDED


def winnable(s: Position, out: list[int], work: list[int], max_positions: int) -> int:
    """Return 1 if the deal can be won, else LOST or UNDECIDED; the state may change."""
    if s.free_flip == 0 or s.turn < 0:
        return 1 if _forced(s, out) >= 0 else LOST
    found = _decide(s, work, max_positions, False)
    if found == WIN:
        return 1
    return LOST if found == FAIL else UNDECIDED


def careful(
    s: Position, rng: Generator, out: list[int], work: list[int], max_positions: int
) -> int:
    """Return 1 if a player wins who doesn't know hidden cards, 0 if not, or UNDECIDED.

    While cards are hidden, the player flips them all if at least two redeals are left, and else
    plays like :func:`greedy`. Once all cards are known, the player plays like the solver.
    """
    while s.turn >= 0 and s.redealt == 0 and s.stock_at < s.stock_n - s.kings:
        n = legal(s, out)
        if s.free_flip and s.redeals > 1:
            play(s, FLIP)
        else:
            play(s, greedy(s, out, n, rng, work))
    if s.turn < 0:
        return 1 if s.reason == WON else 0
    found = winnable(s, out, work, max_positions)
    return 0 if found == LOST else found


def human(s: Position, rng: Generator, out: list[int], work: list[int]) -> int:
    """Play a deal to its end as a careful player with slips does; return 1 for a win, else 0."""
    n = legal(s, out)
    while n:
        if n > 1 and below(rng, SLIPS) == 0:
            play(s, out[below(rng, n)])
        else:
            play(s, greedy(s, out, n, rng, work))
        n = legal(s, out)
    return 1 if s.reason == WON else 0


def _forced(s: Position, out: list[int]) -> int:
    """Play a deal that has no choices; return the number of moves if it is won, else LOST."""
    n = 0
    while s.turn >= 0:
        out[n] = lowest_bit(s.moves)
        play(s, out[n])
        n += 1
    return n if s.reason == WON else LOST


def _decide(s: Position, work: list[int], max_positions: int, fewest: bool) -> int:
    """Find an order of removing cards from the line that wins the deal: WIN, FAIL or OPEN.

    The order is written to ``work``. With ``fewest`` it has the fewest redeals possible; if it has
    none, it also has the fewest flips, and their number is written to ``FLIPS``.
    """
    _read(s, work)
    redeals = work[Spot.PASSES]
    # With many redeals a quick search usually finds a win; the search that proves starts slowly.
    if not fewest and redeals and search(work, redeals, _QUICK, False) == WIN:
        return WIN
    found = FAIL
    for passes in range(redeals + 1):
        found = (
            search(work, passes, max_positions, True)
            if passes
            else _last_pass_from_here(work, fewest)
        )
        if found == WIN:
            if passes:
                work[Spot.FLIPS] = UNLIMITED
            return WIN
        if found == OPEN:
            return OPEN
    return found


def _read(s: Position, work: list[int]) -> None:
    """Write the parts of a position that the search needs to ``work``."""
    n = 0
    for i in range(s.waste_n):
        work[Spot.LINE + n] = s.deck[s.line[i]] >> 2
        n += 1
    work[Spot.WASTE_N] = n
    for i in range(s.stock_at, s.stock_n):
        work[Spot.LINE + n] = s.deck[s.line[i]] >> 2
        n += 1
    work[Spot.LINE_N] = n
    cells = 0
    for place in s.cell:
        if place != EMPTY:
            cells += 1 << 3 * (s.deck[place] >> 2)
    work[Spot.CELLS] = cells
    work[Spot.STEPS] = COMPLETE - s.foundation_n
    work[Spot.PASSES] = s.redeals - s.redealt
    rank = s.needed
    for step in range(64):
        work[Spot.DEMAND + step] = rank
        rank = DOUBLED[rank]


def _last_pass_from_here(work: list[int], fewest: bool) -> int:
    n = work[Spot.LINE_N]
    for i in range(n):
        work[Spot.PART + i] = work[Spot.LINE + i]
        work[Spot.PART_AT + i] = i + 1
    work[Spot.PART_N] = n
    found = last_pass(work, work[Spot.WASTE_N], work[Spot.CELLS], 0, fewest)
    if found == WIN:
        order_from_both(work, 0)
    return found


def _carry_out(s: Position, out: list[int], work: list[int]) -> int:
    """Play the moves that remove the cards in order, then the rest; return their number."""
    n = work[Spot.LINE_N]
    for i in range(work[Spot.WASTE_N]):
        work[Spot.PART_AT + i] = s.line[i]
    for i in range(s.stock_n - s.stock_at):
        work[Spot.PART_AT + work[Spot.WASTE_N] + i] = s.line[s.stock_at + i]
    made = 0
    for i in range(work[Spot.ORDER_N]):
        place = work[Spot.PART_AT + work[Spot.ORDER + i] - 1]
        gone = False
        while not gone:
            cells = s.moves & ((1 << FLIP) - 2)
            on_top = s.waste_n > 0 and s.line[s.waste_n - 1] == place
            next_up = s.waste_n == 0 and s.line[s.stock_at] == place
            if on_top and s.moves & 1 << WASTE:
                action = WASTE
                gone = True
            elif (on_top or next_up) and cells:
                action = lowest_bit(cells)
                gone = True
            elif s.stock_at < s.stock_n:
                action = FLIP
            else:
                action = REDEAL
            play(s, action)
            out[made] = action
            made += 1
    while s.turn >= 0 and n >= 0:
        out[made] = lowest_bit(s.moves)
        play(s, out[made])
        made += 1
    return made
