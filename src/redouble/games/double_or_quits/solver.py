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
_USED = 1  # entries of the table of the last pass
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
_TASKS = 1088  # two numbers each
_CHOICES = 1408  # 64 for each depth
_FRAMES = _CHOICES + 64 * 64
_FRAME = 7
_NODES = _FRAMES + 64 * _FRAME
_NODE = 8
_SEEN = _NODES + 64 * _NODE
_SEEN_SLOTS = 1 << 16
_TABLE = _SEEN + 2 * _SEEN_SLOTS
_SLOTS = 1 << 16

WORK = _TABLE + 4 * _SLOTS
"""Numbers of scratch."""
_USED_MOST = _SLOTS * 7 // 8
_ASKED, _ABOVE, _BEHIND = 0, 1, 2  # what a frame of the last pass waits for
_TAIL = 1 << 58  # marks positions at the bottom of a pass in the table


def solve(s: Position, out: list[int], work: list[int], most: int) -> int:
    """Write the actions of a winning line, and play them; return how many.

    LOST when there is none, UNDECIDED when ``most`` positions did not suffice. The line has as few
    redeals as can be; without a redeal it is the shortest of those. Behind the actions comes 1
    when no line at all is shorter for certain. ``out`` has room for MOVES_MOST + 1 numbers.
    """
    if s.free_flip == 0 or s.turn < 0:
        moves = _forced(s, out)
        if moves >= 0:
            out[moves] = 1
        return moves
    redeals = s.redeals - s.redealt
    found = _decide(s, work, most, True)
    if found == _WIN:
        moves = _carry_out(s, out, work)
        out[moves] = 1 if redeals == 0 else 0
        return moves
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
    """Find cards of the line to remove, in order, so that the deal is won: _WIN, _FAIL or _OPEN.

    The order is written to ``work``; with ``fewest`` it needs as few redeals as can be.
    """
    _read(s, work)
    redeals = work[_PASSES]
    # Where the redeals are many a win lies near; the search that proves is slow to begin.
    if not fewest and redeals and _search(work, redeals, _QUICK, False) == _WIN:
        return _WIN
    found = _FAIL
    for passes in range(redeals + 1):
        found = _search(work, passes, most, True) if passes else _last_pass_from_here(work, fewest)
        if found == _WIN:
            return _WIN
        if found == _OPEN:
            return _OPEN
    return found


def _read(s: Position, work: list[int]) -> None:
    """What the search needs to know of a position."""
    n = 0
    for i in range(s.waste_n):
        work[_LINE + n] = s.deck[s.line[i]] >> 2
        n += 1
    work[_WASTE_N] = n
    for i in range(s.stock_at, s.stock_n):
        work[_LINE + n] = s.deck[s.line[i]] >> 2
        n += 1
    work[_LINE_N] = n
    cells = 0
    for place in s.cell:
        if place != EMPTY:
            cells += 1 << 3 * (s.deck[place] >> 2)
    work[_CELLS] = cells
    work[_STEPS] = COMPLETE - s.foundation_n
    work[_PASSES] = s.redeals - s.redealt
    rank = s.needed
    for step in range(64):
        work[_DEMAND + step] = rank
        rank = DOUBLED[rank]


def _too_late(work: list[int], cells: int, step: int) -> bool:
    """Whether the ring asks for more cards of the line than can be out of it by then."""
    out = 0
    for later in range(step, work[_STEPS]):
        rank = 3 * work[_DEMAND + later]
        if cells >> rank & 7:
            cells -= 1 << rank
        else:
            if later - step < out:
                return True
            out += 1
    return False


