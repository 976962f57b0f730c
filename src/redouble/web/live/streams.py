"""Counts streams, which stay open."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator

from redouble.web.errors import TooMuch

RETRY_SECONDS = 30


class Streams:
    """Counts the open streams of each person, and of each address for visitors without cookie."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        self.total = 0

    @contextlib.contextmanager
    def opened(self, who: str, most: int) -> Iterator[None]:
        """Count a stream while it is open. Raises :class:`TooMuch` if the client has ``most``."""
        if self._open[who] >= most:
            raise TooMuch("you have too many tables open: close some", retry_after=RETRY_SECONDS)
        self._open[who] += 1
        self.total += 1
        try:
            yield
        finally:
            self.total -= 1
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]
