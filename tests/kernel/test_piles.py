"""What rules are written with: every order, place and arrangement equally likely."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from redouble.kernel import engine, piles
from redouble.kernel.rng import seed_words
from redouble.kernel.state import EVERYONE, NOBODY


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_shuffle_makes_every_order_equally_likely(n: int) -> None:
    generator = seed_words(f"orders {n}")
    counts: Counter[tuple[int, ...]] = Counter()
    orders = list(permutations(range(n)))
    for _ in range(60 * len(orders)):
        cards = list(range(n))
        piles.shuffle(generator, cards, n)
        counts[tuple(cards)] += 1
    assert chisquare([counts[order] for order in orders]).pvalue > 0.001


@pytest.mark.parametrize("n", [11, 55, 168, 255])
def test_shuffle_can_move_every_card_to_every_place(n: int) -> None:
    generator = seed_words(f"places {n}")
    rounds = 20 * n
    counts = np.zeros((n, n), int)
    for _ in range(rounds):
        cards = list(range(n))
        piles.shuffle(generator, cards, n)
        assert sorted(cards) == list(range(n))
        counts[np.arange(n), cards] += 1
    assert chisquare(counts.ravel()).pvalue > 0.001


@given(st.text(max_size=5), st.integers(0, 255))
def test_shuffle_is_the_same_on_both_engines(seed: str, n: int) -> None:
    ours, there = list(range(n)), np.arange(n, dtype=np.int16)
    piles.shuffle(seed_words(seed), ours, n)
    engine.compiled(piles.shuffle)(np.array(seed_words(seed), np.uint64), there, n)
    assert there.tolist() == ours


def test_shuffle_places_leaves_the_others_alone() -> None:
    generator = seed_words("places")
    counts: Counter[tuple[int, ...]] = Counter()
    for _ in range(6000):
        deck = [10, 11, 12, 13, 14]
        piles.shuffle_places(generator, deck, [4, 0, 2], 3)
        assert (deck[1], deck[3]) == (11, 13)
        counts[deck[0], deck[2], deck[4]] += 1
    assert len(counts) == 6
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_pick_takes_any_unseen_copy_with_equal_chance() -> None:
    generator = seed_words("pick")
    deck, known = [7, 3, 7, 7], [NOBODY] * 4
    counts = Counter(piles.pick(generator, deck, known, [0, 1, 2, 3], 4, 7) for _ in range(6000))
    assert sorted(counts) == [0, 2, 3]
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_pick_prefers_a_copy_that_everyone_has_seen() -> None:
    deck, known = [7, 3, 7, 7], [NOBODY, NOBODY, EVERYONE, NOBODY]
    generator = seed_words("pick")
    before = list(generator)
    assert {piles.pick(generator, deck, known, [0, 1, 2, 3], 4, 7) for _ in range(50)} == {2}
    assert generator == before  # and leaves the choice out of chance


def test_first_copy_is_certain_and_moves_the_generator_as_pick_does() -> None:
    deck, known, order = [3, 7, 7, 7], [NOBODY] * 4, [0, 9, 3, 2]
    for hand in ([0, 3, 2, 1], [0, 2, 1], [1, 0], [0]):
        ours, theirs = seed_words("first"), seed_words("first")
        found = piles.first_copy(ours, deck, known, order, hand, len(hand), deck[hand[-1]])
        equal = [place for place in hand if deck[place] == deck[hand[-1]]]
        assert hand[found] == min(equal, key=lambda place: order[place])
        piles.pick(theirs, deck, known, hand, len(hand), deck[hand[-1]])
        assert ours == theirs
    known[1] = EVERYONE
    assert piles.first_copy(seed_words("first"), deck, known, order, [0, 3, 2, 1], 4, 7) == 3


def test_hide_keeps_what_the_seat_or_everyone_has_seen() -> None:
    deck = [1, 2, 3, 4]
    piles.hide(deck, [0, 1, EVERYONE, NOBODY], 4, 1)
    assert deck == [piles.ERASED, 2, 3, piles.ERASED]


def test_fill_deals_the_unseen_cards_with_equal_chance() -> None:
    generator = seed_words("fill")
    counts: Counter[tuple[int, ...]] = Counter()
    for _ in range(12_000):
        deck = [piles.ERASED, 5, piles.ERASED, piles.ERASED, 9]
        # place 4 is not among those filled
        piles.fill(generator, deck, [6, 6, 5, 8, 9], [0, 1, 2, 3], 4, [0] * 400)
        assert (deck[1], deck[4]) == (5, 9)
        counts[deck[0], deck[2], deck[3]] += 1
    assert sorted(counts) == [(6, 6, 8), (6, 8, 6), (8, 6, 6)]
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_lowest_bit_of_nothing_and_of_every_single_bit() -> None:
    assert piles.lowest_bit(0) == -1
    assert [piles.lowest_bit(1 << bit) for bit in range(63)] == list(range(63))
