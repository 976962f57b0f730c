"""Dealing under constraints: every allowed arrangement equally likely, in bounded time."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from random import Random

import numpy as np
import pytest
from scipy.stats import chisquare

from redouble.kernel import dealing, engine
from redouble.kernel.piles import ERASED
from redouble.kernel.rng import seed_words


class Hand:
    """Unseen cards, what can lie at each place, and clues as (kinds, places)."""

    def __init__(
        self, pool: list[int], masks: dict[int, int], clues: list[tuple[int, list[int]]]
    ) -> None:
        self.pool = sorted(pool)
        self.masks = masks
        self.clues = clues

    @classmethod
    def at_random(cls, dice: Random, cards: int, places: int, kinds: int, clues: int) -> Hand:
        """A hand that some arrangement allows, with every place among the first ``cards``."""
        pool = [dice.randrange(kinds) for _ in range(cards)]
        masks = {
            place: (1 << pool[place]) | dice.getrandbits(kinds) & dice.getrandbits(kinds)
            for place in range(places)
        }
        found = []
        for _ in range(clues):
            around = dice.sample(range(places), min(places, 3))
            found.append((1 << pool[around[0]] | 1 << dice.randrange(kinds), around))
        return cls(pool, masks, found)

    def allowed(self, cards: tuple[int, ...]) -> bool:
        """Whether the places, in order, can hold these cards."""
        held = dict(zip(self.masks, cards, strict=True))
        return all(mask >> held[place] & 1 for place, mask in self.masks.items()) and all(
            any(kinds >> held[place] & 1 for place in around) for kinds, around in self.clues
        )

    def arrangements(self) -> set[tuple[int, ...]]:
        """Every order of the cards that is allowed: on the places, then what is left."""
        m = len(self.masks)
        return {cards for cards in permutations(self.pool) if self.allowed(cards[:m])}

    def deal(self, generator: list[int], function: str = "deal_allowed") -> tuple[int, ...]:
        """The cards dealt to the places in order."""
        deck = [ERASED] * 180
        pool, places = list(self.pool), list(self.masks)
        n, m = len(pool), len(places)
        masks = list(self.masks.values())
        clues = [0] * (dealing.CLUE * len(self.clues))
        count = 0
        for kinds, around in self.clues:
            count = dealing.write_clue(clues, count, kinds)
            for place in around:
                dealing.add_place(clues, count, place)
        getattr(dealing, function)(
            generator, deck, pool, n, places, masks, m, clues, count, [0] * (3 * n)
        )
        assert sorted(places) == sorted(self.masks)
        assert [self.masks[place] for place in places] == masks
        assert [deck[place] for place in places] == pool[:m]
        assert sorted(pool) == self.pool
        return tuple(deck[place] for place in self.masks)


def weights(hand: Hand) -> Counter[tuple[int, ...]]:
    """The number of arrangements of all cards for each way to fill the hand's places."""
    m = len(hand.masks)
    return Counter(cards[:m] for cards in hand.arrangements())


@pytest.mark.parametrize("case", range(12))
def test_every_allowed_arrangement_is_equally_likely(case: int) -> None:
    dice = Random(f"hands {case}")
    while True:
        hand = Hand.at_random(dice, 7, dice.randint(2, 5), dice.randint(3, 6), case % 3)
        expected = weights(hand)
        if 3 <= len(expected) <= 60:
            break
    generator = seed_words(f"hands {case}")
    counts = Counter(hand.deal(generator) for _ in range(6000))
    assert counts.keys() <= expected.keys()
    share = 6000 / sum(expected.values())
    found = [counts[cards] for cards in expected]
    assert chisquare(found, [share * many for many in expected.values()]).pvalue > 0.001


def test_an_easy_deal_never_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(dealing, "_settle")
    hand = Hand.at_random(Random("easy"), 30, 9, 12, 2)
    generator = seed_words("easy")
    for _ in range(300):
        assert hand.allowed(hand.deal(generator))


def ring(places: int) -> Hand:
    """Place i allows the kinds i and i + 1, each there once: of 2 ** places deals, two are."""
    return Hand(list(range(places)), {i: 1 << i | 1 << (i + 1) % places for i in range(places)}, [])


def test_a_deal_that_chance_hardly_ever_finds_still_terminates() -> None:
    hand = ring(40)
    generator = seed_words("ring")
    seen = {hand.deal(generator) for _ in range(6)}
    assert seen == {tuple(range(40)), (*range(1, 40), 0)}


def test_the_fallback_for_a_hard_deal_is_allowed_and_meets_the_clues() -> None:
    generator = seed_words("settle")
    for case in range(8):
        hand = Hand.at_random(Random(f"settle {case}"), 24, 10, 9, 3)
        assert hand.allowed(hand.deal(generator, "_settle"))


def test_the_fallback_for_a_hard_deal_varies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealing, "STEPS", 500)
    hand = Hand([0, 0, 1, 1, 2, 3], {4: 0b0011, 9: 0b0111, 150: 0b1110}, [(0b0110, [4, 150])])
    expected = weights(hand)
    generator = seed_words("mixed")
    counts = Counter(hand.deal(generator, "_settle") for _ in range(400))
    assert counts.keys() == expected.keys()
    share = 400 / sum(expected.values())
    found = [counts[cards] for cards in expected]
    assert chisquare(found, [share * many for many in expected.values()]).pvalue > 0.001


def test_contradictory_knowledge_is_respected_as_far_as_possible() -> None:
    hand = Hand([0, 0, 1, 2], {0: 0b100, 1: 0b100, 2: 0b001}, [(0b010, [0, 2])])
    generator = seed_words("contradiction")
    for _ in range(3):
        cards = hand.deal(generator)
        assert sorted(mask >> card & 1 for mask, card in zip((4, 4, 1), cards, strict=True)) == [
            0, 1, 1,
        ]  # fmt: skip


def test_dealing_nothing_uses_no_randomness() -> None:
    generator = seed_words("nothing")
    before = list(generator)
    Hand([1, 2, 3], {}, []).deal(generator)
    assert generator == before


@pytest.mark.parametrize("places", [6, 30])
def test_both_engines_deal_alike(places: int) -> None:
    hand = ring(places)
    ours, there = [ERASED] * places, np.full(places, ERASED, np.int8)
    masks, scratch = list(hand.masks.values()), [0] * (3 * places)
    pool, where = list(hand.pool), list(range(places))
    rng = seed_words("engines")
    compiled = engine.compiled(dealing.deal_allowed)
    arrays = [np.array(x, np.int64) for x in (pool, where, masks, [0], scratch)]
    their_pool, their_where, their_masks, no_clues, their_scratch = arrays
    words = np.array(rng, np.uint64)
    dealing.deal_allowed(rng, ours, pool, places, where, masks, places, [0], 0, scratch)
    compiled(
        words, there, their_pool, places, their_where, their_masks, places, no_clues, 0,
        their_scratch,
    )  # fmt: skip
    assert there.tolist() == ours
    assert words.tolist() == rng
