"""Every position that a seat can't tell from the real one, with its probability.

The worlds of a seat are those of the game's ``determinize``, all of them instead of one at random.
Cards that no seat has seen, such as those of a draw pile, stay undecided: a :class:`Deck` draws one
when a rule looks at it. A pile of fifty cards costs nothing until somebody draws from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import factorial, perm, prod
from typing import Any

from redouble.contract.game import WORK, Game
from redouble.envs.trees.chance import (
    Answer,
    ChanceEvent,
    ChanceNeeded,
    Script,
    copies_of,
    scripted_rules,
)
from redouble.kernel import dealing, piles, rng
from redouble.kernel.piles import ERASED

UNDECIDED = -2
"""A card that nobody has seen, in a :class:`Deck`."""
NO_CHANCE = [0] * 4
"""In place of a generator or a script."""


class TooManyWorlds(Exception):
    """There are more worlds, or more ways to go on, than may be looked at."""


class Deck(list[int]):
    """The cards of a position. Those that are undecided are drawn when they are read.

    ``pool_of`` has the pool of each undecided place, ``pools`` the cards that are left in each.
    """

    def __init__(
        self, cards: Sequence[int], pool_of: dict[int, int], pools: list[tuple[int, ...]]
    ) -> None:
        super().__init__(cards)
        self.pool_of = pool_of
        self.pools = pools
        self.script: LazyScript | None = None

    def twin(self) -> Deck:
        return Deck(list.__getitem__(self, slice(None)), self.pool_of.copy(), self.pools[:])

    def __getitem__(self, index: Any) -> Any:
        found = list.__getitem__(self, index)
        if found == UNDECIDED:
            return self._drawn(index)
        if type(found) is list and UNDECIDED in found:
            return [self[place] for place in range(*index.indices(len(self)))]
        return found

    def __iter__(self) -> Iterator[int]:
        return (self[place] for place in range(len(self)))

    def plain(self) -> list[int]:
        """Return the cards, undecided ones as erased."""
        cards = list.__getitem__(self, slice(None))
        return [ERASED if card == UNDECIDED else card for card in cards]

    def _drawn(self, place: int) -> int:
        assert self.script is not None
        pool = self.pool_of[place]
        cards = self.pools[pool]
        card = self.script.draw(cards)
        at = cards.index(card)
        self.pools[pool] = cards[:at] + cards[at + 1 :]
        del self.pool_of[place]
        self[place] = card
        return card

    def mix(self, places: Sequence[int]) -> None:
        """Shuffle the cards at these places: nobody knows them from now on."""
        whole = {
            pool
            for pool in {self.pool_of[place] for place in places if place in self.pool_of}
            if len(self.pools[pool]) == sum(self.pool_of.get(place) == pool for place in places)
        }
        cards = [card for pool in whole for card in self.pools[pool]]
        cards += [self[place] for place in places if self.pool_of.get(place) not in whole]
        self.pools.append(tuple(sorted(cards)))
        for place in places:
            self[place] = UNDECIDED
            self.pool_of[place] = len(self.pools) - 1


class LazyScript(Script):
    """Answers to the chance of one move, in which a shuffle leaves its cards undecided."""

    def __init__(self, deck: Deck, answers: Sequence[Answer]) -> None:
        super().__init__(deck, answers)
        deck.script = self

    def draw(self, pool: tuple[int, ...]) -> int:
        """Return a card of a pool, which is sorted."""
        return pool[0] if pool[0] == pool[-1] else self._answered(ChanceEvent(pool, 1, cards=True))

    def pick(self, deck: Any, known_to: Any, hand: Any, n: int, card: int) -> int:
        likely = copies_of(deck, known_to, hand, n, card)
        return likely[0] if len(likely) == 1 else self._answered(ChanceEvent(likely, 1))

    def _answered(self, event: ChanceEvent) -> int:
        """Return a number that isn't certain: faster than for any event."""
        if self._at == len(self._answers):
            raise ChanceNeeded(event)
        self._at += 1
        return self._answers[self._at - 1][0]

    def shuffle(self, cards: Any, n: int) -> None:
        if cards is self._deck:
            self._deck.mix(range(n))
        else:
            super().shuffle(cards, n)

    def shuffle_places(self, deck: Any, places: Any, n: int) -> None:
        self._deck.mix(places[:n])


