"""Makes tables, loads them, and changes them one command at a time.

Every change takes the same steps. Under the table's lock a command is checked, its events are
applied to a copy of the table and written to the database. Only when they are on disk does the
copy replace the table and its pages hear of it. If the write fails, nothing has changed. If its
outcome isn't known, since the database was lost meanwhile, the log is looked up.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import (
    AsyncGenerator,
    Callable,
    Coroutine,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from redouble.analysis.finish import finishing_moves
from redouble.bots import BOT_NAMES, own_chance
from redouble.bots.levels import USUAL_LEVEL, searches
from redouble.contract.game import Game
from redouble.contract.options import Data
from redouble.kernel.errors import RedoubleError
from redouble.match.fair import Share
from redouble.web.errors import (
    NotFound,
    NotYours,
    OutcomeUnknown,
    Overtaken,
    Stale,
    StoreError,
    TooMuch,
    WebError,
)
from redouble.web.limits import LIMITS, Limits
from redouble.web.live import lists, table_rows
from redouble.web.live.disk import Disk
from redouble.web.live.fair import Secrets
from redouble.web.live.live import Live
from redouble.web.people.ids import new_id
from redouble.web.people.people import Person, clean_name
from redouble.web.store import Job, Store, T, notices
from redouble.web.table import (
    PACES,
    USUAL_PACE,
    Entry,
    Event,
    Header,
    Seat,
    Table,
    apply,
    check_pace,
    commands,
    events,
    open_seat,
)
from redouble.web.table.pace import Deadlines, moment_seconds
from redouble.web.thinking.bots import Roster
from redouble.web.thinking.compiler import Compiler
from redouble.web.thinking.pools import Pool

Command = Callable[[Table], list[Event]]

IDLE_SECONDS = 120.0
"""Seconds after which a table without viewers is unloaded; the next visit loads it again."""
HEARTBEAT = 15.0
"""Seconds of silence after which a stream sends a sign of life."""
FINISH_PACE = 0.15
"""Seconds between the moves of a game that finishes automatically."""
NOTICEABLE = 0.5
"""Seconds of loading after which the pages say why a bot doesn't move."""
RETRY_SECONDS = 5.0
"""Seconds until a bot whose move failed tries again."""
LOOK_UPS, LOOK_UP_SECONDS = 20, 0.5
"""How often and how long apart it is looked up whether an unconfirmed change was saved."""
DEALS = 1_000_000
"""The number of the last deal of a solitaire game."""
FAIR = ""
"""The seed of a plan whose deal is to be fair; the server's secret takes its place."""
COMMIT_TRIES = 5
"""How often a table is inserted at most while other processes commit to secrets as well."""
TRIES = 4
"""How often a command is checked at most while other processes write to its table first."""
REVEAL_SECONDS = 10.0
"""How long a deal waits for the shares that players have promised."""
SEED_LENGTH = 40
"""Characters in the name of a deal."""
MAX_ENTRIES = 20_000
"""A log of this length is full: it takes only events that end the game."""
_OPEN = "SELECT 1 FROM sessions WHERE id = ?"
_STANDS = (
    "SELECT rewritten,"
    " COALESCE((SELECT MAX(ply) + 1 FROM log WHERE log.token = tables.token), 0)"
    " FROM tables WHERE token = ?"
)
"""How often a table was rewritten, and the length of its log."""
_GONE = "this table was deleted"
PATIENCE_SECONDS = 1.0
"""What a bot's move at another server may take besides the bots' pace."""
WRITTEN, WARNED, WENT_ON = "written", "warned", "on"
"""What servers tell each other: a table was written to, a person was warned or has seen enough."""
BOTS_RETRY_SECONDS = 60
"""When to try again to let bots play alone, while many tables of bots are playing."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SeatPlan:
    """Who gets a seat of a new table.

    ``kind`` is ``me``, ``here`` (another player on the same device), ``friend`` or ``bot``.
    """

    kind: str
    name: str = ""
    bot: str = USUAL_LEVEL


@dataclass(frozen=True)
class TablePlan:
    """A table to make."""

    game: Game
    seats: Sequence[SeatPlan]
    options: Mapping[str, Any] = field(default_factory=dict)
    public: bool = False
    seed: str | None = None
    """Only in a solitaire game: the seed tells every card."""
    pace: str | None = None
    before: str = ""
    dealt: str = ""
    """A seed that the server has chosen, for any number of seats."""
    daily: str = ""
    """The day whose deal this is, as 2026-11-22."""
    offer: str = ""
    """The id of the offer with which the page or program was made, for a fair deal."""
    share: str = ""
    """What the host gives to the deal, or else ``promise``, its SHA-256, if friends sit down."""
    promise: str = ""


class Tables:
    """All tables of a store."""

    def __init__(
        self,
        store: Store,
        compiler: Compiler,
        bots: Roster | None = None,
        limits: Limits = LIMITS,
        at_end: Callable[[sa.Connection, Table], None] | None = None,
    ) -> None:
        """Serve the tables of a store.

        The job ``at_end`` runs whenever a game has ended, in the transaction that says so.
        """
        self.bots = bots or Roster()
        self.disk = Disk(store, limits)
        self.quick = Pool("bots")
        """What bots think in, except those that search."""
        self._searching = Pool("searching-bots")
        self.secrets = Secrets(store)
        self._limits = limits
        self._at_end = at_end
        self._store = store
        self._compiler = compiler
        self._deadlines = Deadlines()
        self._live: dict[str, Live] = {}
        self._loading: dict[str, asyncio.Task[Live]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._unsure: set[str] = set()
        """Tables in memory that may be behind the database, until it is back."""
        self._rematching = asyncio.Lock()
        self._rewriting = asyncio.Lock()
        self.tell: Callable[[str], None] = _ignore
        """Tells other servers what :meth:`heard` there makes use of."""
        self.rank: Callable[[str], int] = _first
        """Returns how many other servers are to make a bot's move at a table before this one."""
        self.counted: dict[str, Callable[[float], None]] = {}
        """Called with the number of ``entries`` written and of ``conflicts``, for figures."""
        self.closing = asyncio.Event()
        """Set when the server stops; streams end then."""

    def __len__(self) -> int:
        """Return the number of tables in memory."""
        return len(self._live)

    @property
    def thinking(self) -> int:
        """The number of moves that bots think about, or wait to."""
        return self.quick.begun + self._searching.begun

    def _count(self, what: str, number: int) -> None:
        if what in self.counted:
            self.counted[what](number)

    async def create(
        self,
        host: Person,
        plan: TablePlan,
        also: Callable[[sa.Connection, str], None] | None = None,
    ) -> Live:
        """Make a table. Raises a ``RedoubleError`` if the plan isn't valid.

        The job ``also`` gets the token and runs in the same transaction; what it raises is raised.
        """
        if plan.seed is not None and len(plan.seats) > 1:
            raise WebError("you can only choose the deal in a solitaire game: it tells the cards")
        if plan.pace is not None:
            check_pace(plan.pace)
        plan.game.check_seats(len(plan.seats))
        _check_no_file(plan)
        options = plan.game.check_options(len(plan.seats), plan.options)
        for seat in plan.seats:
            if seat.kind == "bot":
                self.bots.check(seat.bot, plan.game, len(plan.seats), options)
        seats = tuple(_seats(host, plan.seats))
        await self._check_room(host, seats)
        header = Header(
            token=new_id(12),
            invite=secrets.token_urlsafe(16),
            game=plan.game,
            options=options,
            seed=plan.dealt or _seed(plan),
            seats=seats,
            host=host.id,
            public=plan.public,
            created=time.time(),
            before=plan.before,
            daily=plan.daily,
        )
        part = _part_in_deal(plan, seats)

        def job(connection: sa.Connection) -> Table:
            table = self._insert(connection, header, plan.pace or USUAL_PACE, plan.offer, part)
            if also is not None:
                also(connection, header.token)
            return table

        table = await self._committed(job)
        live = self._live[header.token] = Live(table)
        live.mark_seen(host)
        self._wake_robot(live)
        return live

    async def get(self, token: str) -> Live:
        """Return the table with this token as it stands, loaded if necessary.

        Raises :class:`NotFound`.
        """
        if (live := self._live.get(token)) is None:
            if token not in self._loading:
                self._loading[token] = asyncio.create_task(self._load(token))
            live = await asyncio.shield(self._loading[token])
        elif self._store.shared:
            await self._look_again(live)
        live.used = time.monotonic()
        return live

    async def invited(self, invite: str) -> Live:
        """Return the table of an invitation. Raises :class:`NotFound`."""
        return await self.get(
            await self._store.run(lambda c: table_rows.token_of_invite(c, invite))
        )

    async def act(self, live: Live, command: Command, also: Job[None] | None = None) -> list[Entry]:
        """Carry out a command, and return its entries once they are on disk.

        The job ``also`` runs in the same transaction. If another process has written to the table
        first, the command is checked again. Raises what the command raises, :class:`Stale` when
        others were first every time, and :class:`StoreError`; then nothing has changed, except
        perhaps with :class:`OutcomeUnknown`. It is carried out even if the caller is canceled.
        """
        return await self._uncanceled(self._act(live, command, also))

    async def rematch(self, live: Live, person: Person, share: str = "") -> Live:
        """Return the table of the rematch, which has the same seats, options and pace.

        The first player who asks makes it, and can give a ``share`` to its deal; the others get the
        same one.
        """
        async with self._rematching:
            table = live.table
            if not table.over:
                raise Stale("the game isn't over: finish it before the rematch")
            if not table.seats_of(person.id) and person.id != table.header.host:
                raise NotYours("only players can start a rematch")
            if table.rematch:
                return await self.get(table.rematch)
            header = table.header
            seats = [replace(seat, bot="") if seat.person else seat for seat in table.seats]
            seats = [
                replace(seat, resigned=False, bot=seat.bot or ("" if seat.person else USUAL_LEVEL))
                for seat in seats
            ]
            again = replace(
                header,
                token=new_id(12),
                invite=secrets.token_urlsafe(16),
                seed=new_seed(table.match.seats),
                seats=tuple(seats),
                created=time.time(),
                before=header.token,
                daily="",
            )
            await self._check_room(person, again.seats)
            mine = table.seats_of(person.id)
            part = _share(mine[0], share) if mine else None
            try:
                await self.act(
                    live,
                    lambda t: commands.begin_rematch(t, again.token),
                    also=lambda c: self._also(c, again, table, part),
                )
            except Stale:
                if not live.table.rematch:
                    raise
                return await self.get(live.table.rematch)  # made by another process meanwhile
        return await self.get(again.token)

    def _insert(
        self,
        connection: sa.Connection,
        header: Header,
        pace: str,
        offer: str = "",
        part: events.GiveShare | events.PromiseShare | None = None,
    ) -> Table:
        """Insert a new table, with a pledge if its deal is to be fair, and return it.

        ``part`` is the host's in the deal. A share must have come with the offer.
        """
        begun: list[Event] = []
        if header.seed == FAIR:
            given, deferred = None, isinstance(part, events.PromiseShare)
            if isinstance(part, events.GiveShare):
                given = Share(seat=part.seat, share=part.share)
            elif part is not None:
                begun.append(part)
            secret, pledge = self.secrets.pledge(connection, header.token, offer, given, deferred)
            header = replace(header, seed=secret, fair=pledge)
        table = Table(header)
        if pace != table.pace:
            begun.append(events.SetPace(seat=events.TABLE, pace=pace))
        entries = [Entry(ply, header.created, event) for ply, event in enumerate(begun)]
        for entry in entries:
            apply(table, entry)
        table_rows.insert(connection, table)
        if entries:
            table_rows.append(connection, table, entries)
        return table

    def _also(
        self,
        connection: sa.Connection,
        header: Header,
        before: Table,
        part: events.GiveShare | None,
    ) -> None:
        """Insert the rematch of a table."""
        self._insert(connection, header, before.pace, rematch_offer(before), part)

    async def _committed(self, job: Job[Table]) -> Table:
        """Run a job that inserts a table, again if another process has committed meanwhile."""
        for _ in range(COMMIT_TRIES - 1):
            with contextlib.suppress(IntegrityError):
                return await self._store.run(job)
        return await self._store.run(job)

    async def _check_room(self, host: Person, seats: Sequence[Seat]) -> None:
        """Raise :class:`TooMuch` or :class:`Full` unless a person can have another table."""
        self.disk.check()
        unfinished, bots = await self._store.run(lambda c: lists.hosted(c, host.id))
        if unfinished >= self._limits.tables_per_person:
            raise TooMuch(f"you have {unfinished} unfinished tables: finish some first")
        if not all(seat.bot for seat in seats):
            return
        if bots >= self._limits.bot_tables_per_person:
            raise TooMuch(f"{bots} tables of yours with bots alone aren't finished: wait for them")
        playing = sum(live.robot is not None and _bots_alone(live) for live in self._live.values())
        if playing >= self._limits.bot_tables:
            raise TooMuch(
                "bots are playing alone at many tables here: take a seat, or try again later",
                BOTS_RETRY_SECONDS,
            )

    def finish(self, live: Live) -> None:
        """Finish a won solitaire game, one visible move after the other, in the background.

        Raises :class:`Stale` if cards are still hidden or the game isn't won.
        """
        moves = finishing_moves(live.table.match)
        if not moves:
            raise Stale(
                "this game can't finish automatically: cards are hidden, or it can't be won"
            )
        task = asyncio.create_task(self._finish(live, moves, live.table.ply))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _finish(self, live: Live, moves: Sequence[str], ply: int) -> None:
        for move in moves:
            if live.table.ply != ply or self.closing.is_set():
                return  # the player has done something else meanwhile
            try:
                await self.act(live, _move_from(move, ply))
            except RedoubleError:
                return
            ply += 1
            await asyncio.sleep(FINISH_PACE)

    async def rewrite(self, tokens: Iterable[str], job: Job[T]) -> T:
        """Run a job that rewrites or deletes rows of these tables, and load them again.

        For each table whose rows it rewrites, the job calls :func:`table_rows.note_rewritten`.
        Meanwhile the tables take no commands. Raises what the job raises. It is carried out even
        if the caller is cancelled.
        """
        return await self._uncanceled(self._rewrite(frozenset(tokens), job))

    async def _rewrite(self, tokens: frozenset[str], job: Job[T]) -> T:
        async with self._rewriting, contextlib.AsyncExitStack() as held:
            lives: list[Live] = []
            while live := await self._one_of(tokens - {one.table.header.token for one in lives}):
                await held.enter_async_context(live.lock)
                lives.append(live)

            def noticed(connection: sa.Connection) -> T:
                notices.post(connection, self._store.id, notices.TABLE, tokens)
                return job(connection)

            done = await self._store.run(noticed)
            for live in lives:
                try:
                    await self._catch_up(live)
                except StoreError:
                    self._drop(live)  # the next visit tries again
        for live in lives:
            self._wake_robot(live)
        return done

    async def reload(self, tokens: Iterable[str]) -> None:
        """Load these tables again if they are in memory: another process has changed them."""
        for token in set(tokens):
            live = await self._one_of(frozenset((token,)))
            if live is not None:
                async with live.lock:
                    await self._catch_up(live)
                self._wake_robot(live)

    def warn(self, live: Live, person: Person) -> bool:
        """Note that a person is warned at the table as it stands; False if they have been."""
        fresh = live.warn(person.id, live.table.last_move)
        if fresh:
            self.tell(f"{WARNED} {live.table.header.token} {person.id} {live.table.last_move}")
        return fresh

    def go_on(self, live: Live, person: Person) -> None:
        """Note that a person has seen enough; the pause ends when all who play here have."""
        live.go_on(person.id)
        self.tell(f"{WENT_ON} {live.table.header.token} {person.id}")

    async def heard(self, line: str) -> None:
        """Take note of what another server tells. Raises :class:`StoreError`."""
        kind, token, *more = line.split(" ")
        if kind == WRITTEN:
            await self.reload([token])
        elif (live := self._live.get(token)) is not None:
            if kind == WARNED:
                live.warn(more[0], int(more[1]))
            elif kind == WENT_ON:
                live.go_on(more[0])

    def stands(self) -> dict[str, tuple[int, int]]:
        """Return how often tables in memory were rewritten, and the lengths of their logs."""
        return {
            token: (live.table.header.rewritten, live.table.ply)
            for token, live in self._live.items()
            if not live.lock.locked()
        }

    def take_unsure(self) -> frozenset[str]:
        """Return the tables that may be behind the database since it was lost, and forget them."""
        unsure, self._unsure = frozenset(self._unsure), set()
        return unsure

    def is_watched(self, token: str) -> bool:
        """Return whether a table is open in a browser or program here."""
        return token in self._live and self._live[token].watched

    def watchers(self) -> dict[str, list[str]]:
        """Return the ids of the people who have tables open here, by the tables' tokens."""
        lives = self._live.items()
        return {token: live.present() for token, live in lives if live.watched}

    def note_elsewhere(self, token: str, people: Iterable[str]) -> None:
        """Note that people have a table open at another server."""
        if (live := self._live.get(token)) is not None:
            live.note_elsewhere(people)

    def end_streams(self, sessions: Iterable[str]) -> None:
        """End the streams of sessions that have ended."""
        ended = frozenset(sessions)
        if ended:
            for live in self._live.values():
                live.end_streams(ended)

    async def _one_of(self, tokens: frozenset[str]) -> Live | None:
        """Return one of these tables that is in memory or being loaded; None if there is none."""
        for token in tokens & self._loading.keys():
            with contextlib.suppress(WebError):
                await asyncio.shield(self._loading[token])
        return next((self._live[token] for token in tokens & self._live.keys()), None)

    async def sweep(self, every: float = 30.0) -> None:
        """Unload idle tables periodically, until canceled."""
        while True:
            await asyncio.sleep(every)
            self.put_away(IDLE_SECONDS)

    def put_away(self, idle: float) -> None:
        """Drop tables from memory that weren't used for ``idle`` seconds."""
        now = time.monotonic()
        for token, live in list(self._live.items()):
            busy = live.watched or live.lock.locked() or live.robot or live.dealer
            if not busy and now - live.used >= idle:
                del self._live[token]

    async def close(self) -> None:
        """Stop the bots and end the streams, after what has begun is written."""
        self.closing.set()
        self.wake_all()
        for live in self._live.values():
            for task in (live.robot, live.dealer):
                if task is not None:
                    task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)
        await self.quick.close()
        await self._searching.close()

    def wake_all(self) -> None:
        """Wake every stream."""
        for live in self._live.values():
            live.touch()

    async def changes(self, live: Live, person: Person | None) -> AsyncGenerator[bool, None]:
        """Yield True at once and after each change, False after a ``HEARTBEAT`` of silence."""
        with live.watch(person) as waker:
            # It may have ended before this stream could be told.
            try:
                if waker.session and not await self._store.find(_OPEN, waker.session):
                    waker.ended = True
            except StoreError:  # pages follow again when it can be read
                return
            if not waker.ended:
                yield True
            while not (self.closing.is_set() or live.dropped or waker.ended):
                try:
                    async with asyncio.timeout(HEARTBEAT):  # no task, as wait_for would make
                        await waker.wait()
                except TimeoutError:
                    live.look_around()
                    yield False
                    continue
                waker.clear()
                if not (self.closing.is_set() or live.dropped or waker.ended):
                    yield True

    async def _uncanceled(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for work, which continues even if the caller is canceled."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def _load(self, token: str) -> Live:
        try:
            live = self._live[token] = Live(await self._stored(token))
            self._offer_rematch(live)
            self._wake_robot(live)
            return live
        finally:
            del self._loading[token]

    async def _stored(self, token: str) -> Table:
        header, entries = await self._store.run(lambda c: table_rows.stored(c, token))
        return await asyncio.to_thread(table_rows.folded, header, entries)  # a long log takes time

    async def _act(self, live: Live, command: Command, also: Job[None] | None) -> list[Entry]:
        for _ in range(TRIES):
            with contextlib.suppress(Overtaken):
                return await self._try(live, command, also)
        raise Stale("other players were faster: look again before you play")

    async def _try(self, live: Live, command: Command, also: Job[None] | None) -> list[Entry]:
        """Carry out a command once.

        Raises :class:`Overtaken` if another process was first; then the table was loaded again.
        """
        async with live.lock:
            now = time.time()
            try:
                caused = command(live.table)
            except Stale:
                self._count("conflicts", 1)
                raise
            if not caused:
                return []
            full = live.table.ply >= MAX_ENTRIES
            if full and not all(event.allowed_when_full for event in caused):
                raise TooMuch("this table's log is full: play the game to its end, or resign")
            entries = [Entry(ply, now, event) for ply, event in enumerate(caused, live.table.ply)]
            table = live.table.copy()  # not shown before it is written
            for entry in entries:
                apply(table, entry)
            if table.dealing and not any(map(table.owes_share, range(len(table.seats)))):
                entries.append(Entry(table.ply, now, events.Deal(seat=events.TABLE)))
                apply(table, entries[-1])

            def job(connection: sa.Connection) -> None:
                table_rows.append(connection, table, entries)
                if table.over and self._at_end is not None:
                    self._at_end(connection, table)
                if also is not None:
                    also(connection)

            try:
                await self._store.run(job, about=table.header.token)
            except (IntegrityError, Overtaken) as error:
                self._count("conflicts", 1)
                await self._catch_up(live)
                if live.dropped:
                    raise NotFound(_GONE) from error
                raise Overtaken("another player was faster") from error
            except OutcomeUnknown as error:
                if not await self._was_saved(live, entries):
                    raise StoreError("saving failed, and nothing has changed: try again") from error
            self._show(live, table)
            self.tell(f"{WRITTEN} {table.header.token}")
        self._count("entries", len(entries))
        self._wake_robot(live)
        return entries

    async def _was_saved(self, live: Live, entries: Sequence[Entry]) -> bool:
        """Look up whether entries are in the log whose commit the database didn't confirm.

        Raises :class:`OutcomeUnknown` if it isn't back in time; the table is loaded again later.
        """
        token, first = live.table.header.token, entries[0].ply
        for _ in range(LOOK_UPS):
            try:
                _, found = await self._store.run(lambda c: table_rows.stored(c, token))
                return found[first : first + len(entries)] == list(entries)
            except NotFound:
                return False
            except StoreError:
                await asyncio.sleep(LOOK_UP_SECONDS)
        self._unsure.add(token)
        raise OutcomeUnknown("it isn't known whether this was saved: look again in a minute")

    def _show(self, live: Live, table: Table) -> None:
        """Replace a table in memory by itself with more entries, and wake its pages."""
        if table.match.ply > live.table.match.ply and live.watched:
            kinds = table.match.moment_kinds()
            live.pause(sum(moment_seconds(table.pace, kind) for kind in kinds))
        live.table = table
        self._offer_rematch(live)
        live.touch()

    async def _catch_up(self, live: Live) -> None:
        """Add what another process has written to a table, or drop the table if it is deleted.

        The caller holds the table's lock.
        """
        table = live.table
        try:
            entries = await self._store.run(lambda c: table_rows.news(c, table))
            if entries is None:
                self._show(live, await self._stored(table.header.token))
            elif entries:
                self._show(live, await asyncio.to_thread(_with_entries, table, entries))
        except NotFound:
            self._drop(live)

    async def _look_again(self, live: Live) -> None:
        """Catch up with other processes if they have written to a table.

        Raises :class:`NotFound` if it was deleted.
        """
        header = live.table.header
        stands = await self._store.find(_STANDS, header.token)
        if stands == (header.rewritten, live.table.ply):
            return
        async with live.lock:
            await self._catch_up(live)
        if live.dropped:
            raise NotFound(_GONE)
        self._wake_robot(live)

    def _offer_rematch(self, live: Live) -> None:
        """Commit to the secret of a rematch when the game is over."""
        if live.table.over and live.table.header.fair is not None:
            live.next_commitment = self.secrets.offer_of(rematch_offer(live.table)).commitment

    def _drop(self, live: Live) -> None:
        self._live.pop(live.table.header.token, None)
        live.dropped = True
        live.touch()

    def _wake_robot(self, live: Live) -> None:
        """Let bots play if it is a bot's turn, and load what those at this table search with."""
        table = live.table
        if live.dropped or self.closing.is_set() or table.over:
            return
        if any(seat.bot and searches(seat.bot) for seat in table.seats):
            self._compiler.begin(table.game)
        if table.dealing and live.dealer is None:
            live.dealer = asyncio.create_task(self._deal(live))
        elif live.dealer is not None and not table.dealing:
            live.dealer.cancel()
        if table.turn is None or not table.seats[table.turn].bot or live.robot is not None:
            return
        live.robot = asyncio.create_task(self._play_bots(live))

    async def _deal(self, live: Live) -> None:
        """Deal without the shares that aren't revealed in time."""
        try:
            while not live.dropped and live.table.dealing:
                await asyncio.sleep(REVEAL_SECONDS)
                try:
                    await self.act(live, commands.deal)
                except RedoubleError as error:
                    _log.error("table %s can't be dealt: %s", live.table.header.token, error)
        finally:
            live.dealer = None

    async def _play_bots(self, live: Live) -> None:
        """Play as long as it is a bot's turn."""
        try:
            while not live.dropped and (seat := live.table.turn) is not None:
                if not live.table.seats[seat].bot:
                    return
                try:
                    waited = await self._wait_for_others(live)
                    await self._play_bot(live, seat, waited)
                except Stale:
                    continue
                except Exception as error:  # the others wait for this seat: try again
                    _log.error("table %s: its bot can't move: %s", live.table.header.token, error)
                    await asyncio.sleep(RETRY_SECONDS)
        finally:
            live.robot = None
            self._wake_robot(live)

    async def _wait_for_others(self, live: Live) -> float:
        """Give the servers that come first the time for a bot's move; return the seconds it took.

        Raises :class:`Stale` once one of them has made it.
        """
        if not (rank := self.rank(live.table.header.token)):
            return 0.0
        clock, ply = asyncio.get_running_loop().time, live.table.ply
        begun, pace = clock(), PACES[live.table.pace]
        await live.pause_over()
        while clock() - begun < rank * (pace + PATIENCE_SECONDS):
            if live.table.ply != ply or live.dropped or self.closing.is_set():
                raise Stale("another server has moved")
            await asyncio.sleep(0.05)
        return clock() - begun

    async def _play_bot(self, live: Live, seat: int, waited: float = 0.0) -> None:
        """Make the move of the bot at a seat, at its deadline, if it is still its turn then.

        With a choice or without, it waits for the same things, so that the time tells nothing.
        What it has ``waited`` before counts.
        """
        table, clock = live.table, asyncio.get_running_loop().time
        bot = self.bots.at_table(table.seats[seat].bot)
        if searches(bot.name):
            await self._prepare(live)
        await live.pause_over()
        begun = clock()
        chance = own_chance(table.match.seed, seat, table.match.ply)
        pool = self._searching if searches(bot.name) else self.quick
        action = await pool.run(bot.choose, table.match.observation(), chance)
        self._deadlines.note(bot, clock() - begun)
        seconds = self._deadlines.seconds(table.pace, bot)
        if _bots_alone(live):
            seconds = max(seconds, self._limits.bot_table_milliseconds / 1000)
        await asyncio.sleep(begun + seconds - waited - clock())
        await self.act(live, _if_unmoved(table, seat, action))

    async def _prepare(self, live: Live) -> None:
        """Load the code of the search; the pages say so if that takes a while."""
        loading = asyncio.ensure_future(self._compiler.load(live.table.game))
        try:
            await asyncio.wait_for(asyncio.shield(loading), NOTICEABLE)
        except TimeoutError:
            live.preparing = True
            live.touch()
            try:
                await loading
            finally:
                live.preparing = False
                live.touch()


def _ignore(line: str) -> None:
    """Tell nobody."""


def _first(token: str) -> int:
    """Let no other server come first."""
    return 0


def _with_entries(table: Table, entries: Iterable[Entry]) -> Table:
    """Return a table with more entries. Raises :class:`NotFound` if they don't apply."""
    longer = table.copy()
    try:
        for entry in entries:
            apply(longer, entry)
    except RedoubleError as error:
        raise NotFound(f"this table can't be loaded: {error}") from error
    return longer


def _bots_alone(live: Live) -> bool:
    return all(seat.bot and not seat.person for seat in live.table.seats)


def _part_in_deal(
    plan: TablePlan, seats: Sequence[Seat]
) -> events.GiveShare | events.PromiseShare | None:
    """Return the host's part in a fair deal: a promise while friends are awaited, else a share."""
    mine = [number for number, seat in enumerate(plan.seats) if seat.kind in ("me", "here")]
    if not mine:
        return None
    if plan.promise and any(seat.open for seat in seats):
        promise = commands.checked_digits(plan.promise, "promise")
        return events.PromiseShare(seat=mine[0], promise=promise)
    return _share(mine[0], plan.share)


def _share(seat: int, share: str) -> events.GiveShare | None:
    if not share:
        return None
    return events.GiveShare(seat=seat, share=commands.checked_digits(share, "share"))


def rematch_offer(table: Table) -> str:
    """Return the id of the offer for a table's rematch, the same on all its pages."""
    return f"rematch {table.header.token}"


def _move_from(move: str, ply: int) -> Command:
    return lambda table: commands.move(table, 0, move, ply)


def new_seed(seats: int) -> str:
    """Return a new seed: a deal's number in a solitaire game, else ``FAIR``."""
    return str(secrets.randbelow(DEALS) + 1) if seats == 1 else FAIR


def _seed(plan: TablePlan) -> str:
    return new_seed(len(plan.seats)) if plan.seed is None else clean_seed(plan.seed)


def clean_seed(seed: str) -> str:
    """Return the name of a deal without outer spaces. Raises :class:`WebError`."""
    seed = seed.strip()
    if not seed or len(seed) > SEED_LENGTH or not seed.isprintable():
        raise WebError(f"the deal's name is empty or too long: use 1 to {SEED_LENGTH} characters")
    return seed


def _check_no_file(plan: TablePlan) -> None:
    """Refuse options that name a file: the network mustn't read this machine's files."""
    lines = {option.name for option in plan.game.options if isinstance(option, Data)}
    for name, value in plan.options.items():
        if isinstance(value, str) and name.replace("_", "-") in lines:
            raise WebError(f"option {name} can't be a file here: give a list of its lines")


def _if_unmoved(seen: Table, seat: int, action: int) -> Command:
    """Return the move of a bot that looked at ``seen``; it is refused if things have changed."""

    def command(table: Table) -> list[Event]:
        same_bot = table.seats[seat].bot == seen.seats[seat].bot
        if table.last_move != seen.last_move or table.turn != seat or not same_bot:
            raise Stale("the table has changed while the bot was thinking")
        return commands.bot_move(table, action)

    return command


def _seats(host: Person, plans: Sequence[SeatPlan]) -> Iterable[Seat]:
    """Yield the seats of a new table, each with a unique name."""
    taken: set[str] = set()
    bots = iter([name for name in BOT_NAMES if name != host.name])
    if sum(plan.kind == "me" for plan in plans) > 1:
        raise WebError("you can only take one seat: give other players on your device their own")
    for i, plan in enumerate(plans):
        if plan.kind == "me":
            seat = Seat(host.name, host.id)
        elif plan.kind == "here":
            seat = Seat(clean_name(plan.name or f"Player {i + 1}"), host.id)
        elif plan.kind == "friend":
            seat = Seat(open_seat(i))
        elif plan.kind == "bot":
            seat = Seat(next(bots, f"Bot {i + 1}"), bot=plan.bot)
        else:
            raise WebError(f"seat kind {plan.kind!r} is unknown: use me, here, friend or bot")
        name, number = seat.name, 2
        while name in taken:
            name, number = f"{seat.name} {number}", number + 1
        taken.add(name)
        yield replace(seat, name=name)
