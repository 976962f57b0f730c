"""A person's account: linking another device, exporting and deleting all data."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable

import sqlalchemy as sa
from pydantic_core import to_json

from redouble.kernel.errors import RedoubleError
from redouble.web.errors import Stale, WebError
from redouble.web.features.account import identity
from redouble.web.live import lists
from redouble.web.live.live import Live
from redouble.web.live.tables import Tables
from redouble.web.people.people import Person
from redouble.web.personal import OneByOne, Owner, PersonalData
from redouble.web.store import Store, notices
from redouble.web.table import Event, Sender, Table
from redouble.web.table.acts.bots import Resigning
from redouble.web.table.acts.seats import Leave

TRIES = 5
"""How often a command is tried again after another process changed the same data."""


async def forget(
    store: Store, tables: Tables, person: Person, data: Iterable[PersonalData]
) -> identity.Forgotten:
    """Delete all data of a person. Bots take over their seats in games with other people."""
    await leave_games(store, tables, person)
    tokens = await store.run(lists.known_at, person.id)

    def job(connection: sa.Connection) -> identity.Forgotten:
        notices.drop_present(connection, person.id)
        return identity.forget(connection, person.id, data)

    return await tables.rewrite(tokens, job)


async def leave_games(store: Store, tables: Tables, person: Person) -> int:
    """Let a person leave their unfinished games with other people, and return how many."""
    left = 0
    for token in await store.run(lists.running_with_others, person.id):
        with contextlib.suppress(WebError):  # over meanwhile, or its log is damaged
            live = await tables.get(token)
            await _leave(store, tables, live, person)
            left += 1
    return left


async def _leave(store: Store, tables: Tables, live: Live, person: Person) -> None:
    """Let a person leave or resign, also while another process writes to the table."""

    def noticed(connection: sa.Connection) -> None:
        notices.post(connection, store.id, notices.TABLE, [live.table.header.token])

    def go(table: Table) -> list[Event]:
        act = Leave() if table.gathering else Resigning()
        return act.events(table, Sender(person.id))

    for _ in range(TRIES):
        with contextlib.suppress(Stale):
            await tables.act(live, go, noticed)
            return


async def export(
    store: Store,
    person: Person,
    data: Iterable[PersonalData],
    unseal: Callable[[str], str | None] | None = None,
) -> AsyncIterator[str]:
    """Yield all data of a person as JSON, part by part.

    Addresses for messages stay encrypted unless something can ``unseal`` them.
    """
    owner = Owner(person.id, unseal) if unseal else Owner(person.id)
    yield f'{{\n "name": {_json(person.name)}'
    for name, source in ((name, one) for data_of in data for name, one in data_of.export.items()):
        yield f',\n "{name}": '
        if isinstance(source, OneByOne):
            yield "["
            separator = ""
            async for part in _parts(store, source, person.id):
                yield separator + _json(part)
                separator = ",\n"
            yield "]"
        else:
            yield _json(await store.run(source, owner))
    yield "\n}\n"


async def _parts(store: Store, source: OneByOne, person: str) -> AsyncIterator[object]:
    for token in await store.run(lambda c: list(source.tokens(c, person))):
        try:
            found = await store.run(source.read, token)
            parts = await asyncio.to_thread(source.written, found, person)
        except RedoubleError as error:  # deleted meanwhile, or its log is damaged
            parts = [{"token": token, "problem": str(error)}]
        for part in parts:
            yield part


def _json(value: object) -> str:
    return to_json(value, indent=1).decode()
