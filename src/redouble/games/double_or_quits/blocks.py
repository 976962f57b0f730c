"""Blocks: runs of the stock that leave completely, before any card below them leaves.

Within one pass the waste is a stack: before a card can leave, every card flipped onto it must have
left. The cards flipped between the card and its leaving are a block. Whether a block can leave
depends on its first card, the step of the ring and the cards in the cells, not on the cards below.
Cards of the searched part of the line are numbered from 0, those of the waste first.
"""

from __future__ import annotations

from redouble.games.double_or_quits.rules import RANKS
from redouble.games.double_or_quits.scratch import FRAME, MAX_USED, SLOTS, Spot

# The numbers of a frame: a question, the ends of the block above the first card that weren't tried
# yet (a bit for each), the one that is tried, and which answer the frame waits for.
_FIRST, _STEP, _CELLS, _END, _UNTRIED, _MIDDLE, _STAGE = range(7)
_ASKED, _ABOVE, _BEHIND = range(3)
# The numbers of a slot of the table, the last two with a bit for each end: whether it was answered
# if the block can end there, and whether it can.
_KEY, _STAMP, _ANSWERED, _POSSIBLE = range(4)


def too_late(work: list[int], cells: int, step: int) -> bool:
    """Return whether the ring asks for more cards than can have left the line by then."""
    out = 0
    for later in range(step, work[Spot.STEPS]):
        rank = 3 * work[Spot.DEMAND + later]
        if cells >> rank & 7:
            cells -= 1 << rank
        else:
            if later - step < out:
                return True
            out += 1
    return False


def can(work: list[int], first: int, step: int, cells: int, end: int, size: int) -> int:
    """Return 1 if all cards from ``first`` up to ``end`` can leave, else 0; -1 for a full table.

    The first card is flipped, then the block on top of it leaves, then the card itself, and then
    the block behind it. Each block is the same question for a smaller part, and the search stops at
    the first end of the upper block for which both can leave. The frames replace recursion.
    """
    stamp = work[Spot.GEN] << 8
    depth = 0
    frame: int = Spot.FRAMES
    _ask(work, frame, first, step, cells, end)
    answer = False
    while True:
        first = work[frame + _FIRST]
        step = work[frame + _STEP]
        cells = work[frame + _CELLS]
        end = work[frame + _END]
        stage = work[frame + _STAGE]
        done = False
        if stage == _ASKED:
            if first == end:
                answer = True
                done = True
            else:
                slot = find_slot(work, cells << 18 | first << 6 | step, stamp)
                if work[slot + _STAMP] != stamp:
                    work[slot + _KEY] = cells << 18 | first << 6 | step
                    work[slot + _STAMP] = stamp
                    work[slot + _ANSWERED] = -1 if too_late(work, cells, step) else 0
                    work[slot + _POSSIBLE] = 0
                    work[Spot.USED] += 1
                    if work[Spot.USED] > MAX_USED:
                        return -1
                if work[slot + _ANSWERED] >> end & 1:
                    answer = work[slot + _POSSIBLE] >> end & 1 == 1
                    done = True
                else:
                    untried = ends_wanted(work, first, first + 1, step, cells, end, size)
                    work[frame + _UNTRIED] = untried
                    work[frame + _MIDDLE] = end
        elif stage == _ABOVE and answer:
            middle = work[frame + _MIDDLE]
            work[frame + _STAGE] = _BEHIND
            then = step + middle - first - 1
            after = cells_after(work, first + 1, step, cells, middle)
            after += (1 << 3 * work[Spot.PART + first]) - (1 << 3 * work[Spot.DEMAND + then])
            frame += FRAME
            depth += 1
            _ask(work, frame, middle, then + 1, after, end)
            continue
        elif stage == _BEHIND and answer:
            _learn(work, first, step, cells, end, True)
            done = True
        if not done:
            untried = work[frame + _UNTRIED]
            if untried:
                middle = work[frame + _MIDDLE]
                while untried >> middle & 1 == 0:
                    middle -= 1
                work[frame + _UNTRIED] = untried ^ 1 << middle
                work[frame + _MIDDLE] = middle
                work[frame + _STAGE] = _ABOVE
                frame += FRAME
                depth += 1
                _ask(work, frame, first + 1, step, cells, middle)
                continue
            _learn(work, first, step, cells, end, False)
            answer = False
        if depth == 0:
            return 1 if answer else 0
        depth -= 1
        frame -= FRAME


def _ask(work: list[int], frame: int, first: int, step: int, cells: int, end: int) -> None:
    work[frame + _FIRST] = first
    work[frame + _STEP] = step
    work[frame + _CELLS] = cells
    work[frame + _END] = end
    work[frame + _UNTRIED] = 0
    work[frame + _MIDDLE] = 0
    work[frame + _STAGE] = _ASKED


def _learn(work: list[int], first: int, step: int, cells: int, end: int, answer: bool) -> None:
    slot = find_slot(work, cells << 18 | first << 6 | step, work[Spot.GEN] << 8)
    work[slot + _ANSWERED] |= 1 << end
    if answer:
        work[slot + _POSSIBLE] |= 1 << end


