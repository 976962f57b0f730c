"""Seats around a table."""

from __future__ import annotations

__all__ = ["seat_beside"]


def seat_beside(seat: int, direction: int, seats: int) -> int:
    """Return the seat to the left of a seat, with direction 1, or to the right, with -1."""
    beside = seat + direction
    if beside < 0:
        return seats - 1
    return 0 if beside == seats else beside
