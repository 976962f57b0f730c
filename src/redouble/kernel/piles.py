"""Building blocks for rules: seats in order; shuffling, picking and hiding cards.

A card of a shuffled deck is identified by its *place*, its index in the deck after the shuffle.
Hands, piles and boards hold places, which every player can follow. The card at a place is in
``deck``, and who has seen it is in ``known_to`` (a seat, ``EVERYONE`` or ``NOBODY``). A hand is a
row of places: everyone sees where a card goes and from where it is played, which is how ruling G7's
"as long as it can be followed" is read. What is known about a card stays with its place.

Every chance event of a game goes through ``rng.below`` or one of three functions of this module:
``shuffle``, ``shuffle_places`` and ``pick``. The tests rely on it to replay and script chance.
"""

from __future__ import annotations

from collections.abc import Sequence

from redouble.kernel.rng import Generator, below, words
from redouble.kernel.state import EVERYONE, NOBODY

__all__ = [
    "ERASED",
    "IN_ORDER",
    "IN_SIGHT",
    "exchange_cards",
    "fill",
    "first_copy",
    "hide",
    "lowest_bit",
    "pick",
    "seat_beside",
    "shuffle",
    "shuffle_places",
    "sort_out",
    "write_bits",
]

ERASED = -1
"""In ``deck``: the seat for which the state was redacted doesn't know the card at this place."""
MAX_PLACES = 255
"""The most places of a deck."""
IN_ORDER = tuple(range(MAX_PLACES))
"""For :func:`first_copy`: places are drawn in ascending order."""
IN_SIGHT = -3
"""In place of a holder: the seat for which the state was redacted knows the card."""


# All powers of two below 2**63 have different remainders modulo 67, so a remainder gives the bit.
_BIT_BY_REST = tuple(
    next((bit for bit in range(63) if (1 << bit) % 67 == rest), -1) for rest in range(67)
)


def seat_beside(seat: int, direction: int, seats: int) -> int:
    """Return the seat to the left of a seat, with direction 1, or to the right, with -1."""
    beside = seat + direction
    if beside < 0:
        return seats - 1
    return 0 if beside == seats else beside


def shuffle(rng: Generator, cards: list[int], n: int) -> None:
    """Shuffle the first ``n`` cards, at most 255; every order is equally likely."""
    i = n
    while i > 4:
        x, y = words(rng)
        i = _shuffle_four(cards, i, x)
        if i > 4:
            i = _shuffle_four(cards, i, y)
    while i > 1:
        j = below(rng, i)
        i -= 1
        cards[i], cards[j] = cards[j], cards[i]


def _shuffle_four(cards: list[int], i: int, x: int) -> int:
    """Make four steps of a shuffle from 32 random bits; return i - 4, or i if ``x`` is rejected.

    This is the batched method of Brackett-Rozinsky and Lemire, "Batched Ranged Random Integer
    Generation" (2024): as exact as one random number per step, and much faster.
    """
    a = x * i
    b = (a & 0xFFFFFFFF) * (i - 1)
    c = (b & 0xFFFFFFFF) * (i - 2)
    d = (c & 0xFFFFFFFF) * (i - 3)
    bound = i * (i - 1) * (i - 2) * (i - 3)
    if d & 0xFFFFFFFF < bound and d & 0xFFFFFFFF < 0x100000000 % bound:
        return i
    j = a >> 32
    cards[i - 1], cards[j] = cards[j], cards[i - 1]
    j = b >> 32
    cards[i - 2], cards[j] = cards[j], cards[i - 2]
    j = c >> 32
    cards[i - 3], cards[j] = cards[j], cards[i - 3]
    j = d >> 32
    cards[i - 4], cards[j] = cards[j], cards[i - 4]
    return i - 4


def shuffle_places(rng: Generator, deck: list[int], places: list[int], n: int) -> None:
    """Shuffle the cards at the first ``n`` of ``places`` among these places."""
    for i in range(n - 1, 0, -1):
        a = places[i]
        b = places[below(rng, i + 1)]
        deck[a], deck[b] = deck[b], deck[a]


