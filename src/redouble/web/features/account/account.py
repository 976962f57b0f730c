"""A person's account: linking another device, exporting and deleting all data."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import sqlalchemy as sa
from pydantic_core import to_json

from redouble.kernel.errors import RedoubleError
from redouble.web.errors import NotFound, Stale, TooMuch, WebError
from redouble.web.features.account import identity
from redouble.web.features.account.identity import Forgotten, OwnedGames
from redouble.web.features.notices import addresses
from redouble.web.features.notices.addresses import Seal
from redouble.web.features.signin import codes
from redouble.web.features.study.records import forget_lists
from redouble.web.features.study.saved import replay_of
from redouble.web.live import lists
from redouble.web.live.live import Live
from redouble.web.live.tables import Tables
from redouble.web.people import sessions
from redouble.web.people.people import Person
from redouble.web.personal import OneByOne, Owner, PersonalData, move_session
from redouble.web.site import Site
from redouble.web.store import Job, Store, notices
from redouble.web.table import Event, Sender, Table
from redouble.web.table.acts.bots import Resigning
from redouble.web.table.acts.seats import Leave

TRIES = 5
"""How often a command is tried again that another process was faster than."""


async def link_device(
    site: Site, code: str, guest: Person | None, asker: str, device: str
) -> Person:
    """Use a code and return its person, who gets everything the device's guest has played.

    They are signed in on the ``device`` then, in a session of its own.

    Raises :class:`NotFound` for a wrong code, :class:`TooMuch` after many wrong codes from
    ``asker``'s address, and :class:`Stale` if both play at an unfinished table; then nothing has
    changed.
    """

    def job(connection: sa.Connection) -> Person:
        person = Person(*codes.redeem(connection, code))
        if guest is not None and guest.id == person.id:
            return replace(person, session=guest.session)
        session = sessions.begin(connection, person.id, device)
        if guest is not None:
            move_session(connection, site.data, guest.session, session)
            identity.adopt(connection, guest.id, person.id, site.data)
        return replace(person, session=session)

    with _trying(site, guest, asker):
        tokens = []
        if guest is not None:
            tokens = await site.store.run(lambda c: lists.known_at(c, guest.id))
        return await site.tables.rewrite(tokens, job)


async def owner_of_code(
    site: Site, code: str, guest: Person | None, asker: str
) -> tuple[Person, OwnedGames | None]:
    """Return the person of a code, which stays usable, and what they take over from the guest.

    That is None if there is no guest, or if it is the same person. Raises as :func:`link_device`
    does.
    """

    def job(connection: sa.Connection) -> tuple[Person, OwnedGames | None]:
        found = codes.owner_of(connection, code)
        if found is None:
            raise NotFound(codes.wrong(code))
        person = Person(*found)
        if guest is None or guest.id == person.id:
            return person, None
        identity.check_apart(connection, guest.id, person.id)
        return person, identity.games_of(connection, guest.id)

    with _trying(site, guest, asker):
        return await site.store.run(job)


@contextlib.contextmanager
def _trying(site: Site, guest: Person | None, asker: str) -> Iterator[None]:
    """Count a wrong code, which raises :class:`NotFound`, against those who try them."""
    wanted = [("codes", f"person {guest.id}" if guest else asker, site.limits.wrong_codes)]
    if (seconds := site.rates.take(wanted)[0]) > 0:
        raise TooMuch("too many wrong codes: wait a minute, then try again", math.ceil(seconds))
    wrong = False
    try:
        yield
    except NotFound:
        wrong = True
        raise
    finally:
        if not wrong:
            site.rates.give_back(wanted)


async def end_session(site: Site, person: Person, session: str) -> None:
    """Sign a person out in one of their sessions: it ends at its next request, its streams now.

    Raises :class:`NotFound` if they have no such session.
    """
    if not await _end(site, person, lambda c: sessions.end(c, person.id, session)):
        raise NotFound("you aren't signed in there any more: look at the list again")


async def end_other_sessions(site: Site, person: Person) -> int:
    """Sign a person out everywhere else, and return in how many sessions."""
    me = person
    return len(await _end(site, me, lambda c: sessions.end_others(c, me.id, me.session)))


async def _end(site: Site, person: Person, job: Job[list[str]]) -> list[str]:
    def noticed(connection: sa.Connection) -> list[str]:
        ended = job(connection)
        addresses.drop_unbound(connection, person.id)
        notices.post(connection, site.store.id, notices.SESSION, ended)
        return ended

    ended = await site.store.run(noticed)
    site.tables.memory.end_streams(ended)
    return ended


async def forget(
    store: Store, tables: Tables, person: Person, data: Iterable[PersonalData]
) -> Forgotten:
    """Delete all data of a person. Bots take over their seats in games with other people."""
    await leave_games(store, tables, person)
    tokens = await store.run(lambda c: lists.known_at(c, person.id))

    def job(connection: sa.Connection) -> Forgotten:
        notices.drop_present(connection, person.id)
        return identity.forget(connection, person.id, data)

    deleted = await tables.rewrite(tokens, job)
    replay_of.cache_clear()
    forget_lists()
    return deleted


async def leave_games(store: Store, tables: Tables, person: Person) -> int:
    """Let a person leave their unfinished games with other people, and return how many."""
    left = 0
    for token in await store.run(lambda c: lists.running_with_others(c, person.id)):
        with contextlib.suppress(WebError):  # over meanwhile, or its log is damaged
            live = await tables.get(token)
            await _leave(store, tables, live, person)
            left += 1
    return left


async def _leave(store: Store, tables: Tables, live: Live, person: Person) -> None:
    """Let a person leave or resign, also while another process writes to the table."""

    def noticed(connection: sa.Connection) -> None:
        notices.post(connection, store.id, notices.TABLE, [live.table.header.token])

    for _ in range(TRIES):
        with contextlib.suppress(Stale):
            await tables.act(live, lambda table: _go(table, person), noticed)
            return


def _go(table: Table, person: Person) -> list[Event]:
    act = Leave() if table.gathering else Resigning()
    return act.events(table, Sender(person.id))


async def export(
    store: Store, person: Person, data: Iterable[PersonalData], seal: Seal | None = None
) -> AsyncIterator[str]:
    """Yield all data of a person as JSON, part by part.

    Addresses for messages stay encrypted without a ``seal``.
    """
    owner = Owner(person.id, seal.open) if seal else Owner(person.id)
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
            yield _json(await _read(store, source, owner))
    yield "\n}\n"


async def _parts(store: Store, source: OneByOne, person: str) -> AsyncIterator[object]:
    for token in await store.run(lambda c: list(source.tokens(c, person))):
        try:
            parts = await _written(store, source, token, person)
        except RedoubleError as error:  # deleted meanwhile, or its log is damaged
            parts = [{"token": token, "problem": str(error)}]
        for part in parts:
            yield part


async def _read(
    store: Store, read: Callable[[sa.Connection, Owner], object], owner: Owner
) -> object:
    return await store.run(lambda c: read(c, owner))


async def _written(store: Store, source: OneByOne, token: str, person: str) -> Sequence[object]:
    found = await store.run(lambda c: source.read(c, token))
    return await asyncio.to_thread(source.written, found, person)


def _json(value: object) -> str:
    return to_json(value, indent=1).decode()
