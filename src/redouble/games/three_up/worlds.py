"""What a seat knows in 3UP 3DOWN, and the worlds it can't tell apart.

Conclusions about the unseen cards of a hand always concern those that have been there longest: a
player who takes the pile holds no card that could be played (TU7), one who plays a card holds no
equal one for longer (TU19), and so on. Cards come into hands in the order of their places, so such
knowledge is one number, a bound: "no unseen card of this hand from a place below the bound is of
this kind". Cards drawn later lie beyond it.
"""

from __future__ import annotations

from redouble.games.three_up.actions import up_action
from redouble.games.three_up.position import (
    CLEAR,
    COLORS,
    DEALT,
    KINDS,
    MAX_DECK,
    MAX_SEATS,
    Position,
    down_place,
)
from redouble.kernel.dealing import CLUE, add_place, deal_allowed, list_unseen, write_clue
from redouble.kernel.piles import ERASED, shuffle
from redouble.kernel.rng import Generator, erase, reseed

ALL_KINDS = (1 << KINDS) - 1
MAX_CLUES = MAX_SEATS * CLEAR
_PLACES = MAX_DECK
_MASKS = 2 * MAX_DECK
_CLUES = 3 * MAX_DECK
_SCRATCH = _CLUES + CLUE * MAX_CLUES


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

    The unseen cards of hands about which something is known are dealt first, as
    :func:`deal_allowed` does it, and the rest is shuffled. Choices of 3UP that are not shown yet
    are any three of the six cards.
    """
    pool = work[:MAX_DECK]
    places = work[_PLACES:_MASKS]
    masks = work[_MASKS:_CLUES]
    clues = work[_CLUES:_SCRATCH]
    scratch = work[_SCRATCH:]
    n = list_unseen(s.deck, s.box, s.deck_n, KINDS, pool, scratch)
    m = _known(s, pool, places, masks, n)
    clue_n = _write_clues(s, clues)
    _count_hands(s, -1)
    deal_allowed(rng, s.deck, pool, n, places, masks, m, clues, clue_n, scratch)
    rest = pool[m:]
    shuffle(rng, rest, n - m)
    dealt = 0
    for place in range(s.deck_n):
        if s.deck[place] == ERASED:
            s.deck[place] = rest[dealt]
            dealt += 1
    _count_hands(s, 1)
    for seat in range(s.seats):
        if s.choice[seat] == ERASED:
            _choose_any(s, rng, scratch, seat)
    reseed(s.rng, rng)


def _known(s: Position, pool: list[int], places: list[int], masks: list[int], n: int) -> int:
    """List the erased places of which something is known, and what fits there; return how many."""
    unseen = 0
    for i in range(n):
        unseen |= 1 << pool[i]
    m = 0
    for seat in range(s.seats):
        needed = 0
        for least in range(CLEAR):
            needed = max(needed, s.need[seat][least])
        for i in range(s.hand_at[seat], s.hand_at[seat] + s.hand_n[seat]):
            place = s.hand[i]
            if s.deck[place] == ERASED:
                mask = unseen
                for kind in range(KINDS):
                    if place < s.never[seat][kind]:
                        mask &= ~(1 << kind)
                if mask != unseen or place < needed:
                    places[m] = place
                    masks[m] = mask
                    m += 1
    return m


def _write_clues(s: Position, clues: list[int]) -> int:
    """Write what ``need`` says of erased places as :func:`deal_allowed` reads it."""
    n = 0
    for seat in range(s.seats if s.draw_instead else 0):
        for least in range(CLEAR):
            begun = False
            for i in range(s.hand_at[seat], s.hand_at[seat] + s.hand_n[seat]):
                place = s.hand[i]
                if place < s.need[seat][least] and s.deck[place] == ERASED:
                    if not begun:
                        n = write_clue(clues, n, ALL_KINDS >> COLORS * least << COLORS * least)
                        begun = True
                    add_place(clues, n, place)
    return n


def _count_hands(s: Position, change: int) -> None:
    """Add the unseen cards of all hands to the counts of kinds held, or take them out."""
    for seat in range(s.seats):
        for i in range(s.hand_at[seat], s.hand_at[seat] + s.hand_n[seat]):
            kind = s.deck[s.hand[i]]
            if kind != ERASED:
                s.held[seat][kind] += change


def _choose_any(s: Position, rng: Generator, six: list[int], seat: int) -> None:
    """Put up any three of the six cards."""
    for i in range(DEALT):
        kind = s.deck[s.hand[s.hand_at[seat] + i]]
        six[i] = kind if s.color_four else kind // COLORS
    shuffle(rng, six, DEALT)
    low = min(six[0], six[1], six[2])
    high = max(six[0], six[1], six[2])
    s.choice[seat] = up_action(s.color_four, low, six[0] + six[1] + six[2] - low - high, high)
