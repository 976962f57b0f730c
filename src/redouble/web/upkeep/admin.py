"""What an operator does with a server's tables and people, while it runs or while it is stopped.

This works on the database alone. What it changes is written with a notice, so that a running server
shows it within a second: see :mod:`redouble.web.store.notices`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from pydantic_core import from_json

from redouble.kernel.errors import RedoubleError
from redouble.web.errors import NotFound, Stale
from redouble.web.live import lists
from redouble.web.live.tables import Tables
from redouble.web.people.people import Person, clean_name
from redouble.web.people.sessions import sessions_of
from redouble.web.store import FILE, HEAD, Job, Store, T, notices, open_store, revision
from redouble.web.store.clock import CLOCK, DAY, ClockState, stored_state, trust
from redouble.web.store.schema import bans, handled, log, people, seats, sessions, tables
from redouble.web.table import commands
from redouble.web.table.events import ReportChat, Say
from redouble.web.thinking.compiler import Compiler
from redouble.web.upkeep import account, identity
from redouble.web.upkeep.identity import Forgotten

CLOSED = "The operator of this server closed this table."
"""What players read unless a reason is given."""
MAX_REASON = 200


class AdminError(RedoubleError):
    """The operator's command can't be carried out; the message says why."""


@dataclass(frozen=True)
class StoredTable:
    """A table in the operator's list."""

    table: str
    game: str
    state: str
    public: bool
    created: float
    changed: float
    players: list[str]
    entries: int
    """Moves and other events in its log."""


@dataclass(frozen=True)
class StoredPerson:
    """A person in the operator's list."""

    person: str
    name: str
    created: float
    seen: float | None
    """When one of their devices was last here; None if they have signed out everywhere."""
    tables: int
    unfinished: int
    banned: str
    """Why they may no longer act; empty if they may."""


@dataclass(frozen=True)
class ReportedMessage:
    """A report of a line of chat."""

    message: str
    """Names the message in commands: its table's token, a colon and its ply."""
    at: float
    table: str
    game: str
    said: str
    """What was said; empty once its author's data are deleted."""
    author: str
    author_name: str
    reporter: str
    reporter_name: str
    handled: float | None
    """When the operator dealt with it; None if they haven't since this report."""