def _search(work: list[int], passes: int, most: int, proving: bool) -> int:
    """Depth first over the cards to remove, with so many redeals at most.

    ``proving``: the last pass is searched for itself, from every set of cards that can be left when
    it begins, so that _FAIL is certain. Else the walk goes through all passes and gives up early.
    """
    n = work[_LINE_N]
    for i in range(n + 2):
        work[_NEXT + i] = i + 1
        work[_PREV + i] = i - 1
    work[_GEN] += 1
    generation = work[_GEN]
    cells = work[_CELLS]
    mask = (1 << n) - 1
    left = 0
    for i in range(n):
        if work[_LINE + i] != KING:
            left += 1
    deepest = passes - 1 if proving else passes
    top = work[_WASTE_N]
    at = 0
    depth = 0
    looked = 0
    complete = True
    entering = True
    while True:
        if entering:
            if left == 0:
                _order_from_path(work, depth)
                return _WIN
            work[_TRIED + depth] = 0
            work[_OFFERED + depth] = 0
            news = _note(work, generation, mask, at << 6 | top)
            if news and not _too_late(work, cells, depth):
                looked += 1
                if looked > most or looked > _SEEN_SLOTS // 2:
                    return _OPEN
                if proving and at == deepest and news == 2:
                    _part(work, n)
                    found = _last_pass(work, 0, cells, depth, False)
                    if found == _WIN:
                        _order_from_both(work, depth)
                        return _WIN
                    if found == _OPEN:
                        complete = False
                work[_OFFERED + depth] = _offer(work, n, top, cells, depth, at < deepest)
            entering = False
        elif work[_TRIED + depth] < work[_OFFERED + depth]:
            choice = work[_CHOICES + depth * 64 + work[_TRIED + depth]]
            work[_TRIED + depth] += 1
            card = choice & 63
            work[_PATH + depth] = card
            work[_TOP_BEFORE + depth] = top
            work[_PASS_BEFORE + depth] = at
            at += choice >> 6
            top = work[_PREV + card]
            work[_NEXT + top] = work[_NEXT + card]
            work[_PREV + work[_NEXT + card]] = top
            rank = work[_LINE + card - 1]
            cells += (1 << 3 * rank) - (1 << 3 * work[_DEMAND + depth])
            left -= 1 if rank != KING else 0
            mask ^= 1 << card - 1
            depth += 1
            entering = True
        else:
            depth -= 1
            if depth < 0:
                return _FAIL if complete else _OPEN
            card = work[_PATH + depth]
            top = work[_TOP_BEFORE + depth]
            at = work[_PASS_BEFORE + depth]
            work[_NEXT + work[_PREV + card]] = card
            work[_PREV + work[_NEXT + card]] = card
            rank = work[_LINE + card - 1]
            cells += (1 << 3 * work[_DEMAND + depth]) - (1 << 3 * rank)
            left += 1 if rank != KING else 0
            mask ^= 1 << card - 1


def _note(work: list[int], generation: int, mask: int, time: int) -> int:
    """Remember a set of cards and the time: 0 when it was there as early, 1 when there later.

    2 when it was not there in this pass: the pass is the time's part above six bits.
    """
    slot = (mask & 0x3FFFFF) * 2654435761 + (mask >> 22) * 2654404609
    slot = (slot ^ slot >> 17) & _SEEN_SLOTS - 1
    stamped = generation << 10 | time
    while True:
        at = _SEEN + 2 * slot
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
        slot = slot + 1 & _SEEN_SLOTS - 1


def _offer(work: list[int], n: int, top: int, cells: int, step: int, again: bool) -> int:
    """Write the cards that can be removed next, the likeliest first; return their number.

    A card under the top of the waste costs a redeal, if there is one ``again``: it carries bit 6.
    """
    wanted = work[_DEMAND + step]
    held = cells >> 3 * wanted & 7
    offered = 0
    card = top if top > 0 else work[_NEXT]
    flips = 0
    while card <= n:
        offered = _offer_one(work, offered, card, 0, flips, cells, step, held > 0)
        card = work[_NEXT + card]
        flips += 1
    if again:
        card = work[_NEXT]
        flips = 20  # a redeal is dear
        while card < top:
            offered = _offer_one(work, offered, card, 64, flips, cells, step, held > 0)
            card = work[_NEXT + card]
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
    """Put a card in its place among those offered; return their number."""
    rank = work[_LINE + card - 1]
    wanted = work[_DEMAND + step]
    if not any_ and rank != wanted:
        return offered
    if rank == KING:
        score = 1000
    else:
        # The steps until one more of its rank is of use.
        score = 0
        while work[_DEMAND + step + score] != rank:
            score += 1
        if rank != wanted or any_:
            score += 12 * (cells >> 3 * rank & 7)
        score = 2 * (score + flips)
    base = _CHOICES + step * 64
    at = offered
    while at > 0 and work[_SCORES + at - 1] > score:
        work[_SCORES + at] = work[_SCORES + at - 1]
        work[base + at] = work[base + at - 1]
        at -= 1
    work[_SCORES + at] = score
    work[base + at] = card | bit
    return offered + 1


def _part(work: list[int], n: int) -> None:
    """The last pass is searched over the cards that are left, all of them in the stock."""
    size = 0
    card = work[_NEXT]
    while card <= n:
        work[_PART + size] = work[_LINE + card - 1]
        work[_PART_AT + size] = card
        size += 1
        card = work[_NEXT + card]
    work[_PART + 63] = size


