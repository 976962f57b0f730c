"""Reviews of finished games: asked for, made in the background, and kept in the database."""

import asyncio
import json
import logging
from functools import lru_cache

from redouble.analysis.review import ITERATIONS, VERSION, Review, ReviewError
from redouble.match.record import Record
from redouble.match.replay import Replay
from redouble.web.errors import Stale
from redouble.web.features.study import queue
from redouble.web.features.study.reviewer import Reviewer
from redouble.web.features.study.saved import SavedGame
from redouble.web.store import Store

AT_HAND = 16
"""Reviews in memory, the latest that were read."""
UNFINISHED = "only finished games can be reviewed"
_log = logging.getLogger(__name__)


class Reviews:
    """The reviews of a site, by the keys of replays."""

    def __init__(self, store: Store, reviewer: Reviewer) -> None:
        self._store = store
        self._reviewer = reviewer

    async def state(self, replay: Replay) -> Review | queue.Job | str:
        """Return the review of a game, or the job that makes it.

        If there is neither, return why the game can't be reviewed; an empty text if no one has
        asked yet.
        """
        if replay.outcome is None:
            return UNFINISHED
        job = await self._store.run(queue.standing, replay.key)
        if job is not None and not job.problem:
            return job
        return await self.found(replay.record) or (job.problem if job else "")

    async def found(self, record: Record) -> Review | None:
        """Return the stored review of a record, if there is one."""
        which = queue.ReviewKey(record.key, VERSION, ITERATIONS)
        text = await self._store.run(queue.review_text, which)
        if text is None:
            return None
        try:
            return (await asyncio.to_thread(_read, text)).named(record.seats)
        except (ReviewError, ValueError) as error:
            _log.error("a stored review of %s cannot be read: %s", record.game, error)
            return None

    async def begin(self, played: SavedGame, person: str) -> None:
        """Queue a review, unless there is one already; try again after a problem.

        Raises :class:`Stale` for an unfinished game, and :class:`TooMuch` if the person has
        another review in the queue or the queue is full.
        """
        replay = played.replay
        if replay.outcome is None:
            raise Stale(UNFINISHED)
        if await self.found(replay.record):
            return
        wanted = queue.Wanted(
            replay.key, str(replay.record), played.table or None, played.record or None
        )
        await self._store.run(queue.add, wanted, person)
        self._reviewer.wake()

    async def stop(self, replay: Replay, person: str) -> None:
        """Cancel a review that this person asked for, if there is one."""
        await self._store.run(queue.drop, replay.key, person)


@lru_cache(maxsize=AT_HAND)
def _read(text: bytes) -> Review:
    """Read a stored review. It is cached because every step of a replay shows its marks."""
    return Review.from_dict(json.loads(text))


def better_moves(replay: Replay, found: Review, plies: range | None = None) -> dict[int, str]:
    """Return in words what would have been better, by the number of moves before each mistake.

    With ``plies``, only of mistakes there.
    """
    mistakes = (one for one in found.mistakes if plies is None or one.ply in plies)
    return {one.ply: replay.described(one.ply, one.better) for one in mistakes}
