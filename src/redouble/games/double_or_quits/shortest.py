"""The solution with the fewest moves among those with a redeal.

Every solution plays the same number of cards, so only flips and redeals count. As long as no card
has to stay in the waste, the position follows from how much of the waste and of the stock is gone:
a *bare* moment. Filling a cell while the waste is empty saves a flip. Once a card stays, the rest
of the stock is flipped one card at a time before the next redeal. So a pass that ends with a redeal
costs one flip for each card of the stock, less the flips saved before the first card that stays,
plus the redeal. What is left to decide is which cards stay: in their order, they are the line of
the next pass.

The search tries every number of moves from the lower bound up and, for each, every number of cards
that stay. With both fixed, it is known when each card that stays can leave at the earliest, which
cuts off nearly all positions.
"""

from __future__ import annotations

from redouble.games.double_or_quits.blocks import (
    can,
    cells_after,
    ends_wanted,
    too_late,
    write_block,
)
from redouble.games.double_or_quits.last_pass import last_pass
from redouble.games.double_or_quits.rules import RANKS
from redouble.games.double_or_quits.scratch import FAIL, OPEN, SEEN_SLOTS, WIN, Spot, new_generation
from redouble.games.double_or_quits.sets import note, order_from_both

UNLIMITED = 1 << 10
"""More flips and redeals than any solution has."""

# All positions searched, as a multiple of those for one number of moves and of cards that stay.
_EFFORT = 16
# A second redeal costs a move, and a flip for each card from the first one that stays before it. If
# there are only one or two such cards, they can leave without that redeal.
_TWICE = 3
# The numbers of a node of the walk: the next card, the step, the cells, the cards that stay and the
# ends of a block that weren't tried yet (a bit for each), and how far it has been expanded.
_CARD, _STEP, _HELD, _STAYS, _UNTRIED, _STAGE = range(6)
_NODE = 6


def shortest(work: list[int], below: int, max_positions: int) -> int:
    """Find the shortest solution with a redeal that takes fewer than ``below`` flips and redeals.

    WIN: its order is written, and CERTAIN tells whether it is proved to be the shortest one with a
    redeal. FAIL: there is none. OPEN: there may be one, but the search reached its limit:
    ``max_positions`` for one number of moves and of cards that stay, and ``_EFFORT`` times that in
    all.
    """
    known = work[Spot.ORDER_N]
    for i in range(known):
        work[Spot.KNOWN_ORDER + i] = work[Spot.ORDER + i]
    new_generation(work)
    _take_all(work)
    n = work[Spot.LINE_N]
    waste = work[Spot.WASTE_N]
    saved = _find_bare(work, n, waste)
    if saved < 0:
        return OPEN
    least = n - waste - saved + 1
    certain = True
    looked = 0
    moves = least
    while moves < below and looked < _EFFORT * max_positions:
        work[Spot.TWICE] = 0
        for kept in range(1, n + 1):
            found = _one_pass(work, n, waste, moves, kept, max_positions)
            looked += work[Spot.LOOKED]
            if found == WIN:
                work[Spot.CERTAIN] = 1 if certain else 0
                return WIN
            if found == OPEN:
                certain = False
        if work[Spot.TWICE]:
            certain = False
        moves += 1
    for i in range(known):
        work[Spot.ORDER + i] = work[Spot.KNOWN_ORDER + i]
    work[Spot.ORDER_N] = known
    return FAIL if certain and moves >= below else OPEN


def _take_all(work: list[int]) -> None:
    """Make the whole line the part that a pass is searched in."""
    for i in range(work[Spot.LINE_N]):
        work[Spot.PART + i] = work[Spot.LINE + i]
    work[Spot.PART_N] = work[Spot.LINE_N]


def _bare(under: int, first: int) -> int:
    """Return where a bare moment is recorded: the flips saved and the previous moment, plus one."""
    return Spot.BARE + 2 * (under << 6 | first)


def _bare_cells(work: list[int], waste: int, under: int, first: int) -> int:
    """Return the cells' contents at a bare moment, with the stock up to ``first`` gone."""
    cells = work[Spot.CELLS]
    step = 0
    for card in range(under, waste):
        cells += (1 << 3 * work[Spot.PART + card]) - (1 << 3 * work[Spot.DEMAND + step])
        step += 1
    return cells_after(work, waste, step, cells, first)


