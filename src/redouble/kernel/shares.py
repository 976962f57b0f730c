"""The unit in which results are compared: the share of opponents that a seat has beaten."""

from __future__ import annotations

from collections.abc import Collection, Sequence

__all__ = ["SURE_LEAD", "failed_last", "nearness", "placing", "share_beaten", "share_leading"]

SURE_LEAD = 1000
"""A lead in ``evaluate`` that counts as a certain win over that seat, and what it gives for a win
of a solitaire game."""


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
    return value / SURE_LEAD if value < SURE_LEAD else 1.0


def share_leading(values: Sequence[int], seats: int, seat: int) -> float:
    """Return the share of opponents that a seat can expect to beat, by what ``evaluate`` wrote.

    An equal one counts half. Of a solitaire game it is how near the player is to a win.
    """
    if seats == 1:
        return values[0] / SURE_LEAD
    beaten = 0.0
    for other in range(seats):
        if other != seat:
            ahead = 0.5 + (values[seat] - values[other]) / (2.0 * SURE_LEAD)
            beaten += min(max(ahead, 0.0), 1.0)
    return beaten / (seats - 1)


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