def _last_pass_from_here(work: list[int], fewest: bool) -> int:
    """The search without a redeal, from the position as it is."""
    n = work[_LINE_N]
    for i in range(n):
        work[_PART + i] = work[_LINE + i]
        work[_PART_AT + i] = i + 1
    work[_PART + 63] = n
    found = _last_pass(work, work[_WASTE_N], work[_CELLS], 0, fewest)
    if found == _WIN:
        _order_from_both(work, 0)
    return found


def _order_from_path(work: list[int], depth: int) -> None:
    for i in range(depth):
        work[_ORDER + i] = work[_PATH + i]
    work[_ORDER_N] = depth


def _order_from_both(work: list[int], depth: int) -> None:
    """What the search removed, and then the order of the last pass, which lies in ``_ORDER``."""
    n = work[_ORDER_N]
    for i in range(n - 1, -1, -1):
        work[_ORDER + depth + i] = work[_PART_AT + work[_ORDER + i]]
    for i in range(depth):
        work[_ORDER + i] = work[_PATH + i]
    work[_ORDER_N] = depth + n


# The last pass. Cards of the part are numbered from 0, those of the waste first. A block begins at
# a card of the stock, and comes out whole before anything that lies below it.


def _last_pass(work: list[int], waste: int, cells: int, step: int, fewest: bool) -> int:
    """Whether one pass without a redeal wins, with so many cards of the part in the waste.

    All ways are walked, depth first, by which the cards at the bottom of the waste can go, one
    after the other; a king down there may stay for good. Writes the order of a win, with the
    ``fewest`` flips if so wanted.
    """
    size = work[_PART + 63]
    while size > waste and work[_PART + size - 1] == KING:
        size -= 1
    low = 0
    while low < waste and work[_PART + low] == KING:
        low += 1
    work[_GEN] += 1
    work[_USED] = 0
    best = -1
    depth = 0
    _stand(work, 0, waste, waste, step, cells, 0)
    while depth >= 0:
        node = _NODES + depth * _NODE
        under = work[node]
        first = work[node + 1]
        now = work[node + 2]
        held = work[node + 3]
        saved = work[node + 4]
        kept = work[node + 5]
        card = under - 1 if under else first
        start = first if under else first + 1
        if work[node + 7] == 0:
            work[node + 7] = 1
            if under <= low and first >= size:
                if saved > best:
                    best = saved
                    _write_order(work, depth)
                if not fewest:
                    return _WIN
            elif not _too_late(work, held, now):
                work[node + 6] = _ends_wanted(work, card, start, now, held, -1, size)
        elif work[node + 6]:
            # The longest block first: what has to go early lies deep more often than not.
            end = size
            while work[node + 6] >> end == 0:
                end -= 1
            work[node + 6] ^= 1 << end
            found = _can(work, start, now, held, end, size)
            if found < 0:
                return _OPEN
            if found:
                after = _after(work, start, now, held, end)
                then = now + end - start
                wanted = work[_DEMAND + then]
                # On an empty waste a cell is filled from the stock: that saves a flip.
                if fewest and not under and end == start and not kept and after >> 3 * wanted & 7:
                    saved += 1
                after += (1 << 3 * work[_PART + card]) - (1 << 3 * wanted)
                rest = under - 1 if under else 0
                if _is_new(work, rest, end, then + 1, after, saved << 1 | kept):
                    depth += 1
                    _stand(work, depth, rest, end, then + 1, after, saved << 1 | kept)
        elif work[node + 7] == 1 and under <= low and first < size and work[_PART + card] == KING:
            work[node + 7] = 2
            rest = first if under else start
            if _is_new(work, 0, rest, now, held, saved << 1 | 1):
                depth += 1
                _stand(work, depth, 0, rest, now, held, saved << 1 | 1)
        else:
            depth -= 1
        if work[_USED] > _USED_MOST:
            return _OPEN
    return _WIN if best >= 0 else _FAIL


def _stand(
    work: list[int], depth: int, under: int, first: int, step: int, cells: int, notes: int
) -> None:
    """A moment of the last pass: so many cards in the waste, and the next one of the stock."""
    node = _NODES + depth * _NODE
    work[node] = under
    work[node + 1] = first
    work[node + 2] = step
    work[node + 3] = cells
    work[node + 4] = notes >> 1  # flips saved
    work[node + 5] = notes & 1  # whether a king stays at the bottom
    work[node + 6] = 0  # ends of blocks to be tried
    work[node + 7] = 0  # how far it was looked at


