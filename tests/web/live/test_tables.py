"""Tables: what is acknowledged is on the disk, and memory equals the disk."""

import asyncio
import contextlib
import itertools
import threading
import time
import types
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa

from redouble.analysis.prepare import Purpose
from redouble.bots import BOTS
from redouble.contract.game import Game
from redouble.contract.options import Data
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.match.match import Match
from redouble.web.drawing.board import viewpoint
from redouble.web.drawing.markup.board import draw_board
from redouble.web.errors import Full, NotFound, NotYours, Stale, StoreError, TooMuch, WebError
from redouble.web.features.account import identity
from redouble.web.installed import FEATURES
from redouble.web.limits import Limits
from redouble.web.live import lists, memory, pipeline, plan, robots, table_rows, tables
from redouble.web.live.disk import Disk
from redouble.web.live.live import AWAY_SECONDS, IDLE_SECONDS, Live
from redouble.web.live.pipeline import TRIES, Command
from redouble.web.live.plan import SeatPlan, TablePlan
from redouble.web.people.people import Person
from redouble.web.store import Store, open_store, schema
from redouble.web.store.clock import CLOCK
from redouble.web.table import PACES, Entry, Event, Table, apply
from redouble.web.table.acts.bots import BotSeat, NewPace, Resigning, Return, SetPace
from redouble.web.table.acts.play import Move, make_move
from redouble.web.table.acts.seats import Leave
from redouble.web.table.acts.talk import Saying
from redouble.web.table.acts.undo import Undoing
from redouble.web.table.clocks import CONTROLS
from redouble.web.table.pace import MAX_THINKING, THINKING, Deadlines
from tests.web.helpers.house import (
    BOT,
    FRIEND,
    GAME,
    HERE,
    ME,
    House,
    first_move,
    house,
    in_house,
    run,
    until,
    writer_held,
)
from tests.web.helpers.play import asks, content


@contextlib.contextmanager
def disk_full(store: Store) -> Iterator[None]:
    """Make the database refuse more rows, as on a full disk."""

    def execute(statement: str) -> Any:
        return store.call(lambda c: c.exec_driver_sql(statement) and None).result(60)

    if store.database.folder is None:
        execute(FULL)
        for table in ("log", "tables"):
            execute(f"CREATE TRIGGER no_room BEFORE INSERT ON {table} EXECUTE FUNCTION full_disk()")
        undo = "DROP FUNCTION full_disk CASCADE"
    else:
        pages = store.call(lambda c: c.exec_driver_sql("PRAGMA page_count").scalar()).result(60)
        execute(f"PRAGMA max_page_count = {pages}")
        undo = "PRAGMA max_page_count = 1000000"
    try:
        yield
    finally:
        execute(undo)


FULL = """
CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE 'could not extend file "base/1/2": No space left' USING ERRCODE = '53100'; END $$
"""
"""What PostgreSQL says when its disk is full."""


@contextlib.contextmanager
def no_commit(store: Store) -> Iterator[None]:
    """Let every commit fail."""

    def broken(connection: sa.Connection) -> None:
        raise OSError("disk I/O error")

    sa.event.listen(store.database.engine, "commit", broken)
    try:
        yield
    finally:
        sa.event.remove(store.database.engine, "commit", broken)


async def endlessly(work: Callable[[], Awaitable[object]]) -> None:
    """Do something until the disk is full."""
    for _ in range(5000):
        await work()


# Writing.


@in_house
async def test_an_acknowledged_move_is_on_the_disk(h: House) -> None:
    live, _ = await h.of_two()
    dice = Random(1)
    while live.table.turn is not None:
        turn, move = live.table.turn, dice.choice(list(live.table.match.legal_moves))
        await h.tables.act(live, partial(make_move, seat=turn, move=move, ply=live.table.ply))
        if live.table.match.ply % 10 == 0:
            await h.check(live)
    await h.check(live)
    results = await h.store.run(lambda c: c.execute(sa.select(schema.results)).all())
    outcome = live.table.match.outcome
    assert outcome is not None
    assert [row.rank for row in sorted(results, key=lambda row: row.seat)] == list(outcome.ranks)


@in_house
async def test_moves_that_come_together_share_a_transaction(h: House) -> None:
    host = await h.people.new("Anna")
    lives = [await h.table(host, ME, HERE) for _ in range(12)]
    commits: list[sa.Connection] = []
    sa.event.listen(h.store.database.engine, "commit", commits.append)
    with writer_held(h.store):
        acts = [asyncio.create_task(h.ask(live, host, NewPace(pace="slow"))) for live in lives]
        await until(lambda: h.store.waiting == len(acts))
        assert not any(act.done() for act in acts)
        assert {live.table.pace for live in lives} == {"normal"}  # it is not visible earlier
    await asyncio.gather(*acts)
    assert len(commits) <= 2  # that of the held writer, and one for them all
    for live in lives:
        assert live.table.pace == "slow"
        await h.check(live)


@in_house
async def test_a_failing_job_does_not_affect_the_others(h: House) -> None:
    host = await h.people.new("Anna")
    live, other = await h.table(host, ME, HERE), await h.table(host, ME, HERE)
    with writer_held(h.store):
        act = asyncio.create_task(h.ask(live, host, NewPace(pace="slow")))
        await until(lambda: h.store.waiting == 1)
        wrong = h.store.call(lambda c: c.exec_driver_sql("INSERT INTO nowhere VALUES (1)") and None)
        late = asyncio.create_task(h.ask(other, host, NewPace(pace="fast")))
        await until(lambda: h.store.waiting == 3)
    await asyncio.gather(act, late)
    with pytest.raises(StoreError, match="nothing has changed"):
        wrong.result()
    await h.check(live)
    await h.check(other)


