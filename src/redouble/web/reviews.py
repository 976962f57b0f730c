"""Reviews of finished games: made one at a time in the background, and kept in the database."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy.exc import IntegrityError

from redouble.analysis.review import ITERATIONS, THREADS, VERSION, Review, ReviewError, review
from redouble.kernel.cores import cores
from redouble.kernel.errors import RedoubleError
from redouble.match.record import Record
from redouble.match.replay import Replay
from redouble.web import queries
from redouble.web.compiler import Compiler
from redouble.web.errors import Stale, TooMuch
from redouble.web.queries import ReviewKey
from redouble.web.saved import SavedGame
from redouble.web.store import Store

KEPT = 500
"""Reviews in the database; beyond that the oldest are deleted."""
AT_HAND = 16
"""Reviews in memory, the latest that were read."""
PROBLEMS = 64
"""Games for which the reason why they can't be reviewed is remembered."""
MAX_WAITING = 8
"""Reviews in the queue, including the one in progress; further ones are refused."""
_log = logging.getLogger(__name__)


@dataclass
class Job:
    """A review in progress or in the queue."""

    person: str
    """The id of the person who asked for it."""
    done: int = 0
    total: int = 0
    """Steps; 0 until it begins."""
    stopped: bool = False

    def watch(self, done: int, total: int) -> bool:
        """Take note of the progress, and return whether to go on. Called by the thread."""
        self.done, self.total = done, total
        return not self.stopped

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 0


class Reviews:
    """The reviews of a site, by the keys of replays."""

    def __init__(self, store: Store, compiler: Compiler) -> None:
        self._store = store
        self._compiler = compiler
        self._problems: OrderedDict[str, str] = OrderedDict()
        self._jobs: dict[str, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()

    async def state(self, replay: Replay) -> Review | Job | str:
        """Return the review of a game, or the job that makes it.

        If there is neither, return why the game can't be reviewed; an empty text if no one has
        asked yet.
        """
        if (job := self._jobs.get(replay.key)) is not None:
            return job
        return await self.found(replay) or self._problem(replay)

    async def found(self, replay: Replay) -> Review | None:
        """Return the stored review of a game, if there is one."""
        return await self.found_for(replay.record)

    async def found_for(self, record: Record) -> Review | None:
        """Return the stored review of a record, if there is one."""
        which = _which(record)
        text = await self._store.run(lambda c: queries.review_text(c, which))
        if text is None:
            return None
        try:
            return (await asyncio.to_thread(_read, text)).named(record.seats)
        except (ReviewError, ValueError) as error:
            _log.error("a stored review of %s cannot be read: %s", record.game, error)
            return None

    def before(self, job: Job) -> int:
        """Return how many reviews are ahead of this one in the queue."""
        return list(self._jobs.values()).index(job)

    async def begin(self, played: SavedGame, person: str) -> None:
        """Queue a review, unless there is one already; try again after a problem.

        Raises :class:`Stale` for an unfinished game, and :class:`TooMuch` if the person has
        another review in the queue or the queue is full.
        """
        replay = played.replay
        if replay.outcome is None:
            raise Stale(self._problem(replay))
        if await self.found(replay) or replay.key in self._jobs:
            return
        if any(job.person == person for job in self._jobs.values()):
            raise TooMuch("you already have a review in progress: wait for it to finish")
        if len(self._jobs) >= MAX_WAITING:
            raise TooMuch(f"{len(self._jobs)} reviews are waiting: try again later")
        self._problems.pop(replay.key, None)
        job = self._jobs[replay.key] = Job(person)
        task = asyncio.create_task(self._make(played, job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def stop(self, replay: Replay, person: str) -> None:
        """Cancel a review that this person asked for, if there is one."""
        job = self._jobs.get(replay.key)
        if job is not None and job.person == person:
            job.stopped = True

    async def close(self) -> None:
        """Cancel all reviews, and wait for the thread to end."""
        for job in self._jobs.values():
            job.stopped = True
        for task in list(self._tasks):
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def _problem(self, replay: Replay) -> str:
        """Return why a game can't be reviewed; empty if no reason is known."""
        if replay.outcome is None:
            return "only finished games can be reviewed"
        return self._problems.get(replay.key, "")

    async def _make(self, played: SavedGame, job: Job) -> None:
        replay = played.replay
        try:
            async with self._turn:
                if job.stopped:
                    return
                await self._compiler.load(replay.game)
                threads = max(1, min(THREADS, cores() // 2))
                record = replay.record
                found = await asyncio.to_thread(review, record, watch=job.watch, threads=threads)
                await self._keep(played, found)
        except RedoubleError as error:
            if not job.stopped:
                self._give_up(replay, str(error))
        except Exception:
            _log.exception("a game of %s cannot be reviewed", replay.game.name)
            self._give_up(replay, "this is our fault, not yours")
        finally:
            del self._jobs[replay.key]

    async def _keep(self, played: SavedGame, found: Review) -> None:
        """Store a review without the players' names: its game has them."""
        which = _which(played.replay.record)
        text = json.dumps(found.named([""] * found.seats).to_dict(), ensure_ascii=False)
        token, record = played.table or None, played.record or None
        with contextlib.suppress(IntegrityError):  # the game was deleted meanwhile
            await self._store.run(
                lambda c: queries.save_review(c, which, text, time.time(), KEPT, token, record)
            )

    def _give_up(self, replay: Replay, why: str) -> None:
        self._problems[replay.key] = why
        while len(self._problems) > PROBLEMS:
            self._problems.popitem(last=False)


@lru_cache(maxsize=AT_HAND)
def _read(text: bytes) -> Review:
    """Read a stored review. It is cached because every step of a replay shows its marks."""
    return Review.from_dict(json.loads(text))


def better_moves(replay: Replay, found: Review) -> dict[int, str]:
    """Return in words what would have been better, by the number of moves before each mistake."""
    return {one.ply: replay.described(one.ply, one.better) for one in found.mistakes}


def _which(record: Record) -> ReviewKey:
    return ReviewKey(record.key, VERSION, ITERATIONS)