@dataclass
class _Pool:
    """Unseen cards, the places where they lie, and what is known of them."""

    cards: tuple[int, ...]
    places: list[int]
    masks: dict[int, int]
    """The kinds that can lie at a place, where something is known of it."""
    clues: list[tuple[int, tuple[int, ...]]]
    """Kinds, one of which lies at one of these places."""

    def misses(self, places: int) -> bool:
        """Return whether this many places are all that hold the rest of the cards."""
        return places > 0 and len(self.cards) == len(self.places) + places


class _Dealing:
    """Takes the place of the generator in ``determinize``: it deals the cards it is given.

    Before it is given any, it notes what is asked, and deals in some allowed way.
    """

    def __init__(self, cards: dict[int, int] | None = None) -> None:
        self.cards = cards
        self.pools: list[_Pool] = []
        self._deck: Any = None

    def fill(self, deck: Any, box: Any, places: Any, n: int, work: Any) -> None:
        unseen = Counter(box[place] for place in places[:n])
        unseen.subtract(deck[place] for place in places[:n] if deck[place] != ERASED)
        erased = [place for place in places[:n] if deck[place] == ERASED]
        cards = tuple(sorted(unseen.elements()))
        if self.cards is None and self.pools and self.pools[-1].misses(len(erased)):
            self.pools[-1].places += erased
        elif self.cards is None:
            self.pools.append(_Pool(cards, erased, {}, []))
        for place, card in zip(erased, cards, strict=True):
            deck[place] = card if self.cards is None else self.cards[place]

    def deal_allowed(
        self,
        deck: Any,
        pool: Any,
        n: int,
        places: Any,
        masks: Any,
        m: int,
        clues: Any,
        clue_n: int,
        scratch: Any,
    ) -> None:
        cards = tuple(sorted(pool[:n]))
        known = dict(zip(places[:m], masks[:m], strict=True))
        if self.cards is None:
            told = [_clue(clues, clue) for clue in range(clue_n)]
            found = _Pool(cards, list(known), known, told)
            self.pools.append(found)
            dealt = next(_arrangements(found, [[place] for place in known], deck), None)
            if dealt is None:
                raise TooManyWorlds
            given = dealt[0]
        else:
            given = self.cards
        left = Counter(cards)
        for place in known:
            deck[place] = given[place]
            left[given[place]] -= 1
        pool[:n] = [*(given[place] for place in known), *left.elements()]
        self._deck = deck

    def shuffle(self, cards: Any, n: int) -> None:
        if self.cards is None:
            return
        erased = [place for place, card in enumerate(self._deck or ()) if card == ERASED]
        if len(erased) != n:
            raise TooManyWorlds  # chance beyond the cards, such as a choice that isn't shown yet
        cards[:n] = [self.cards[place] for place in erased]


DEALT: dict[Any, Any] = {
    piles.fill: _Dealing.fill,
    dealing.deal_allowed: _Dealing.deal_allowed,
    piles.shuffle: _Dealing.shuffle,
    rng.below: lambda dealt, n: 0,
    rng.reseed: lambda generator, dealt: None,
}
"""What ``determinize`` asks of chance."""


def _clue(clues: Any, clue: int) -> tuple[int, tuple[int, ...]]:
    begin = dealing.CLUE * clue
    words = clues[begin + 1 : begin + dealing.CLUE]
    bits = sum(word << dealing.WORD * i for i, word in enumerate(words))
    return clues[begin], tuple(place for place in range(bits.bit_length()) if bits >> place & 1)


def _arrangements(
    pool: _Pool, classes: Sequence[Sequence[int]], deck: Sequence[int]
) -> Iterator[tuple[dict[int, int], int]]:
    """Yield the ways to deal cards of a pool to places, and how many deals are like each.

    Within a class of places nothing tells one from another, so only one order is yielded.
    """
    order = [place for places in classes for place in places]
    first = {places[0] for places in classes}
    left = Counter(pool.cards)
    dealt: dict[int, int] = {}

    def go_on(at: int, least: int) -> Iterator[tuple[dict[int, int], int]]:
        if at == len(order):
            if all(
                any((card := dealt.get(p, deck[p])) >= 0 and kinds >> card & 1 for p in places)
                for kinds, places in pool.clues
            ):
                yield dealt.copy(), _likeness(pool, classes, dealt)
            return
        place = order[at]
        mask = pool.masks.get(place, -1)
        for card in sorted(left):
            if left[card] and mask >> card & 1 and (place in first or card >= least):
                left[card] -= 1
                dealt[place] = card
                yield from go_on(at + 1, card)
                left[card] += 1
        dealt.pop(place, None)

    return go_on(0, -1)


