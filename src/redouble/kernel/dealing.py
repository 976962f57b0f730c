"""Dealing unseen cards where the rules of a game leave something to conclude about them.

:func:`deal_allowed` is the one place where ``determinize`` deals under constraints. A card is a
*kind*, a number from 0 to 61. What is known comes in two forms: for each place a mask of the kinds
that can lie there, and *clues*, each saying that at least one of some places holds one of some
kinds. Without any such knowledge :func:`redouble.kernel.piles.fill` is simpler and faster.
"""

from __future__ import annotations

from redouble.kernel.piles import ERASED, exchange_cards, lowest_bit, shuffle
from redouble.kernel.rng import Generator, below

MAX_TRIES = 20_000
"""Deals to try before the exact method gives up: about ten milliseconds when compiled."""
STEPS = 20_000
"""Exchanges of two cards by which the deal is mixed in that case."""

CLUE = 4
"""Numbers in a clue: the mask of its kinds, then its places as three words of 60 bits."""
WORD = 60
_WORDS = 3


def list_unseen(
    deck: list[int], box: list[int], n: int, kinds: int, pool: list[int], counts: list[int]
) -> int:
    """List the cards of ``box`` that are erased in ``deck`` in ``pool``, by kind; return how many.

    The deck has ``n`` places; ``counts`` is scratch for ``kinds`` numbers.
    """
    for kind in range(kinds):
        counts[kind] = 0
    for place in range(n):
        counts[box[place]] += 1
        if deck[place] != ERASED:
            counts[deck[place]] -= 1
    found = 0
    for kind in range(kinds):
        for _ in range(counts[kind]):
            pool[found] = kind
            found += 1
    return found


def deal_allowed(
    rng: Generator,
    deck: list[int],
    pool: list[int],
    n: int,
    places: list[int],
    masks: list[int],
    m: int,
    clues: list[int],
    clue_n: int,
    scratch: list[int],
) -> None:
    """Deal cards of ``pool`` to the first m ``places`` in any way that is allowed.

    ``pool`` holds the n unseen cards, ``masks`` the kinds that can lie at each of the m places and
    ``clues`` the clues, written by :func:`write_clue`, over these places and others whose card is
    in ``deck``. The cards dealt are written to ``deck``; those left are ``pool[m:n]``, in no
    particular order. ``places`` and ``masks`` are sorted on the way; ``scratch`` is for 3 * n
    numbers. n is at most 180.

    Every allowed arrangement is equally likely. The places are dealt one after another, and at each
    place chance picks one of a fixed number of cards, an upper bound for those that can be left for
    it. When it picks one that is not there, or when a clue is not met in the end, all is dealt
    again. So each arrangement comes out of a try with the same chance, 1 over the product of the
    bounds.

    The work is bounded: at most MAX_TRIES tries, each of at most m * n steps. Should all of them
    fail, at most m searches of n * n steps find one allowed arrangement, and STEPS random exchanges
    of two cards mix it. It is then allowed, but only nearly uniform; counting the arrangements,
    which exactness takes, is computing a permanent, for which no method with a useful bound is
    known. Of 106,000 positions of random games, none took more than 632 tries; the mean is 1.1 in
    Double Down, 1.4 in dominoes and 2.6 in 3UP 3DOWN.

    Knowledge that contradicts itself, which play cannot lead to, is kept as far as it can be.
    """
    _sort(pool, n, places, masks, m, scratch)
    for _ in range(MAX_TRIES):
        if _try(rng, deck, pool, n, places, masks, m, scratch) and not unmet(deck, clues, clue_n):
            return
    _settle(rng, deck, pool, n, places, masks, m, clues, clue_n, scratch)


def write_clue(clues: list[int], clue_n: int, kinds: int) -> int:
    """Begin a clue that one of its places holds one of these kinds; return the number of clues."""
    clues[CLUE * clue_n] = kinds
    for word in range(_WORDS):
        clues[CLUE * clue_n + 1 + word] = 0
    return clue_n + 1