def _is_new(work: list[int], under: int, first: int, step: int, cells: int, notes: int) -> bool:
    """Whether this moment of the last pass was not there before; it is noted."""
    key = _TAIL | cells << 18 | under << 12 | first << 6 | step
    stamp = work[_GEN] << 8 | notes
    slot = _slot(work, key, stamp)
    if work[slot + 1] == stamp and work[slot] == key:
        return False
    work[slot] = key
    work[slot + 1] = stamp
    work[_USED] += 1
    return True


def _slot(work: list[int], key: int, stamp: int) -> int:
    """Where in the table a key lies, or can be put; slots of earlier searches count as empty."""
    slot = (key & 0x3FFFFFF) * 2654435761 + (key >> 26) * 40503
    slot = (slot ^ slot >> 19) & _SLOTS - 1
    generation = work[_GEN]
    while True:
        at = _TABLE + 4 * slot
        if work[at + 1] >> 8 != generation or (work[at] == key and work[at + 1] == stamp):
            return at
        slot = slot + 1 & _SLOTS - 1


def _after(work: list[int], first: int, step: int, cells: int, end: int) -> int:
    """The cards in the cells when all from ``first`` up to ``end`` have come out."""
    for card in range(first, end):
        cells += (1 << 3 * work[_PART + card]) - (1 << 3 * work[_DEMAND + step + card - first])
    return cells


def _ends(work: list[int], first: int, step: int, cells: int, size: int) -> int:
    """Where a block that begins here can end at best, a bit an end.

    Its cards must bring what the ring asks for as long as it lasts, in whatever order.
    """
    ends = 0
    missing = 0
    for rank in range(RANKS):
        work[_COUNTS + rank] = cells >> 3 * rank & 7
    end = first
    while True:
        if missing == 0:
            ends |= 1 << end
        if end >= size or step >= work[_STEPS]:
            return ends
        brought = _COUNTS + work[_PART + end]
        work[brought] += 1
        if work[brought] == 0:
            missing -= 1
        asked = _COUNTS + work[_DEMAND + step]
        work[asked] -= 1
        if work[asked] == -1:
            missing += 1
        end += 1
        step += 1


def _ends_wanted(
    work: list[int], card: int, first: int, step: int, cells: int, wanted: int, size: int
) -> int:
    """At which ends of the block that begins at ``first`` the card below it can go.

    And after which the end ``wanted`` may be reached; -1 stands for any.
    """
    most = size if wanted < 0 else wanted
    ends = _ends(work, first, step, cells, most)
    found = 0
    end = first
    while ends >> end and step < work[_STEPS]:
        asked = work[_DEMAND + step]
        if ends >> end & 1 and (work[_PART + card] == asked or cells >> 3 * asked & 7):
            after = cells + (1 << 3 * work[_PART + card]) - (1 << 3 * asked)
            if wanted < 0 or _ends(work, end, step + 1, after, most) >> wanted & 1:
                found |= 1 << end
        if end < most:
            cells += (1 << 3 * work[_PART + end]) - (1 << 3 * asked)
        end += 1
        step += 1
    return found


def _can(work: list[int], first: int, step: int, cells: int, end: int, size: int) -> int:
    """Whether all cards from ``first`` up to ``end`` can come out; -1 when the table is full.

    The first card is flipped, then a block on top of it comes out, then the card itself, and then
    the block that follows. Both blocks are asked the same, for one end after the other: where they
    come out, no more than needed is looked at.
    """
    stamp = work[_GEN] << 8
    depth = 0
    frame = _FRAMES
    _ask(work, frame, first, step, cells, end)
    answer = False
    while True:
        first = work[frame]
        step = work[frame + 1]
        cells = work[frame + 2]
        end = work[frame + 3]
        stage = work[frame + 6]
        done = False
        if stage == _ASKED:
            if first == end:
                answer = True
                done = True
            else:
                slot = _slot(work, cells << 18 | first << 6 | step, stamp)
                if work[slot + 1] != stamp:
                    work[slot] = cells << 18 | first << 6 | step
                    work[slot + 1] = stamp
                    work[slot + 2] = -1 if _too_late(work, cells, step) else 0
                    work[slot + 3] = 0
                    work[_USED] += 1
                    if work[_USED] > _USED_MOST:
                        return -1
                if work[slot + 2] >> end & 1:
                    answer = work[slot + 3] >> end & 1 == 1
                    done = True
                else:
                    middles = _ends_wanted(work, first, first + 1, step, cells, end, size)
                    work[frame + 4] = middles
                    work[frame + 5] = end
        elif stage == _ABOVE and answer:
            middle = work[frame + 5]
            work[frame + 6] = _BEHIND
            then = step + middle - first - 1
            after = _after(work, first + 1, step, cells, middle)
            after += (1 << 3 * work[_PART + first]) - (1 << 3 * work[_DEMAND + then])
            frame += _FRAME
            depth += 1
            _ask(work, frame, middle, then + 1, after, end)
            continue
        elif stage == _BEHIND and answer:
            _learn(work, first, step, cells, end, True)
            done = True
        if not done:
            middles = work[frame + 4]
            if middles:
                middle = work[frame + 5]
                while middles >> middle & 1 == 0:
                    middle -= 1
                work[frame + 4] = middles ^ 1 << middle
                work[frame + 5] = middle
                work[frame + 6] = _ABOVE
                frame += _FRAME
                depth += 1
                _ask(work, frame, first + 1, step, cells, middle)
                continue
            _learn(work, first, step, cells, end, False)
            answer = False
        if depth == 0:
            return 1 if answer else 0
        depth -= 1
        frame -= _FRAME


