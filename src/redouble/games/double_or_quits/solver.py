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

All functions are rules: ints and arrays, nothing else. ``work`` is scratch for WORK numbers, zero
when it is used first; it may be used again for another deal of this game.
"""

from __future__ import annotations

from redouble.games.double_or_quits.greedy import greedy
from redouble.games.double_or_quits.rules import (
    COMPLETE,
    DOUBLED,
    EMPTY,
    FLIP,
    KING,
    RANKS,
    REDEAL,
    WASTE,
    WON,
    Position,
    legal,
    play,
)
from redouble.piles import lowest_bit
from redouble.rng import Generator, below

LOST = -1
"""What :func:`solve` returns when the deal cannot be won."""
UNDECIDED = -2
"""What it returns when it has searched as far as it was allowed to."""

SLIPS = 20
"""A player who tires slips once in so many decisions."""

_WIN, _FAIL, _OPEN = 1, 0, -1
_QUICK = 300  # positions looked at before the search that proves

# Where things lie in the scratch. Ranks are those of the line from its bottom, waste first.
_GEN = 0  # counts searches, so that tables need not be cleared
_BLOCKS = 1  # blocks looked at in this pass
_TOPS = 2  # positions at the bottom of the pass
_ORDER_N = 3
_CELLS = 4  # the cards in the cells, three bits a rank
_LINE_N = 5
_WASTE_N = 6
_STEPS = 7  # cards to be played yet
_PASSES = 8  # redeals left
_LINE = 64
_DEMAND = 128  # the rank of each step to come
_NEXT = 192
_PREV = 256
_PATH = 320  # what the search has removed, from the first on
_TOP_BEFORE = 384
_PASS_BEFORE = 448
_TRIED = 512
_OFFERED = 576
_PART = 640  # the part of the line that a last pass is searched in
_PART_AT = 704  # and where its cards lie in the line
_ORDER = 768  # the cards removed, in order
_COUNTS = 832
_SCORES = 896
_CHOICES = 1024  # 64 for each depth
_FRAMES = _CHOICES + 64 * 64
_FRAME = 10
_NODES = _FRAMES + 64 * _FRAME
_NODE = 6
_NODES_MOST = 1 << 14
_SEEN = _NODES + _NODE * _NODES_MOST
_SEEN_SLOTS = 1 << 16
_TABLE = _SEEN + 2 * _SEEN_SLOTS
_SLOTS = 1 << 20

WORK = _TABLE + 4 * _SLOTS
"""Numbers of scratch."""
_BLOCKS_MOST = _SLOTS * 7 // 8
_TAIL = 1 << 58  # marks positions at the bottom of a pass in the table


def solve(s: Position, out: list[int], work: list[int], most: int) -> int:
    """Write the actions of a winning line, and play them; return how many.

    LOST when there is none, UNDECIDED when ``most`` positions did not suffice. The line has as few
    redeals as can be; without a redeal it is a shortest one among those. ``out`` has room for
    MOVES_MOST actions.
    """
    if s.free_flip == 0 or s.turn < 0:
        return _forced(s, out)
    found = _decide(s, work, most, True)
    if found == _WIN:
        return _carry_out(s, out, work)
    return LOST if found == _FAIL else UNDECIDED


def winnable(s: Position, out: list[int], work: list[int], most: int) -> int:
    """1 when the deal can be won, else LOST or UNDECIDED; the state may change."""
    if s.free_flip == 0 or s.turn < 0:
        return 1 if _forced(s, out) >= 0 else LOST
    found = _decide(s, work, most, False)
    if found == _WIN:
        return 1
    return LOST if found == _FAIL else UNDECIDED


MOVES_MOST = 1024
"""No line is longer: 47 cards are played, and each of ten passes flips 44 and ends."""
