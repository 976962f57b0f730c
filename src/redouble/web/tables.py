"""The authority on tables: makes them, loads them, changes them one command at a time.

Every change goes the same way: under the table's lock a command is checked, its entries are taken
in and written, and only when they are on the disk does anybody hear of them. What the database
refuses is as if it had never been.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy.exc import IntegrityError

from redouble.bots import BOT_NAMES, bot_named, own_chance
from redouble.game import Game
from redouble.match import Match
from redouble.web import ledger
from redouble.web.errors import NotYours, Stale, StoreError, TooMuch, WebError
from redouble.web.people import Person, clean_name
from redouble.web.solitaire import finishing_moves
from redouble.web.store import Store
from redouble.web.table import PACES, Entry, Header, Seat, Table

Command = Callable[[Table], list[Entry]]

USUAL_BOT = "greedy"
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
MAX_UNFINISHED = 200
"""Tables a person can have running at the same time."""
_SEATING = {"sit", "leave", "bot", "back", "resign"}


@dataclass(frozen=True)
class SeatPlan:
    """Who shall sit on a seat of a new table.

    ``kind`` is ``me``, ``here`` (somebody else at the same device), ``friend`` or ``bot``.
    """

    kind: str
    name: str = ""
    bot: str = USUAL_BOT


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
        self._wakers: set[asyncio.Event] = set()
        self._present: Counter[str] = Counter()
        self._seen: dict[str, float] = {}

    @property
    def watched(self) -> bool:
        """Whether anybody has the table open."""
        return bool(self._wakers)

    def touch(self) -> None:
        """Something that pages show has changed."""
        self.version += 1
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
                with contextlib.suppress(RuntimeError):  # the loop is closing
                    asyncio.get_running_loop().call_later(AWAY_SECONDS + 1, self._look_again)

    _since = 0.0

    def _look_again(self) -> None:
        if self._wakers:
            self.touch()


class Tables:
    """All tables of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._live: dict[str, Live] = {}
        self._loading: dict[str, asyncio.Task[Live]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._rematching = asyncio.Lock()
        self.closing = asyncio.Event()
        """Set when the server stops: streams end."""

    def __len__(self) -> int:
        """Tables in memory."""
        return len(self._live)

    async def create(self, host: Person, plan: Plan) -> Live:
        """Make a table. Raises a :class:`~redouble.errors.RedoubleError` when it cannot be had."""
        if plan.seed is not None and len(plan.seats) > 1:
            raise WebError("only a game for one has a deal of its own choosing: others would know")
        options = plan.game.check_options(len(plan.seats), plan.options)
        plan.game.check_seats(len(plan.seats))
        rows = await self._store.run(
            lambda c: ledger.unfinished(c, host.id, MAX_UNFINISHED),
        )
        if len(rows) >= MAX_UNFINISHED:
            raise TooMuch(f"you have {len(rows)} unfinished tables: end some of them first")
        now = time.time()
        header = Header(
            token=secrets.token_urlsafe(12),
            invite=secrets.token_urlsafe(16),
            game=plan.game,
            options=options,
            seed=_new_seed(len(plan.seats)) if plan.seed is None else clean_seed(plan.seed),
            seats=tuple(_seats(host, plan.seats)),
            host=host.id,
            public=plan.public,
            created=now,
            before=plan.before,
        )
        Match(header.game, [seat.name for seat in header.seats], header.seed, options)  # it deals
        live = Live(Table(header))
        await self._store.run(lambda c: ledger.insert(c, live.table))
        self._live[header.token] = live
        live.saw(host)
        if plan.pace is not None:
            await self.act(live, lambda table: table.set_pace(host.id, plan.pace or ""))
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
        return await self.get(await self._store.run(lambda c: ledger.token_of_invite(c, invite)))

    async def act(self, live: Live, command: Command) -> list[Entry]:
        """Carry out a command; what it logged, once that is on the disk.

        Raises what the command raises, :class:`Stale` when another server wrote to the table, and
        :class:`StoreError`; then nothing has changed. It goes to its end even when nobody waits.
        """
        task = asyncio.create_task(self._act(live, command))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def rematch(self, live: Live, person: Person) -> Live:
        """A new table with the same seats, options and pace; the same one for all who ask."""
        table = live.table
        if not table.over:
            raise Stale("the game still runs; a rematch begins when it is over")
        if not table.seats_of(person.id) and person.id != table.header.host:
            raise NotYours("only those who played can have a rematch")
        async with self._rematching:
            if table.rematch:
                return await self.get(table.rematch)
            header = table.header
            seats = [replace(seat, bot="") if seat.person else seat for seat in table.seats]
            seats = [
                replace(seat, resigned=False, bot=seat.bot or ("" if seat.person else USUAL_BOT))
                for seat in seats
            ]
            now = time.time()
            new = Live(
                Table(
                    replace(
                        header,
                        token=secrets.token_urlsafe(12),
                        invite=secrets.token_urlsafe(16),
                        seed=_new_seed(table.match.seats),
                        seats=tuple(seats),
                        created=now,
                        before=header.token,
                    )
                )
            )
            await self._store.run(lambda c: ledger.insert(c, new.table))
            self._live[new.table.header.token] = new
            await self.act(live, lambda t: t.go_on_at(new.table.header.token))
        if table.pace != new.table.pace:
            await self.act(new, lambda t: t.set_pace(person.id, table.pace))
        self._wake_robot(new)
        return new

    def finish(self, live: Live) -> None:
        """Let a game for one that is won play itself to the end, move by move, so that it is seen.

        Raises :class:`Stale` when it cannot: not everything is known, or it is not won.
        """
        moves = finishing_moves(live.table.match)
        if not moves:
            raise Stale("this game cannot finish itself: not everything is known, or it is lost")
        task = asyncio.create_task(self._finish(live, moves))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _finish(self, live: Live, moves: Sequence[str]) -> None:
        ply = live.table.ply
        for move in moves:
            if live.table.ply != ply or self.closing.is_set():
                return  # somebody has done something else meanwhile
            try:
                await self.act(live, _move_from(move, ply))
            except WebError:
                return
            ply += 1
            await asyncio.sleep(FINISH_PACE)

    async def reload(self, tokens: Iterable[str]) -> None:
        """Drop tables whose rows were rewritten; open pages of them load them anew."""
        for token in tokens:
            live = self._live.pop(token, None)
            if live is None:
                continue
            if live.robot is not None:
                live.robot.cancel()
            with contextlib.suppress(WebError):
                live.table = await self._stored(token)
                self._live[token] = live
                self._wake_robot(live)
            live.touch()

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

    async def changes(self, live: Live, person: Person | None) -> AsyncIterator[bool]:
        """Yields True at once and after each change, False when nothing happened for a while."""
        with live.watch(person) as waker:
            yield True
            while not self.closing.is_set():
                try:
                    await asyncio.wait_for(waker.wait(), HEARTBEAT)
                except TimeoutError:
                    yield False
                    continue
                waker.clear()
                yield True

    async def _load(self, token: str) -> Live:
        try:
            live = Live(await self._stored(token))
            live._since = time.monotonic()
            self._live[token] = live
            self._wake_robot(live)
            return live
        finally:
            del self._loading[token]

    async def _stored(self, token: str) -> Table:
        return await self._store.run(lambda c: ledger.load(c, token))

    async def _act(self, live: Live, command: Command) -> list[Entry]:
        async with live.lock:
            table = live.table
            now = time.time()
            entries = [replace(entry, at=now) for entry in command(table)]
            if not entries:
                return []
            for entry in entries:
                table.apply(entry)
            seated = any(entry.kind in _SEATING for entry in entries)
            try:
                await self._store.run(lambda c: ledger.append(c, table, entries, seated))
            except Exception as error:
                await self._take_back(live)
                if isinstance(error, IntegrityError):
                    raise Stale("somebody was faster: look again before you play") from error
                raise
        live.touch()
        self._wake_robot(live)
        return entries

    async def _take_back(self, live: Live) -> None:
        """After a write that failed: what the database has is what was played."""
        token = live.table.header.token
        try:
            live.table = await self._stored(token)
        except WebError:  # not even reading works: the next visit tries again
            self._live.pop(token, None)
        live.touch()

    def _wake_robot(self, live: Live) -> None:
        turn = live.table.turn
        if turn is None or not live.table.seats[turn].bot or live.robot is not None:
            return
        live.robot = asyncio.create_task(self._play_bots(live))

    async def _play_bots(self, live: Live) -> None:
        """Play on while bots are on turn, each after the table's pace."""
        try:
            while (turn := live.table.turn) is not None and live.table.seats[turn].bot:
                await asyncio.sleep(PACES[live.table.pace])
                async with live.lock:
                    match = live.table.match
                    if live.table.turn != turn or not live.table.seats[turn].bot:
                        continue
                    sight = match.sight()
                    bot = bot_named(live.table.seats[turn].bot)
                    chance = own_chance(match.seed, turn, match.ply)
                    at = live.table.last_move
                action = await asyncio.to_thread(bot.choose, sight, chance)
                try:
                    await self.act(live, _if_unmoved(at, action))
                except Stale:
                    continue
                except StoreError:
                    await asyncio.sleep(RETRY_SECONDS)
        finally:
            live.robot = None
            if not self.closing.is_set():
                self._wake_robot(live)


def _move_from(move: str, ply: int) -> Command:
    return lambda table: table.move(0, move, ply)


def _new_seed(seats: int) -> str:
    """A deal's number in a game for one, so that people can talk about it; else unguessable."""
    return str(secrets.randbelow(DEALS) + 1) if seats == 1 else secrets.token_hex(16)


def clean_seed(seed: str) -> str:
    """The name of a deal. Raises :class:`WebError`."""
    seed = seed.strip()
    if not seed or len(seed) > SEED_LENGTH or not seed.isprintable():
        raise WebError(f"a deal's number or name has 1 to {SEED_LENGTH} characters")
    return seed


def _if_unmoved(at: int, action: int) -> Command:
    def command(table: Table) -> list[Entry]:
        if table.last_move != at or table.turn is None or not table.seats[table.turn].bot:
            raise Stale("the table has moved on while the bot thought")
        return table.bot_move(action)

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
            seat = Seat(f"Seat {i + 1}")
        elif plan.kind == "bot":
            bot_named(plan.bot)
            seat = Seat(next(bots, f"Bot {i + 1}"), bot=plan.bot)
        else:
            raise WebError(f"a seat cannot be {plan.kind!r}: give me, here, friend or bot")
        name, number = seat.name, 2
        while name in taken:
            name, number = f"{seat.name} {number}", number + 1
        taken.add(name)
        yield replace(seat, name=name)
