"""What watches a site: its log, its figures and its traces."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Any

Note = Callable[[Sequence[str]], None]
"""Is told the kinds of the events that a command has caused."""


class Watcher:
    """Hears what happens on a site. A watcher overrides the methods for what it wants to know."""

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Note a request: its route, the status and the seconds to the start of the answer."""

    def refused(self) -> None:
        """Note a connection or request beyond a limit."""

    def outdated(self) -> None:
        """Note a command that came too late: the table had changed."""

    def commanded(self, game: str) -> AbstractContextManager[Note]:
        """Return a context around a command at a table of this game, which takes its events."""
        return contextlib.nullcontext(_ignore)

    def saving(self, done: Future[Any]) -> None:
        """Note that a job for the database has begun to wait; ``done`` is set when it ends."""


class Watchers(Watcher):
    """All watchers of a site, as one."""

    def __init__(self) -> None:
        self._all: list[Watcher] = []

    def add(self, watcher: Watcher) -> None:
        """Let a watcher hear of all that happens from now on."""
        self._all.append(watcher)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        for one in self._all:
            one.answered(method, route, status, seconds)

    def refused(self) -> None:
        for one in self._all:
            one.refused()

    def outdated(self) -> None:
        for one in self._all:
            one.outdated()

    @contextlib.contextmanager
    def commanded(self, game: str) -> Iterator[Note]:
        with contextlib.ExitStack() as stack:
            notes = [stack.enter_context(one.commanded(game)) for one in self._all]

            def note(kinds: Sequence[str]) -> None:
                for tell in notes:
                    tell(kinds)

            yield note

    def saving(self, done: Future[Any]) -> None:
        for one in self._all:
            one.saving(done)


def _ignore(kinds: Sequence[str]) -> None:
    """Tell nobody."""
