"""Threads for what takes long, a pool for each kind, so that nothing else waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from redouble.kernel.cores import cores
from redouble.web.errors import Busy

T = TypeVar("T")


class Pool:
    """Threads of one kind: as many as there are cores and at least two, unless told otherwise."""

    def __init__(
        self, name: str, max_waiting: int | None = None, threads: int | None = None
    ) -> None:
        self.threads = max(2, cores()) if threads is None else threads
        self._name, self._max_waiting = name, max_waiting
        self._executor = ThreadPoolExecutor(self.threads, name)
        self.begun = 0
        """Work in progress or waiting."""

    async def run(self, work: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Do work in a thread and return its result.

        Raises what it raises, and :class:`Busy` if too much work is waiting.
        """
        self.check()
        self.begun += 1
        try:
            call = partial(work, *args, **kwargs)
            return await asyncio.get_running_loop().run_in_executor(self._executor, call)
        finally:
            self.begun -= 1

    def check(self) -> None:
        """Raise :class:`Busy` if too much work is waiting."""
        if self._max_waiting is not None and self.begun >= self.threads + self._max_waiting:
            raise Busy(f"the server is busy with other {self._name}: try again in a few seconds")

    async def close(self) -> None:
        """Drop what is waiting, and wait for what has begun."""
        await asyncio.to_thread(self._executor.shutdown, wait=True, cancel_futures=True)
