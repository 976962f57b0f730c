"""What watches a site: its log, figures and traces, and the time that requests take it."""

from __future__ import annotations

import contextlib
import time
import types
from collections.abc import Callable, Coroutine, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, Concatenate, ParamSpec, TypeVar

from redouble.kernel.cores import IN_BROWSER

P = ParamSpec("P")
T = TypeVar("T")

Note = Callable[[Sequence[str]], None]
"""Gets the kinds of the events that a command has caused."""

_worked = time.process_time if IN_BROWSER else time.thread_time
"""Returns the seconds that this thread has worked."""


class Meter:
    """The processor time of a request: of its steps, in threads, and in the database's thread."""

    seconds = 0.0


_meter: ContextVar[Meter | None] = ContextVar("meter", default=None)


def spent() -> float:
    """Return the seconds that the request which is being served has taken so far."""
    meter = _meter.get()
    return 0.0 if meter is None else meter.seconds


def metered(work: Callable[P, T]) -> Callable[P, T]:
    """Return work for another thread, whose time counts for the request that is being served."""
    meter = _meter.get()
    if meter is None:
        return work

    def measured(*args: P.args, **kwargs: P.kwargs) -> T:
        begun = _worked()
        try:
            return work(*args, **kwargs)
        finally:
            meter.seconds += _worked() - begun

    return measured


async def measured_by(meter: Meter, work: Coroutine[Any, Any, T]) -> T:
    """Do work, and let a meter measure it and what it gives to other threads."""
    token = _meter.set(meter)
    try:
        return await _steps(meter, work)
    finally:
        _meter.reset(token)


async def in_task(work: Coroutine[Any, Any, T]) -> T:
    """Do work in a task of its own that counts for the request which begins it."""
    meter = _meter.get()
    return await (work if meter is None else _steps(meter, work))


@types.coroutine
def _steps(meter: Meter, work: Coroutine[Any, Any, T]) -> Generator[Any, Any, T]:
    """Run a coroutine, and measure each of its steps; what others do meanwhile doesn't count."""
    step, given = work.send, None
    while True:
        begun = _worked()
        try:
            awaited = step(given)
        except StopIteration as done:
            value: T = done.value
            return value
        finally:
            meter.seconds += _worked() - begun
        try:
            step, given = work.send, (yield awaited)
        except GeneratorExit:
            work.close()
            raise
        except BaseException as error:
            step, given = work.throw, error


OUTCOMES = ("sent", "gone", "failed", "off")
"""What can become of a message to a person."""


class Watcher:
    """Is called with what happens on a site: it overrides the methods for what it wants to know."""

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Note a request: its route, the status and the seconds to the start of the answer."""

    def refused(self) -> None:
        """Note a connection or request beyond a limit."""

    def outdated(self) -> None:
        """Note a command that came too late: the table had changed."""

    def commanded(self, game: str) -> AbstractContextManager[Note]:
        """Return a context around a command at a table of this game, which takes its events."""
        return contextlib.nullcontext(lambda kinds: None)

    def saving(self, done: Future[Any]) -> None:
        """Note that a job for the database has begun to wait; ``done`` is set when it ends."""

    def reviewed(self, made: bool) -> None:
        """Note that a review was made, or couldn't be."""

    def tells_by(self, channels: Sequence[str]) -> None:
        """Note the ways in which people can be notified."""

    def told(self, channel: str, outcome: str) -> None:
        """Note what became of a message to a person, by the way it went."""


def _by_all(note: Callable[Concatenate[Any, P], None]) -> Callable[Concatenate[Any, P], None]:
    """Return the method of :class:`Watchers` by which each of them notes something."""

    def noted(self: Watchers, /, *args: P.args, **kwargs: P.kwargs) -> None:
        for one in self._all:
            getattr(one, note.__name__)(*args, **kwargs)

    return noted


class Watchers(Watcher):
    """All watchers of a site, as one."""

    def __init__(self) -> None:
        self._all: list[Watcher] = []

    def add(self, watcher: Watcher) -> None:
        """Call a watcher with all that happens from now on."""
        self._all.append(watcher)

    @contextlib.contextmanager
    def commanded(self, game: str) -> Iterator[Note]:
        with contextlib.ExitStack() as stack:
            notes = [stack.enter_context(one.commanded(game)) for one in self._all]

            def note(kinds: Sequence[str]) -> None:
                for tell in notes:
                    tell(kinds)

            yield note

    answered = _by_all(Watcher.answered)
    refused = _by_all(Watcher.refused)
    outdated = _by_all(Watcher.outdated)
    saving = _by_all(Watcher.saving)
    reviewed = _by_all(Watcher.reviewed)
    tells_by = _by_all(Watcher.tells_by)
    told = _by_all(Watcher.told)
