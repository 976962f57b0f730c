"""The authority on tables: makes them, loads them, changes them one command at a time.

Every change goes the same way: under the table's lock a command is checked, a copy of the table
takes its entries in, they are written, and only when they are on the disk does the copy take the
table's place and anybody hear of it. What the database refuses is as if it had never been.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections import Counter
from collections.abc import (
    AsyncGenerator,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from redouble.analysis.finish import finishing_moves
from redouble.bots import BOT_NAMES, BOTS, own_chance
from redouble.bots.levels import USUAL_LEVEL, searches
from redouble.contract.game import Game
from redouble.contract.options import Data
from redouble.kernel.errors import RedoubleError
from redouble.web import queries
from redouble.web.compiler import Compiler
from redouble.web.errors import NotFound, NotYours, Stale, StoreError, TooMuch, WebError
from redouble.web.people import Person, clean_name
from redouble.web.store import Job, Store, T
from redouble.web.table import (
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
from redouble.web.table.pace import Deadlines

Command = Callable[[Table], list[Event]]

AWAY_SECONDS = 30.0
"""Whoever has shown no sign for so long, and whose page is not open, is away."""
IDLE_SECONDS = 120.0
"""A table that nobody looks at is put away after so long; the next visit loads it again."""
HEARTBEAT = 15.0
"""Seconds after which a stream says that it is still there."""
FINISH_PACE = 0.15
"""Seconds between the moves of a game that finishes itself."""
RETRY_SECONDS = 5.0
"""A bot whose move could not be written tries again after so long."""
DEALS = 1_000_000
SEED_LENGTH = 40
MAX_ENTRIES = 20_000
"""A log of this length is full: it takes only events that end the game."""
MAX_UNFINISHED = 200
"""Tables a person can have running at the same time."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SeatPlan:
    """Who shall sit on a seat of a new table.

    ``kind`` is ``me``, ``here`` (somebody else at the same device), ``friend`` or ``bot``.
    """

    kind: str
    name: str = ""
    bot: str = USUAL_LEVEL


@dataclass(frozen=True)
class Plan:
    """A table that somebody wants."""

    game: Game
    seats: Sequence[SeatPlan]
    options: Mapping[str, Any] = field(default_factory=dict)
    public: bool = False
    seed: str | None = None
    """Only in a game for one: whoever knows the seed knows every card."""
    pace: str | None = None
    before: str = ""