@pytest.mark.sqlite("PostgreSQL undoes a transaction only with its session: see test_postgresql.py")
@in_house
async def test_a_transaction_that_sqlite_rolls_back_is_acknowledged_to_no_one(h: House) -> None:
    """On a full or broken disk SQLite may roll everything back, not only the job that failed."""
    host = await h.people.new("Anna")
    live = await h.table(host, ME, HERE)

    def give_up(connection: sa.Connection) -> None:
        connection.exec_driver_sql("ROLLBACK")
        connection.exec_driver_sql("INSERT INTO nowhere VALUES (1)")

    with writer_held(h.store):
        act = asyncio.create_task(h.ask(live, host, NewPace(pace="slow")))
        await until(lambda: h.store.waiting == 1)
        h.store.call(give_up)
    with pytest.raises(StoreError):
        await act
    assert live.table.pace == "normal"
    await h.check(live)
    await h.ask(live, host, NewPace(pace="slow"))
    await h.check(live)


def on_page_of(table: Table, choice: int) -> Command:
    """A move on a page that shows the table as it is now."""
    seat, ply, moves = table.turn, table.ply, table.match.legal_moves
    assert seat is not None
    return lambda t: make_move(t, seat, moves[choice], ply)


@pytest.mark.shared
@in_house
async def test_of_two_moves_at_two_servers_one_is_made(one: House, two: House) -> None:
    """Who comes second is refused, and has read what the other wrote."""
    here, _ = await one.of_two()
    there = await two.tables.get(here.table.header.token)
    page, version = there.table, there.version
    await one.tables.act(here, on_page_of(page, 0))
    with pytest.raises(Stale, match="the position has changed"):
        await two.tables.act(there, on_page_of(page, -1))
    assert there.version > version
    assert content(there.table) == content(here.table)
    for _ in range(6):
        ply = here.table.ply
        acts = [
            one.tables.act(here, on_page_of(here.table, 0)),
            two.tables.act(there, on_page_of(there.table, -1)),
        ]
        done = await asyncio.gather(*acts, return_exceptions=True)
        made = [one for one in done if isinstance(one, list) and one]
        assert len(made) == 1, done
        assert all(isinstance(one, (list, Stale)) for one in done)
        for h, live in ((one, here), (two, there)):
            await h.tables.memory.reload([live.table.header.token])
            assert live.table.ply == ply + 1
            await h.check(live)


@pytest.mark.shared
@in_house
async def test_commands_at_two_servers_that_both_hold_are_both_carried_out(
    one: House, two: House
) -> None:
    here, (anna, ben) = await one.of_two()
    there = await two.tables.get(here.table.header.token)
    for _ in range(3):
        ply = here.table.ply
        await asyncio.gather(
            one.ask(here, anna, Saying(text="tea?", seat=0)),
            two.ask(there, ben, Saying(text="yes", seat=1)),
        )
        await one.tables.memory.reload([here.table.header.token])
        await two.tables.memory.reload([here.table.header.token])
        assert here.table.ply == there.table.ply == ply + 2
        await one.check(here)
        await two.check(there)


@pytest.mark.shared
@in_house
async def test_who_is_overtaken_every_time_is_told(one: House, two: House) -> None:
    here, (anna, ben) = await one.of_two()
    there = await two.tables.get(here.table.header.token)
    asked = 0

    def slow(table: Table) -> list[Event]:
        """A command that another server always overtakes."""
        nonlocal asked
        asked += 1
        pace = "slow" if asked % 2 else "fast"
        more = longer(table, anna, pace)
        one.store.call(lambda c: table_rows.append(c, *more)).result()
        return asks(ben.id, Saying(text="wait"))(table)

    with pytest.raises(Stale, match="other players moved first"):
        await two.tables.act(there, slow)
    assert asked == TRIES
    await two.check(there)


def longer(table: Table, person: Person, pace: str) -> tuple[Table, list[Entry]]:
    """The table with one entry more, and that entry."""
    (event,) = asks(person.id, NewPace(pace=pace))(table)
    entry = Entry(table.ply, 2.0, event)
    table = table.copy()
    apply(table, entry)
    return table, [entry]


@pytest.mark.shared
@in_house
async def test_a_move_at_a_table_that_another_server_rewrites_is_checked_again(
    one: House, two: House
) -> None:
    """Otherwise the log would keep what was to be deleted."""
    here, (anna, ben) = await one.of_two()
    there = await two.tables.get(here.table.header.token)
    tokens = [here.table.header.token]
    await one.tables.rewrite(tokens, lambda c: identity.rename(c, anna.id, "Annabel"))
    await two.ask(there, ben, Saying(text="hello", seat=1))
    assert there.table.seats[0].name == "Annabel"
    await two.check(there)
    await one.tables.rewrite(tokens, lambda c: delete_table(c, tokens[0]))
    with pytest.raises(NotFound, match="was deleted"):
        await two.ask(there, ben, Saying(text="bye", seat=1))
    assert there.dropped


def delete_table(connection: sa.Connection, token: str) -> None:
    connection.execute(sa.delete(schema.tables).where(schema.tables.c.token == token))


# A full disk.