def _likeness(pool: _Pool, classes: Sequence[Sequence[int]], dealt: dict[int, int]) -> int:
    there = Counter(pool.cards)
    taken = Counter(dealt.values())
    orders = [
        factorial(len(places)) // prod(map(factorial, Counter(dealt[p] for p in places).values()))
        for places in classes
    ]
    return prod(perm(there[card], n) for card, n in taken.items()) * prod(orders)


class Worlds:
    """The worlds of the positions of a game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._determinize = scripted_rules(game, DEALT).determinize
        state = game.rules.Position()
        shape = next(field.width.shape for field in state.FIELDS if field.name == "deck")
        self._by_place = [
            field.name
            for field in state.FIELDS
            if field.width.shape == shape
            and field.name not in ("deck", "box", "order")  # pools tell shuffles apart
            and field.width.type_name != "uint8"  # places, in lists of them
        ]

    def of(self, seen: Any, limit: int) -> list[tuple[Any, float]]:
        """Return the worlds of a redacted state, with their probabilities.

        Raises :class:`TooManyWorlds` if there are more than ``limit``.
        """
        erased = [place for place, card in enumerate(seen.deck) if card == ERASED]
        noted = _Dealing()
        some = self._dealt(seen, noted)
        pools = self._pools(noted, erased)
        knowing = self._knowing(some, erased)
        found: list[tuple[dict[int, int], float]] = [({}, 1.0)]
        for pool in pools:
            clued = {place for _, places in pool.clues for place in places}
            classes: dict[Any, list[int]] = {}
            for place in pool.places:
                if knowing[place] or place in pool.masks:
                    known = (
                        knowing[place],
                        pool.masks.get(place),
                        place in clued and [place in places for _, places in pool.clues],
                        [getattr(seen, name)[place] for name in self._by_place],
                    )
                    classes.setdefault(str(known), []).append(place)
            each = []
            for dealt in _arrangements(pool, list(classes.values()), seen.deck):
                each.append(dealt)
                if len(each) * len(found) > limit:
                    raise TooManyWorlds
            found = [
                (cards | more, weight * likeness)
                for cards, weight in found
                for more, likeness in each
            ]
        total = sum(weight for _, weight in found)
        return [(self._world(seen, pools, cards), weight / total) for cards, weight in found]

    def _pools(self, noted: _Dealing, erased: Sequence[int]) -> list[_Pool]:
        """Return the pools that were dealt from, with all places that each was dealt to."""
        pools = noted.pools
        given = {place for pool in pools for place in pool.places}
        if len(pools) == 1:
            pools[0].places += [place for place in erased if place not in given]
        if any(len(pool.cards) != len(pool.places) for pool in pools):
            raise TooManyWorlds
        if sorted(place for pool in pools for place in pool.places) != list(erased):
            raise TooManyWorlds
        return pools

    def _knowing(self, some: Any, erased: Sequence[int]) -> dict[int, list[int]]:
        """Return which seats have seen the card at each of these places."""
        knowing: dict[int, list[int]] = {place: [] for place in erased}
        for seat in range(some.seats):
            redacted = some.copy()
            redacted.rng = NO_CHANCE[:]
            self.game.rules.redact(redacted, seat)
            for place in erased:
                if redacted.deck[place] != ERASED:
                    knowing[place].append(seat)
        return knowing

    def _world(self, seen: Any, pools: Sequence[_Pool], cards: dict[int, int]) -> Any:
        undecided: dict[int, int] = {}
        rests = []
        every = cards.copy()
        for number, pool in enumerate(pools):
            left = Counter(pool.cards)
            left.subtract(cards[place] for place in pool.places if place in cards)
            rest = sorted(left.elements())
            rests.append(tuple(rest))
            for place in pool.places:
                if place not in cards:
                    undecided[place] = number
                    every[place] = rest.pop()
        state = self._dealt(seen, _Dealing(every))
        deck = [UNDECIDED if p in undecided else every.get(p, c) for p, c in enumerate(state.deck)]
        state.deck = Deck(deck, undecided, rests)
        return state

    def _dealt(self, seen: Any, dealing: _Dealing) -> Any:
        state = seen.copy()
        self._determinize(state, dealing, [0] * WORK)
        return state
