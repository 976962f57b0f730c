"""Counts streams, which stay open."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator

from redouble.web.errors import TooMuch

RETRY_SECONDS = 30


class Streams:
    """Counts the open streams of each address and person."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        self.total = 0

    @contextlib.contextmanager
    def opened(self, *wanted: tuple[str, int, str]) -> Iterator[None]:
        """Count a stream while it is open, for each key with its limit and what to say at it.

        Raises :class:`TooMuch`.
        """
        for key, most, said in wanted:
            if self._open[key] >= most:
                raise TooMuch(said, retry_after=RETRY_SECONDS)
        keys = [key for key, _, _ in wanted]
        self._open.update(keys)
        self.total += 1
        try:
            yield
        finally:
            self.total -= 1
            self._open.subtract(keys)
            for key in keys:
                if not self._open[key]:
                    del self._open[key]