@in_house
async def test_on_a_full_disk_nothing_is_acknowledged_or_applied(h: House) -> None:
    live, people = await h.of_two()
    with disk_full(h.store):
        pace = itertools.cycle(("fast", "slow"))
        with pytest.raises(StoreError, match=r"nothing has changed: ") as refused:
            await endlessly(lambda: h.ask(live, people[0], NewPace(pace=next(pace))))
        in_file = h.store.database.folder is not None
        assert ("is full" if in_file else "the operator's log says more") in str(refused.value)
        assert str(h.store.database.folder) not in str(refused.value)
        assert "base/1/2" not in str(refused.value)
        before, version = content(live.table), live.version
        with pytest.raises(StoreError):
            await h.ask(live, people[0], Saying(text="x" * 200, seat=0))
        assert content(live.table) == before
        assert live.version == version
        await h.check(live)
        with pytest.raises(StoreError):
            await endlessly(lambda: h.table(people[0], ME, FRIEND))
        assert await h.rows(schema.tables) == len(h.tables.memory)
    await h.tables.act(live, first_move)
    await h.check(live)


@in_house
async def test_a_failed_commit_changes_nothing(h: House) -> None:
    live, people = await h.of_two()
    before = content(live.table)
    with no_commit(h.store):
        with pytest.raises(StoreError, match="nothing has changed"):
            await h.tables.act(live, first_move)
        with pytest.raises(StoreError):
            await h.table(people[0], ME, BOT)
    assert len(h.tables.memory) == 1
    assert content(live.table) == before
    await h.check(live)
    await h.tables.act(live, first_move)
    await h.check(live)


