"""The unit in which results are compared: the share of opponents that a seat has beaten."""

from __future__ import annotations

from collections.abc import Collection, Sequence

__all__ = ["failed_last", "nearness", "placing", "share_beaten"]

CERTAIN = 1000.0
"""What ``evaluate`` gives for a win of a solitaire game."""


def share_beaten(ranks: Sequence[int], seats: int, seat: int) -> float:
    """Return the share of opponents that one of several seats finished ahead of.

    A tie counts half. ``ranks`` has the rank of each seat, 1 for the first.
    """
    beaten = -0.5  # every seat ties with itself
    for other in range(seats):
        if ranks[seat] < ranks[other]:
            beaten += 1.0
        elif ranks[seat] == ranks[other]:
            beaten += 0.5
    return beaten / (seats - 1)


def placing(ranks: Sequence[int], seats: int, seat: int) -> float:
    """Return twice the share of opponents that a seat has beaten, less 1: from -1 to 1."""
    # A card would round a product and a sum after it as one, so the product comes last.
    return (share_beaten(ranks, seats, seat) - 0.5) * 2.0


def nearness(value: float) -> float:
    """Return how near a solitaire game was to a win, from 0 to 1 for a win."""
    if value <= 0.0:
        return 0.0
    return value / CERTAIN if value < CERTAIN else 1.0


def failed_last(ranks: Sequence[int], failed: Collection[int]) -> list[int]:
    """Return ranks in which the failed seats share the last place and the others keep their order.

    >>> failed_last([1, 2, 2, 4], {0})
    [4, 1, 1, 3]
    """
    good = [rank for seat, rank in enumerate(ranks) if seat not in failed]
    return [
        len(good) + 1 if seat in failed else 1 + sum(other < rank for other in good)
        for seat, rank in enumerate(ranks)
    ]