class Live:
    """A table in memory, who looks at it, and what was drawn of it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.lock = asyncio.Lock()
        self.drawn: dict[Any, Any] = {}
        """Drawings of the table as it stands, by whoever draws: emptied at every change."""
        self.version = 0
        """Counts all that pages show: the log, and who is away."""
        self.used = time.monotonic()
        self.robot: asyncio.Task[None] | None = None
        self.dropped = False
        """Whether the table is kept here no more: its streams end, its bots rest."""
        self._wakers: set[asyncio.Event] = set()
        self._present: Counter[str] = Counter()
        self._since = time.monotonic()
        self._seen: dict[str, float] = {}
        self._absent: frozenset[int] = frozenset()

    @property
    def watched(self) -> bool:
        """Whether anybody has the table open."""
        return bool(self._wakers)

    def touch(self) -> None:
        """Something that pages show has changed."""
        self.version += 1
        self._absent = self.absent()
        self.drawn.clear()
        for waker in self._wakers:
            waker.set()

    def saw(self, person: Person | None) -> None:
        """A person has asked for something: a sign of life."""
        self.used = time.monotonic()
        if person is not None and self.table.seats_of(person.id):
            was_away = self._is_away(person.id)
            self._seen[person.id] = time.monotonic()
            if was_away:
                self.touch()

    def away(self, seat: int) -> bool:
        """Whether the person who plays a seat shows no sign of life."""
        person = self.table.seats[seat].person
        return person is not None and self._is_away(person)

    def absent(self) -> frozenset[int]:
        """The seats whose players show no sign of life."""
        return frozenset(i for i in range(len(self.table.seats)) if self.away(i))

    def look_around(self) -> None:
        """Tell the pages when somebody has gone: nobody does anything then that would tell."""
        if self.absent() != self._absent:
            self.touch()

    def _is_away(self, person: str) -> bool:
        silent = time.monotonic() - self._seen.get(person, self._since)
        return not self._present[person] and silent > AWAY_SECONDS

    @contextlib.contextmanager
    def watch(self, person: Person | None) -> Iterator[asyncio.Event]:
        """While it lasts, the event that is given is set at every change."""
        waker = asyncio.Event()
        self._wakers.add(waker)
        if person is not None:
            self.saw(person)
            self._present[person.id] += 1
        try:
            yield waker
        finally:
            self._wakers.discard(waker)
            self.used = time.monotonic()
            if person is not None:
                self._present[person.id] -= 1
                self._seen[person.id] = time.monotonic()


class Tables:
    """All tables of a store."""

    def __init__(self, store: Store, compiler: Compiler) -> None:
        self._store = store
        self._compiler = compiler
        self._deadlines = Deadlines()
        self._live: dict[str, Live] = {}
        self._loading: dict[str, asyncio.Task[Live]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._rematching = asyncio.Lock()
        self._rewriting = asyncio.Lock()
        self.closing = asyncio.Event()
        """Set when the server stops: streams end."""

    def __len__(self) -> int:
        """Tables in memory."""
        return len(self._live)

    async def create(self, host: Person, plan: Plan) -> Live:
        """Make a table. Raises a ``RedoubleError`` when the plan is not valid."""
        if plan.seed is not None and len(plan.seats) > 1:
            raise WebError("only a game for one has a deal of its own choosing: others would know")
        if plan.pace is not None:
            check_pace(plan.pace)
        plan.game.check_seats(len(plan.seats))
        _check_names_no_file(plan)
        options = plan.game.check_options(len(plan.seats), plan.options)
        rows = await self._store.run(
            lambda c: queries.unfinished(c, host.id, MAX_UNFINISHED),
        )
        if len(rows) >= MAX_UNFINISHED:
            raise TooMuch(f"you have {len(rows)} unfinished tables: end some of them first")
        now = time.time()
        header = Header(
            token=secrets.token_urlsafe(12),
            invite=secrets.token_urlsafe(16),
            game=plan.game,
            options=options,
            seed=new_seed(len(plan.seats)) if plan.seed is None else clean_seed(plan.seed),
            seats=tuple(_seats(host, plan.seats)),
            host=host.id,
            public=plan.public,
            created=now,
            before=plan.before,
        )
        table, begun = _begun(header, plan.pace or USUAL_PACE)
        await self._store.run(lambda c: _keep(c, table, begun))
        live = self._live[header.token] = Live(table)
        live.saw(host)
        self._wake_robot(live)
        return live

    async def get(self, token: str) -> Live:
        """The table of this token, from memory or loaded. Raises :class:`NotFound`."""
        if (live := self._live.get(token)) is None:
            if token not in self._loading:
                self._loading[token] = asyncio.create_task(self._load(token))
            live = await asyncio.shield(self._loading[token])
        live.used = time.monotonic()
        return live

    async def invited(self, invite: str) -> Live:
        """The table that an invitation is for. Raises :class:`NotFound`."""
        return await self.get(await self._store.run(lambda c: queries.token_of_invite(c, invite)))

    async def act(self, live: Live, command: Command, also: Job[None] | None = None) -> list[Entry]:
        """Carry out a command; what it logged, once that is on the disk, with the job ``also``.

        Raises what the command raises, :class:`Stale` when another server wrote to the table, and
        :class:`StoreError`; then nothing has changed. It goes to its end even when nobody waits.
        """
        return await self._to_its_end(self._act(live, command, also))

    async def rematch(self, live: Live, person: Person) -> Live:
        """A new table with the same seats, options and pace; the same one for all who ask."""
        async with self._rematching:
            table = live.table
            if not table.over:
                raise Stale("the game still runs; a rematch begins when it is over")
            if not table.seats_of(person.id) and person.id != table.header.host:
                raise NotYours("only those who played can have a rematch")
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
                token=secrets.token_urlsafe(12),
                invite=secrets.token_urlsafe(16),
                seed=new_seed(table.match.seats),
                seats=tuple(seats),
                created=time.time(),
                before=header.token,
            )
            new, begun = _begun(again, table.pace)
            await self.act(
                live,
                lambda t: commands.begin_rematch(t, again.token),
                also=lambda c: _keep(c, new, begun),
            )
        return await self.get(again.token)

    def finish(self, live: Live) -> None:
        """Let a game for one that is won play itself to the end, move by move, so that it is seen.

        Raises :class:`Stale` when it cannot: not everything is known, or it is not won.
        """
        moves = finishing_moves(live.table.match)
        if not moves:
            raise Stale("this game cannot finish itself: not everything is known, or it is lost")
        task = asyncio.create_task(self._finish(live, moves, live.table.ply))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _finish(self, live: Live, moves: Sequence[str], ply: int) -> None:
        for move in moves:
            if live.table.ply != ply or self.closing.is_set():
                return  # somebody has done something else meanwhile
            try:
                await self.act(live, _move_from(move, ply))
            except RedoubleError:
                return
            ply += 1
            await asyncio.sleep(FINISH_PACE)

    async def rewrite(self, tokens: Iterable[str], job: Job[T]) -> T:
        """Do a job that rewrites or deletes tables' rows; nothing is done at them meanwhile.

        Open pages of them show what was made of them. Raises what the job raises. It goes to its
        end even when nobody waits.
        """
        return await self._to_its_end(self._rewrite(frozenset(tokens), job))

    async def _rewrite(self, tokens: frozenset[str], job: Job[T]) -> T:
        async with self._rewriting, contextlib.AsyncExitStack() as held:
            lives: list[Live] = []
            while live := await self._one_of(tokens - {one.table.header.token for one in lives}):
                await held.enter_async_context(live.lock)
                lives.append(live)
            done = await self._store.run(job)
            for live in lives:
                try:
                    await self._catch_up(live)
                except StoreError:
                    self._drop(live)  # the next visit tries again
        for live in lives:
            self._wake_robot(live)
        return done

    async def _one_of(self, tokens: frozenset[str]) -> Live | None:
        """One of these tables that is in memory or about to be; None when none is."""
        for token in tokens & self._loading.keys():
            with contextlib.suppress(WebError):
                await asyncio.shield(self._loading[token])
        return next((self._live[token] for token in tokens & self._live.keys()), None)

    async def sweep(self, every: float = 30.0) -> None:
        """Put away, for as long as the server runs, the tables that nobody looks at."""
        while True:
            await asyncio.sleep(every)
            self.put_away(IDLE_SECONDS)

    def put_away(self, idle: float) -> None:
        """Drop tables from memory that have rested for ``idle`` seconds."""
        now = time.monotonic()
        for token, live in list(self._live.items()):
            busy = live.watched or live.lock.locked() or live.robot is not None
            if not busy and now - live.used >= idle:
                del self._live[token]

    async def close(self) -> None:
        """Stop the bots and end the streams; what was begun is written first."""
        self.closing.set()
        self.wake_all()
        for live in self._live.values():
            if live.robot is not None:
                live.robot.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)

    def wake_all(self) -> None:
        """Let every stream look up."""
        for live in self._live.values():
            live.touch()

    async def changes(self, live: Live, person: Person | None) -> AsyncGenerator[bool, None]:
        """Yields True at once and after each change, False when nothing happened for a while."""
        with live.watch(person) as waker:
            yield True
            while not self.closing.is_set() and not live.dropped:
                try:
                    await asyncio.wait_for(waker.wait(), HEARTBEAT)
                except TimeoutError:
                    live.look_around()
                    yield False
                    continue
                waker.clear()
                if not self.closing.is_set() and not live.dropped:
                    yield True

    async def _to_its_end(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for work that goes on when whoever waits for it has gone."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def _load(self, token: str) -> Live:
        try:
            live = self._live[token] = Live(await self._stored(token))
            self._wake_robot(live)
            return live
        finally:
            del self._loading[token]

    async def _stored(self, token: str) -> Table:
        header, entries = await self._store.run(lambda c: queries.stored(c, token))
        return await asyncio.to_thread(queries.folded, header, entries)  # a log can be long

    async def _act(self, live: Live, command: Command, also: Job[None] | None) -> list[Entry]:
        async with live.lock:
            now = time.time()
            caused = command(live.table)
            if not caused:
                return []
            full = live.table.ply >= MAX_ENTRIES
            if full and not all(event.allowed_when_full for event in caused):
                raise TooMuch("this table's log is full: play the game to its end, or resign")
            entries = [Entry(ply, now, event) for ply, event in enumerate(caused, live.table.ply)]
            table = live.table.copy()  # nobody sees it before it is written
            for entry in entries:
                apply(table, entry)

            def job(connection: sa.Connection) -> None:
                queries.append(connection, table, entries)
                if also is not None:
                    also(connection)

            try:
                await self._store.run(job)
            except IntegrityError as error:
                await self._catch_up(live)
                raise Stale("somebody was faster: look again before you play") from error
            live.table = table
            live.touch()
        self._wake_robot(live)
        return entries

    async def _catch_up(self, live: Live) -> None:
        """Take what the database has, when somebody else has written there or deleted the table."""
        try:
            live.table = await self._stored(live.table.header.token)
        except NotFound:
            self._drop(live)
        live.touch()

    def _drop(self, live: Live) -> None:
        self._live.pop(live.table.header.token, None)
        live.dropped = True
        live.touch()

    def _wake_robot(self, live: Live) -> None:
        turn = live.table.turn
        if turn is None or not live.table.seats[turn].bot or live.robot is not None:
            return
        if live.dropped or self.closing.is_set():
            return
        live.robot = asyncio.create_task(self._play_bots(live))

    async def _play_bots(self, live: Live) -> None:
        """Play as long as it is a bot's turn."""
        try:
            while not live.dropped and (seat := live.table.turn) is not None:
                if not live.table.seats[seat].bot:
                    return
                try:
                    await self._play_bot(live, seat)
                except Stale:
                    continue
                except Exception as error:  # the others wait for this seat: try again
                    _log.error("table %s: its bot cannot move: %s", live.table.header.token, error)
                    await asyncio.sleep(RETRY_SECONDS)
        finally:
            live.robot = None
            self._wake_robot(live)

    async def _play_bot(self, live: Live, seat: int) -> None:
        """Make the move of the bot at a seat, at its deadline, if it is still its turn then.

        With a choice or without, it waits for the same things, so that the time tells nothing.
        """
        table, clock = live.table, asyncio.get_running_loop().time
        bot = BOTS[table.seats[seat].bot]
        if searches(bot.name):
            await self._compiler.load(table.game)
        begun = clock()
        chance = own_chance(table.match.seed, seat, table.match.ply)
        action = await asyncio.to_thread(bot.choose, table.match.observation(), chance)
        self._deadlines.note(bot, clock() - begun)
        await asyncio.sleep(begun + self._deadlines.seconds(table.pace, bot) - clock())
        await self.act(live, _if_unmoved(table, seat, action))