@in_house
async def test_a_command_that_breaks_in_the_middle_changes_nothing(
    h: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, people = await h.of_two()
    before = content(live.table)

    def broken(event: Event, table: Table) -> None:
        table.seats.clear()
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(SetPace, "change", broken)
    with pytest.raises(RuntimeError):
        await h.ask(live, people[0], NewPace(pace="slow"))
    assert content(live.table) == before
    monkeypatch.undo()
    await h.tables.act(live, first_move)
    await h.check(live)


@in_house
async def test_a_closed_store_says_so(h: House) -> None:
    other = open_store(Path(h.store.database.name).parent, FEATURES.tables)
    other.close()
    with pytest.raises(StoreError, match="the server is stopping"):
        await other.run(lambda c: None)


# Clients that disconnect.


@in_house
async def test_a_request_canceled_during_a_write_leaves_memory_equal_to_the_disk(h: House) -> None:
    live, _ = await h.of_two()
    with writer_held(h.store):
        request = asyncio.create_task(h.tables.act(live, first_move))
        await until(lambda: h.store.waiting == 1)
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
        assert live.table.match.ply == 0
    await until(lambda: not live.lock.locked())
    assert live.table.match.ply == 1
    await h.check(live)


@in_house
async def test_a_request_canceled_while_queued_is_still_carried_out(h: House) -> None:
    live, people = await h.of_two()
    async with live.lock:
        request = asyncio.create_task(h.ask(live, people[0], NewPace(pace="slow")))
        await until(lambda: bool(vars(live.lock)["_waiters"]))
        request.cancel()
    await until(lambda: live.table.pace == "slow")
    await h.check(live)


@in_house
async def test_a_canceled_job_runs_only_if_it_had_started(h: House) -> None:
    insert = sa.insert(schema.people)
    rows = [{"id": f"{number}", "name": "Eve", "created": 0.0} for number in range(2)]
    with writer_held(h.store):
        given_up = asyncio.create_task(
            h.store.run(lambda c: c.execute(insert.values(rows[0])) and None)
        )
        await until(lambda: h.store.waiting == 1)
        given_up.cancel()
        await asyncio.sleep(0)
    assert await h.rows(schema.people) == 0
    begun, go = threading.Event(), threading.Event()

    def slow(connection: sa.Connection) -> None:
        begun.set()
        assert go.wait(60)
        connection.execute(insert.values(rows[1]))

    future = h.store.call(slow)
    begun.wait(60)
    assert not future.cancel()
    go.set()
    future.result(60)
    assert await h.rows(schema.people) == 1


# Bots.


@dataclass
class Counting:
    """A bot that plays like another and counts its decisions."""

    name: str = "counting"
    asked: int = 0
    broken: bool = False

    def choose(self, observation: Any, rng: Any) -> int:
        self.asked += 1
        if self.broken:
            raise RuntimeError("a mistake of the bot's")
        return BOTS["random"].choose(observation, rng)

    async def asked_again(self) -> float:
        """How often it is asked in the time after which a failing bot is asked again."""
        asked, begun = self.asked, time.monotonic()
        await asyncio.sleep(3 * robots.RETRY_SECONDS)
        return (self.asked - asked) / (time.monotonic() - begun) * robots.RETRY_SECONDS


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    bot = Counting()
    monkeypatch.setitem(BOTS._bots, bot.name, bot)
    monkeypatch.setattr(robots, "RETRY_SECONDS", 0.1)
    return bot


async def of_bots(h: House, seats: int = 3) -> Live:
    """A table at which only bots sit, so that it plays itself to the end."""
    game = next(g for g in GAMES.values() if g.min_seats <= seats <= g.max_seats)
    host = await h.people.new("Anna")
    plans = [SeatPlan("bot", bot="counting")] * seats
    return await h.table(host, *plans, game=game, pace="instant")


@in_house
async def test_bots_play_each_move_once_however_often_they_are_woken(
    h: House, counting: Counting
) -> None:
    live = await of_bots(h)
    token = live.table.header.token
    while not live.table.over:
        await h.tables.get(token)
        h.tables.robots.wake(live)
        with contextlib.suppress(StoreError, WebError):
            await h.tables.act(live, asks(live.table.header.host or "", NewPace(pace="instant")))
        await asyncio.sleep(0.002)
    assert counting.asked == live.table.match.ply
    await h.check(live)
    await until(lambda: live.robot is None)


def test_bots_continue_after_a_restart(tmp_path: Path, counting: Counting) -> None:
    async def main() -> None:
        async with house(tmp_path) as h:
            live = await of_bots(h)
            await until(lambda: live.table.match.ply > 3)
        async with house(tmp_path) as h:
            again = await h.tables.get(live.table.header.token)
            ply = again.table.match.ply
            assert ply >= live.table.match.ply > 3
            await until(lambda: again.table.match.ply > ply)
            await until(lambda: again.table.over)
            await h.check(again)

    run(main())


@in_house
async def test_bots_wait_while_the_disk_fails_and_then_continue(
    h: House, counting: Counting, caplog: pytest.LogCaptureFixture
) -> None:
    live = await of_bots(h)
    await until(lambda: live.table.match.ply > 2)
    with no_commit(h.store):
        await until(lambda: "disk I/O error" in caplog.text)
        ply, asked = live.table.match.ply, counting.asked
        await until(lambda: counting.asked > asked)
        assert await counting.asked_again() <= 2  # it retries, but not constantly
        assert live.table.match.ply == ply
    await until(lambda: live.table.over)
    await h.check(live)


@in_house
async def test_a_failing_bot_is_not_retried_endlessly(
    h: House, counting: Counting, caplog: pytest.LogCaptureFixture
) -> None:
    counting.broken = True
    live = await of_bots(h)
    await until(lambda: "a mistake of the bot's" in caplog.text)
    assert await counting.asked_again() <= 2
    counting.broken = False
    await until(lambda: live.table.over)


@in_house
async def test_deleting_a_table_stops_its_bots_and_ends_its_streams(
    h: House, counting: Counting
) -> None:
    live = await of_bots(h)
    await until(lambda: live.table.match.ply > 2)
    seen = [changed async for changed in _while_deleted(h, live)]
    assert seen
    asked = counting.asked
    await until(lambda: live.robot is None)
    await asyncio.sleep(0.05)
    assert counting.asked <= asked + 1
    with pytest.raises(NotFound):
        await h.tables.get(live.table.header.token)


async def _while_deleted(h: House, live: Live) -> AsyncIterator[bool]:
    delete = sa.delete(schema.tables).where(schema.tables.c.token == live.table.header.token)
    async for changed in h.tables.changes(live, None):
        yield changed
        await h.store.run(lambda c: c.execute(delete) and None)


@in_house
async def test_a_person_back_in_their_seat_moves_instead_of_the_bot(
    h: House, counting: Counting
) -> None:
    live, people = await h.of_two()
    turn = live.table.turn
    assert turn is not None
    await h.ask(live, people[turn], BotSeat(seat=turn, level="counting"))
    await h.ask(live, people[turn], Return())  # before its pace has passed
    await until(lambda: live.robot is None)
    assert live.table.match.ply == 0


@dataclass
class Deliberate:
    """A bot that thinks only about every other move, as if it had a choice only then."""

    name: str
    seconds: float = 0.3
    slow: list[bool] = field(default_factory=list)

    def choose(self, observation: Any, rng: Any) -> int:
        self.slow.append(len(self.slow) % 2 == 1)
        if self.slow[-1]:
            time.sleep(self.seconds)
        return BOTS["random"].choose(observation, rng)


async def bots_moves(h: House, bot: Deliberate, pace: str) -> dict[bool, list[float]]:
    """The seconds that a bot took for moves that needed thinking, and for others."""
    game = next(g for g in GAMES.values() if g.min_seats <= 3 <= g.max_seats)
    host = await h.people.new("Anna")
    live = await h.table(host, *[SeatPlan("bot", bot=bot.name)] * 3, game=game, pace=pace)
    await until(lambda: live.table.over or live.table.match.ply >= 9)
    token = live.table.header.token
    _, log = await h.store.run(table_rows.stored, token)
    made = [entry.at for entry in log if entry.event.is_move]
    took: dict[bool, list[float]] = {True: [], False: []}
    for number, (before, after) in enumerate(itertools.pairwise(made), 1):
        took[bot.slow[number]].append(after - before)
    return took


@pytest.mark.parametrize(("name", "pace"), [("deliberate", "fast"), ("master", "instant")])
@in_house
async def test_a_bots_timing_does_not_reveal_whether_it_had_a_choice(
    h: House, monkeypatch: pytest.MonkeyPatch, name: str, pace: str
) -> None:
    """A bot that searches takes as long for its only move as for others, at any pace."""
    bot = Deliberate(name)
    monkeypatch.setitem(BOTS._bots, bot.name, bot)
    monkeypatch.setitem(PACES, "fast", 0.5)
    monkeypatch.setattr(h.tables.robots, "deadlines", Deadlines(thinking=0.5))

    async def at_once(game: Game) -> None:
        pass

    monkeypatch.setattr(h.tables.robots.compiler, "load", at_once)
    monkeypatch.setattr(h.tables.robots.compiler, "begin", lambda game: None)
    took = await bots_moves(h, bot, pace)
    assert min(took[True] + took[False]) >= 0.5
    assert min(took[True]) - min(took[False]) < 0.8 * bot.seconds


def begun_by(seat: int) -> str:
    """A deal for two in which this seat begins, and plays one move before the other plays."""
    for seed in map(str, range(100)):
        match = Match(GAME, 2, seed)
        if match.turn == seat:
            match.push(match.legal_moves[0])
            if match.turn == 1 - seat:
                return seed
    raise AssertionError("in no deal it is the other's turn after one move")


@pytest.mark.parametrize("bot_begins", [False, True])
@in_house
async def test_what_a_bot_searches_with_is_loaded_before_its_turn(
    h: House, monkeypatch: pytest.MonkeyPatch, bot_begins: bool
) -> None:
    """While a person thinks; and if the bot has to wait all the same, the page says why."""
    monkeypatch.setattr(plan, "new_seed", lambda seats: begun_by(int(bot_begins)))
    bot = Deliberate("master")
    monkeypatch.setitem(BOTS._bots, bot.name, bot)
    monkeypatch.setattr(h.tables.robots, "deadlines", Deadlines(thinking=0.1))
    monkeypatch.setattr("redouble.web.live.robots.NOTICEABLE", 0.05)
    begun: list[Game] = []
    release = threading.Event()

    def prepare(game: Game, purpose: Purpose) -> None:
        begun.append(game)
        release.wait(30)

    monkeypatch.setattr("redouble.web.thinking.compiler.prepare", prepare)
    host = await h.people.new("Anna")
    live = await h.table(host, ME, SeatPlan("bot", bot="master"), pace="instant")
    assert live.table.turn == int(bot_begins)
    if not bot_begins:
        await until(lambda: bool(begun))
        assert not live.preparing
        await h.tables.act(live, first_move)
    await until(lambda: live.preparing)
    said = "Preparing… this can take half a minute the first time."
    assert said in draw_board(live, viewpoint(live.table, host))
    moves = live.table.match.ply
    release.set()
    await until(lambda: live.table.match.ply > moves)
    assert not live.preparing
    assert said not in draw_board(live, viewpoint(live.table, host))
    assert begun == [GAME]


def test_on_a_slow_machine_every_move_of_a_searching_bot_is_slow() -> None:
    """In the game whose searches are."""
    deadlines = Deadlines()
    master, greedy = BOTS["master"], BOTS["greedy"]
    deadlines.note(master, "long", THINKING + 1)
    deadlines.note(greedy, "long", THINKING + 2)
    assert deadlines.seconds("instant", master, "long") == THINKING + 1
    assert deadlines.seconds("instant", master, "short") == THINKING
    deadlines.note(master, "long", 100.0)
    assert deadlines.seconds("instant", master, "long") == MAX_THINKING
    assert deadlines.seconds("instant", greedy, "long") == PACES["instant"]


# Memory.


@in_house
async def test_an_idle_table_is_unloaded_and_comes_back_unchanged(h: House) -> None:
    live, people = await h.of_two()
    await h.tables.act(live, first_move)
    await h.ask(live, people[0], Saying(text="hello", seat=0))
    h.tables.memory.put_away(60.0)
    assert len(h.tables.memory) == 1
    with live.watch(people[0]):
        h.tables.memory.put_away(0.0)
        assert len(h.tables.memory) == 1
    async with live.lock:
        h.tables.memory.put_away(0.0)
        assert len(h.tables.memory) == 1
    h.tables.memory.put_away(0.0)
    assert len(h.tables.memory) == 0
    again = await h.tables.get(live.table.header.token)
    assert again is not live
    assert content(again.table) == content(live.table)


@in_house
async def test_concurrent_visitors_get_the_same_table(h: House) -> None:
    live, _ = await h.of_two()
    token, invite = live.table.header.token, live.table.header.invite
    h.tables.memory.put_away(0.0)
    came = await asyncio.gather(
        *[h.tables.get(token) for _ in range(5)], *[h.tables.invited(invite) for _ in range(5)]
    )
    assert len(set(map(id, came))) == 1
    for unknown in ("", "nothing", token + "x", "\x00", "x" * 500):
        with pytest.raises(NotFound):
            await h.tables.get(unknown)
        with pytest.raises(NotFound):
            await h.tables.invited(unknown)


@in_house
async def test_the_sweeper_unloads_idle_tables(h: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await h.of_two()
    monkeypatch.setattr(tables, "IDLE_SECONDS", 0.0)
    sweeper = asyncio.create_task(h.tables.sweep(every=0.01))
    await until(lambda: len(h.tables.memory) == 0)
    sweeper.cancel()


# New tables and rematches.


@in_house
async def test_invalid_settings_make_no_table(h: House) -> None:
    host = await h.people.new("Anna")
    solo = next(game for game in GAMES.values() if game.min_seats == 1)
    wrong: list[TablePlan] = [
        TablePlan(GAME, []),
        TablePlan(GAME, [ME] * 2),
        TablePlan(GAME, [ME, *[BOT] * GAME.max_seats]),
        TablePlan(GAME, [ME, SeatPlan("ghost")]),
        TablePlan(GAME, [ME, SeatPlan("bot", bot="deep")]),
        TablePlan(GAME, [ME, SeatPlan("here", name="x" * 100)]),
        TablePlan(GAME, [ME, SeatPlan("here", name="\u202e\x00")]),
        TablePlan(GAME, [ME, BOT], pace="warp"),
        TablePlan(GAME, [ME, BOT], seed="5"),
        TablePlan(GAME, [ME, BOT], {"no-such-option": 1}),
        TablePlan(solo, [ME], seed="x" * 41),
        TablePlan(solo, [ME], seed="a\nb"),
        TablePlan(solo, [ME], seed=" "),
    ]
    for one in wrong:
        with pytest.raises(RedoubleError):
            await h.tables.create(host, one)
    assert await h.rows(schema.tables) == 0
    assert len(h.tables.memory) == 0


@pytest.mark.parametrize("name", list(GAMES))
def test_no_option_can_read_a_file_on_the_server(tmp_path: Path, name: str) -> None:
    game = GAMES[name]
    secret = tmp_path / "secret"
    secret.write_text("the secret\n")

    async def main() -> None:
        async with house(tmp_path) as h:
            host = await h.people.new("Anna")
            seats = [ME, *[BOT] * (game.min_seats - 1)]
            for option in game.options:
                for key in (option.name, option.field):
                    for value in (str(secret), [str(secret)]):
                        with pytest.raises(RedoubleError) as refused:
                            await h.tables.create(host, TablePlan(game, seats, {key: value}))
                        assert "the secret" not in str(refused.value)
                        if isinstance(option, Data) and (key, value) == (option.name, str(secret)):
                            assert str(refused.value).endswith(": give a list of lines")

    run(main())


@in_house
async def test_the_number_of_unfinished_tables_per_host_is_limited(h: House) -> None:
    """Whether or not they sit down there."""
    h.tables._limits = h.tables.robots.limits = Limits(tables_per_person=2)
    host, other = await h.people.new("Anna"), await h.people.new("Ben")
    first = await h.table(host, ME, BOT)
    live = await h.table(host, FRIEND, FRIEND)
    for seats in ((ME, BOT), (FRIEND, FRIEND)):
        with pytest.raises(TooMuch, match="2 unfinished tables"):
            await h.table(host, *seats)
    await h.sit(live, host, "Anna")
    with pytest.raises(TooMuch, match="2 unfinished tables"):
        await h.table(host, ME, BOT)
    await h.table(other, ME, BOT)
    await h.ask(first, host, Resigning(level="greedy"))
    await h.table(host, ME, BOT)


@in_house
async def test_bots_alone_play_at_few_tables_and_slowly(h: House) -> None:
    h.tables._limits = h.tables.robots.limits = Limits(
        bot_tables_per_person=2, bot_tables=3, bot_table_milliseconds=3_600_000
    )
    host, other = await h.people.new("Anna"), await h.people.new("Ben")
    lives = [await h.table(host, BOT, BOT, pace="instant") for _ in range(2)]
    with pytest.raises(TooMuch, match="2 tables of yours with bots alone"):
        await h.table(host, BOT, BOT)
    await h.table(host, ME, BOT)
    lives.append(await h.table(other, BOT, BOT, pace="instant"))
    with pytest.raises(TooMuch, match="bots are playing alone at many tables") as refused:
        await h.table(other, BOT, BOT)
    assert refused.value.retry_after > 0
    await asyncio.sleep(0.3)  # without the limit they would have played a dozen moves
    assert {live.table.match.ply for live in lives} == {0}


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        pytest.param(
            Limits(free_megabytes=10**9),
            "disk is almost full",
            marks=pytest.mark.sqlite("a server can't see the disk of PostgreSQL"),
        ),
        (Limits(database_megabytes=0), "keeps as much as it may"),
    ],
    ids=["disk", "database"],
)
@in_house
async def test_nothing_new_begins_when_there_is_no_room(
    h: House, limits: Limits, said: str
) -> None:
    host = await h.people.new("Anna")
    live = await h.table(host, ME, HERE)
    h.tables.disk = Disk(h.store, limits)
    with pytest.raises(Full, match=said) as refused:
        await h.table(host, ME, BOT)
    assert refused.value.retry_after > 0
    await h.ask(live, host, NewPace(pace="fast"))
    assert (await h.stored(live)).pace == "fast"
    assert 0 < h.tables.disk.used() < 20_000_000


