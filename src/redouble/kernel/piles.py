"""What rules are written with: shuffling, picking and hiding cards.

Cards of a shuffled deck are named by their *place*, the index at which they lay after the shuffle.
Hands, piles and boards hold places, which everybody can follow with their eyes; what card lies at a
place is in ``deck``, and who has seen it in ``known_to`` (a seat, ``EVERYONE`` or ``NOBODY``).
So a hand is a row of places: all see into which place a card goes and from which it is played
(that is how G7's "as long as it can be followed" is read), and what is known stays with the place.

Every chance event of a game goes through ``rng.below`` or one of the functions here: ``shuffle``,
``shuffle_places`` and ``pick``.
"""

from __future__ import annotations

from collections.abc import Sequence

from redouble.kernel.rng import Generator, below, words
from redouble.kernel.state import EVERYONE

ERASED = -1
"""In ``deck``: the card at this place is not known to the seat the state was redacted for."""


# The powers of two leave different rests modulo 67.
_BIT_BY_REST = tuple(
    next((bit for bit in range(63) if (1 << bit) % 67 == rest), -1) for rest in range(67)
)


def shuffle(rng: Generator, cards: list[int], n: int) -> None:
    """Shuffle the first n cards; every order is equally likely (n up to 255)."""
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
    """Four steps of a shuffle from 32 random bits; returns i - 4, or i when x must be refused.

    The batched method of Brackett-Rozinsky and Lemire, "Batched Ranged Random Integer Generation"
    (2024): as exact as one number a step, and much faster.
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
    """Shuffle the cards that lie at the first n of ``places`` among these places."""
    for i in range(n - 1, 0, -1):
        a = places[i]
        b = places[below(rng, i + 1)]
        deck[a], deck[b] = deck[b], deck[a]


def pick(
    rng: Generator, deck: list[int], known_to: Sequence[int], hand: list[int], n: int, card: int
) -> int:
    """The index in a hand of n places of the copy of ``card`` that is played.

    A copy that everybody has seen goes first; among unseen copies chance decides, so that the place
    played from tells nothing about the places left.
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


def lowest_bit(mask: int) -> int:
    """The index of the lowest set bit of a mask of bits 0 to 62; -1 when none is set."""
    return _BIT_BY_REST[(mask & -mask) % 67]


def hide(deck: list[int], known_to: list[int], n: int, seat: int) -> None:
    """Erase the cards at the first n places that ``seat`` has not seen."""
    for place in range(n):
        if known_to[place] != EVERYONE and known_to[place] != seat:
            deck[place] = ERASED


def fill(
    rng: Generator, deck: list[int], box: list[int], places: list[int], n: int, work: list[int]
) -> None:
    """Deal the unseen cards at random over the erased ones of the first n ``places``.

    ``box`` names, in any order, the cards that lie at these places; ``work`` is scratch for
    n + 128 numbers. Every arrangement is equally likely.
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
    # Inside out: place each unseen card at a random earlier spot of those filled so far.
    at = 128
    for card in range(128):
        for _ in range(work[card]):
            spot = 128 + below(rng, at - 127)
            deck[work[at]] = deck[work[spot]]
            deck[work[spot]] = card
            at += 1
