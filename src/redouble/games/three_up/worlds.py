"""What a seat knows in 3UP 3DOWN, and the worlds it cannot tell apart.

What can be concluded about unseen cards of a hand always concerns all that lie there at the time:
nobody who takes the pile holds a card that could be played (TU7), and so on. Cards come into hands
in the order of their places, so such knowledge is one number, a bound: "no unseen card of this hand
from a place below the bound is of this kind". Cards drawn later lie beyond it.
"""

from __future__ import annotations

from redouble.games.three_up.actions import up_action
from redouble.games.three_up.position import (
    CLEAR,
    COLORS,
    DEALT,
    KINDS,
    Position,
    down_place,
)
from redouble.kernel.piles import ERASED, shuffle
from redouble.kernel.rng import Generator, below, erase, reseed

# SearchBuffers: how many of each kind are unseen, and how many of these are left; for
# each place that is dealt first its number, the seat that holds it, the kinds it can be as bits,
# how many unseen cards are of these, a bound for how many of them can be left, the kind dealt.

TRIES = 5000
_TOTAL = 0
_LEFT = 40
_PLACE = 80
_OWNER = 248
_MASK = 416
_FIT = 584
_BOUND = 752
_KIND = 920
_REST = 1088


def redact(s: Position, seat: int) -> None:
    """Erase what ``seat`` cannot know: draw pile, 3DOWN, unseen cards and choices of the others."""
    for place in range(s.drawn, s.deck_n):
        s.deck[place] = ERASED
    for other in range(s.seats):
        for i in range(3):
            if s.down[other] >> i & 1:
                s.deck[down_place(s, other, i)] = ERASED
        if other != seat:
            if s.choosing and s.choice[other]:
                s.choice[other] = ERASED
            for i in range(s.hand_at[other], s.hand_at[other] + s.hand_n[other]):
                kind = s.deck[s.hand[i]]
                if kind != ERASED:
                    s.held[other][kind] -= 1
                    s.deck[s.hand[i]] = ERASED
    erase(s.rng)


def determinize(s: Position, rng: Generator, work: list[int]) -> None:
    """Fill what was erased with a world that its seat cannot tell from the real one.

    The unseen cards of the hands of which something is known are dealt first, each at random from
    those it can be, and the deal is refused by the chance that makes every arrangement equally
    likely (see `_try`). The rest is shuffled. Choices not shown yet are any three of the six.

    After TRIES refusals, which no position met in play has come near, the first deal that fits is
    taken: consistent, but no longer exactly uniform. Knowledge that contradicts itself, which play
    cannot lead to, is dropped in the end.
    """
    _count_unseen(s, work)
    n = _gather(s, rng, work, False)
    tries = 0
    while n and not _try(s, rng, work, n, tries < TRIES):
        tries += 1
        if tries == 2 * TRIES:
            n = 0
        elif tries >= TRIES:
            n = _gather(s, rng, work, True)
    if not n:
        _all_left(work)
    for i in range(n):
        _place(s, work[_OWNER + i], work[_PLACE + i], work[_KIND + i])
    _deal_rest(s, rng, work)
    for seat in range(s.seats):
        if s.choice[seat] == ERASED:
            _imagine_choice(s, rng, work, seat)
    reseed(s.rng, rng)


def _all_left(work: list[int]) -> None:
    for kind in range(KINDS):
        work[_LEFT + kind] = work[_TOTAL + kind]


def _count_unseen(s: Position, work: list[int]) -> None:
    for kind in range(KINDS):
        work[_TOTAL + kind] = 0
    for place in range(s.deck_n):
        work[_TOTAL + s.box[place]] += 1
        if s.deck[place] != ERASED:
            work[_TOTAL + s.deck[place]] -= 1


def _gather(s: Position, rng: Generator, work: list[int], witnesses: bool) -> int:
    """List the unseen cards of which something is known, those that can be least first.

    With ``witnesses`` a card is drawn for each need that has to meet it.
    """
    every = 0
    for kind in range(KINDS):
        if work[_TOTAL + kind]:
            every |= 1 << kind
    n = 0
    for seat in range(s.seats):
        needed = 0
        for least in range(CLEAR):
            needed = max(needed, s.need[seat][least])
        first = n
        for i in range(s.hand_at[seat], s.hand_at[seat] + s.hand_n[seat]):
            place = s.hand[i]
            if s.deck[place] == ERASED:
                mask = every
                for kind in range(KINDS):
                    if place < s.never[seat][kind]:
                        mask &= ~(1 << kind)
                if mask != every or place < needed:
                    work[_PLACE + n] = place
                    work[_OWNER + n] = seat
                    work[_MASK + n] = mask
                    n += 1
        if witnesses and n > first:
            _draw_witnesses(s, rng, work, seat, first, n)
    _sort(work, n)
    _bound(work, n)
    return n


