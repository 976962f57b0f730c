"""The layout of the solver's scratch array: WORK numbers, all zero before the first use.

The array can be reused for other deals without clearing it: entries of the tables carry the number
of the search that wrote them. The line lists the ranks of the waste from its bottom, then those of
the stock.
"""

from __future__ import annotations

from enum import IntEnum

WIN, FAIL, OPEN = 1, 0, -1
"""What a search returns; OPEN means that it reached its limit."""
SEEN_SLOTS = 1 << 16
SLOTS = 1 << 16
MAX_USED = SLOTS * 7 // 8
FRAME = 7
NODE = 8


class Spot(IntEnum):
    """Where each number, or the first number of each list, is."""

    GEN = 0  # the search whose entries in the tables are valid
    GENS = 1  # number of searches so far
    USED = 2  # number of entries in the table of blocks
    ORDER_N = 3
    CELLS = 4  # how many cards of each rank are in the cells, three bits per rank
    LINE_N = 5
    WASTE_N = 6
    STEPS = 7  # cards left to play
    PASSES = 8  # redeals left
    PART_N = 9
    FLIPS = 10  # flips of the last pass that was found
    LOOKED = 11  # positions searched
    CERTAIN = 12  # whether no solution with a redeal is shorter
    TWICE = 13  # whether a solution with a second redeal may be as short
    LINE = 64
    DEMAND = 128  # the rank that each coming step asks for
    NEXT = 192
    PREV = 256
    PATH = 320  # the cards that the search has removed, in order
    TOP_BEFORE = 384
    PASS_BEFORE = 448
    TRIED = 512
    OFFERED = 576
    PART = 640  # the part of the line in which a pass is searched
    PART_AT = 704  # the index of each of its cards in the line, from 1
    ORDER = 768  # the cards removed, in order
    COUNTS = 832
    SCORES = 896
    KNOWN_ORDER = 960  # the order found before a shorter one is sought
    MOMENTS = 1024
    KEPT = 1088  # cards that stay in the waste until the end of the pass
    NEEDS = 1152
    FEWEST_FLIPS = 1216
    ASKED = 1280
    STAYED = 1296
    IN_STOCK = 1312
    MUST_GO = 1328
    PLACE = 1344
    TASKS = 1408  # two numbers per task
    CHOICES = 1728  # 64 per depth
    FRAMES = CHOICES + 64 * 64
    NODES = FRAMES + 64 * FRAME
    WALK = NODES + 64 * NODE
    BARE = WALK + 64 * NODE  # 64 moments per number of cards in the waste: see shortest.py
    SEEN = BARE + 2 * 64 * 64
    TABLE = SEEN + 2 * SEEN_SLOTS


WORK = Spot.TABLE + 4 * SLOTS
"""The length of the scratch array."""


def new_generation(work: list[int]) -> None:
    """Make all entries of the tables invalid."""
    work[Spot.GENS] += 1
    work[Spot.GEN] = work[Spot.GENS]
    work[Spot.USED] = 0