def _begun(header: Header, pace: str) -> tuple[Table, list[Entry]]:
    """A new table at which bots play at this pace, and what its log begins with."""
    table = Table(header)
    begun = [] if pace == table.pace else [events.SetPace(seat=events.TABLE, pace=pace)]
    entries = [Entry(ply, header.created, event) for ply, event in enumerate(begun)]
    for entry in entries:
        apply(table, entry)
    return table, entries


def _keep(connection: sa.Connection, table: Table, entries: Sequence[Entry]) -> None:
    queries.insert(connection, table)
    if entries:
        queries.append(connection, table, entries)


def _move_from(move: str, ply: int) -> Command:
    return lambda table: commands.move(table, 0, move, ply)


def new_seed(seats: int) -> str:
    """A deal's number in a game for one, so that people can talk about it; else unguessable."""
    return str(secrets.randbelow(DEALS) + 1) if seats == 1 else secrets.token_hex(16)


def clean_seed(seed: str) -> str:
    """The name of a deal. Raises :class:`WebError`."""
    seed = seed.strip()
    if not seed or len(seed) > SEED_LENGTH or not seed.isprintable():
        raise WebError(f"a deal's number or name has 1 to {SEED_LENGTH} characters")
    return seed


def _check_names_no_file(plan: Plan) -> None:
    """Nobody on the network may have a file of this machine read: options are its lines."""
    lines = {option.name for option in plan.game.options if isinstance(option, Data)}
    for name, value in plan.options.items():
        if isinstance(value, str) and name.replace("_", "-") in lines:
            raise WebError(f"option {name} cannot be a file's name here: give a list of its lines")