class Admin:
    """The operator's commands on an open database."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tables = Tables(store, Compiler())
        self._tables.closing.set()  # bots play in the server, not here

    def tables(
        self, state: str = "", game: str = "", idle_days: float = 0.0, limit: int = 100
    ) -> list[StoredTable]:
        """Return tables, the last changed first.

        With ``idle_days``, only tables that haven't changed for that many days.
        """
        return self._do(lambda c: _tables(c, state, game, idle_days, limit))

    def people(
        self, name: str = "", idle_days: float = 0.0, limit: int = 100
    ) -> list[StoredPerson]:
        """Return people whose name contains ``name``, those who were here last first."""
        return self._do(lambda c: _people(c, name, idle_days, limit))

    def reports(
        self, days: float = 0.0, limit: int = 100, *, everything: bool = False
    ) -> list[ReportedMessage]:
        """Return reports of chat that nobody has dealt with, the latest first.

        With ``days``, only those of the last days; with ``everything``, handled ones as well.
        """
        return self._do(lambda c: _reports(c, days, limit, everything))

    def handle(self, message: str) -> int:
        """Mark all reports of a message as handled, and return how many there are.

        A later report of the same message is listed again. Raises :class:`AdminError`.
        """
        token, _, number = message.strip().rpartition(":")
        ply = int(number) if number.isascii() and number.isdigit() and len(number) < 10 else -1

        def mark(connection: sa.Connection) -> int:
            found = connection.execute(
                sa.select(log.c.payload, log.c.at).where(
                    log.c.token == token, log.c.kind == ReportChat.kind
                )
            )
            reports = [row.at for row in found if from_json(row.payload)["said"] == ply]
            if reports:
                mine = (handled.c.token == token) & (handled.c.ply == ply)
                connection.execute(sa.delete(handled).where(mine))
                at = max(CLOCK.now(), *reports)  # the clock may have been ahead at a report
                row = {"token": token, "ply": ply, "at": at}
                connection.execute(sa.insert(handled).values(row))
            return len(reports)

        if found := self._do(mark):
            return found
        raise AdminError(f"no message {message!r} is reported: 'redouble admin chat' lists them")

    def person(self, wanted: str) -> Person:
        """Return the person with this id, or with this name if only one has it.

        Raises :class:`AdminError`.
        """
        either = sa.or_(people.c.id == wanted, people.c.name == wanted)
        found = self._do(lambda c: c.execute(sa.select(people).where(either)).all())
        exact = [row for row in found if row.id == wanted] or found
        if not exact:
            raise AdminError(f"there is no person {wanted!r}: 'redouble admin people' lists them")
        if len(exact) > 1:
            ids = ", ".join(row.id for row in exact[:5])
            raise AdminError(f"{len(exact)} people are called {wanted}: choose one by id ({ids})")
        return Person(exact[0].id, exact[0].name)

    def unfinished(self, table: str) -> str:
        """Return the token of a table, given by its token or link, whose game can be closed.

        Raises :class:`AdminError` if there is no such table or its game is over.
        """
        token = table.rstrip("/").rpartition("/")[2].partition("?")[0]
        query = sa.select(tables.c.status).where(tables.c.token == token)
        status = self._do(lambda c: c.execute(query).scalar())
        if status is None:
            raise AdminError(f"there is no table {token!r}: 'redouble admin tables' lists them")
        if status not in ("waiting", "playing"):
            raise AdminError(f"the game at table {token} is over already")
        return token

    def close(self, token: str, reason: str) -> None:
        """Close a table: its game ends, and its record can be read."""
        self._run(self._close(token, reason))

    async def _close(self, token: str, reason: str) -> None:
        def noticed(connection: sa.Connection) -> None:
            notices.post(connection, self._store.id, notices.TABLE, [token])

        live = await self._tables.get(token)
        for _ in range(account.TRIES):
            with contextlib.suppress(Stale):  # a move came first
                await self._tables.act(live, lambda t: commands.close(t, reason), noticed)
                return
        raise AdminError("the table changes too quickly: try again")

    def rename(self, person: Person, name: str) -> str:
        """Change a person's name everywhere, and return it."""
        name = clean_name(name)

        async def rename() -> None:
            tokens = await self._store.run(lambda c: lists.known_at(c, person.id))
            job = self._tables.rewrite(tokens, lambda c: identity.rename(c, person.id, name))
            await job

        self._run(rename())
        return name

    def ban(self, person: Person, reason: str) -> None:
        """Let a person look and no longer act; they read the reason."""
        row = {"person": person.id, "reason": reason, "at": CLOCK.now()}

        def job(connection: sa.Connection) -> None:
            connection.execute(sa.delete(bans).where(bans.c.person == person.id))
            connection.execute(sa.insert(bans).values(row))

        self._do(job)

    def lift_ban(self, person: Person) -> None:
        """Let a person act again. Raises :class:`AdminError` if they may."""
        lift = sa.delete(bans).where(bans.c.person == person.id)
        if not self._do(lambda c: c.execute(lift).rowcount):
            raise AdminError(f"{person.name} isn't banned: 'redouble admin people' lists who is")

    def export(self, person: Person) -> str:
        """Return all data of a person as JSON, as they could download it themselves."""
        devices = self._do(lambda c: sessions_of(c, person.id))

        async def parts() -> str:
            return "".join([part async for part in account.export(self._store, person, devices)])

        return self._run(parts())

    def forget(self, person: Person) -> Forgotten:
        """Delete all data of a person, as they could themselves."""
        return self._run(account.forget(self._store, self._tables, person))

    def clock(self) -> ClockState:
        """Return what is known about the clock of the server's machine, as if this were it."""
        now = CLOCK.now()
        return self._do(lambda c: stored_state(c) or ClockState(now, None))

    def trust_clock(self) -> float:
        """Believe that the clock is right, and return its time. Raises :class:`AdminError`."""
        if not CLOCK.possible:
            raise AdminError("this machine's clock is wrong: set it first")
        now = CLOCK.now()
        self._do(lambda c: trust(c, now))
        return now

    def _do(self, job: Job[T]) -> T:
        return self._store.call(job).result()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return asyncio.run(work)
        except NotFound as error:
            raise AdminError(str(error)) from error


def reason_for(text: str) -> str:
    """Return the reason that people read for what the operator does. Raises :class:`AdminError`."""
    reason = text.strip() or CLOSED
    if len(reason) > MAX_REASON or not reason.isprintable():
        raise AdminError(f"the reason is too long: at most {MAX_REASON} printable characters")
    return reason


@contextlib.contextmanager
def opened(folder: Path, served: bool) -> Iterator[Admin]:
    """Open the database of a data folder; ``served`` says whether a server uses it now.

    Raises :class:`AdminError`, and :class:`StoreError` if it can't be used.
    """
    path = folder / FILE
    if not path.is_file():
        raise AdminError(f"there is no database in {folder}: choose another folder with --data")
    if served and (found := revision(path)) != HEAD:
        raise AdminError(
            f"the server that uses {folder} is of another version (schema {found}, here {HEAD}): "
            "start it again first"
        )
    store = open_store(folder)
    try:
        yield Admin(store)
    finally:
        store.close()