def _find_bare(work: list[int], n: int, waste: int) -> int:
    """Record all bare moments that can be reached; return the most flips that can be saved.

    Return OPEN when the table of blocks is full.
    """
    for under in range(waste + 1):
        for first in range(waste, n + 1):
            work[_bare(under, first)] = 0
    work[_bare(waste, waste)] = 1
    best = 0
    for under in range(waste, -1, -1):
        for first in range(waste, n + 1):
            saved = work[_bare(under, first)] - 1
            if saved >= 0 and (under or first < n):
                best = max(best, saved)
                if not _spread(work, n, waste, under, first, saved):
                    return OPEN
    return best


def _spread(work: list[int], n: int, waste: int, under: int, first: int, saved: int) -> bool:
    """Record the bare moments that can follow; return False when the table of blocks is full."""
    cells = _bare_cells(work, waste, under, first)
    step = first - under
    card = under - 1 if under else first
    start = first if under else first + 1
    ends = ends_wanted(work, card, start, step, cells, -1, n)
    for end in range(start, n + 1):
        if ends >> end & 1:
            found = can(work, start, step, cells, end, n)
            if found < 0:
                return False
            if found:
                rest = under - 1 if under else 0
                direct = not under and end == start and cells >> 3 * work[Spot.DEMAND + step] & 7
                gain = 1 if direct else 0
                at = _bare(rest, end)
                if work[at] < saved + gain + 1:
                    work[at] = saved + gain + 1
                    work[at + 1] = (under << 6 | first) + 1
    return True


def _one_pass(
    work: list[int], n: int, waste: int, moves: int, kept: int, max_positions: int
) -> int:
    """Look for a solution of ``moves`` flips and redeals; ``kept`` cards stay in this pass."""
    generation = _new_walk(work)
    work[Spot.LOOKED] = 0
    found = FAIL
    for under in range(waste, -1, -1):
        for first in range(waste, n + 1):
            saved = work[_bare(under, first)] - 1
            spare = moves - (n - waste - saved + 1)
            if saved >= 0 and spare >= 0 and under <= kept and (under or first < n):
                one = _walk(work, n, waste, under, first, spare, kept, max_positions, generation)
                if one == WIN:
                    return WIN
                if one == OPEN:
                    found = OPEN
    return found


def _new_walk(work: list[int]) -> int:
    """Return a new generation for recorded sets; the table of blocks keeps its own unless full."""
    if work[Spot.USED] > 1 << 14:
        new_generation(work)
    here = work[Spot.GEN]
    used = work[Spot.USED]
    new_generation(work)
    generation = work[Spot.GEN]
    work[Spot.GEN] = here
    work[Spot.USED] = used
    return generation


