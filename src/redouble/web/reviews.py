"""Reviews of games that are over: made one after the other, aside, and kept in memory."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections import OrderedDict
from dataclasses import dataclass

from redouble.errors import RedoubleError
from redouble.review import THREADS, Review, review
from redouble.web.errors import Stale, TooMuch
from redouble.web.film import Film
from redouble.web.thinking import Thinking

KEPT = 64
MOST_WAITING = 8
"""Reviews that wait or are being made; further ones are refused."""


_log = logging.getLogger(__name__)


@dataclass
class Job:
    """A review that is being made, or waits."""

    person: str
    """Who asked for it."""
    done: int = 0
    total: int = 0
    """Steps; 0 before it has begun."""
    stopped: bool = False

    def watch(self, done: int, total: int) -> bool:
        """Called by the thread that makes the review."""
        self.done, self.total = done, total
        return not self.stopped

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 0


class Reviews:
    """All reviews of a site, by the keys of films."""

    def __init__(self, thinking: Thinking) -> None:
        self._thinking = thinking
        self._kept: OrderedDict[str, Review | str] = OrderedDict()
        self._jobs: dict[str, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()

    def found(self, film: Film) -> Review | None:
        """The review of a record, if it is there."""
        kept = self._kept.get(film.key)
        return kept if isinstance(kept, Review) else None

    def problem(self, film: Film) -> str:
        """Why there can be no review of a record; empty when that is not known."""
        if film.outcome is None:
            return "only a game that was played to its end can be reviewed"
        kept = self._kept.get(film.key)
        return kept if isinstance(kept, str) else ""

    def job(self, film: Film) -> Job | None:
        """The review of a record while it is being made."""
        return self._jobs.get(film.key)

    def before(self, film: Film) -> int:
        """How many reviews are made before this one."""
        return list(self._jobs).index(film.key)

    def begin(self, film: Film, person: str) -> None:
        """Have a review made, unless it is there or on its way.

        Raises :class:`Stale` for a game that is not over, and :class:`TooMuch` when the person has
        another one coming or too many wait.
        """
        if film.outcome is None:
            raise Stale(self.problem(film))
        if film.key in self._kept or film.key in self._jobs:
            return
        if any(job.person == person for job in self._jobs.values()):
            raise TooMuch("another review that you asked for is still being made")
        if len(self._jobs) >= MOST_WAITING:
            raise TooMuch(f"{len(self._jobs)} reviews wait already: try again later")
        job = self._jobs[film.key] = Job(person)
        task = asyncio.create_task(self._make(film, job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def stop(self, film: Film, person: str) -> None:
        """Give up a review that this person asked for; nothing where there is none."""
        job = self._jobs.get(film.key)
        if job is not None and job.person == person:
            job.stopped = True

    async def close(self) -> None:
        """Stop all of them, and wait for the thread."""
        for job in self._jobs.values():
            job.stopped = True
        for task in list(self._tasks):
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _make(self, film: Film, job: Job) -> None:
        try:
            async with self._turn:
                if job.stopped:
                    return
                await self._thinking.get_ready(film.game)
                threads = max(1, min(THREADS, (os.cpu_count() or 1) // 2))
                record = film.record
                found = await asyncio.to_thread(review, record, watch=job.watch, threads=threads)
                self._keep(film, found)
        except RedoubleError as error:
            if not job.stopped:
                self._keep(film, str(error))
        except Exception:
            _log.exception("a game of %s cannot be reviewed", film.game.name)
            self._keep(film, "this is a mistake of ours, not of yours")
        finally:
            del self._jobs[film.key]

    def _keep(self, film: Film, found: Review | str) -> None:
        self._kept[film.key] = found
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
