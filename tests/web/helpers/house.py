"""A store with its people and tables, without a server around them."""

import asyncio
import contextlib
import inspect
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from redouble.contract.registry import GAMES
from redouble.web.installed import FEATURES
from redouble.web.limits import LIMITS
from redouble.web.live import table_rows
from redouble.web.live.live import Live
from redouble.web.live.plan import SeatPlan, TablePlan
from redouble.web.live.tables import Tables
from redouble.web.people.people import People, Person
from redouble.web.store import Store, open_store
from redouble.web.store.schema import metadata
from redouble.web.table import Act, Entry, Event, Table
from redouble.web.table.acts.play import make_move
from redouble.web.table.acts.seats import sit
from redouble.web.thinking.compiler import Compiler
from tests.web.helpers.play import asks, content

GAME = next(game for game in GAMES.values() if game.min_seats <= 2 <= game.max_seats)
ME, FRIEND, BOT = SeatPlan("me"), SeatPlan("friend"), SeatPlan("bot")
HERE = SeatPlan("here", "Ben")
"""Where a bot, whose move may come at any time, would be in the way."""


@dataclass
class House:
    """A store with its people and tables, as a server holds them."""

    store: Store
    people: People
    tables: Tables

    async def table(self, host: Person, *seats: SeatPlan, **plan: Any) -> Live:
        return await self.tables.create(
            host, TablePlan(plan.pop("game", GAME), seats, **{"options": {}} | plan)
        )

    async def of_two(self) -> tuple[Live, list[Person]]:
        """A table at which two people play."""
        people = [await self.people.new("Anna"), await self.people.new("Ben")]
        live = await self.table(people[0], ME, FRIEND)
        await self.sit(live, people[1])
        return live, people

    async def ask(self, live: Live, person: Person, act: Act) -> list[Entry]:
        """Let a person ask for something."""
        return await self.tables.act(live, asks(person.id, act))

    async def sit(self, live: Live, person: Person, name: str = "") -> None:
        """Let a person take the first open seat."""
        await self.tables.act(live, lambda table: sit(table, person.id, name or person.name))

    async def stored(self, live: Live) -> Table:
        token = live.table.header.token
        return table_rows.folded(*await self.store.run(table_rows.stored, token))

    async def rows(self, table: sa.Table) -> int:
        query = sa.select(sa.func.count()).select_from(table)
        return await self.store.run(lambda c: c.execute(query).scalar() or 0)

    async def check(self, live: Live) -> None:
        """Check that memory equals the disk."""
        assert content(live.table) == content(await self.stored(live))


QUICK_BOTS = replace(LIMITS, bot_table_milliseconds=50)
"""Bots that play alone make a move every 50 milliseconds, not every 200."""


@contextlib.asynccontextmanager
async def house(folder: Path) -> AsyncIterator[House]:
    store = open_store(folder, FEATURES.tables)
    tables = Tables(store, Compiler(), QUICK_BOTS, hooks=FEATURES.hooks)
    opened = House(store, People(store, folder), tables)
    try:
        yield opened
    finally:
        await opened.tables.close()
        store.close()


def run(main: Coroutine[Any, Any, None]) -> None:
    async def within_time() -> None:
        async with asyncio.timeout(300):  # many times what it needs, on a busy machine
            await main

    asyncio.run(within_time())


def in_house(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run a test with open houses: one for each parameter that is a :class:`House`."""
    wanted = inspect.signature(test, eval_str=True).parameters
    houses = [name for name, one in wanted.items() if one.annotation is House]

    def wrapped(tmp_path: Path, **fixtures: Any) -> None:
        async def main() -> None:
            async with contextlib.AsyncExitStack() as stack:
                opened = [await stack.enter_async_context(house(tmp_path)) for _ in houses]
                await test(*opened, **fixtures)

        run(main())

    wrapped.__name__, wrapped.__doc__ = test.__name__, test.__doc__
    folder = inspect.Parameter("tmp_path", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    fixtures = [one for name, one in wanted.items() if name not in houses]
    wrapped.__signature__ = inspect.Signature([folder, *fixtures])  # type: ignore[attr-defined]  # pytest reads it
    return wrapped


def first_move(table: Table) -> list[Event]:
    assert table.turn is not None
    return make_move(table, table.turn, table.match.legal_moves[0], table.ply)


async def until(happened: Callable[[], bool]) -> None:
    while not happened():
        await asyncio.sleep(0.005)


@contextlib.contextmanager
def writer_held(store: Store) -> Iterator[None]:
    """Hold the writer back; afterward it writes everything queued in one go."""
    begun, go = threading.Event(), threading.Event()

    def hold(_: sa.Connection) -> None:
        begun.set()
        assert go.wait(60)

    held = store.call(hold)
    begun.wait(60)
    try:
        yield
    finally:
        go.set()
        held.result(60)


def differences(connection: sa.Connection) -> list[Any]:
    """How the schema of a database differs from the declared one."""
    known = {table.name for table in FEATURES.tables}
    options = {
        "compare_type": True,
        "compare_server_default": True,
        "include_object": lambda _, name, kind, *__: kind != "table" or name in known,
    }
    context = MigrationContext.configure(connection, opts=options)
    return list(compare_metadata(context, metadata))