@in_house
async def test_a_full_log_accepts_only_what_ends_the_game(
    h: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "MAX_ENTRIES", 2)
    host = await h.people.new("Anna")
    live = await h.table(host, ME, SeatPlan("here"), pace="slow")
    assert live.table.pace == "slow"
    await h.ask(live, host, NewPace(pace="fast"))
    with pytest.raises(TooMuch, match="play the game to its end, or resign"):
        await h.ask(live, host, NewPace(pace="slow"))
    assert live.table.pace == "fast"
    await h.tables.act(live, first_move)
    with pytest.raises(TooMuch):
        await h.ask(live, host, Undoing(step=True))
    await h.ask(live, host, Resigning(level="greedy"))
    assert live.table.over
    await h.check(live)


async def end(h: House, live: Live, people: list[Person]) -> None:
    """Let a game be over at which bots play slowly."""
    await h.ask(live, people[0], NewPace(pace="slow"))
    for person in people:
        await h.ask(live, person, Resigning(level="greedy"))


@in_house
async def test_everyone_who_asks_gets_the_same_rematch(h: House) -> None:
    live, people = await h.of_two()
    with pytest.raises(Stale, match="isn't over"):
        await h.tables.rematch(live, people[0])
    await end(h, live, people)
    with pytest.raises(NotYours):
        await h.tables.rematch(live, await h.people.new("Eve"))
    new = await asyncio.gather(*[h.tables.rematch(live, people[i % 2]) for i in range(6)])
    assert len(set(map(id, new))) == 1
    table, old = new[0].table, live.table
    assert old.next.token == table.header.token
    assert table.header.before == old.header.token
    assert [seat.person for seat in table.seats] == [person.id for person in people]
    assert not any(seat.bot or seat.resigned for seat in table.seats)
    assert (table.game, table.match.options) == (old.game, old.match.options)
    assert table.pace == "slow"
    assert table.header.seed != old.header.seed
    assert min(map(len, (table.header.seed, old.header.seed))) >= 64  # nobody guesses them
    assert table.header.invite != old.header.invite
    assert await h.rows(schema.tables) == 2
    for one in (live, new[0]):
        await h.check(one)
    assert not new[0].absent()  # too little time has passed for them to return
    h.tables.memory.put_away(0.0)
    again = await h.tables.rematch(await h.tables.get(old.header.token), people[1])
    assert again.table.header.token == table.header.token


