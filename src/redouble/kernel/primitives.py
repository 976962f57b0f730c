"""Primitives that have a second, compiled body in :mod:`redouble.kernel.engine`.

With two of them rules write parts of a row of small numbers, such as an observation; compiled, they
write 32 slots at once. The others are indivisible accesses to an int64 of an array, by which
threads that run compiled code share words of memory: all threads see all accesses in one order.
"""

from __future__ import annotations

from typing import Any

from redouble.kernel.piles import lowest_bit

__all__ = ["write_numbers", "write_set"]
# The other functions are what compiled loops are made with, so they check nothing.


def write_set(out: list[int], at: int, members: int, n: int) -> None:
    """Write to each of ``n`` slots, at most 63, whether the bit is set: 1 or 0."""
    for i in range(n):
        out[at + i] = 0
    while members:
        out[at + lowest_bit(members)] = 1
        members &= members - 1


def write_numbers(out: list[int], at: int, numbers: list[int], n: int) -> None:
    """Write the first ``n`` of numbers of 8 bits, but 127 for what is larger."""
    for i in range(n):
        out[at + i] = min(numbers[i], 127)


def load(words: Any, i: int) -> int:
    """Return a word."""
    value: int = words[i]
    return value


def exchange(words: Any, i: int, value: int) -> int:
    """Set a word and return what it was before."""
    before: int = words[i]
    words[i] = value
    return before


def add(words: Any, i: int, value: int) -> int:
    """Add to a word and return what it was before."""
    before: int = words[i]
    words[i] = before + value
    return before
