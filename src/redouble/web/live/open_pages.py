"""The open pages of people, apart from tables: who is online, and whom to tell something."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from redouble.web.live.live import Waker


class OpenPages:
    """The streams that tell people something about themselves, on whatever page."""

    def __init__(self) -> None:
        self._wakers: dict[str, set[Waker]] = {}

    def people(self) -> list[str]:
        """Return the ids of the people who have a page open here."""
        return list(self._wakers)

    def wake(self, person: str) -> None:
        """Let the pages of a person look whether there is something new for them."""
        for waker in self._wakers.get(person, ()):
            waker.set()

    def wake_all(self) -> None:
        """Wake all pages, so that they end when the server does."""
        for person in self._wakers:
            self.wake(person)

    def end_streams(self, sessions: frozenset[str]) -> None:
        """End the streams of these sessions."""
        for waker in (one for some in self._wakers.values() for one in some):
            if waker.session in sessions:
                waker.ended = True
                waker.set()

    @contextlib.contextmanager
    def watched(self, person: str, waker: Waker) -> Iterator[None]:
        """Count a stream as an open page of a person."""
        self._wakers.setdefault(person, set()).add(waker)
        try:
            yield
        finally:
            self._wakers[person].discard(waker)
            if not self._wakers[person]:
                del self._wakers[person]
