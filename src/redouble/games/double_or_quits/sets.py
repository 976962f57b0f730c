"""The search over several passes: which cards to remove from the line, and in which order.

A position is the set of cards left and a time: the pass and the top of the waste. Reaching the same
set earlier is never worse, so a set already reached at an earlier or equal time is skipped.
"""

from __future__ import annotations

from redouble.games.double_or_quits.blocks import too_late
from redouble.games.double_or_quits.last_pass import last_pass
from redouble.games.double_or_quits.rules import KING
from redouble.games.double_or_quits.scratch import FAIL, OPEN, SEEN_SLOTS, WIN, Spot, new_generation


def search(work: list[int], passes: int, max_positions: int, proving: bool) -> int:
    """Search depth first for cards to remove, with at most ``passes`` redeals: WIN, FAIL or OPEN.

    With ``proving``, the last pass is solved separately, from every set of cards with which it can
    begin, so FAIL is certain. Otherwise the walk covers all passes and is meant to stop early. OPEN
    means that more than ``max_positions`` positions would have to be searched.
    """
    n = work[Spot.LINE_N]
    for i in range(n + 2):
        work[Spot.NEXT + i] = i + 1
        work[Spot.PREV + i] = i - 1
    new_generation(work)
    generation = work[Spot.GEN]
    cells = work[Spot.CELLS]
    mask = (1 << n) - 1
    left = 0
    for i in range(n):
        if work[Spot.LINE + i] != KING:
            left += 1
    deepest = passes - 1 if proving else passes
    top = work[Spot.WASTE_N]
    at = 0
    depth = 0
    looked = 0
    complete = True
    entering = True
    while True:
        if entering:
            if left == 0:
                for i in range(depth):
                    work[Spot.ORDER + i] = work[Spot.PATH + i]
                work[Spot.ORDER_N] = depth
                return WIN
            work[Spot.TRIED + depth] = 0
            work[Spot.OFFERED + depth] = 0
            news = note(work, generation, mask, at << 6 | top)
            if news and not too_late(work, cells, depth):
                looked += 1
                if looked > max_positions or looked > SEEN_SLOTS // 2:
                    return OPEN
                if proving and at == deepest and news == 2:
                    _take_part(work, n)
                    found = last_pass(work, 0, cells, depth, False)
                    if found == WIN:
                        order_from_both(work, depth)
                        return WIN
                    if found == OPEN:
                        complete = False
                work[Spot.OFFERED + depth] = _offer(work, n, top, cells, depth, at < deepest)
            entering = False
        elif work[Spot.TRIED + depth] < work[Spot.OFFERED + depth]:
            choice = work[Spot.CHOICES + depth * 64 + work[Spot.TRIED + depth]]
            work[Spot.TRIED + depth] += 1
            card = choice & 63
            work[Spot.PATH + depth] = card
            work[Spot.TOP_BEFORE + depth] = top
            work[Spot.PASS_BEFORE + depth] = at
            at += choice >> 6
            top = work[Spot.PREV + card]
            work[Spot.NEXT + top] = work[Spot.NEXT + card]
            work[Spot.PREV + work[Spot.NEXT + card]] = top
            rank = work[Spot.LINE + card - 1]
            cells += (1 << 3 * rank) - (1 << 3 * work[Spot.DEMAND + depth])
            left -= 1 if rank != KING else 0
            mask ^= 1 << card - 1
            depth += 1
            entering = True
        else:
            depth -= 1
            if depth < 0:
                return FAIL if complete else OPEN
            card = work[Spot.PATH + depth]
            top = work[Spot.TOP_BEFORE + depth]
            at = work[Spot.PASS_BEFORE + depth]
            work[Spot.NEXT + work[Spot.PREV + card]] = card
            work[Spot.PREV + work[Spot.NEXT + card]] = card
            rank = work[Spot.LINE + card - 1]
            cells += (1 << 3 * work[Spot.DEMAND + depth]) - (1 << 3 * rank)
            left += 1 if rank != KING else 0
            mask ^= 1 << card - 1