@in_house
async def test_a_rematch_that_cannot_be_saved_leaves_nothing(h: House) -> None:
    live, people = await h.of_two()
    await end(h, live, people)
    with no_commit(h.store), pytest.raises(StoreError):
        await h.tables.rematch(live, people[0])
    assert live.table.next.token == ""
    assert await h.rows(schema.tables) == 1
    new = await h.tables.rematch(live, people[0])
    assert live.table.next.token == new.table.header.token


@pytest.mark.shared
@in_house
async def test_two_servers_make_only_one_rematch(one: House, two: House) -> None:
    here, people = await one.of_two()
    await end(one, here, people)
    there = await two.tables.get(here.table.header.token)
    first = await one.tables.rematch(here, people[0])
    second = await two.tables.rematch(there, people[1])
    assert first.table.header.token == second.table.header.token
    assert await one.rows(schema.tables) == 2


# Presence.


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The tables' clock, which advances when ``clock.now`` is changed."""
    fake: Any = types.SimpleNamespace(now=1000.0, monotonic=lambda: fake.now, time=lambda: fake.now)
    monkeypatch.setattr(memory, "time", fake)
    monkeypatch.setattr("redouble.web.live.live.time", fake)
    begun = CLOCK.now() - fake.now
    monkeypatch.setattr(CLOCK, "now", lambda: begun + fake.now)
    return fake