def _walk(
    work: list[int],
    n: int,
    waste: int,
    under: int,
    first: int,
    spare: int,
    kept: int,
    max_positions: int,
    generation: int,
) -> int:
    """Decide depth first which cards stay and which leave after a bare moment: WIN, FAIL or OPEN.

    The first card stays. ``spare`` is the number of flips that the next pass may take.
    """
    bare = first
    cells = _bare_cells(work, waste, under, first)
    step = first - under
    if under:
        stays = (1 << under) - 1
    else:
        stays = 1 << first
        first += 1  # the first card stays
    if not _may_win(work, n, first, step, cells, stays, kept, spare):
        return FAIL
    _enter(work, 0, first, step, cells, stays)
    depth = 0
    while depth >= 0:
        node = Spot.WALK + depth * _NODE
        card = work[node + _CARD]
        now = work[node + _STEP]
        held = work[node + _HELD]
        stays = work[node + _STAYS]
        if work[node + _STAGE] == 0:
            work[node + _STAGE] = 1
            work[Spot.LOOKED] += 1
            if work[Spot.LOOKED] > min(max_positions, SEEN_SLOTS // 2):
                return OPEN
            if card < n:
                work[node + _UNTRIED] = ends_wanted(work, card, card + 1, now, held, -1, n)
            else:
                if _next_pass(work, stays, spare, now, held):
                    _write_passes(work, waste, under, bare, depth)
                    return WIN
                if work[Spot.PASSES] > 1:
                    _note_twice(work, n, now, held, stays, kept, spare)
        elif work[node + _UNTRIED]:
            end = n
            while work[node + _UNTRIED] >> end == 0:
                end -= 1
            work[node + _UNTRIED] ^= 1 << end
            left = cells_after(work, card + 1, now, held, end)
            then = now + end - card
            left += (1 << 3 * work[Spot.PART + card]) - (1 << 3 * work[Spot.DEMAND + then - 1])
            if _may_win(work, n, end, then, left, stays, kept, spare):
                found = can(work, card + 1, now, held, end, n)
                if found < 0:
                    return OPEN
                if found and note(work, generation, stays | end << 44, 0):
                    depth += 1
                    _enter(work, depth, end, then, left, stays)
        elif work[node + _STAGE] == 1 and card < n:
            work[node + _STAGE] = 2
            more = stays | 1 << card
            if _may_win(work, n, card + 1, now, held, more, kept, spare) and note(
                work, generation, more | card + 1 << 44, 0
            ):
                depth += 1
                _enter(work, depth, card + 1, now, held, more)
        else:
            depth -= 1
    return FAIL


def _enter(work: list[int], depth: int, first: int, step: int, cells: int, stays: int) -> None:
    node = Spot.WALK + depth * _NODE
    work[node + _CARD] = first
    work[node + _STEP] = step
    work[node + _HELD] = cells
    work[node + _STAYS] = stays
    work[node + _UNTRIED] = 0
    work[node + _STAGE] = 0


def _may_win(
    work: list[int], n: int, first: int, step: int, cells: int, stays: int, kept: int, spare: int
) -> bool:
    """Return whether the ranks that the ring asks for can come in time if ``kept`` cards stay.

    Until this pass is over they must come from the stock. After that, one of the cards that stayed
    leaves at each step, in order, and is of use from the next step on. Each of the ``spare`` flips
    of the next pass makes one of them available one step earlier. Cards that must come from the
    stock can't stay.
    """
    staying = 0
    for card in range(first):
        if stays >> card & 1:
            work[Spot.KEPT + staying] = work[Spot.PART + card]
            staying += 1
    going = n - first - (kept - staying)  # cards of the stock that leave in this pass
    if going < 0 or staying > kept or too_late(work, cells, step):
        return False
    for rank in range(RANKS):
        work[Spot.ASKED + rank] = -(cells >> 3 * rank & 7)
        work[Spot.STAYED + rank] = 0
        work[Spot.IN_STOCK + rank] = 0
        work[Spot.MUST_GO + rank] = 0
        work[Spot.PLACE + rank] = 0
    for card in range(first, n):
        work[Spot.IN_STOCK + work[Spot.PART + card]] += 1
    must_go = 0
    taken = 0
    last = min(work[Spot.STEPS], step + going + staying)
    for now in range(step, last):
        rank = work[Spot.DEMAND + now]
        work[Spot.ASKED + rank] += 1
        reached = now - (step + going)
        if reached >= 0:
            while taken < min(reached + spare, staying):
                work[Spot.STAYED + work[Spot.KEPT + taken]] += 1
                taken += 1
            # The number of cards that stayed after which there is enough of this rank, at best.
            work[Spot.NEEDS + reached] = 0
            if work[Spot.ASKED + rank] > work[Spot.IN_STOCK + rank]:
                place = work[Spot.PLACE + rank]
                while place < staying and work[Spot.KEPT + place] != rank:
                    place += 1
                work[Spot.PLACE + rank] = place + 1
                work[Spot.NEEDS + reached] = place + 1
        lacking = work[Spot.ASKED + rank] - work[Spot.STAYED + rank]
        if lacking > work[Spot.MUST_GO + rank] and (reached + spare <= staying or reached < 0):
            work[Spot.MUST_GO + rank] += 1
            must_go += 1
            if work[Spot.MUST_GO + rank] > work[Spot.IN_STOCK + rank] or must_go > going:
                return False
    return _fewest_flips(work, min(staying, last - step - going), staying) <= spare


def _fewest_flips(work: list[int], steps: int, staying: int) -> int:
    """Return a lower bound of the flips that the next pass needs for the cards that stayed.

    A card leaves unflipped where enough cards have left before it. Otherwise several cards are
    flipped and leave together, in any order, until enough have left.
    """
    for i in range(staying + 1):
        work[Spot.FEWEST_FLIPS + i] = staying + 1
    work[Spot.FEWEST_FLIPS] = 0
    best = staying + 1
    for i in range(steps):
        flips = work[Spot.FEWEST_FLIPS + i]
        if flips <= staying:
            if work[Spot.NEEDS + i] <= i:
                work[Spot.FEWEST_FLIPS + i + 1] = min(work[Spot.FEWEST_FLIPS + i + 1], flips)
            needs = 0
            for end in range(i + 1, steps + 1):
                needs = max(needs, work[Spot.NEEDS + end - 1])
                if needs <= end:
                    work[Spot.FEWEST_FLIPS + end] = min(
                        work[Spot.FEWEST_FLIPS + end], flips + end - i
                    )
            best = min(best, flips + steps - i)
    return min(best, work[Spot.FEWEST_FLIPS + steps])


def _next_pass(work: list[int], stays: int, spare: int, step: int, cells: int) -> bool:
    """Return whether the cards that stayed can leave in a last pass of at most ``spare`` flips.

    If they can't, the search of the pass before goes on, so its tables are restored.
    """
    here = work[Spot.GEN]
    used = work[Spot.USED]
    size = 0
    for card in range(work[Spot.LINE_N]):
        if stays >> card & 1:
            work[Spot.PART + size] = work[Spot.LINE + card]
            work[Spot.PART_AT + size] = card + 1
            size += 1
    work[Spot.PART_N] = size
    if last_pass(work, 0, cells, step, True) == WIN and work[Spot.FLIPS] <= spare:
        return True
    _take_all(work)
    work[Spot.GEN] = here
    work[Spot.USED] = used
    return False


def _note_twice(
    work: list[int], n: int, step: int, cells: int, stays: int, kept: int, spare: int
) -> None:
    """Record in TWICE when a second redeal might win within the same number of moves."""
    _may_win(work, n, n, step, cells, stays, kept, spare)  # fills Spot.FEWEST_FLIPS
    for gone in range(kept - _TWICE + 1):
        if work[Spot.FEWEST_FLIPS + gone] + kept - gone + 1 <= spare:
            work[Spot.TWICE] = 1


def _write_passes(work: list[int], waste: int, under: int, first: int, depth: int) -> None:
    """Write the order of both passes: the cards that leave before the redeal come first."""
    last = work[Spot.ORDER_N]
    for i in range(last):
        work[Spot.KEPT + i] = work[Spot.PART_AT + work[Spot.ORDER + i]]
    _take_all(work)
    # The bare moments lead back to the start.
    moments = 0
    moment = under << 6 | first
    while moment >= 0:
        work[Spot.MOMENTS + moments] = moment
        moments += 1
        moment = work[Spot.BARE + 2 * moment + 1] - 1 if moment != (waste << 6 | waste) else -1
    n = 0
    for i in range(moments - 1, 0, -1):
        under = work[Spot.MOMENTS + i] >> 6
        first = work[Spot.MOMENTS + i] & 63
        cells = _bare_cells(work, waste, under, first)
        card = under - 1 if under else first
        start = first if under else first + 1
        n = _write_going(
            work, n, card, start, first - under, cells, work[Spot.MOMENTS + i - 1] & 63
        )
    for i in range(depth):
        node = Spot.WALK + i * _NODE
        then = node + _NODE
        card = work[node + _CARD]
        if work[then + _STEP] > work[node + _STEP]:  # else the card stayed
            n = _write_going(
                work, n, card, card + 1, work[node + _STEP], work[node + _HELD], work[then + _CARD]
            )
    for i in range(n):
        work[Spot.PATH + i] = work[Spot.ORDER + i] + 1
    for i in range(last):
        work[Spot.ORDER + i] = i
        work[Spot.PART_AT + i] = work[Spot.KEPT + i]
    work[Spot.ORDER_N] = last
    order_from_both(work, n)


def _write_going(
    work: list[int], n: int, card: int, start: int, step: int, cells: int, end: int
) -> int:
    """Append the block above a card, then the card; return the new length of the order."""
    new_generation(work)  # the block's entries may have been overwritten
    can(work, start, step, cells, end, work[Spot.LINE_N])
    n = write_block(work, n, start, step, cells, end)
    work[Spot.ORDER + n] = card
    return n + 1
