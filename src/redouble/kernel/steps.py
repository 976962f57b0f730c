"""Numbers in steps, for what networks see: few where they are large and hardly differ."""

from __future__ import annotations

__all__ = ["steps_reached"]


def steps_reached(number: int, steps: tuple[int, ...]) -> int:
    """Return how many of some rising steps a number has reached."""
    reached = 0
    for step in steps:
        reached += number >= step
    return reached