def add_place(clues: list[int], clue_n: int, place: int) -> None:
    """Add a place to the last one of ``clue_n`` clues."""
    clues[CLUE * (clue_n - 1) + 1 + place // WORD] |= 1 << place % WORD


def unmet(deck: list[int], clues: list[int], clue_n: int) -> int:
    """Return how many clues the cards in ``deck`` do not meet."""
    n = 0
    for clue in range(clue_n):
        kinds = clues[CLUE * clue]
        met = 0
        for word in range(_WORDS):
            bits = clues[CLUE * clue + 1 + word]
            while bits and not met:
                met = kinds >> deck[word * WORD + lowest_bit(bits)] & 1
                bits &= bits - 1
        n += 1 - met
    return n


def _count(pool: list[int], n: int, mask: int) -> int:
    count = 0
    for i in range(n):
        count += mask >> pool[i] & 1
    return count


def _sort(
    pool: list[int], n: int, places: list[int], masks: list[int], m: int, bounds: list[int]
) -> None:
    """Sort the places by how many cards they allow, and bound how many can be left for each.

    A card dealt to an earlier place is one less, unless it is of a kind that this place does not
    allow: both the cards of such kinds and the places that allow them are limited in number.
    """
    for i in range(m):
        place = places[i]
        mask = masks[i]
        size = _count(pool, n, mask)
        j = i
        while j > 0 and bounds[j - 1] > size:
            places[j] = places[j - 1]
            masks[j] = masks[j - 1]
            bounds[j] = bounds[j - 1]
            j -= 1
        places[j] = place
        masks[j] = mask
        bounds[j] = size
    for i in range(m):
        mask = masks[i]
        if i and mask == masks[i - 1]:
            bounds[i] = bounds[i - 1] - 1
        else:
            others = 0
            able = 0
            for j in range(i):
                other = masks[j] & ~mask
                others |= other
                able += other != 0
            if able:
                able = min(able, _count(pool, n, others))
            bounds[i] += able - i


def _try(
    rng: Generator,
    deck: list[int],
    pool: list[int],
    n: int,
    places: list[int],
    masks: list[int],
    m: int,
    bounds: list[int],
) -> bool:
    """Deal to the m places once; return whether chance picked a card that was there each time."""
    for i in range(m):
        mask = masks[i]
        if bounds[i] < 1:
            return False
        skip = below(rng, bounds[i])
        j = i
        while True:
            if j == n:
                return False
            if mask >> pool[j] & 1:
                if skip == 0:
                    break
                skip -= 1
            j += 1
        exchange_cards(pool, i, j)
        deck[places[i]] = pool[i]
    return True


def _settle(
    rng: Generator,
    deck: list[int],
    pool: list[int],
    n: int,
    places: list[int],
    masks: list[int],
    m: int,
    clues: list[int],
    clue_n: int,
    scratch: list[int],
) -> None:
    """Deal to the m places in some allowed way, and mix the deal by exchanges that keep it so.

    An exchange that leaves more clues unmet is taken back, so the clues come to be met.
    """
    shuffle(rng, pool, n)
    for i in range(m):
        if not masks[i] >> pool[i] & 1:
            _put_right(pool, n, masks, m, i, scratch)
    for i in range(m):
        deck[places[i]] = pool[i]
    missed = unmet(deck, clues, clue_n)
    for _ in range(STEPS if m else 0):
        i = below(rng, m)
        j = below(rng, n)
        if masks[i] >> pool[j] & 1 and (j >= m or masks[j] >> pool[i] & 1):
            _exchange(deck, pool, places, m, i, j)
            now = unmet(deck, clues, clue_n)
            if now > missed:
                _exchange(deck, pool, places, m, i, j)
            else:
                missed = now


def _exchange(deck: list[int], pool: list[int], places: list[int], m: int, i: int, j: int) -> None:
    exchange_cards(pool, i, j)
    deck[places[i]] = pool[i]
    if j < m:
        deck[places[j]] = pool[j]


def _put_right(
    pool: list[int], n: int, masks: list[int], m: int, wrong: int, scratch: list[int]
) -> None:
    """Pass cards on along a shortest chain that gives this place an allowed one.

    Each place of the chain takes the card of the next and the last takes the wrong one, so no place
    that held an allowed card loses it. There is such a chain whenever all places can be dealt
    allowed cards. Breadth first: each card is reached at most once.
    """
    for i in range(n):
        scratch[i] = -1  # where the chain comes from
    scratch[wrong] = wrong
    scratch[n] = wrong  # from here on the queue
    head = 0
    tail = 1
    while head < tail:
        i = scratch[n + head]
        head += 1
        for j in range(n):
            if scratch[j] < 0 and masks[i] >> pool[j] & 1:
                scratch[j] = i
                if j >= m or masks[j] >> pool[wrong] & 1:
                    _pass_on(pool, scratch, wrong, j)
                    return
                scratch[n + tail] = j
                tail += 1


def _pass_on(pool: list[int], came_from: list[int], first: int, last: int) -> None:
    card = pool[first]
    i = last
    while i != first:
        kind = pool[i]
        pool[i] = card
        card = kind
        i = came_from[i]
    pool[first] = card