def known(work: list[int], first: int, step: int, cells: int, end: int) -> bool:
    """Return whether the table says that a block can end there."""
    if first == end:
        return True
    stamp = work[Spot.GEN] << 8
    slot = find_slot(work, cells << 18 | first << 6 | step, stamp)
    return work[slot + _STAMP] == stamp and work[slot + _POSSIBLE] >> end & 1 == 1


def ends_wanted(
    work: list[int], card: int, first: int, step: int, cells: int, wanted: int, size: int
) -> int:
    """Return the ends of the block at ``first`` after which the card below it can leave, as bits.

    From each of them the end ``wanted`` must also seem reachable; -1 accepts any end.
    """
    longest = size if wanted < 0 else wanted
    ends = _ends(work, first, step, cells, longest)
    found = 0
    end = first
    while ends >> end and step < work[Spot.STEPS]:
        asked = work[Spot.DEMAND + step]
        if ends >> end & 1 and (work[Spot.PART + card] == asked or cells >> 3 * asked & 7):
            after = cells + (1 << 3 * work[Spot.PART + card]) - (1 << 3 * asked)
            if wanted < 0 or _ends(work, end, step + 1, after, longest) >> wanted & 1:
                found |= 1 << end
        if end < longest:
            cells += (1 << 3 * work[Spot.PART + end]) - (1 << 3 * asked)
        end += 1
        step += 1
    return found


def _ends(work: list[int], first: int, step: int, cells: int, size: int) -> int:
    """Return the ends that a block beginning here can have at best, one bit per end.

    Counting alone decides: up to each end, the block and the cells must supply every rank that the
    ring asks for, in any order.
    """
    ends = 0
    missing = 0
    for rank in range(RANKS):
        work[Spot.COUNTS + rank] = cells >> 3 * rank & 7
    end = first
    while True:
        if missing == 0:
            ends |= 1 << end
        if end >= size or step >= work[Spot.STEPS]:
            return ends
        brought = Spot.COUNTS + work[Spot.PART + end]
        work[brought] += 1
        if work[brought] == 0:
            missing -= 1
        asked = Spot.COUNTS + work[Spot.DEMAND + step]
        work[asked] -= 1
        if work[asked] == -1:
            missing += 1
        end += 1
        step += 1


def cells_after(work: list[int], first: int, step: int, cells: int, end: int) -> int:
    """Return what the cells hold once all cards from ``first`` up to ``end`` have left."""
    for card in range(first, end):
        cells += (1 << 3 * work[Spot.PART + card]) - (
            1 << 3 * work[Spot.DEMAND + step + card - first]
        )
    return cells


def find_slot(work: list[int], key: int, stamp: int) -> int:
    """Return the slot that holds a key or can take it; slots of earlier searches count as free."""
    slot = (key & 0x3FFFFFF) * 2654435761 + (key >> 26) * 40503
    slot = (slot ^ slot >> 19) & SLOTS - 1
    generation = work[Spot.GEN]
    while True:
        at = Spot.TABLE + 4 * slot
        if work[at + _STAMP] >> 8 != generation or (work[at] == key and work[at + _STAMP] == stamp):
            return at
        slot = slot + 1 & SLOTS - 1


def write_block(work: list[int], n: int, first: int, step: int, cells: int, end: int) -> int:
    """Append the order in which a block's cards leave; return the new length of the order."""
    tasks = 1
    # A task is a block, with its first card and end, or a single card that leaves, with end -1.
    work[Spot.TASKS] = first
    work[Spot.TASKS + 1] = end
    while tasks:
        tasks -= 1
        at = Spot.TASKS + 2 * tasks
        here = work[at]
        end = work[at + 1]
        if end < 0:
            work[Spot.ORDER + n] = here
            n += 1
            cells += (1 << 3 * work[Spot.PART + here]) - (1 << 3 * work[Spot.DEMAND + step])
            step += 1
        elif here < end:
            middle = _middle(work, here, step, cells, end)
            work[at] = middle
            work[at + 1] = end
            work[at + 2] = here
            work[at + 3] = -1
            work[at + 4] = here + 1
            work[at + 5] = middle
            tasks += 3
    return n


def _middle(work: list[int], first: int, step: int, cells: int, end: int) -> int:
    """Return the end of the block on top of a block's first card."""
    rank = work[Spot.PART + first]
    later = cells
    now = step
    middle = first + 1
    while middle <= end:
        asked = work[Spot.DEMAND + now]
        if known(work, first + 1, step, cells, middle) and (
            rank == asked or later >> 3 * asked & 7
        ):
            after = later + (1 << 3 * rank) - (1 << 3 * asked)
            if known(work, middle, now + 1, after, end):
                return middle
        if middle < end:
            later += (1 << 3 * work[Spot.PART + middle]) - (1 << 3 * asked)
        middle += 1
        now += 1
    return end
