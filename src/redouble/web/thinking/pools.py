"""Threads for what takes long, a pool for each kind; turns and open streams of each client."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from redouble.kernel.cores import cores
from redouble.web.errors import Busy, TooMuch

T = TypeVar("T")
RESTS = 4
"""One client's paced work takes at most a quarter of a processor."""
MAX_REST = 2.0
"""Seconds; a page that took longer was waiting for others."""
MAX_IN_LINE = 60
"""Requests of one client that take long, in progress or waiting for their turn."""


class Pool:
    """Threads of one kind: as many as there are cores and at least two, unless told otherwise."""

    def __init__(
        self,
        name: str,
        max_waiting: int | None = None,
        threads: int | None = None,
        metered: Callable[[Callable[[], Any]], Callable[[], Any]] = lambda work: work,
    ) -> None:
        """Make threads; ``metered`` returns work whose time is measured."""
        self.threads = max(2, cores()) if threads is None else threads
        self._name, self._max_waiting, self._metered = name, max_waiting, metered
        self._executor = ThreadPoolExecutor(self.threads, name)
        self._read = 0
        self.begun = 0
        """Work in progress or waiting."""

    async def run(self, work: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Do work in a thread and return its result.

        Raises what it raises, and :class:`Busy` if too much work is waiting.
        """
        self.check()
        self.begun += 1
        try:
            call = self._metered(partial(work, *args, **kwargs))
            return await asyncio.get_running_loop().run_in_executor(self._executor, call)
        finally:
            self.begun -= 1

    def check(self) -> None:
        """Raise :class:`Busy` if too much work is waiting."""
        if self._max_waiting is not None and self.begun >= self.threads + self._max_waiting:
            raise self._busy()

    @contextlib.contextmanager
    def reading(self, most: int) -> Iterator[None]:
        """Count a request while its work is read or done. Raises :class:`Busy` beyond ``most``."""
        if self._read >= most:
            raise self._busy()
        self._read += 1
        try:
            yield
        finally:
            self._read -= 1

    def _busy(self) -> Busy:
        return Busy(f"the server is busy with other {self._name}: try again in a few seconds")

    async def close(self) -> None:
        """Drop what is waiting, and wait for what has begun."""
        await asyncio.to_thread(self._executor.shutdown, wait=True, cancel_futures=True)


class Slots:
    """Lets each client do only a few things of a kind at a time; the others wait for their turn."""

    def __init__(self, at_a_time: int, spent: Callable[[], float] = lambda: 0.0) -> None:
        """Make slots; ``spent`` returns the seconds that the current request has taken."""
        self._at_a_time = at_a_time
        self._spent = spent
        self._free: dict[str, asyncio.Semaphore] = {}
        self._asked: Counter[str] = Counter()

    @contextlib.asynccontextmanager
    async def held(self, who: str, paced: bool = False) -> AsyncIterator[None]:
        """Wait for a client's turn. Raises :class:`TooMuch` if too many of theirs are waiting.

        A ``paced`` turn ends some time after its work, so that others get most of the processor.
        """
        if self._asked[who] >= MAX_IN_LINE:
            raise TooMuch("too many of your pages are still being drawn: wait for them", 2)
        self._asked[who] += 1
        free = self._free.setdefault(who, asyncio.Semaphore(self._at_a_time))
        acquired, before = False, self._spent()

        def end() -> None:
            if acquired:
                free.release()
            self._asked[who] -= 1
            if not self._asked[who]:
                del self._asked[who], self._free[who]

        try:
            acquired = await free.acquire()
            yield
        finally:
            rest = (RESTS * self._at_a_time - 1) * (self._spent() - before) if paced else 0.0
            if rest > 0:
                asyncio.get_running_loop().call_later(min(rest, MAX_REST), end)
            else:
                end()


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
