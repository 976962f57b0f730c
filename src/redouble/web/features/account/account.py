"""A person's account: linking another device, exporting and deleting all data."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from pydantic_core import from_json, to_json

from redouble.bots.levels import USUAL_LEVEL
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.kernel.state import SPECTATOR
from redouble.web.drawing.board import lines_for
from redouble.web.errors import NotFound, Stale, TooMuch, WebError
from redouble.web.features.account import identity
from redouble.web.features.account.identity import Forgotten, OwnedGames
from redouble.web.features.circles import circles
from redouble.web.features.company import reports, sanctions
from redouble.web.features.daily import rows as try_rows
from redouble.web.features.friends import friends
from redouble.web.features.notices import addresses, calendars, letters, wishes
from redouble.web.features.notices.addresses import Seal
from redouble.web.features.premoves.premoves import all_premoves_of
from redouble.web.features.puzzles import tries as puzzle_tries
from redouble.web.features.ratings import rows as rating_rows
from redouble.web.features.signin import codes, passkeys
from redouble.web.features.study import record_rows
from redouble.web.features.study.records import forget_lists
from redouble.web.features.study.saved import replay_of
from redouble.web.live import lists, table_rows
from redouble.web.live.live import Live
from redouble.web.live.tables import Tables
from redouble.web.people import mutes, profiles, results, sessions
from redouble.web.people.people import Person
from redouble.web.people.profiles import COLORS, PARTS, Profile
from redouble.web.people.results import Statistics, statistics
from redouble.web.people.sessions import DeviceSession
from redouble.web.site import Site
from redouble.web.store import Job, Store, notices
from redouble.web.table import Entry, Event, Header, Table, commands, events, load

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
        if guest is not None:
            identity.adopt(connection, guest.id, person.id)
        return replace(person, session=sessions.begin(connection, person.id, device))

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
    if not await _end(site, lambda c: sessions.end(c, person.id, session)):
        raise NotFound("you aren't signed in there any more: look at the list again")


async def end_other_sessions(site: Site, person: Person) -> int:
    """Sign a person out everywhere else, and return in how many sessions."""
    return len(await _end(site, lambda c: sessions.end_others(c, person.id, person.session)))


async def _end(site: Site, job: Job[list[str]]) -> list[str]:
    def noticed(connection: sa.Connection) -> list[str]:
        ended = job(connection)
        notices.post(connection, site.store.id, notices.SESSION, ended)
        return ended

    ended = await site.store.run(noticed)
    site.tables.memory.end_streams(ended)
    return ended


async def forget(store: Store, tables: Tables, person: Person) -> Forgotten:
    """Delete all data of a person. Bots take over their seats in games with other people."""
    await leave_games(store, tables, person)
    tokens = await store.run(lambda c: lists.known_at(c, person.id))

    def job(connection: sa.Connection) -> Forgotten:
        notices.drop_present(connection, person.id)
        return identity.forget(connection, person.id)

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
    if table.gathering:
        return commands.leave(table, person.id)
    return commands.resign(table, person.id, USUAL_LEVEL)


def by_game(results: Iterable[dict[str, Any]]) -> dict[str, Statistics]:
    """Return statistics of results by game, in the order of the games."""
    rows = list(results)
    found = {name: [row for row in rows if row["game"] == name] for name in GAMES}
    return {name: statistics(mine) for name, mine in found.items() if mine}


async def export(
    store: Store, person: Person, devices: Sequence[DeviceSession], seal: Seal | None = None
) -> AsyncIterator[str]:
    """Yield all data of a person as JSON, a table or game at a time.

    Of an unfinished table it contains no more than the person's page shows. Addresses for messages
    stay encrypted without a ``seal``.
    """
    yield f'{{\n "name": {_json(person.name)}'
    yield _list(
        "devices",
        [
            {"device": one.device, "first": _time(one.begun), "last": _time(one.seen)}
            for one in devices
        ],
    )
    said: list[dict[str, Any]] = []
    async for part in _listed("tables", _tables(store, person, said)):
        yield part
    rows = await store.run(lambda c: results.results_of(c, person.id))
    yield _list(
        "results",
        [
            {key: value for key, value in row.items() if key != "person"} | {"at": _time(row["at"])}
            for row in rows
        ],
    )
    yield _list("ratings", await store.run(lambda c: _ratings(c, person.id)))
    made = await store.run(lambda c: codes.recovery_made(c, person.id))
    yield f',\n "recovery_code_made": {_json(made and _time(made))}'
    keys = await store.run(lambda c: passkeys.rows_of(c, person.id))
    yield _list("passkeys", [_passkey(row) for row in keys])
    profile = await store.run(lambda c: profiles.profile_of(c, person.id))
    yield f',\n "profile": {_json(_profile(profile))}'
    known = await store.run(lambda c: friends.exported(c, person.id))
    yield _list("friends", [row | {"at": _time(row["at"])} for row in known])
    muted = await store.run(lambda c: mutes.muted_by(c, person.id))
    yield _list("muted", [{"name": one.name} for one in muted])
    sent = await store.run(lambda c: reports.reports_by(c, person.id))
    yield _list("reports", [row | {"at": _time(row["at"])} for row in sent])
    imposed = await store.run(lambda c: sanctions.exported(c, person.id))
    yield _list(
        "operator",
        [
            row | {"at": _time(row["at"]), "until": row["until"] and _time(row["until"])}
            for row in imposed
        ],
    )
    hides = await store.run(lambda c: friends.hides(c, person.id))
    yield f',\n "hides_when_online": {_json(hides)}'
    joined = await store.run(lambda c: circles.exported(c, person.id))
    yield _list("circles", [row | {"since": _time(row["since"])} for row in joined])
    tries = await store.run(lambda c: try_rows.dailies_of(c, person.id))
    yield _list("daily", [_daily(row) for row in tries])
    yield _list("premoves", await store.run(lambda c: all_premoves_of(c, person.id)))
    known = await store.run(lambda c: addresses.addresses_of(c, person.id))
    yield _list("addresses", [_address(row, seal) for row in known])
    yield f',\n "wishes": {_json(vars(await store.run(lambda c: wishes.wishes_of(c, person.id))))}'
    calendar = await store.run(lambda c: calendars.calendar_of(c, person.id))
    yield f',\n "calendar": {_json(calendar and {"daily": calendar.daily})}'
    told = await store.run(lambda c: letters.told(c, person.id))
    yield _list("messages", [one | {"made": _time(one["made"])} for one in told])
    solved = await store.run(lambda c: puzzle_tries.tries_of(c, person.id))
    yield _list(
        "puzzles",
        [
            {key: value for key, value in row.items() if key != "person"} | {"at": _time(row["at"])}
            for row in solved
        ],
    )
    async for part in _listed("records", _records(store, person)):
        yield part
    yield _list("said", said)
    yield "\n}\n"


async def _tables(
    store: Store, person: Person, said: list[dict[str, Any]]
) -> AsyncIterator[dict[str, Any]]:
    """Yield a person's tables, and add what they said there to ``said``."""
    for token in await store.run(lambda c: lists.known_at(c, person.id)):
        try:
            header, entries = await _stored(store, token)
            exported = await asyncio.to_thread(_table, header, entries, person.id)
        except RedoubleError as error:
            yield {"token": token, "problem": str(error)}
            continue
        if exported:
            yield exported
        said += [
            {"token": token, "at": _time(entry.at), "text": entry.event.text}
            for entry in entries
            if isinstance(entry.event, events.Say) and entry.event.person == person.id
        ]


