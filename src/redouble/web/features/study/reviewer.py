"""Makes the reviews that are asked for, one at a time, in a thread of a server or a worker."""

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from redouble.analysis.review import ITERATIONS, THREADS, VERSION, Review, review
from redouble.contract.registry import GAMES
from redouble.kernel.cores import cores
from redouble.kernel.errors import RedoubleError
from redouble.match.record import Record
from redouble.web.features.study import queue
from redouble.web.site import Service
from redouble.web.store import Store
from redouble.web.store.clock import CLOCK
from redouble.web.thinking.compiler import Compiler

KEPT = 500
"""Reviews in the database; beyond that the oldest are deleted."""
LOOK_SECONDS = 1.0
"""How often a process looks for reviews that others have put into the queue."""
ALONE_LOOK_SECONDS = 60.0
"""How often one looks that nobody else can put any there: the database may have failed."""
TELL_SECONDS = 0.5
"""How often the progress of a review is noted."""
_log = logging.getLogger(__name__)


class _Progress:
    """The progress of the review that is being made."""

    def __init__(self) -> None:
        self.done = self.total = 0
        self.stopped = False

    def watch(self, done: int, total: int) -> bool:
        """Take note of the progress, and return whether to go on. Called by the thread."""
        self.done, self.total = done, total
        return not self.stopped


class Reviewer(Service):
    """Takes reviews out of the queue of a database, and makes them.

    While it is ``helped``, it leaves them to others. After each it calls ``reviewed`` with whether
    it could be made.
    """

    def __init__(
        self,
        store: Store,
        compiler: Compiler,
        helped: Callable[[], bool] = lambda: False,
        reviewed: Callable[[bool], object] = lambda made: None,
    ) -> None:
        self._reviewed = reviewed
        self._store = store
        self._compiler = compiler
        self._helped = helped
        self._asked = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._progress = _Progress()
        self._closing = False

    async def follow(self) -> None:
        """Make reviews until :meth:`stop`; one in progress outlives its cancellation."""
        self._task = asyncio.create_task(self._work())
        await asyncio.shield(self._task)

    def wake(self) -> None:
        """Look at the queue now, because something was put there."""
        self._asked.set()

    def stop(self) -> None:
        """Make no more reviews, and leave the one in progress to others."""
        self._closing = self._progress.stopped = True
        self._asked.set()

    async def close(self) -> None:
        """Stop, and wait for the thread to end."""
        self.stop()
        if self._task is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _work(self) -> None:
        pause = LOOK_SECONDS if self._store.shared else ALONE_LOOK_SECONDS
        while not self._closing:
            self._asked.clear()
            taken = None if self._helped() else await self._taken()
            if taken is not None:
                await self._make(taken)
            elif not self._closing:
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._asked.wait(), pause)

    async def _taken(self) -> sa.Row[Any] | None:
        store = self._store
        try:
            return await store.run(queue.take, store.id, CLOCK.now(), not store.shared)
        except RedoubleError as error:
            _log.warning("the queue of reviews can't be read: %s", error)
            return None

    async def _make(self, taken: sa.Row[Any]) -> None:
        self._progress = progress = _Progress()
        telling = asyncio.create_task(self._tell(taken, progress))
        problem = ""
        try:
            record = Record.parse(taken.line)
            await self._compiler.load(GAMES[record.game])
            threads = max(1, min(THREADS, cores() // 2))
            found = await asyncio.to_thread(review, record, watch=progress.watch, threads=threads)
            await self._keep(taken, found)
        except RedoubleError as error:
            problem = str(error)
        except Exception:
            if not self._closing:
                _log.exception("a game cannot be reviewed")
            problem = "this is our fault, not yours"
        finally:
            telling.cancel()
        if not progress.stopped:
            self._reviewed(not problem)
        with contextlib.suppress(RedoubleError):  # it is lost, and others take it
            if self._closing:
                await self._store.run(queue.give_back, taken.number, self._store.id)
            elif problem and not progress.stopped:
                await self._store.run(queue.give_up, taken.number, self._store.id, problem)

    async def _tell(self, taken: sa.Row[Any], progress: _Progress) -> None:
        """Note the progress again and again; stop when the review isn't wanted any more."""
        while not progress.stopped:
            await asyncio.sleep(TELL_SECONDS)
            at = progress.done, progress.total, CLOCK.now()
            with contextlib.suppress(RedoubleError):
                mine = await self._store.run(queue.tell, taken.number, self._store.id, *at)
                progress.stopped |= not mine

    async def _keep(self, taken: sa.Row[Any], found: Review) -> None:
        """Store a review without the players' names: its game has them."""
        which = queue.ReviewKey(taken.key, VERSION, ITERATIONS)
        text = json.dumps(found.named([""] * found.seats).to_dict(), ensure_ascii=False)

        def job(connection: sa.Connection) -> None:
            now = CLOCK.now()
            queue.save_review(connection, which, text, now, KEPT, taken.token, taken.record)
            queue.finish(connection, taken.number)

        with contextlib.suppress(IntegrityError):  # the game was deleted meanwhile
            await self._store.run(job)
