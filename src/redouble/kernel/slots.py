"""Slots: how rules write parts of a row of small numbers, such as an observation.

Both functions have a second body in :mod:`redouble.kernel.engine`, which writes 32 slots at once.
"""

from __future__ import annotations

from redouble.kernel.piles import lowest_bit

__all__ = ["write_numbers", "write_set"]


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
