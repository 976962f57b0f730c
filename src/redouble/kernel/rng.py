"""The generator in the state: xoshiro256++ by Blackman and Vigna, seeded by SHA-256.

This primitive has two bodies: :func:`words` here masks Python's unbounded integers,
its twin in :mod:`redouble.kernel.engine` works on ``uint64``. Both give the same numbers.
Everything else is written once on top of it.

From enough seen cards the state of xoshiro could be computed, and with it all later shuffles. So a
fair deal (:mod:`redouble.match.fair`) has another generator, :func:`unpredictable`. Only
interpreted rules have it: search and simulation never need it.
"""

from __future__ import annotations

from hashlib import sha256
from struct import pack

from redouble.kernel import checks

__all__ = ["Generator", "below", "erase", "reseed", "seed_words"]
# Only seed_words checks its argument: the others are what rules are written with, and compiled.

_MASK = 0xFFFF_FFFF_FFFF_FFFF
_LOW = 0xFFFF_FFFF

WORDS = 4
"""The 64-bit words of a seed."""
Generator = list[int]
"""Four 64-bit words: a list of Python ints, or in compiled rules an array of ``uint64``.

A fifth word makes it an unpredictable one, in interpreted rules only."""


def seed_words(text: str) -> Generator:
    """Return the 256-bit generator state that a seed text stands for.

    Raises :class:`~redouble.kernel.errors.InputError`.
    """
    digest = sha256(checks.text(text, "seed").encode()).digest()
    return [int.from_bytes(digest[i : i + 8], "little") for i in range(0, 32, 8)]


def unpredictable(text: str) -> Generator:
    """Return a generator whose next numbers can't be computed from those that were seen.

    Its numbers are the SHA-256 of its seed and a counter, which is the fifth word. Raises
    :class:`~redouble.kernel.errors.InputError`.
    """
    return [*seed_words(text), 0]


def words(rng: Generator) -> tuple[int, int]:
    """Step the generator; return its next 64 bits as two numbers below 2**32."""
    if len(rng) > WORDS:
        return _hashed(rng)
    a, b, c, d = rng
    x = (a + d) & _MASK
    x = (((x << 23) | (x >> 41)) + a) & _MASK
    c ^= a
    d ^= b
    rng[0] = a ^ d
    rng[1] = b ^ c
    rng[2] = c ^ ((b << 17) & _MASK)
    rng[3] = ((d << 45) | (d >> 19)) & _MASK
    return x >> 32, x & _LOW


def below(rng: Generator, n: int) -> int:
    """Return a uniform number from 0 to n - 1, for 1 <= n < 2**31 (Lemire's method, exact)."""
    x, _ = words(rng)
    product = x * n
    if product & 0xFFFFFFFF < n:
        floor = 0x100000000 % n
        while product & 0xFFFFFFFF < floor:
            x, _ = words(rng)
            product = x * n
    return product >> 32


def reseed(rng: Generator, source: Generator) -> None:
    """Fill a generator from another one, so that the two are independent from now on.

    Determinizations get their future chance this way.
    """
    for i in range(4):
        high, low = words(source)
        rng[i] = _join(high, low)


def erase(rng: Generator) -> None:
    """Clear a generator, so that it tells nothing; ``redact`` does so to the game's."""
    for i in range(4):
        rng[i] = 0


def _hashed(rng: Generator) -> tuple[int, int]:
    digest = sha256(pack("<5Q", *rng)).digest()
    rng[WORDS] += 1
    return int.from_bytes(digest[4:8], "little"), int.from_bytes(digest[:4], "little")


def _join(high: int, low: int) -> int:
    return (high << 32) | low