def note(work: list[int], generation: int, mask: int, time: int) -> int:
    """Record when a set of cards was reached; return whether that is news.

    0: it was reached as early before. 1: it was reached before in this pass, but later. 2: it was
    not reached in this pass or an earlier one. ``time`` holds the pass above its six lowest bits.
    """
    slot = (mask & 0x3FFFFF) * 2654435761 + (mask >> 22) * 2654404609
    slot = (slot ^ slot >> 17) & SEEN_SLOTS - 1
    stamped = generation << 10 | time
    while True:
        at = Spot.SEEN + 2 * slot
        if work[at + 1] >> 10 != generation:
            work[at] = mask
            work[at + 1] = stamped
            return 2
        if work[at] == mask:
            before = work[at + 1]
            if before <= stamped:
                return 0
            work[at + 1] = stamped
            return 1 if before >> 6 == stamped >> 6 else 2
        slot = slot + 1 & SEEN_SLOTS - 1


def _offer(work: list[int], n: int, top: int, cells: int, step: int, again: bool) -> int:
    """Write the cards that can be removed next, the most promising first; return their number.

    With ``again`` a redeal is left, which a card under the top of the waste costs: it has bit 6.
    """
    wanted = work[Spot.DEMAND + step]
    held = cells >> 3 * wanted & 7
    offered = 0
    card = top if top > 0 else work[Spot.NEXT]
    flips = 0
    while card <= n:
        offered = _offer_one(work, offered, card, 0, flips, cells, step, held > 0)
        card = work[Spot.NEXT + card]
        flips += 1
    if again:
        card = work[Spot.NEXT]
        flips = 20  # a redeal is expensive, so that these cards come last
        while card < top:
            offered = _offer_one(work, offered, card, 64, flips, cells, step, held > 0)
            card = work[Spot.NEXT + card]
            flips += 1
    return offered


def _offer_one(
    work: list[int],
    offered: int,
    card: int,
    bit: int,
    flips: int,
    cells: int,
    step: int,
    any_: bool,
) -> int:
    """Insert a card among those offered, by its score; return their number."""
    rank = work[Spot.LINE + card - 1]
    wanted = work[Spot.DEMAND + step]
    if not any_ and rank != wanted:
        return offered
    if rank == KING:
        score = 1000
    else:
        # The number of steps until another card of its rank is of use.
        score = 0
        while work[Spot.DEMAND + step + score] != rank:
            score += 1
        if rank != wanted or any_:
            score += 12 * (cells >> 3 * rank & 7)
        score = 2 * (score + flips)
    base = Spot.CHOICES + step * 64
    at = offered
    while at > 0 and work[Spot.SCORES + at - 1] > score:
        work[Spot.SCORES + at] = work[Spot.SCORES + at - 1]
        work[base + at] = work[base + at - 1]
        at -= 1
    work[Spot.SCORES + at] = score
    work[base + at] = card | bit
    return offered + 1


def _take_part(work: list[int], n: int) -> None:
    """Make the cards left, all in the stock by then, the part that the last pass is searched in."""
    size = 0
    card = work[Spot.NEXT]
    while card <= n:
        work[Spot.PART + size] = work[Spot.LINE + card - 1]
        work[Spot.PART_AT + size] = card
        size += 1
        card = work[Spot.NEXT + card]
    work[Spot.PART_N] = size


def order_from_both(work: list[int], depth: int) -> None:
    """Put the cards that the search removed before the last pass's order, in ``ORDER``."""
    n = work[Spot.ORDER_N]
    for i in range(n - 1, -1, -1):
        work[Spot.ORDER + depth + i] = work[Spot.PART_AT + work[Spot.ORDER + i]]
    for i in range(depth):
        work[Spot.ORDER + i] = work[Spot.PATH + i]
    work[Spot.ORDER_N] = depth + n