@contextlib.contextmanager
def opened_beside(database: str) -> Iterator[Admin]:
    """Open a PostgreSQL database by its address, also while a server uses it.

    Raises :class:`StoreError` if it can't be used or isn't of this version.
    """
    with contextlib.closing(open_store(database, beside=True)) as store:
        yield Admin(store)


def _tables(
    connection: sa.Connection, state: str, game: str, idle_days: float, limit: int
) -> list[StoredTable]:
    entries = sa.select(sa.func.count()).where(log.c.token == tables.c.token).scalar_subquery()
    query = sa.select(tables, entries.label("entries")).order_by(tables.c.changed.desc())
    if state:
        query = query.where(tables.c.status == state)
    if game:
        query = query.where(tables.c.game == game)
    if idle_days:
        query = query.where(tables.c.changed < CLOCK.now() - idle_days * DAY)
    rows = connection.execute(query.limit(limit)).all()
    sitting = connection.execute(
        sa.select(seats.c.token, seats.c.name, seats.c.bot)
        .where(seats.c.token.in_([row.token for row in rows]))
        .order_by(seats.c.token, seats.c.seat)
    ).all()
    names: dict[str, list[str]] = {row.token: [] for row in rows}
    for seat in sitting:
        names[seat.token].append(f"{seat.name} ({seat.bot})" if seat.bot else seat.name)
    return [
        StoredTable(
            row.token, row.game, row.status, row.public, row.created, row.changed,
            names[row.token], row.entries,
        )
        for row in rows
    ]  # fmt: skip


def _people(
    connection: sa.Connection, name: str, idle_days: float, limit: int
) -> list[StoredPerson]:
    seen = sa.select(sa.func.max(sessions.c.seen)).where(sessions.c.person == people.c.id)
    mine = sa.select(sa.func.count(seats.c.token.distinct())).where(seats.c.person == people.c.id)
    running = mine.join(tables, tables.c.token == seats.c.token).where(
        tables.c.status.in_(("waiting", "playing"))
    )
    last = sa.func.coalesce(seen.scalar_subquery(), people.c.created)
    query = sa.select(
        people.c.id,
        people.c.name,
        people.c.created,
        seen.scalar_subquery().label("seen"),
        mine.scalar_subquery().label("tables"),
        running.scalar_subquery().label("unfinished"),
        sa.select(bans.c.reason)
        .where(bans.c.person == people.c.id)
        .scalar_subquery()
        .label("banned"),
    ).order_by(last.desc())
    if name:
        query = query.where(people.c.name.icontains(name, autoescape=True))
    if idle_days:
        query = query.where(last < CLOCK.now() - idle_days * DAY)
    return [
        StoredPerson(
            row.id, row.name, row.created, row.seen, row.tables, row.unfinished, row.banned or ""
        )
        for row in connection.execute(query.limit(limit))
    ]


def _reports(
    connection: sa.Connection, days: float, limit: int, everything: bool
) -> list[ReportedMessage]:
    query = (
        sa.select(log, tables.c.game)
        .join(tables, tables.c.token == log.c.token)
        .where(log.c.kind == ReportChat.kind)
        .order_by(log.c.at.desc(), log.c.token, log.c.ply)
    )
    if days:
        query = query.where(log.c.at >= CLOCK.now() - days * DAY)
    done = {(row.token, row.ply): row.at for row in connection.execute(sa.select(handled))}
    found: list[ReportedMessage] = []
    for row in connection.execute(query).all():
        if len(found) == limit:
            break
        ply = from_json(row.payload)["said"]
        at = done.get((row.token, ply), 0.0)
        dealt_with = at if at >= row.at else None
        if dealt_with and not everything:
            continue
        said = connection.execute(
            sa.select(log).where(log.c.token == row.token, log.c.ply == ply, log.c.kind == Say.kind)
        ).one_or_none()
        if said is None:
            continue
        text = from_json(said.payload)["text"]
        author, reporter = said.person or "", row.person or ""
        found.append(
            ReportedMessage(
                message=f"{row.token}:{ply}",
                at=row.at,
                table=row.token,
                game=row.game,
                said=text,
                author=author,
                author_name=_name(connection, author),
                reporter=reporter,
                reporter_name=_name(connection, reporter),
                handled=dealt_with,
            )
        )
    return found


def _name(connection: sa.Connection, person: str) -> str:
    name = connection.execute(sa.select(people.c.name).where(people.c.id == person)).scalar()
    return str(name or identity.FORGOTTEN)