async def _records(store: Store, person: Person) -> AsyncIterator[dict[str, Any]]:
    for token, at in await store.run(lambda c: record_rows.record_times(c, person.id)):
        with contextlib.suppress(NotFound):  # deleted meanwhile
            line = await _line(store, token)
            yield {"token": token, "at": _time(at), "line": from_json(line)}


async def _line(store: Store, token: str) -> str:
    return await store.run(lambda c: record_rows.record_line(c, token))


async def _listed(name: str, items: AsyncIterator[dict[str, Any]]) -> AsyncIterator[str]:
    """Yield the parts of a list in a JSON object, one item at a time."""
    yield f',\n "{name}": ['
    first = True
    async for item in items:
        yield _json(item) if first else f",\n{_json(item)}"
        first = False
    yield "]"


def _list(name: str, items: Sequence[dict[str, Any]]) -> str:
    return f',\n "{name}": {_json(items)}'


def _json(value: Any) -> str:
    return to_json(value, indent=1).decode()


def _ratings(connection: sa.Connection, person: str) -> list[dict[str, Any]]:
    """Return a person's ratings after each game, as they may know them."""
    kept = ("token", "game", "points", "spread", "games")
    return [
        {key: row[key] for key in kept} | {"at": _time(row["at"])}
        for row in rating_rows.history_of(connection, person)
    ]


def _passkey(row: dict[str, Any]) -> dict[str, Any]:
    """Return a passkey as its person may know it."""
    kept = ("name", "credential", "public_key", "count")
    times = {key: row[key] and _time(row[key]) for key in ("made", "used")}
    return {key: row[key] for key in kept} | times


def _address(row: dict[str, Any], seal: Seal | None) -> dict[str, Any]:
    """Return where a person gets messages as they may know it."""
    address = row["sealed"] if seal is None else seal.open(row["sealed"])
    kept = {key: row[key] for key in ("channel", "confirmed")}
    return kept | {"address": address, "since": _time(row["made"])}


def _profile(profile: Profile) -> dict[str, Any]:
    seen = {part: getattr(profile, part).name.lower() for part in PARTS}
    return {"picture": profile.motif, "color": COLORS[profile.color], "seen_by": seen} | {
        "looks": profile.looks
    }


def _daily(row: dict[str, Any]) -> dict[str, Any]:
    """Return a try at a daily deal or puzzle as its person may know it."""
    times = {key: row[key] and _time(row[key]) for key in ("begun", "finished")}
    return {key: value for key, value in row.items() if key != "person"} | times


async def _stored(store: Store, token: str) -> tuple[Header, list[Entry]]:
    return await store.run(lambda c: table_rows.stored(c, token))


def _table(header: Header, entries: list[Entry], person: str) -> dict[str, Any]:
    """Return a table as a person may know it; nothing if the person has left it."""
    table = load(header, entries)
    mine = table.seats_of(person)
    if not mine:
        return {}
    exported: dict[str, Any] = {
        "token": header.token,
        "game": header.game.name,
        "seats": [seat.name for seat in table.seats],
        "mine": mine,
        "status": table.status,
        "options": dict(header.options),
        "begun": _time(header.created),
        "changed": _time(table.changed),
    }
    if control := table.clocks.control:
        zone = table.clocks.zones.get(mine[0], "") or "UTC"
        exported |= {"clock": control.sentences, "zone": zone}
    if not table.over:
        eyes = mine[0] if len(mine) == 1 else SPECTATOR
        lines = lines_for(table, eyes)
        heard = [f"{table.match.names[line.seat]} {line.words}" for line in lines]
        return exported | {"heard": heard}
    return exported | {
        "record": table.record().to_dict(),
        "log": [
            {"at": _time(at), "seat": event.seat, "kind": event.kind, **event.model_dump()}
            for at, event in ((entry.at, entry.event) for entry in entries)
            if not event.private or event.person == person
        ],
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
