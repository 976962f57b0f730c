"""The generator against its published algorithm, and both bodies against each other."""

from collections import Counter
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from redouble.kernel import engine, rng

MASK = 2**64 - 1
state_words = st.lists(st.integers(0, MASK), min_size=4, max_size=4).filter(any)


def reference(s: list[int]) -> int:
    """xoshiro256++ 1.0 as its authors published it, next() line by line."""

    def rotl(x: int, k: int) -> int:
        return ((x << k) | (x >> (64 - k))) & MASK

    result = (rotl((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
    t = (s[1] << 17) & MASK
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = rotl(s[3], 45)
    return result


@given(state_words)
def test_words_step_like_the_published_generator(state: list[int]) -> None:
    ours, theirs = list(state), list(state)
    for _ in range(20):
        high, low = rng.words(ours)
        assert (high << 32) | low == reference(theirs)
        assert ours == theirs


@given(state_words)
def test_both_bodies_give_the_same_numbers(state: list[int]) -> None:
    words = engine.compiled(rng.words)
    ours, there = list(state), np.array(state, np.uint64)
    for _ in range(20):
        assert rng.words(ours) == words(there)
    assert there.tolist() == ours


@given(state_words, st.integers(1, 2**31 - 1))
def test_below_stays_below_its_limit_on_both_engines(state: list[int], n: int) -> None:
    below = engine.compiled(rng.below)
    there = np.array(state, np.uint64)
    value = rng.below(state, n)
    assert 0 <= value < n
    assert below(there, n) == value


@pytest.mark.parametrize("n", [2, 3, 7, 10])
def test_below_is_uniform(n: int) -> None:
    generator = rng.seed_words(f"uniform {n}")
    counts = Counter(rng.below(generator, n) for _ in range(20_000))
    assert chisquare([counts[value] for value in range(n)]).pvalue > 0.001


def test_a_seed_text_stands_for_its_sha256() -> None:
    digest = sha256(b"friday").digest()
    words = rng.seed_words("friday")
    assert b"".join(word.to_bytes(8, "little") for word in words) == digest


def test_reseeding_separates_two_generators() -> None:
    source = rng.seed_words("source")
    one, two = [0] * 4, [0] * 4
    rng.reseed(one, source)
    rng.reseed(two, source)
    assert one != two
    there, there_one = np.array(rng.seed_words("source"), np.uint64), np.zeros(4, np.uint64)
    engine.compiled(rng.reseed)(there_one, there)
    assert there_one.tolist() == one
