"""Cutting long compiled work into portions, so that Ctrl-C is heard in between."""

from collections.abc import Iterator
from time import perf_counter

SECONDS = 0.1
"""Time that a portion should take."""


class Pace:
    """The amount of work that takes about a tenth of a second.

    It begins with ``portion`` units and learns from the time that each portion took.
    """

    def __init__(self, portion: int = 1) -> None:
        self.portion = portion

    def took(self, seconds: float) -> None:
        """Learn from the time that the last portion took."""
        if seconds < SECONDS / 2:
            self.portion *= 2
        elif seconds > 2 * SECONDS:
            self.portion = max(1, self.portion // 2)

    def portions(self, total: int) -> Iterator[tuple[int, int]]:
        """Yield the first unit of each portion, and the one after its last, up to ``total``."""
        first = 0
        while first < total:
            last = min(total, first + self.portion)
            begun = perf_counter()
            yield first, last
            if last - first == self.portion:
                self.took(perf_counter() - begun)
            first = last
