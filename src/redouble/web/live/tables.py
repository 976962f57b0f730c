"""Makes tables, finds them, and lets people follow and change them."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from redouble.match.fair import Share
from redouble.web.errors import NotYours, Stale, StoreError, TooMuch
from redouble.web.limits import LIMITS, Limits
from redouble.web.live import lists, table_rows
from redouble.web.live.disk import Disk
from redouble.web.live.elsewhere import free_elsewhere
from redouble.web.live.fair import Secrets
from redouble.web.live.hooks import Hooks
from redouble.web.live.live import Live, Waker
from redouble.web.live.memory import NO_TABLE, Memory
from redouble.web.live.neighbors import Neighbors
from redouble.web.live.pipeline import Pipeline
from redouble.web.live.plan import (
    FAIR,
    TablePlan,
    asking,
    rematch_begun,
    rematch_header,
    rematch_secret,
)
from redouble.web.live.robots import Robots, bots_alone
from redouble.web.live.timekeeper import Timekeeper
from redouble.web.people.mutes import apart_from, finding_silence, silence_among, unheard_by
from redouble.web.people.people import Person, existing, lock
from redouble.web.people.profiles import motifs_of, strangers
from redouble.web.store import Job, Store, T
from redouble.web.store.clock import CLOCK
from redouble.web.table import TABLE, Entry, Event, Header, Seat, Table, apply, open_seat
from redouble.web.table.acts.deals import GiveShare, PromiseShare, part_in_deal
from redouble.web.table.acts.rematch import begin_rematch, join_rematch
from redouble.web.thinking.compiler import Compiler
from redouble.web.watchers import Watcher

IDLE_SECONDS = 120.0
"""Seconds after which a table without viewers is unloaded; the next visit loads it again."""
HEARTBEAT = 15.0
"""Seconds of silence after which a stream sends a sign of life."""
FOLLOW_UP = 1.0
"""The same after news: some proxies hold back what comes until there is more."""
BREATH = 0.1
"""Seconds by which something that is due is late, so that it never comes a moment too soon."""
MAX_LISTED, MAX_LOOKED_AT = 12, 200
"""Public tables that a page lists, and those among which somebody may be there."""
COMMIT_TRIES = 5
"""How often a table is inserted at most while other processes commit to secrets as well."""
BOTS_RETRY_SECONDS = 60
"""When to try again to let bots play alone, while many tables of bots are playing."""
FINISH_SECONDS = 5.0
"""How long a server that stops waits for what it has begun to write."""
_OPEN = "SELECT 1 FROM sessions WHERE id = ?"
Beginning = tuple[Header, Sequence[Event]]
"""A table to make, and what its log begins with."""


class Tables:
    """All tables of a store."""

    def __init__(
        self,
        store: Store,
        compiler: Compiler,
        limits: Limits = LIMITS,
        *,
        hooks: Sequence[Hooks] = (),
        watcher: Watcher | None = None,
    ) -> None:
        self.hooks = hooks
        self.points = next((one.points for one in hooks if one.points), None)
        self._friends = next((one.friends for one in hooks if one.friends), None)
        self.disk = Disk(store, limits)
        self.secrets = Secrets(store)
        self.neighbors = Neighbors(store)
        self.memory = Memory(store, self.secrets, self._wake)
        self._store = store
        self._limits = limits
        self._pipeline = Pipeline(
            store, self.memory, self.neighbors, watcher or Watcher(), hooks, self._wake
        )
        self.get = self.memory.get
        self.act, self.rewrite = self._pipeline.act, self._pipeline.rewrite
        self.closing = asyncio.Event()
        """Set when the server stops; then streams end, and bots stop."""
        self.robots = Robots(self._pipeline, compiler, limits, self.neighbors, self.closing)
        self.timekeeper = Timekeeper(store, self.get, self.robots)
        self._rematching = asyncio.Lock()
        self._beginning = 0
        """Tables of bots that are being made."""

    async def create(
        self,
        host: Person,
        plan: TablePlan,
        also: Callable[[sa.Connection, str], None] | None = None,
    ) -> Live:
        """Make a table. Raises a ``RedoubleError`` if the plan isn't valid.

        The job ``also`` gets the token and runs in the same transaction; what it raises is raised.
        """
        header = plan.header(host)
        part, secret = plan.part_in_deal(header.seats), self.secrets.name_of(plan.offer)

        def job(connection: sa.Connection) -> Table:
            self.check_room(connection, host, header.seats)
            begun = plan.begun(header)
            table = self._insert(connection, header, begun, secret, part)
            if also is not None:
                also(connection, header.token)
            return table

        with self._reserved(header.seats):
            live = self.memory.add(await self._committed(job))
        live.mark_seen(host)
        self._wake(live)
        return live

    async def open_all(self, job: Job[list[Beginning]]) -> list[Live]:
        """Make the tables that a job returns, in its transaction, with a seat for each player.

        Nobody hosts them on their own, so they count against nobody's limit.
        """
        self.disk.check()

        def made(connection: sa.Connection) -> list[Table]:
            return [self._insert(connection, header, begun) for header, begun in job(connection)]

        opened = [self.memory.add(table) for table in await self._committed(made)]
        for live in opened:
            self._wake(live)
        return opened

    def here(self, token: str) -> set[str]:
        """Return who looks at a table now, at any server, and may sit there."""
        live = self.memory.find(token)
        return self.neighbors.watching(token) | (live.presence.looking() if live else set())

    async def public_tables(self, person: str = "") -> list[lists.ListedTable]:
        """Return the tables that anyone can watch or join, for a person.

        Those that wait for players are listed only while somebody is there.
        """

        def job(connection: sa.Connection) -> list[lists.ListedTable]:
            since, unheard = CLOCK.now() - lists.WATCHABLE_SECONDS, unheard_by(connection, person)
            found = lists.public_tables(connection, since, MAX_LOOKED_AT, unheard)
            begun = [one.status != "waiting" or one.people & self.here(one.token) for one in found]
            return list(compress(found, begun))[:MAX_LISTED]

        return await self._store.run(job)

    async def note_people(self, live: Live) -> None:
        """Look up what the pages of a table show of its people.

        Of all it is their picture and who has muted whom, and of those who wait at a public table
        their rating and how many games they have finished.
        """
        await self.note_silence(live)
        table = live.table
        if live.noted == live.version:
            return
        if unseen := table.people().keys() - live.motifs.keys():
            motifs = await self._store.run(motifs_of, unseen)
            live.motifs |= motifs
            if any(motifs.values()):
                live.touch()
        if table.for_anyone and table.people().keys() - live.strangers.keys():
            token = table.header.token
            found = await self._store.run(strangers, [token], self.points)
            live.strangers |= {one.person: one for one in found[token]}
        live.noted = live.version

    async def note_silence(self, live: Live) -> None:
        """Look up who at a table has muted whom, which is asked every time.

        Where that can't be read, nobody reads anybody's words. A move that was made is not refused.
        """
        silence: Mapping[tuple[str, str], bool] | None = {}
        try:
            if len(sitting := {seat.person for seat in live.table.seats if seat.person}) > 1:
                query, values = finding_silence(sitting)
                if await self._store.find(query, *values):
                    silence = await self._store.run(silence_among, sitting, self._friends)
        except StoreError:
            silence = None
        if silence != live.silence:
            live.silence = silence
            live.touch()

    async def is_outside(self, live: Live, person: str) -> bool:
        """Return whether a table isn't open to a person, for whatever reason."""

        def job(connection: sa.Connection) -> None:
            for hook in self.hooks:
                hook.admit(connection, live.table.header, [person])

        try:
            await self._store.run(job)
        except NotYours:
            return True
        return False

    async def invited(self, invite: str) -> Live:
        """Return the table of an invitation. Raises :class:`NotFound`."""
        token = await self._store.run(table_rows.token_of_invite, invite)
        return await self.memory.get(token)

    def note_hint(self, connection: sa.Connection, token: str, seat: int) -> None:
        """Note that a seat was given a hint in a game with other people."""
        for hook in self.hooks:
            hook.hinted(connection, token, seat)

    async def rematch(self, live: Live, person: Person, share: str = "") -> Live:
        """Return the table of the rematch, which has the same options and pace, and take a seat.

        The first player who asks makes it. The seats of the others are kept for them: asking is
        how they join. Each can give a ``share`` to its deal. Raises what :func:`rematch_header`
        raises.
        """
        async with self._rematching:
            table = live.table
            if table.next.token:
                return await self._join_rematch(live, person, share)
            again = rematch_header(table, person)
            again = await self._store.run(partial(self._as_rematch, header=again, asker=person.id))
            again, kept = asking(again, person)
            mine = table.seats_of(person.id)
            part = part_in_deal(mine[0], share) if mine else None

            def also(connection: sa.Connection) -> None:
                self.check_room(connection, person, again.seats)
                begun = [*rematch_begun(table, again.seats), *kept]
                self._insert(connection, again, begun, rematch_secret(table), part)
                others = {event.person for event in kept if event.person}
                for hook in self.hooks:
                    hook.asked(connection, again, person.id, others)

            with self._reserved(again.seats):
                try:
                    asker = mine[0] if mine else TABLE
                    await self.act(live, lambda t: begin_rematch(t, again.token, asker), also)
                except Stale:
                    if not live.table.next.token:
                        raise
                    return await self._join_rematch(live, person, share)  # another process made it
                return await self.memory.get(again.token)

    async def _join_rematch(self, live: Live, person: Person, share: str) -> Live:
        """Return the table of the rematch, with the person in the seats that it keeps for them."""
        again, zones = await self.memory.get(live.table.next.token), live.table.clocks.zones
        await self.act(again, lambda table: join_rematch(table, person.id, share, zones))
        again.mark_seen(person)
        return again

    async def changes(self, live: Live, person: Person | None) -> AsyncGenerator[bool, None]:
        """Yield True at once and after each change, False after a ``HEARTBEAT`` of silence.

        The first silence is a ``FOLLOW_UP``.
        """
        with contextlib.ExitStack() as held:
            waker = held.enter_context(live.watch(person))
            if person is not None:
                held.enter_context(self.memory.pages.watched(person.id, waker))
            # It may have ended before this stream could be told.
            try:
                if waker.session and not await self._store.find(_OPEN, waker.session):
                    waker.ended = True
            except StoreError:  # pages follow again when it can be read
                return
            if not waker.ended:
                yield True
            silence = FOLLOW_UP
            while not (self.closing.is_set() or live.dropped or waker.ended):
                try:
                    offer = live.seconds_to_offer if live.table.for_anyone else 0
                    soon = [one for one in (offer, *live.passing().values()) if one]
                    due = min([silence, HEARTBEAT, *(one + BREATH for one in soon)])
                    async with asyncio.timeout(due):  # no task, as wait_for would make
                        await waker.wait()
                except TimeoutError:
                    live.look_around()
                    yield False
                    silence = HEARTBEAT
                    continue
                waker.clear()
                silence = FOLLOW_UP
                if not (self.closing.is_set() or live.dropped or waker.ended):
                    yield True

    async def news(self, person: Person, silence: float = HEARTBEAT) -> AsyncGenerator[bool, None]:
        """Yield True at once and whenever there may be something new for a person.

        After a ``FOLLOW_UP``, and then after some seconds of ``silence``, it yields False.
        """
        waker = Waker(person.session)
        with self.memory.pages.watched(person.id, waker):
            if not await self._store.find(_OPEN, waker.session):
                return
            yield True
            called = True
            while not (self.closing.is_set() or waker.ended):
                due = min(silence, FOLLOW_UP) if called else silence
                called = True
                try:
                    async with asyncio.timeout(due):
                        await waker.wait()
                except TimeoutError:
                    called = False
                waker.clear()
                if not (self.closing.is_set() or waker.ended):
                    yield called

    def online(self) -> set[str]:
        """Return the ids of the people who have a page open, here or at another server."""
        return {*self.memory.pages.people()} | self.neighbors.watching(NO_TABLE)

    async def sweep(self, every: float = 30.0) -> None:
        """Unload idle tables periodically, until canceled."""
        while True:
            await asyncio.sleep(every)
            self.memory.put_away(IDLE_SECONDS)

    def wake_all(self) -> None:
        """Wake every stream."""
        self.memory.pages.wake_all()
        for live in self.memory:
            live.touch()

    async def close(self) -> None:
        """Stop the bots and end the streams, after what has begun is written."""
        self.closing.set()
        self.wake_all()
        for live in self.memory:
            for task in (live.robot, live.dealer):
                if task is not None:
                    task.cancel()
        await self._pipeline.finish(FINISH_SECONDS)
        await self.robots.close()

    def _wake(self, live: Live) -> None:
        self.robots.wake(live)
        self.timekeeper.note(live)

    def _insert(
        self,
        connection: sa.Connection,
        header: Header,
        begun: Sequence[Event],
        name: str = "",
        part: GiveShare | PromiseShare | None = None,
    ) -> Table:
        """Insert a new table, with a pledge if its deal is to be fair, and return it.

        Its log begins with ``begun``. ``part`` is the host's in the deal, and ``name`` that of its
        secret. A share must have been given for that secret. The deal waits until all seats are
        taken, so that nobody leaves, or makes another table, because of their cards.
        """
        for hook in self.hooks:
            header = hook.made(connection, header)
        given_part: list[Event] = []
        if header.seed == FAIR:
            promised = any(isinstance(event, PromiseShare) for event in begun)
            given, deferred = None, promised or any(seat.open for seat in header.seats)
            if isinstance(part, GiveShare) and not deferred:
                given = Share(seat=part.seat, share=part.share)
            elif part is not None:
                given_part.append(part)
            secret, pledge = self.secrets.pledge(connection, header.token, name, given, deferred)
            header = replace(header, seed=secret, fair=pledge)
        table = Table(header)
        first = [*given_part, *begun]
        entries = [Entry(ply, header.created, event) for ply, event in enumerate(first)]
        for entry in entries:
            apply(table, entry)
        table_rows.insert(connection, table)
        if entries:
            table_rows.append(connection, table, entries)
        free_elsewhere(connection, table)
        return table

    def _as_rematch(self, connection: sa.Connection, header: Header, asker: str) -> Header:
        """Return the header of a rematch, without seats for those whom its asker never meets."""
        for hook in self.hooks:
            header = hook.made(connection, hook.again(connection, header))
        here = existing(connection, [seat.person for seat in header.seats if seat.person])
        here -= apart_from(connection, asker)
        seats = [
            Seat(open_seat(i)) if seat.person and seat.person not in here else seat
            for i, seat in enumerate(header.seats)
        ]
        return replace(header, seats=tuple(seats))

    async def _committed(self, job: Job[T]) -> T:
        """Run a job that inserts a table, again if another process has committed meanwhile."""
        for _ in range(COMMIT_TRIES - 1):
            with contextlib.suppress(IntegrityError):
                return await self._store.run(job)
        return await self._store.run(job)

    def check_room(self, connection: sa.Connection, host: Person, seats: Sequence[Seat]) -> None:
        """Raise :class:`TooMuch` unless a person can have another table.

        This is for the transaction that inserts it, so that no two are let in by the same count.
        """
        lock(connection, host.id)
        unfinished, bots = lists.hosted(connection, host.id)
        if unfinished >= self._limits.tables_per_person:
            raise TooMuch(f"you have {unfinished} unfinished tables: finish some first")
        if bots >= self._limits.bot_tables_per_person and all(seat.bot for seat in seats):
            raise TooMuch(f"{bots} tables of yours with bots alone aren't finished: wait for them")

    @contextlib.contextmanager
    def _reserved(self, seats: Sequence[Seat]) -> Iterator[None]:
        """Keep room for a table until it is in memory. Raises :class:`TooMuch` or :class:`Full`."""
        self.disk.check()
        alone = all(seat.bot for seat in seats)
        playing = sum(bots_alone(live) and not live.table.over for live in self.memory)
        if alone and playing + self._beginning >= self._limits.bot_tables:
            raise TooMuch(
                "bots are playing alone at many tables: take a seat, or try again later",
                BOTS_RETRY_SECONDS,
            )
        self._beginning += alone
        try:
            yield
        finally:
            self._beginning -= alone