@in_house
async def test_a_silent_player_is_away_and_comes_back(
    h: House, clock: types.SimpleNamespace
) -> None:
    live, people = await h.of_two()
    for one in people:
        with live.watch(one):
            pass  # their pages have scripts
    clock.now += AWAY_SECONDS
    assert live.absent() == set()
    live.mark_seen(people[1])
    clock.now += 1
    assert live.absent() == {0}
    assert live.away(0)
    with live.watch(people[0]):
        assert live.absent() == set()
        clock.now += 2 * AWAY_SECONDS
        assert live.absent() == {1}
    assert live.absent() == {1}
    clock.now += AWAY_SECONDS + 1
    assert live.absent() == {0, 1}
    version = live.version
    live.mark_seen(people[1])
    assert live.version > version
    assert live.absent() == {0}
    live.mark_seen(None)
    live.mark_seen(await h.people.new("Eve"))
    assert live.absent() == {0}


@pytest.mark.parametrize("control", ["none", "2-minutes"])
@pytest.mark.parametrize("script", [False, True])
@in_house
async def test_who_keeps_others_waiting_is_away(
    h: House, clock: types.SimpleNamespace, script: bool, control: str
) -> None:
    """With any page open, and sooner only if a page that follows the table was closed."""
    people = [await h.people.new("Anna"), await h.people.new("Ben")]
    live = await h.table(people[0], ME, FRIEND, control=CONTROLS[control])
    await h.sit(live, people[1])
    live.mark_seen(people[1])
    turn, slow = live.table.turn or 0, control == "none"
    first, other = people[turn], people[1 - turn]
    with live.watch(other):
        clock.now += AWAY_SECONDS - 1
        if script:
            with live.watch(first):
                clock.now += IDLE_SECONDS - AWAY_SECONDS
                assert not live.absent()
                clock.now += 2
                assert live.absent() == ({turn} if slow else set())
                alone = await h.table(first, ME, BOT)
                assert not alone.absent(), "nobody waits there"
            clock.now += AWAY_SECONDS + 1
            assert live.absent() == {turn}
        else:
            clock.now += 2
            assert not live.absent(), "the page of their turn asks for nothing"
            clock.now += IDLE_SECONDS - AWAY_SECONDS
            assert live.absent() == ({turn} if slow else set())
        if slow:
            await h.tables.act(live, asks(other.id, BotSeat(seat=turn), absent=live.absent()))
            await h.ask(live, first, Return())
            live.mark_seen(first)
            assert not live.absent(), "they have time again"


@in_house
async def test_after_loading_people_have_time_to_return(
    h: House, clock: types.SimpleNamespace
) -> None:
    live, _ = await h.of_two()
    clock.now += 1000
    h.tables.memory.put_away(0.0)
    again = await h.tables.get(live.table.header.token)
    assert again.absent() == set()
    clock.now += AWAY_SECONDS + 1
    assert again.absent() == {0, 1}


@in_house
async def test_pages_are_told_when_a_player_goes_away(
    h: House, clock: types.SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "HEARTBEAT", 0.02)
    live, people = await h.of_two()
    changes = h.tables.changes(live, people[0])
    assert await anext(changes) is True
    assert await anext(changes) is False
    clock.now += AWAY_SECONDS + 1
    assert [await anext(changes), await anext(changes)] == [False, True]
    assert live.absent() == {1}
    assert await anext(changes) is False  # reported once
    await changes.aclose()