def _if_unmoved(seen: Table, seat: int, action: int) -> Command:
    """Return the move of a bot that looked at ``seen``; it is refused if things have changed."""

    def command(table: Table) -> list[Event]:
        same_bot = table.seats[seat].bot == seen.seats[seat].bot
        if table.last_move != seen.last_move or table.turn != seat or not same_bot:
            raise Stale("the table has changed while the bot was thinking")
        return commands.bot_move(table, action)

    return command


def _seats(host: Person, plans: Sequence[SeatPlan]) -> Iterable[Seat]:
    """The seats of a new table, every name once."""
    taken: set[str] = set()
    bots = iter([name for name in BOT_NAMES if name != host.name])
    if sum(plan.kind == "me" for plan in plans) > 1:
        raise WebError("you can sit on one seat; others at your device have seats of their own")
    for i, plan in enumerate(plans):
        if plan.kind == "me":
            seat = Seat(host.name, host.id)
        elif plan.kind == "here":
            seat = Seat(clean_name(plan.name or f"Player {i + 1}"), host.id)
        elif plan.kind == "friend":
            seat = Seat(open_seat(i))
        elif plan.kind == "bot":
            BOTS[plan.bot]
            seat = Seat(next(bots, f"Bot {i + 1}"), bot=plan.bot)
        else:
            raise WebError(f"a seat cannot be {plan.kind!r}: give me, here, friend or bot")
        name, number = seat.name, 2
        while name in taken:
            name, number = f"{seat.name} {number}", number + 1
        taken.add(name)
        yield replace(seat, name=name)
