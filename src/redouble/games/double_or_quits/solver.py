"""An exact solver: whether a deal can be won by somebody who knows the stock, and how.

By the rule as published nothing is to choose, so the deal plays itself. With ``free-flip`` the
search rests on five facts, each argued in docs/solitaire.md:

- Which of several cards of the needed rank is played makes no difference, so every card played is
  the removal of one card from the line: it goes into a cell, or is itself the card played.
- The line's removed cards settle what lies in the cells. So a position is the set of cards left in
  the line, and a time: the pass and the top of the waste; an earlier time can do all a later can.
- The deal is won as soon as only kings are left in the line.
- By each step of the ring as many cards of its rank must be out of the line as it asks for by then,
  and a step takes out one card. Where the demands come too early for that, all is lost.
- In the last pass the waste is a stack that has to be emptied. What is flipped on a card that is to
  leave must all leave before it. So the pass falls into blocks of the stock that come out whole,
  and what a block can do depends on its first card, the step and the cells, not on what lies below.

All functions but ``graded`` are rules: ints and arrays, nothing else. ``work`` is scratch for WORK
numbers, zero when it is used first; it may be used again for another deal of this game.
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
from redouble.games.double_or_quits.scratch import (
    CELLS,
    CERTAIN,
    DEMAND,
    FAIL,
    FLIPS,
    LINE,
    LINE_N,
    OPEN,
    ORDER,
    ORDER_N,
    PART,
    PART_AT,
    PART_N,
    PASSES,
    STEPS,
    WASTE_N,
    WIN,
)
from redouble.games.double_or_quits.scratch import WORK as WORK
from redouble.games.double_or_quits.sets import order_from_both, search
from redouble.games.double_or_quits.shortest import UNLIMITED, shortest
from redouble.kernel.piles import lowest_bit
from redouble.kernel.rng import Generator, below

LOST = -1
"""What :func:`solve` returns when the deal cannot be won."""
UNDECIDED = -2
"""What it returns when it has searched as far as it was allowed to."""
MAX_MOVES = 1024
"""No line is longer: 47 cards are played, and each of ten passes flips 44 and ends."""
SLIPS = 20
"""A player who tires slips once in so many decisions."""

_QUICK = 300  # positions looked at before the search that proves


def graded(options: Mapping[str, Any]) -> bool:
    """By the rule as published a deal plays itself."""
    return bool(options["free-flip"])


def solve(s: Position, out: list[int], work: list[int], most: int) -> int:
    """Write the actions of a winning line, and play them; return how many.

    LOST when there is none, UNDECIDED when ``most`` positions did not suffice. The line is a short
    one, and behind the actions comes 1 when none is shorter for certain. ``out`` has room for
    MAX_MOVES + 1 numbers.
    """
    if s.free_flip == 0 or s.turn < 0:
        moves = _forced(s, out)
        if moves >= 0:
            out[moves] = 1
        return moves
    found = _decide(s, work, most, True)
    if found == WIN:
        certain = True
        if work[PASSES]:
            better = shortest(work, work[FLIPS], most)
            certain = better == FAIL or (better == WIN and work[CERTAIN] == 1)
        moves = _carry_out(s, out, work)
        out[moves] = 1 if certain else 0
        return moves
    return LOST if found == FAIL else UNDECIDED


def winnable(s: Position, out: list[int], work: list[int], most: int) -> int:
    """1 when the deal can be won, else LOST or UNDECIDED; the state may change."""
    if s.free_flip == 0 or s.turn < 0:
        return 1 if _forced(s, out) >= 0 else LOST
    found = _decide(s, work, most, False)
    if found == WIN:
        return 1
    return LOST if found == FAIL else UNDECIDED


def careful(s: Position, rng: Generator, out: list[int], work: list[int], most: int) -> int:
    """Whether somebody wins this world who looks at a hidden card only when it is turned up.

    While cards are hidden and two redeals are left it is sure to flip them all and turn the waste
    over, and else to play as greedy does; from when all is known, as the solver does. 1 or 0, or
    UNDECIDED.
    """
    while s.turn >= 0 and s.redealt == 0 and s.stock_at < s.stock_n - s.kings:
        n = legal(s, out)
        if s.free_flip and s.redeals > 1:
            play(s, FLIP)
        else:
            play(s, greedy(s, out, n, rng, work))
    if s.turn < 0:
        return 1 if s.reason == WON else 0
    found = winnable(s, out, work, most)
    return 0 if found == LOST else found


def human(s: Position, rng: Generator, out: list[int], work: list[int]) -> int:
    """Whether a careful player who slips now and then wins this deal; plays it to the end."""
    n = legal(s, out)
    while n:
        if n > 1 and below(rng, SLIPS) == 0:
            play(s, out[below(rng, n)])
        else:
            play(s, greedy(s, out, n, rng, work))
        n = legal(s, out)
    return 1 if s.reason == WON else 0


def _forced(s: Position, out: list[int]) -> int:
    """Play on where nothing is to choose; the number of moves when that wins, else LOST."""
    n = 0
    while s.turn >= 0:
        out[n] = lowest_bit(s.moves)
        play(s, out[n])
        n += 1
    return n if s.reason == WON else LOST


def _decide(s: Position, work: list[int], most: int, fewest: bool) -> int:
    """Find cards of the line to remove, in order, so that the deal is won: WIN, FAIL or OPEN.

    The order is written to ``work``. With ``fewest`` it needs as few redeals as can be, and without
    any the fewest flips, whose number is written then.
    """
    _read(s, work)
    redeals = work[PASSES]
    # Where the redeals are many a win lies near; the search that proves is slow to begin.
    if not fewest and redeals and search(work, redeals, _QUICK, False) == WIN:
        return WIN
    found = FAIL
    for passes in range(redeals + 1):
        found = search(work, passes, most, True) if passes else _last_pass_from_here(work, fewest)
        if found == WIN:
            if passes:
                work[FLIPS] = UNLIMITED
            return WIN
        if found == OPEN:
            return OPEN
    return found


def _read(s: Position, work: list[int]) -> None:
    """What the search needs to know of a position."""
    n = 0
    for i in range(s.waste_n):
        work[LINE + n] = s.deck[s.line[i]] >> 2
        n += 1
    work[WASTE_N] = n
    for i in range(s.stock_at, s.stock_n):
        work[LINE + n] = s.deck[s.line[i]] >> 2
        n += 1
    work[LINE_N] = n
    cells = 0
    for place in s.cell:
        if place != EMPTY:
            cells += 1 << 3 * (s.deck[place] >> 2)
    work[CELLS] = cells
    work[STEPS] = COMPLETE - s.foundation_n
    work[PASSES] = s.redeals - s.redealt
    rank = s.needed
    for step in range(64):
        work[DEMAND + step] = rank
        rank = DOUBLED[rank]


def _last_pass_from_here(work: list[int], fewest: bool) -> int:
    """The search without a redeal, from the position as it is."""
    n = work[LINE_N]
    for i in range(n):
        work[PART + i] = work[LINE + i]
        work[PART_AT + i] = i + 1
    work[PART_N] = n
    found = last_pass(work, work[WASTE_N], work[CELLS], 0, fewest)
    if found == WIN:
        order_from_both(work, 0)
    return found


def _carry_out(s: Position, out: list[int], work: list[int]) -> int:
    """Play the moves that remove the cards in order, and then those left over; return how many."""
    n = work[LINE_N]
    for i in range(work[WASTE_N]):
        work[PART_AT + i] = s.line[i]
    for i in range(s.stock_n - s.stock_at):
        work[PART_AT + work[WASTE_N] + i] = s.line[s.stock_at + i]
    made = 0
    for i in range(work[ORDER_N]):
        place = work[PART_AT + work[ORDER + i] - 1]
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
