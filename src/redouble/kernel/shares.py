"""The unit in which results are compared: the share of opponents that a seat has beaten."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["share_beaten"]


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
