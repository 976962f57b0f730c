"""What a process tells others that change the same database, and hears from them.

Every second a process reads the notices of the others (:mod:`redouble.web.store.notices`). A server
that isn't alone also compares the lengths of its tables' logs with those in the database, so
whatever another server has written is on its pages a second later at most. A
:class:`~redouble.web.store.bus.Bus` makes that a few milliseconds: it says which tables have
changed.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import math
import time

import sqlalchemy as sa

from redouble.kernel.errors import RedoubleError
from redouble.web.limits import Rates
from redouble.web.live import table_rows
from redouble.web.live.tables import Tables
from redouble.web.store import Store, notices
from redouble.web.store.bus import Bus
from redouble.web.store.notices import LOOK_SECONDS, Notice, NoticeBoard

PRESENT_SECONDS = 5.0
"""How often a server says who watches its tables."""
GONE_SECONDS = 3 * PRESENT_SECONDS
"""After this silence a server watches none."""
RECONNECT_SECONDS = 1.0
_log = logging.getLogger(__name__)


class Exchange:
    """Keeps a site's tables, people and limits in step with other processes."""

    def __init__(
        self, store: Store, tables: Tables, rates: Rates | None = None, bus: Bus | None = None
    ) -> None:
        self._store = store
        self._tables = tables
        self._rates = rates or Rates()
        self._bus = bus
        self._board = NoticeBoard(store)
        self._lines: list[str] = []
        self._something_to_tell = asyncio.Event()
        self._elsewhere: dict[str, tuple[float, dict[str, list[str]]]] = {}
        """By server: when it said who watches which tables, and who does."""
        self._told_presence = 0.0
        self._worker_heard = -math.inf
        if store.shared:
            tables.tell = self._tell
            tables.rank = self.rank

    async def follow(self, every: float = LOOK_SECONDS) -> None:
        """Exchange news until canceled."""
        async with contextlib.AsyncExitStack() as stack:
            if self._bus is not None:
                stack.push_async_callback(self._bus.close)
                for work in (self._send(self._bus), self._hear(self._bus)):
                    stack.callback(asyncio.create_task(work).cancel)
            failing = False
            while True:
                try:
                    await self._look()
                    failing = False
                except RedoubleError as error:
                    if not failing:  # once, not every second
                        _log.error("what other processes have changed can't be read: %s", error)
                    failing = True
                await asyncio.sleep(every)

    def rank(self, token: str) -> int:
        """Return how many servers are to make the move of a bot at this table before this one.

        Any server could: with the same seed a bot chooses the same move, and the log takes one.
        So it is only to save work that those who have the table on a page agree on an order.
        """
        now = time.monotonic()
        others = {
            server
            for server, (at, watched) in self._elsewhere.items()
            if token in watched and now - at < GONE_SECONDS
        }
        if not self._tables.is_watched(token):
            return len(others)
        return sum(_weight(one, token) > _weight(self._store.id, token) for one in others)

    def has_workers(self) -> bool:
        """Return whether workers make the reviews (:mod:`redouble.web.server.work`)."""
        return time.monotonic() - self._worker_heard < GONE_SECONDS

    async def _look(self) -> None:
        found = await self._board.new()
        self._tables.end_streams(one.about for one in found if one.kind == notices.SESSION)
        changed = {one.about for one in found if one.kind == notices.TABLE}
        await self._tables.reload(changed | self._tables.take_unsure())
        if not self._store.shared:
            return
        for one in found:
            if one.kind == notices.PRESENT:
                self._note_present(one)
            elif one.kind == notices.WORKER:
                self._worker_heard = time.monotonic()
            elif one.kind == notices.SPENT:
                for which, client, seconds in json.loads(one.about):
                    self._rates.add(which, client, seconds)
        stands = self._tables.stands()
        stored = await self._store.run(lambda c: table_rows.stands(c, list(stands)))
        await self._tables.reload(t for t, at in stands.items() if stored.get(t) != at)
        await self._say()

    def _note_present(self, notice: Notice) -> None:
        watched: dict[str, list[str]] = json.loads(notice.about)
        self._elsewhere[notice.sender] = (time.monotonic(), watched)
        for token, people in watched.items():
            self._tables.note_elsewhere(token, people)

    async def _say(self) -> None:
        """Say who watches tables here, and what clients have used up of their limits."""
        said: list[tuple[str, str]] = []
        now = time.monotonic()
        if now - self._told_presence >= PRESENT_SECONDS:
            self._told_presence = now
            self._elsewhere = {
                server: heard
                for server, heard in self._elsewhere.items()
                if now - heard[0] < GONE_SECONDS
            }
            said.append((notices.PRESENT, json.dumps(self._tables.watchers())))
        if spent := self._rates.take_spent():
            said.append((notices.SPENT, json.dumps(spent)))

        def job(connection: sa.Connection) -> None:
            notices.drop_said(connection, self._store.id)
            for kind, about in said:
                notices.post(connection, self._store.id, kind, [about])

        if said:
            await self._store.run(job)

    def _tell(self, line: str) -> None:
        """Send a line to the other servers soon."""
        if self._bus is not None:
            self._lines.append(f"{self._store.id} {line}")
            self._something_to_tell.set()

    async def _send(self, bus: Bus) -> None:
        while True:
            await self._something_to_tell.wait()
            self._something_to_tell.clear()
            lines, self._lines = self._lines, []
            try:
                await bus.send(lines)
            except OSError as error:
                _log.warning("other processes hear of moves a second later: %s", error)
                await asyncio.sleep(RECONNECT_SECONDS)

    async def _hear(self, bus: Bus) -> None:
        while True:
            try:
                async for line in bus.lines():
                    sender, _, said = line.partition(" ")
                    if sender != self._store.id:
                        await self._heard(said)
            except OSError as error:
                _log.warning("moves at other processes are heard of a second later: %s", error)
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _heard(self, line: str) -> None:
        try:
            await self._tables.heard(line)
        except RedoubleError as error:  # the next look tries again
            _log.warning("what another process has written can't be read: %s", error)


def _weight(server: str, token: str) -> bytes:
    """Return what decides which server comes first at a table: rendezvous hashing.

    See Thaler and Ravishankar, "Using Name-Based Mappings to Increase Hit Rates" (1998).
    """
    return hashlib.sha256(f"{server} {token}".encode()).digest()
