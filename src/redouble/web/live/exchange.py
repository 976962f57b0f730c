"""What a process tells others that change the same database, and learns from them.

Every second a process reads the notices of the others (:mod:`redouble.web.store.notices`). A server
that isn't alone also compares the lengths of its tables' logs with those in the database, so
whatever another server has written is on its pages a second later at most. A
:class:`~redouble.web.store.bus.Bus` makes that a few milliseconds: it says which tables have
changed.
"""

import asyncio
import contextlib
import json
import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import sqlalchemy as sa

from redouble.kernel.errors import RedoubleError
from redouble.web.limits import Rates
from redouble.web.live import table_rows
from redouble.web.live.live import Live
from redouble.web.live.memory import Memory
from redouble.web.live.neighbors import GONE_SECONDS, PRESENT_SECONDS, Neighbors
from redouble.web.live.pipeline import WRITTEN
from redouble.web.people.people import Person
from redouble.web.store import Store, notices
from redouble.web.store.bus import Bus
from redouble.web.store.notices import LOOK_SECONDS, NoticeBoard

RECONNECT_SECONDS = 1.0
WARNED, KEPT, WENT_ON, CALLED = "warned", "kept", "on", "called"
"""What servers tell each other when a person was warned, doesn't undo, has seen enough, or is to be
told something."""
_log = logging.getLogger(__name__)


@dataclass(eq=False)
class Exchange:
    """Keeps a site's tables, people and limits in step with other processes."""

    store: Store
    memory: Memory
    neighbors: Neighbors
    rates: Rates = field(default_factory=Rates)
    bus: Bus | None = None
    _told_presence: float = field(default=0.0, init=False)
    _worker_heard: float = field(default=-math.inf, init=False)

    def __post_init__(self) -> None:
        self._board = NoticeBoard(self.store)

    async def follow(self, every: float = LOOK_SECONDS) -> None:
        """Exchange news until canceled."""
        async with contextlib.AsyncExitStack() as stack:
            if self.bus is not None:
                stack.push_async_callback(self.bus.close)
                tasks = [asyncio.create_task(do(self.bus)) for do in (self._send, self._hear)]
                stack.push_async_callback(_end, tasks)
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

    def has_workers(self) -> bool:
        """Return whether workers make the reviews (:mod:`redouble.web.server.work`)."""
        return time.monotonic() - self._worker_heard < GONE_SECONDS

    def warn(self, live: Live, person: Person) -> bool:
        """Note that a person is warned at the table as it stands; False if they have been."""
        fresh = live.warn(person.id, live.table.last_move)
        if fresh:
            token, last_move = live.table.header.token, live.table.last_move
            self.neighbors.tell(f"{WARNED} {token} {person.id} {last_move}")
        return fresh

    def keep_playing(self, live: Live, person: Person) -> None:
        """Note that a person doesn't undo after the warning."""
        live.keep_playing(person.id)
        self.neighbors.tell(f"{KEPT} {live.table.header.token} {person.id}")

    def go_on(self, live: Live, person: Person) -> None:
        """Note that a person has seen enough; the pause ends when all players have."""
        live.go_on(person.id)
        self.neighbors.tell(f"{WENT_ON} {live.table.header.token} {person.id}")

    def call(self, person: str) -> None:
        """Let the open pages of a person look whether there is something new for them."""
        self.memory.pages.wake(person)
        self.neighbors.tell(f"{CALLED} {person}")

    async def heard(self, line: str) -> None:
        """Take note of what another server tells. Raises :class:`StoreError`."""
        kind, token, *more = line.split(" ")
        if kind == CALLED:
            self.memory.pages.wake(token)
        elif kind == WRITTEN:
            await self.memory.reload([token])
        elif (live := self.memory.find(token)) is not None:
            if kind == WARNED:
                live.warn(more[0], int(more[1]))
            elif kind == KEPT:
                live.keep_playing(more[0])
            elif kind == WENT_ON:
                live.go_on(more[0])

    async def _look(self) -> None:
        found = await self._board.new()
        self.memory.end_streams(one.about for one in found if one.kind == notices.SESSION)
        changed = {one.about for one in found if one.kind == notices.TABLE}
        await self.memory.reload(changed | self.memory.take_unsure())
        if not self.store.shared:
            return
        for one in found:
            if one.kind in (notices.PRESENT, notices.VISITED):
                seen: dict[str, list[str]] = json.loads(one.about)
                follows = one.kind == notices.PRESENT
                self.neighbors.note_watched(one.sender, seen, follows=follows)
                for token, people in seen.items():
                    if (live := self.memory.find(token)) is not None:
                        live.note_elsewhere(people, follows=follows)
            elif one.kind == notices.WORKER:
                self._worker_heard = time.monotonic()
            elif one.kind == notices.SPENT:
                for which, client, seconds in json.loads(one.about):
                    self.rates.add(which, client, seconds)
        stands = self.memory.stands()
        stored = await self.store.run(table_rows.stands, list(stands))
        await self.memory.reload(t for t, at in stands.items() if stored.get(t) != at)
        await self._say()

    async def _say(self) -> None:
        """Say who watches tables, and what clients have used up of their limits."""
        said: list[tuple[str, str]] = []
        now = time.monotonic()
        if now - self._told_presence >= PRESENT_SECONDS:
            self._told_presence = now
            self.neighbors.forget_gone()
            said.append((notices.PRESENT, json.dumps(self.memory.watchers())))
            if visitors := self.memory.visitors(PRESENT_SECONDS):
                said.append((notices.VISITED, json.dumps(visitors)))
        if spent := self.rates.take_spent():
            said.append((notices.SPENT, json.dumps(spent)))

        def job(connection: sa.Connection) -> None:
            notices.drop_said(connection, self.store.id)
            for kind, about in said:
                notices.post(connection, self.store.id, kind, [about])

        if said:
            await self.store.run(job)

    async def _send(self, bus: Bus) -> None:
        while True:
            lines = await self.neighbors.lines()
            try:
                await bus.send(lines)
            except OSError as error:
                _log.warning("other processes learn of moves a second later: %s", error)
                await asyncio.sleep(RECONNECT_SECONDS)

    async def _hear(self, bus: Bus) -> None:
        while True:
            try:
                # Left by an exception, the lines keep their connection until they are closed.
                async with contextlib.aclosing(bus.lines()) as lines:
                    async for line in lines:
                        sender, _, said = line.partition(" ")
                        if sender != self.store.id:
                            await self._listen(said)
            except OSError as error:
                _log.warning("moves at other processes arrive a second later: %s", error)
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _listen(self, line: str) -> None:
        try:
            await self.heard(line)
        except RedoubleError as error:  # the next look tries again
            _log.warning("what another process has written can't be read: %s", error)


async def _end(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
