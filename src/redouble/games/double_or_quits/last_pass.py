"""The last pass: whether the deal can be won without another redeal, and in which order."""

from __future__ import annotations

from redouble.games.double_or_quits.blocks import (
    can,
    cells_after,
    ends_wanted,
    find_slot,
    too_late,
    write_block,
)
from redouble.games.double_or_quits.rules import KING
from redouble.games.double_or_quits.scratch import (
    FAIL,
    MAX_USED,
    NODE,
    OPEN,
    WIN,
    Spot,
    new_generation,
)

_TAIL = 1 << 58  # marks the table's entries for moments, as opposed to blocks
# The numbers of a node, a moment of the last pass: the cards in the waste, the next one to flip,
# the step, the cells, the flips saved, whether a king stays at the bottom, the ends of a block that
# weren't tried yet (a bit for each), and how far the node has been expanded.
_UNDER, _FIRST, _STEP, _HELD, _SAVED, _KEPT, _UNTRIED, _STAGE = range(8)


def last_pass(work: list[int], waste: int, cells: int, step: int, fewest: bool) -> int:
    """Search one pass without a redeal, with ``waste`` cards in the waste: WIN, FAIL or OPEN.

    The search goes depth first through the ways in which the cards at the bottom of the waste can
    leave one after the other; a king at the bottom may stay for good. The order of a win is
    written: with ``fewest``, the one with the fewest flips.
    """
    size = work[Spot.PART_N]
    while size > waste and work[Spot.PART + size - 1] == KING:
        size -= 1
    low = 0
    while low < waste and work[Spot.PART + low] == KING:
        low += 1
    new_generation(work)
    best = -1
    depth = 0
    _stand(work, 0, waste, waste, step, cells, 0)
    while depth >= 0:
        node = Spot.NODES + depth * NODE
        under = work[node + _UNDER]
        first = work[node + _FIRST]
        now = work[node + _STEP]
        held = work[node + _HELD]
        saved = work[node + _SAVED]
        kept = work[node + _KEPT]
        card = under - 1 if under else first
        start = first if under else first + 1
        stage = work[node + _STAGE]
        if stage == 0:
            work[node + _STAGE] = 1
            if under <= low and first >= size:
                if saved > best:
                    best = saved
                    work[Spot.FLIPS] = size - waste - saved
                    _write_order(work, depth)
                if not fewest:
                    return WIN
            elif not too_late(work, held, now):
                work[node + _UNTRIED] = ends_wanted(work, card, start, now, held, -1, size)
        elif work[node + _UNTRIED]:
            # The longest block first: cards that must leave early usually lie deep.
            end = size
            while work[node + _UNTRIED] >> end == 0:
                end -= 1
            work[node + _UNTRIED] ^= 1 << end
            found = can(work, start, now, held, end, size)
            if found < 0:
                return OPEN
            if found:
                after = cells_after(work, start, now, held, end)
                then = now + end - start
                wanted = work[Spot.DEMAND + then]
                # On an empty waste a cell is filled from the stock: that saves a flip.
                if fewest and not under and end == start and not kept and after >> 3 * wanted & 7:
                    saved += 1
                after += (1 << 3 * work[Spot.PART + card]) - (1 << 3 * wanted)
                rest = under - 1 if under else 0
                if _is_new(work, rest, end, then + 1, after, saved << 1 | kept):
                    depth += 1
                    _stand(work, depth, rest, end, then + 1, after, saved << 1 | kept)
        elif stage == 1 and under <= low and first < size and work[Spot.PART + card] == KING:
            work[node + _STAGE] = 2
            rest = first if under else start
            if _is_new(work, 0, rest, now, held, saved << 1 | 1):
                depth += 1
                _stand(work, depth, 0, rest, now, held, saved << 1 | 1)
        else:
            depth -= 1
        if work[Spot.USED] > MAX_USED:
            return OPEN
    return WIN if best >= 0 else FAIL


def _stand(
    work: list[int], depth: int, under: int, first: int, step: int, cells: int, notes: int
) -> None:
    """Write a moment of the last pass: ``under`` cards in the waste, ``first`` next to flip."""
    node = Spot.NODES + depth * NODE
    work[node + _UNDER] = under
    work[node + _FIRST] = first
    work[node + _STEP] = step
    work[node + _HELD] = cells
    work[node + _SAVED] = notes >> 1
    work[node + _KEPT] = notes & 1
    work[node + _UNTRIED] = 0
    work[node + _STAGE] = 0


def _is_new(work: list[int], under: int, first: int, step: int, cells: int, notes: int) -> bool:
    """Record a moment of the last pass; return whether it is new."""
    key = _TAIL | cells << 18 | under << 12 | first << 6 | step
    stamp = work[Spot.GEN] << 8 | notes
    slot = find_slot(work, key, stamp)
    if work[slot + 1] == stamp and work[slot] == key:
        return False
    work[slot] = key
    work[slot + 1] = stamp
    work[Spot.USED] += 1
    return True


def _write_order(work: list[int], depth: int) -> None:
    """Write the order in which the cards of the part leave on the way to the current moment."""
    n = 0
    for i in range(depth):
        node = Spot.NODES + i * NODE
        under = work[node + _UNDER]
        first = work[node + _FIRST]
        step = work[node + _STEP]
        then = node + NODE
        if work[then + _STEP] > step:  # otherwise a king stayed
            start = first if under else first + 1
            n = write_block(work, n, start, step, work[node + _HELD], work[then + _FIRST])
            work[Spot.ORDER + n] = under - 1 if under else first
            n += 1
    work[Spot.ORDER_N] = n
