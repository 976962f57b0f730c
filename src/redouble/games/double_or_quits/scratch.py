"""Where things lie in the scratch of the solver: WORK numbers, zero when it is used first.

It may be used again for another deal: tables carry the number of the search that filled them, so
they need not be cleared. Ranks are those of the line from its bottom, waste first.
"""

from __future__ import annotations

WIN, FAIL, OPEN = 1, 0, -1
"""What a search finds; OPEN when it was bounded."""

GEN = 0  # the search whose entries count in the tables
GENS = 1  # searches so far
USED = 2  # entries of the table of blocks
ORDER_N = 3
CELLS = 4  # the cards in the cells, three bits a rank
LINE_N = 5
WASTE_N = 6
STEPS = 7  # cards to be played yet
PASSES = 8  # redeals left
PART_N = 9
FLIPS = 10  # of the last pass that was found
LOOKED = 11  # positions looked at
CERTAIN = 12  # whether no line with a redeal is shorter
TWICE = 13  # whether a line with a second redeal may be as short
LINE = 64
DEMAND = 128  # the rank of each step to come
NEXT = 192
PREV = 256
PATH = 320  # what the search has removed, from the first on
TOP_BEFORE = 384
PASS_BEFORE = 448
TRIED = 512
OFFERED = 576
PART = 640  # the part of the line that a pass is searched in
PART_AT = 704  # and where its cards lie in the line, from 1
ORDER = 768  # the cards removed, in order
COUNTS = 832
SCORES = 896
KNOWN_ORDER = 960  # an order that is better than none
MOMENTS = 1024
KEPT = 1088  # cards that stay in the waste to the end of the pass
NEEDS = 1152
LEAST = 1216
ASKED = 1280
STAYED = 1296
IN_STOCK = 1312
MUST_GO = 1328
PLACE = 1344
TASKS = 1408  # two numbers each
CHOICES = 1728  # 64 for each depth
FRAMES = CHOICES + 64 * 64
FRAME = 7
NODES = FRAMES + 64 * FRAME
NODE = 8
WALK = NODES + 64 * NODE
BARE = WALK + 64 * NODE  # 64 for each card of the waste: see shortest.py
SEEN = BARE + 2 * 64 * 64
SEEN_SLOTS = 1 << 16
TABLE = SEEN + 2 * SEEN_SLOTS
SLOTS = 1 << 16
MAX_USED = SLOTS * 7 // 8

WORK = TABLE + 4 * SLOTS
"""Numbers of scratch."""


def new_generation(work: list[int]) -> None:
    """What the tables hold counts no more."""
    work[GENS] += 1
    work[GEN] = work[GENS]
    work[USED] = 0