@in_house
async def test_news_is_followed_by_more_soon(h: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that it comes through a proxy that holds back the last piece."""
    monkeypatch.setattr(tables, "FOLLOW_UP", 0.02)
    live, people = await h.of_two()

    def call() -> None:
        live.touch()
        h.tables.memory.pages.wake_all()

    for news in (h.tables.changes(live, people[0]), h.tables.news(people[0])):
        async with asyncio.timeout(tables.HEARTBEAT / 2):
            for _ in range(2):
                assert [await anext(news), await anext(news)] == [True, False]
                call()
        await news.aclose()


# Deleting and merging people.


@in_house
async def test_a_deleted_person_leaves_no_name_and_no_words(h: House) -> None:
    live, (anna, ben) = await h.of_two()
    waiting = await h.table(anna, ME, FRIEND)
    await h.sit(waiting, ben, "Benjamin")
    own = await h.table(ben, ME, BOT)
    left = await h.table(anna, ME, FRIEND, FRIEND) if GAME.max_seats > 2 else waiting
    if left is not waiting:
        await h.sit(left, ben, "Benedict")
        await h.ask(left, ben, Saying(text="I must go", seat=1))
        await h.ask(left, ben, Leave())
    made, others = await h.table(ben, FRIEND, FRIEND), await h.table(anna, FRIEND, FRIEND)
    await h.sit(made, anna, "Anna")
    await h.sit(others, ben, "Benno")
    await h.tables.act(live, first_move)
    await h.ask(live, ben, Saying(text="hi from the north", seat=1))
    await h.ask(live, anna, Saying(text="hi from the south", seat=0))
    known = await h.store.run(lists.known_at, ben.id)
    await h.tables.rewrite(known, lambda c: identity.forget(c, ben.id, FEATURES.data))
    everything = await h.store.run(all_rows)
    for word in (ben.id, "'Ben", '"Ben', "north", "I must go"):  # a token may hold three letters
        assert word not in everything
    assert "hi from the south" in everything
    with pytest.raises(NotFound):
        await h.tables.get(own.table.header.token)
    assert (await h.tables.get(others.table.header.token)) is others  # another's, though empty
    for one in {id(t): t for t in (live, waiting, left, made)}.values():
        await h.check(one)
        assert one.table.seats_of(ben.id) == []
    assert live.table.seats[1].name == identity.FORGOTTEN
    assert [said.text for said in live.table.talk.chat] == ["hi from the south"]


def all_rows(connection: sa.Connection) -> str:
    found = [connection.execute(sa.select(one)).all() for one in FEATURES.tables]
    return repr(found)


@in_house
async def test_a_guests_games_pass_to_the_person(h: House) -> None:
    guest, anna = await h.people.new("Guest"), await h.people.new("Anna")
    live = await h.table(guest, ME, BOT)
    known = await h.store.run(lists.known_at, guest.id)
    await h.tables.rewrite(known, lambda c: identity.adopt(c, guest.id, anna.id, FEATURES.data))
    assert live.table.seats_of(anna.id) == [0]
    assert live.table.header.host == anna.id
    await h.check(live)
    await h.ask(live, anna, NewPace(pace="slow"))
    await h.check(live)


@in_house
async def test_a_table_is_locked_while_its_rows_are_rewritten(h: House) -> None:
    guest, anna = await h.people.new("Guest"), await h.people.new("Anna")
    live = await h.table(guest, ME, FRIEND)
    token = live.table.header.token
    h.tables.memory.put_away(0.0)
    assert len(h.tables.memory) == 0
    with writer_held(h.store):
        coming = asyncio.create_task(h.tables.get(token))  # loaded just before it is rewritten
        await until(lambda: h.store.waiting == 1)
        rewriting = asyncio.create_task(
            h.tables.rewrite([token], lambda c: identity.adopt(c, guest.id, anna.id, FEATURES.data))
        )
        await asyncio.sleep(0.02)
        rewriting.cancel()  # the client that asked for it has gone
    live = await coming
    with contextlib.suppress(NotYours):
        await h.ask(live, guest, BotSeat(seat=0, level="greedy"))
    assert live.table.seats_of(anna.id) == [0]
    await h.check(live)
    listed = await h.store.run(lists.unfinished, anna.id)
    assert [row.token for row in listed] == [token]


@in_house
async def test_lists_say_whose_turn_it_is_and_skip_missing_games(
    h: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, people = await h.of_two()
    turn = live.table.turn
    assert turn is not None
    rows = [await h.store.run(lambda c, p=p: lists.unfinished(c, p.id)) for p in people]  # type: ignore[misc]
    assert [row[0].mine for row in rows] == [turn == 0, turn == 1]
    await h.ask(live, people[turn], BotSeat(seat=turn, level="greedy"))
    [row] = await h.store.run(lists.unfinished, people[turn].id)
    assert not row.mine  # a bot plays
    monkeypatch.setattr(lists, "GAMES", {})
    assert await h.store.run(lists.unfinished, people[0].id) == []


@in_house
async def test_an_unreadable_log_is_not_found(h: House) -> None:
    live, _ = await h.of_two()
    token = live.table.header.token
    wrong = Entry(live.table.ply, 0.0, Move(seat=0, move="no such move"))
    values = {"token": token, **wrong.row()}
    await h.store.run(lambda c: c.execute(sa.insert(schema.log).values(values)) and None)
    h.tables.memory.put_away(0.0)
    with pytest.raises(NotFound, match="can't be loaded"):
        await h.tables.get(token)


no_json = pytest.mark.sqlite("PostgreSQL lets nothing but JSON into such a column")
DAMAGED = {
    "seats": ("", "{", "[]", "7", '[{"name": 7}]', '[{"name": "Anna", "more": 1}]'),
    "options": ("", "{", "[]", "7", '{"no-such-option": 1}'),
}


@pytest.mark.parametrize(
    ("column", "text"),
    [
        pytest.param(column, text, marks=no_json if text in ("", "{") else ())
        for column in DAMAGED
        for text in DAMAGED[column]
    ],
)
@in_house
async def test_a_damaged_table_is_not_found_but_stays_listed(
    h: House, column: str, text: str
) -> None:
    live, people = await h.of_two()
    damage = sa.text(f"UPDATE tables SET {column} = :text")
    await h.store.run(lambda c: c.execute(damage, {"text": text}) and None)
    h.tables.memory.put_away(0.0)
    with pytest.raises(NotFound, match="can't be loaded"):
        await h.tables.get(live.table.header.token)
    rows = await h.store.run(lists.unfinished, people[0].id)
    assert [row.token for row in rows] == [live.table.header.token]