def _draw_witnesses(
    s: Position, rng: Generator, work: list[int], seat: int, first: int, n: int
) -> None:
    for least in range(CLEAR):
        found = -1
        fitting = 0
        for i in range(first, n):
            if work[_PLACE + i] < s.need[seat][least] and work[_MASK + i] >> COLORS * least:
                fitting += 1
                if below(rng, fitting) == 0:
                    found = i
        if found >= 0:
            work[_MASK + found] = work[_MASK + found] >> COLORS * least << COLORS * least


def _fits(work: list[int], counts: int, mask: int) -> int:
    """How many cards are of the kinds of a mask, by the counts that begin at ``counts``."""
    n = 0
    for kind in range(KINDS):
        if mask >> kind & 1:
            n += work[counts + kind]
    return n


def _sort(work: list[int], n: int) -> None:
    for i in range(n):
        place = work[_PLACE + i]
        owner = work[_OWNER + i]
        mask = work[_MASK + i]
        fit = _fits(work, _TOTAL, mask)
        j = i
        while j > 0 and work[_FIT + j - 1] > fit:
            work[_PLACE + j] = work[_PLACE + j - 1]
            work[_OWNER + j] = work[_OWNER + j - 1]
            work[_MASK + j] = work[_MASK + j - 1]
            work[_FIT + j] = work[_FIT + j - 1]
            j -= 1
        work[_PLACE + j] = place
        work[_OWNER + j] = owner
        work[_MASK + j] = mask
        work[_FIT + j] = fit


def _bound(work: list[int], n: int) -> None:
    """The most cards that can be left for each place when those before it are dealt.

    A card dealt before is one less, unless it is of a kind that this place cannot be: there are
    only so many of those, and only so many places that could have got one.
    """
    union = 0
    for i in range(n):
        mask = work[_MASK + i]
        if i and mask == work[_MASK + i - 1]:
            work[_BOUND + i] = work[_BOUND + i - 1] - 1
        else:
            strangers = 0
            for j in range(i):
                if work[_MASK + j] & ~mask:
                    strangers += 1
            strangers = min(strangers, _fits(work, _TOTAL, union & ~mask))
            work[_BOUND + i] = work[_FIT + i] - i + strangers
        union |= mask


def _try(s: Position, rng: Generator, work: list[int], n: int, exact: bool) -> bool:
    """Deal the listed places once; whether the deal stands.

    An arrangement comes up with the chance 1 / (a b c ...), where a, b, c are the numbers of cards
    that were left for each place. It stands with the chance a b c ... / (A B C ...), where A, B, C
    are the bounds: so each arrangement stands equally often.
    """
    _all_left(work)
    for i in range(n):
        mask = work[_MASK + i]
        left = _fits(work, _LEFT, mask)
        if left == 0:
            return False
        if exact and left < work[_BOUND + i] and below(rng, work[_BOUND + i]) >= left:
            return False
        spot = below(rng, left)
        kind = -1
        while spot >= 0:
            kind += 1
            if mask >> kind & 1:
                spot -= work[_LEFT + kind]
        work[_LEFT + kind] -= 1
        work[_KIND + i] = kind
    return not s.draw_instead or _needs_met(s, work, n)


def _needs_met(s: Position, work: list[int], n: int) -> bool:
    for seat in range(s.seats):
        for least in range(CLEAR):
            if s.need[seat][least]:
                met = False
                unseen = False
                for i in range(n):
                    if work[_OWNER + i] == seat and work[_PLACE + i] < s.need[seat][least]:
                        unseen = True
                        met |= work[_KIND + i] >= COLORS * least
                if unseen and not met:
                    return False
    return True


def _place(s: Position, seat: int, place: int, kind: int) -> None:
    s.deck[place] = kind
    s.held[seat][kind] += 1


def _deal_rest(s: Position, rng: Generator, work: list[int]) -> None:
    """The other unseen cards, in any order, to draw pile, 3DOWN and hands."""
    cards = work[_REST:]
    n = 0
    for kind in range(KINDS):
        for _ in range(work[_LEFT + kind]):
            cards[n] = kind
            n += 1
    shuffle(rng, cards, n)
    n = 0
    for place in range(s.drawn, s.deck_n):
        s.deck[place] = cards[n]
        n += 1
    for seat in range(s.seats):
        for i in range(3):
            if s.down[seat] >> i & 1:
                s.deck[down_place(s, seat, i)] = cards[n]
                n += 1
        for i in range(s.hand_at[seat], s.hand_at[seat] + s.hand_n[seat]):
            if s.deck[s.hand[i]] == ERASED:
                _place(s, seat, s.hand[i], cards[n])
                n += 1


def _imagine_choice(s: Position, rng: Generator, work: list[int], seat: int) -> None:
    """Any three of the six cards are put up."""
    six = work[_REST:]
    for i in range(DEALT):
        kind = s.deck[s.hand[s.hand_at[seat] + i]]
        six[i] = kind if s.color_four else kind // COLORS
    shuffle(rng, six, DEALT)
    low = min(six[0], six[1], six[2])
    high = max(six[0], six[1], six[2])
    s.choice[seat] = up_action(s.color_four, low, six[0] + six[1] + six[2] - low - high, high)