def pick(
    rng: Generator, deck: list[int], known_to: Sequence[int], hand: list[int], n: int, card: int
) -> int:
    """Return the index, in a hand of ``n`` places, of the copy of ``card`` to play.

    A copy that everyone has seen comes first. Among unseen copies chance decides, so a hand with
    several is less likely to show the place that it does. Where the others see which card was
    played, :func:`first_copy` leaves only what they can conclude for certain.
    """
    copies = 0
    found = 0
    for i in range(n):
        if deck[hand[i]] == card:
            found = i
            copies += 1
    if copies > 1:
        return _pick_copy(rng, deck, known_to, hand, n, card)
    return found


def _pick_copy(
    rng: Generator, deck: list[int], known_to: Sequence[int], hand: list[int], n: int, card: int
) -> int:
    copies = 0
    found = 0
    for i in range(n):
        if deck[hand[i]] == card:
            if known_to[hand[i]] == EVERYONE:
                return i
            copies += 1
            if copies == 1 or below(rng, copies) == 0:
                found = i
    return found


def first_copy(
    rng: Generator,
    deck: list[int],
    known_to: Sequence[int],
    order: Sequence[int],
    hand: list[int],
    n: int,
    card: int,
) -> int:
    """Return the index of the copy of ``card`` to play: one that all have seen, else the first.

    The first was drawn first: ``order`` is higher for each place that is drawn later. So a play
    shows that no unseen card that came into the hand before is equal, and nothing else. Chance
    decided between unseen copies once, and goes on as if it did: old records replay the same.
    """
    copies = 0
    found = 0
    for i in range(n):
        if deck[hand[i]] == card:
            found = i
            copies += 1
    if copies > 1:
        return _first_of_several(rng, deck, known_to, order, hand, n, card)
    return found


def _first_of_several(
    rng: Generator,
    deck: list[int],
    known_to: Sequence[int],
    order: Sequence[int],
    hand: list[int],
    n: int,
    card: int,
) -> int:
    copies = 0
    found = 0
    least = 0
    for i in range(n):
        place = hand[i]
        if deck[place] == card:
            if known_to[place] == EVERYONE:
                return i
            if copies == 0 or order[place] < least:
                found = i
                least = order[place]
            copies += 1
            if copies > 1:
                below(rng, copies)
    return found


def lowest_bit(mask: int) -> int:
    """Return the index of the lowest set bit of a mask of bits 0 to 62, or -1 if none is set."""
    return _BIT_BY_REST[(mask & -mask) % 67]


def write_bits(out: list[int], n: int, mask: int, first: int) -> int:
    """Write ``first`` plus the index of each set bit to ``out`` from ``n`` on; return the end."""
    while mask:
        out[n] = first + lowest_bit(mask)
        mask &= mask - 1
        n += 1
    return n


def hide(deck: list[int], known_to: list[int], n: int, seat: int) -> None:
    """Erase the cards at the first ``n`` places that ``seat`` has not seen."""
    for place in range(n):
        if known_to[place] != EVERYONE and known_to[place] != seat:
            deck[place] = ERASED


def sort_out(deck: list[int], n: int, out: list[int]) -> None:
    """Write NOBODY for each erased card at the first ``n`` places, and IN_SIGHT for each other."""
    for place in range(n):
        out[place] = NOBODY if deck[place] == ERASED else IN_SIGHT


def exchange_cards(deck: list[int], first: int, second: int) -> None:
    """Exchange the cards at two places."""
    deck[first], deck[second] = deck[second], deck[first]


def fill(
    rng: Generator, deck: list[int], box: list[int], places: list[int], n: int, work: list[int]
) -> None:
    """Deal the unseen cards at random to the erased ones of the first ``n`` of ``places``.

    ``box`` lists, in any order, the cards at these places. ``work`` is scratch space for
    ``n`` + 128 numbers. Every arrangement is equally likely.
    """
    for card in range(128):
        work[card] = 0
    for i in range(n):
        work[box[places[i]]] += 1
    erased = 128
    for i in range(n):
        card = deck[places[i]]
        if card == ERASED:
            work[erased] = places[i]
            erased += 1
        else:
            work[card] -= 1
    # An inside-out shuffle: each unseen card swaps with a random one of those dealt so far.
    at = 128
    for card in range(128):
        for _ in range(work[card]):
            spot = 128 + below(rng, at - 127)
            deck[work[at]] = deck[work[spot]]
            deck[work[spot]] = card
            at += 1
