"""Acts at tables with a clock when a player's time has run out.

There is one timer, for the next of all deadlines, and the deadlines are in the database. So each
process acts for those that have stopped, and at its start for what came due before. The log takes
one process's entry (:mod:`redouble.web.live.pipeline`).
"""

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import Awaitable, Callable

import sqlalchemy as sa

from redouble.kernel.errors import RedoubleError
from redouble.web.errors import Stale
from redouble.web.live import lists
from redouble.web.live.live import Live
from redouble.web.live.robots import Robots
from redouble.web.store import Store
from redouble.web.store.clock import CLOCK, ClockState, state_at

LOOK_SECONDS = 5.0
"""How long the timer sleeps at most: other processes may have stopped meanwhile."""
AGAIN_SECONDS = 60.0
"""When a table is tried again where acting failed, or where a bot is to move."""
AT_ONCE = 20
"""Tables that are looked after at once, at most."""
LEAST_SECONDS = 0.02
_log = logging.getLogger(__name__)


class Timekeeper:
    """Waits for the next deadline of all tables, and lets bots act there."""

    def __init__(
        self, store: Store, find: Callable[[str], Awaitable[Live]], robots: Robots
    ) -> None:
        self._store = store
        self._find = find
        self._robots = robots
        self._next = -math.inf
        self._sooner = asyncio.Event()
        self._room = asyncio.Semaphore(AT_ONCE)
        self._acting: set[asyncio.Task[None]] = set()
        self._tried: dict[str, tuple[float, float]] = {}
        """By table: the deadline for which it was tried, and when to try again."""

    def note(self, live: Live) -> None:
        """Note that a table has changed, whose deadline may be the next one now."""
        due = live.table.due
        if due is not None and due < self._next:
            self._sooner.set()

    async def follow(self) -> None:
        """Act at each deadline, until canceled."""
        failing = False
        while True:
            seconds = LOOK_SECONDS
            self._sooner.clear()
            try:
                seconds = await self._look()
                failing = False
            except RedoubleError as error:
                if not failing:  # once, not every few seconds
                    _log.error("the clocks of tables can't be read: %s", error)
                failing = True
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(LEAST_SECONDS, seconds)):
                    await self._sooner.wait()

    async def _look(self) -> float:
        """Act at the tables that are due; return how long to wait for the next one."""
        now = CLOCK.now()

        def job(
            connection: sa.Connection,
        ) -> tuple[list[tuple[str, float]], float | None, ClockState]:
            return (*lists.due(connection, now), state_at(connection, now))

        due, following, state = await self._store.run(job)
        until = now + LOOK_SECONDS
        self._next = min(until, until if following is None else following)
        monotonic = time.monotonic()
        known = dict(due)
        self._tried = {token: one for token, one in self._tried.items() if token in known}
        for token, at in due:
            tried, again = self._tried.get(token, (at, -math.inf))
            if tried != at or monotonic >= again:
                self._tried[token] = (at, monotonic + AGAIN_SECONDS)
                task = asyncio.create_task(self._act(token, state.stepped))
                self._acting.add(task)
                task.add_done_callback(self._acting.discard)
        return self._next - CLOCK.now()

    async def _act(self, token: str, stepped: float | None) -> None:
        try:
            async with self._room:
                await self._robots.time_out(await self._find(token), stepped)
        except Stale:
            pass  # the player has moved, or another process was first
        except Exception as error:  # the others wait for this seat: try again
            _log.error("table %s: its clock can't run out: %s", token, error)
