"""What happens when a player's time has run out: once, by any process, also after a stop."""

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from unittest.mock import AsyncMock, patch

import pytest
import sqlalchemy as sa

from redouble.web.live import timekeeper
from redouble.web.live.live import Live
from redouble.web.people.people import Person
from redouble.web.store import clock, schema
from redouble.web.store.clock import CLOCK, DAY
from redouble.web.table.acts.bots import Return
from redouble.web.table.acts.clocks import TimeOut
from redouble.web.table.acts.seats import sit
from redouble.web.table.clocks import FOR_GOOD, ONCE, UNTIL_BACK, control_of
from redouble.web.table.state import DESERTED_SECONDS
from tests.web.helpers.house import BOT, FRIEND, ME, House, first_move, house, in_house, run, until


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds by which the clock is ahead: the last of them."""
    ahead, now = [0.0], CLOCK.now
    monkeypatch.setattr(CLOCK, "now", lambda: now() + ahead[-1])
    monkeypatch.setattr(timekeeper, "LOOK_SECONDS", 0.05)
    return ahead


@contextlib.asynccontextmanager
async def ticking(*houses: House) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(h.tables.timekeeper.follow()) for h in houses]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def looked(h: House) -> None:
    """Wait until the timekeeper has looked at the clocks, and acted where that was due."""
    keeper = h.tables.timekeeper
    with patch.object(keeper, "_look", AsyncMock(wraps=keeper._look)) as look:
        await until(lambda: look.await_count > 1 and not keeper._acting)


async def timed(h: House, then: str, name: str = "2-minutes") -> tuple[Live, list[Person]]:
    """A table with a clock at which two people play."""
    people = [await h.people.new("Anna"), await h.people.new("Ben")]
    control = control_of(name, then)
    live = await h.table(people[0], ME, FRIEND, control=control, pace="instant")
    await h.sit(live, people[1], "Ben")
    return live, people


async def outs(h: House, live: Live) -> int:
    """How often the table's log says that a player's time ran out."""
    query = sa.select(sa.func.count()).where(
        schema.log.c.token == live.table.header.token, schema.log.c.kind == TimeOut.kind
    )
    return await h.store.run(lambda c: c.execute(query).scalar() or 0)


@in_house
async def test_a_bot_makes_one_move_when_time_runs_out(h: House, later: list[float]) -> None:
    live, _ = await timed(h, ONCE)
    first = live.table.thinking
    async with ticking(h):
        await looked(h)
        assert not live.table.movers  # there was time
        later.append(151.0)  # the first move has 30 seconds more
        await until(lambda: len(live.table.movers) > 0)
        assert live.table.movers == [first]
        assert live.table.seats[first or 0].kind == "person"
        await h.tables.act(live, first_move)  # the next player has time again
    assert await outs(h, live) == 1
    await h.check(live)


@in_house
async def test_a_bot_stands_in_until_the_player_is_back(h: House, later: list[float]) -> None:
    live, people = await timed(h, UNTIL_BACK)
    first = live.table.thinking or 0
    async with ticking(h):
        later.append(151.0)  # the first move has 30 seconds more
        await until(lambda: live.table.thinking == 1 - first)
        assert live.table.seats[first].stand_in
        await h.ask(live, people[first], Return())
    assert await outs(h, live) == 1
    await h.check(live)


def are_left(live: Live, number: int) -> bool:
    """Whether so many people still play themselves."""
    return len(live.table.people()) == number


@in_house
async def test_a_game_ends_that_everyone_has_left(h: House, later: list[float]) -> None:
    live, _ = await timed(h, UNTIL_BACK)
    async with ticking(h):
        for left in (1, 0):
            later.append(later[-1] + 200.0)
            await until(partial(are_left, live, left))
            await until(lambda: live.table.turn is None or live.table.thinking is not None)
        moves = live.table.match.ply
        later.append(later[-1] + DESERTED_SECONDS + 1)
        await until(lambda: live.table.over)
    assert live.table.status == "abandoned"
    assert live.table.match.ply == moves, "no bot has played on for nobody"
    assert await outs(h, live) == 2


@pytest.mark.shared
@in_house
async def test_two_processes_note_it_once(a: House, b: House, later: list[float]) -> None:
    tables = []
    for then in (ONCE, UNTIL_BACK) * 4:
        tables.append((await timed(a, then))[0])
    async with ticking(a, b):
        later.append(151.0)  # the first move has 30 seconds more
        for live in tables:
            while not await outs(a, live):
                await asyncio.sleep(0.02)
        for h in (a, b):
            await looked(h)
    assert [await outs(a, live) for live in tables] == [1] * len(tables)


def test_what_came_due_while_the_server_was_down_is_done_at_its_start(
    tmp_path: Path, later: list[float]
) -> None:
    async def main() -> None:
        async with house(tmp_path) as h:
            live, _ = await timed(h, ONCE, "1-day")
            token, before = live.table.header.token, len(live.table.movers)
        later.append(DAY + 1)
        async with house(tmp_path) as h, ticking(h):
            while not await outs(h, live):
                await asyncio.sleep(0.02)
            again = await h.tables.get(token)
            assert len(again.table.movers) == before + 1

    run(main())


def test_a_bot_whose_server_has_stopped_moves_at_another(
    tmp_path: Path, later: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with house(tmp_path) as h:
            h.tables.closing.set()  # its bots don't move any more
            anna = await h.people.new("Anna")
            control = control_of("1-day", UNTIL_BACK)
            live = await h.table(anna, ME, BOT, control=control, pace="instant")
            while live.table.thinking is not None:  # a turn may have several moves
                await h.tables.act(live, first_move)
            token, moves = live.table.header.token, len(live.table.movers)
        later.append(60.0)
        async with house(tmp_path) as h, ticking(h):
            await until(lambda: h.tables.memory.find(token) is not None)
            again = await h.tables.get(token)
            await until(lambda: again.table.thinking is not None)
            assert len(again.table.movers) > moves

    run(main())


@in_house
async def test_many_clocks_need_one_timer(
    h: House, later: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timekeeper, "LOOK_SECONDS", 60.0)
    anna = await h.people.new("Anna")
    control = control_of("1-day", ONCE)
    async with ticking(h):
        await until(lambda: h.tables.timekeeper._next > -math.inf)
        tasks = len(asyncio.all_tasks())
        tables = [await h.table(anna, ME, FRIEND, control=control) for _ in range(20)]
        for live in tables:
            await h.tables.act(live, lambda table: sit(table, f"{table.ply}", "Ben"))
        looks = 0
        look = h.tables.timekeeper._look

        async def counted() -> float:
            nonlocal looks
            looks += 1
            return await look()

        monkeypatch.setattr(h.tables.timekeeper, "_look", counted)
        for live in tables * 3:
            await h.tables.act(live, first_move)
        assert len(asyncio.all_tasks()) <= tasks
        assert looks <= 1


@pytest.mark.parametrize("step", [30 * DAY, -30 * DAY], ids=["ahead", "back"])
def test_a_clock_that_is_set_costs_nobody_time_and_stops_no_clock(
    tmp_path: Path, later: list[float], step: float
) -> None:
    async def main() -> None:
        async with house(tmp_path) as h:
            live, _ = await timed(h, FOR_GOOD)
            await h.store.run(clock.look, CLOCK.now())
            later.append(step)
            async with ticking(h):
                await until(lambda: bool(live.table.lines))
                await looked(h)
                assert "the full time for this move again" in str(live.table.lines[-1])
                assert await outs(h, live) == 0
                later.append(step + 200.0)
                while not await outs(h, live):
                    await asyncio.sleep(0.02)

    run(main())