def _ask(work: list[int], frame: int, first: int, step: int, cells: int, end: int) -> None:
    work[frame] = first
    work[frame + 1] = step
    work[frame + 2] = cells
    work[frame + 3] = end
    work[frame + 4] = 0  # ends of the block above the first card, to be tried
    work[frame + 5] = 0  # the one that is tried
    work[frame + 6] = _ASKED


def _learn(work: list[int], first: int, step: int, cells: int, end: int, answer: bool) -> None:
    """Put into the table whether a block can end there."""
    slot = _slot(work, cells << 18 | first << 6 | step, work[_GEN] << 8)
    work[slot + 2] |= 1 << end
    if answer:
        work[slot + 3] |= 1 << end


def _known(work: list[int], first: int, step: int, cells: int, end: int) -> bool:
    """Whether the table says that a block can end there."""
    if first == end:
        return True
    stamp = work[_GEN] << 8
    slot = _slot(work, cells << 18 | first << 6 | step, stamp)
    return work[slot + 1] == stamp and work[slot + 3] >> end & 1 == 1


def _write_order(work: list[int], depth: int) -> None:
    """The order in which the cards of the part go, on the way to a moment of the last pass."""
    n = 0
    for i in range(depth):
        node = _NODES + i * _NODE
        under = work[node]
        first = work[node + 1]
        step = work[node + 2]
        then = node + _NODE
        if work[then + 2] > step:  # else a king stayed
            start = first if under else first + 1
            n = _write_block(work, n, start, step, work[node + 3], work[then + 1])
            work[_ORDER + n] = under - 1 if under else first
            n += 1
    work[_ORDER_N] = n


def _write_block(work: list[int], n: int, first: int, step: int, cells: int, end: int) -> int:
    """Add the order in which a block's cards go, from the table; return the length of the order."""
    tasks = 1
    # A task is a block from here to an end, or a card that goes: its number, and -1 as the end.
    work[_TASKS] = first
    work[_TASKS + 1] = end
    while tasks:
        tasks -= 1
        at = _TASKS + 2 * tasks
        here = work[at]
        end = work[at + 1]
        if end < 0:
            work[_ORDER + n] = here
            n += 1
            cells += (1 << 3 * work[_PART + here]) - (1 << 3 * work[_DEMAND + step])
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
    """Where the block on top of a block's first card ends."""
    rank = work[_PART + first]
    later = cells
    now = step
    middle = first + 1
    while middle <= end:
        asked = work[_DEMAND + now]
        if _known(work, first + 1, step, cells, middle) and (
            rank == asked or later >> 3 * asked & 7
        ):
            after = later + (1 << 3 * rank) - (1 << 3 * asked)
            if _known(work, middle, now + 1, after, end):
                return middle
        if middle < end:
            later += (1 << 3 * work[_PART + middle]) - (1 << 3 * asked)
        middle += 1
        now += 1
    return end


# From the cards that go back to moves.


def _carry_out(s: Position, out: list[int], work: list[int]) -> int:
    """Play the moves that remove the cards in order, and then those left over; return how many."""
    n = work[_LINE_N]
    for i in range(work[_WASTE_N]):
        work[_PART_AT + i] = s.line[i]
    for i in range(s.stock_n - s.stock_at):
        work[_PART_AT + work[_WASTE_N] + i] = s.line[s.stock_at + i]
    made = 0
    for i in range(work[_ORDER_N]):
        place = work[_PART_AT + work[_ORDER + i] - 1]
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
