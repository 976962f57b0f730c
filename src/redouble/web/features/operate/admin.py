"""What an operator does with a server's tables and people, while it runs or while it is stopped.

This works on the database alone. What it changes is written with a notice, so that a running server
shows it within a second: see :mod:`redouble.web.store.notices`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Concatenate

import sqlalchemy as sa

from redouble.kernel.errors import RedoubleError
from redouble.web.errors import NotFound, Stale
from redouble.web.feature import FeatureList
from redouble.web.features.account import account, identity
from redouble.web.features.company import reports, sanctions
from redouble.web.features.company.sanctions import sanctions as imposed
from redouble.web.live import lists
from redouble.web.live.tables import Tables
from redouble.web.people.people import Person, clean_name
from redouble.web.personal import PersonalData
from redouble.web.store import FILE, HEAD, P, Store, T, notices, open_store, revision
from redouble.web.store.clock import CLOCK, DAY, ClockState, stored_state, trust
from redouble.web.store.schema import log, people, seats, sessions, tables
from redouble.web.table.acts.play import close
from redouble.web.thinking.compiler import Compiler

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


class Admin:
    """The operator's commands on an open database."""

    def __init__(self, store: Store, data: Iterable[PersonalData]) -> None:
        """Work on a store; ``data`` says what becomes of people's rows."""
        self._store = store
        self._data = tuple(data)
        self._tables = Tables(store, Compiler())
        self._tables.closing.set()  # bots play in the server, not here

    def tables(
        self, state: str = "", game: str = "", idle_days: float = 0.0, limit: int = 100
    ) -> list[StoredTable]:
        """Return tables, the last changed first; with ``idle_days``, those unchanged as long."""
        return self._do(_tables, state, game, idle_days, limit)

    def people(
        self, name: str = "", idle_days: float = 0.0, limit: int = 100
    ) -> list[StoredPerson]:
        """Return people whose name contains ``name``, those who were here last first."""
        return self._do(_people, name, idle_days, limit)

    def reports(
        self, days: float = 0.0, limit: int = 100, *, everything: bool = False
    ) -> list[reports.ReportedPerson]:
        """Return reports as :func:`.reports.reports_now` does."""
        return self._do(reports.reports_now, days, limit, everything=everything)

    def sanctions(self, limit: int = 100) -> list[sanctions.Sanction]:
        """Return the warnings, mutes and bans that last, those with an appeal first."""
        return self._do(sanctions.sanctions_of, limit=limit)

    def handle(self, report: str) -> None:
        """Mark a report as handled. Raises :class:`AdminError` if there is none."""
        if not self._do(reports.handle, report.strip()):
            raise AdminError(f"there is no report {report!r}: 'redouble admin reports' lists them")

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
        query = sa.select(tables.c.status).filter_by(token=token)
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
                await self._tables.act(live, lambda t: close(t, reason), noticed)
                return
        raise AdminError("the table changes too quickly: try again")

    def rename(self, person: Person, name: str) -> str:
        """Change a person's name everywhere, and return it."""
        name = clean_name(name)

        async def rename() -> None:
            tokens = await self._store.run(lists.known_at, person.id)
            job = self._tables.rewrite(tokens, lambda c: identity.rename(c, person.id, name))
            await job

        self._run(rename())
        return name

    def impose(self, person: Person, kind: str, reason: str, days: float | None = None) -> int:
        """Warn, mute or ban a person, who reads the reason, and return how many games they leave.

        Whoever is banned leaves their unfinished games with others, so that nobody waits for them:
        bots take over their seats.
        """
        self._do(sanctions.impose, person.id, kind, reason, days)
        if kind != sanctions.BAN:
            return 0
        return self._run(account.leave_games(self._store, self._tables, person))

    def lift(self, person: Person, kind: str) -> None:
        """End a warning, mute or ban. Raises :class:`AdminError` if there is none."""
        if not self._do(sanctions.lift, person.id, kind):
            raise AdminError(
                f"there is no {kind} of {person.name}: 'redouble admin sanctions' lists them"
            )

    def export(self, person: Person) -> str:
        """Return all data of a person as JSON, as they could download it themselves."""

        async def parts() -> str:
            return "".join([part async for part in account.export(self._store, person, self._data)])

        return self._run(parts())

    def forget(self, person: Person) -> identity.Forgotten:
        """Delete all data of a person, as they could themselves."""
        return self._run(account.forget(self._store, self._tables, person, self._data))

    def clock(self) -> ClockState:
        """Return what is known about the clock of the server's machine, as if this were it."""
        now = CLOCK.now()
        return self._do(lambda c: stored_state(c) or ClockState(now, None))

    def trust_clock(self) -> float:
        """Believe that the clock is right, and return its time. Raises :class:`AdminError`."""
        if not CLOCK.possible:
            raise AdminError("this machine's clock is wrong: set it first")
        now = CLOCK.now()
        self._do(trust, now)
        return now

    def _do(
        self, job: Callable[Concatenate[sa.Connection, P], T], *args: P.args, **more: P.kwargs
    ) -> T:
        """Run a job with its arguments, and return its result."""
        return self._store.call(lambda c: job(c, *args, **more)).result()

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
def opened(folder: Path, served: bool, features: FeatureList) -> Iterator[Admin]:
    """Open the database of a data folder; ``served`` says whether a server uses it now.

    Raises :class:`AdminError`, and :class:`StoreError` if it can't be used.
    """
    if served and (found := revision(folder / FILE)) != HEAD:
        raise AdminError(
            f"the server that uses {folder} is of another version (schema {found}, this one is "
            f"{HEAD}): start it again first"
        )
    store = open_store(folder, features.tables)
    try:
        yield Admin(store, features.data)
    finally:
        store.close()


@contextlib.contextmanager
def opened_beside(database: str, features: FeatureList) -> Iterator[Admin]:
    """Open a PostgreSQL database by its address, also while a server uses it.

    Raises :class:`StoreError` if it can't be used or isn't of this version.
    """
    with contextlib.closing(open_store(database, features.tables, beside=True)) as store:
        yield Admin(store, features.data)


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
    banned = sa.select(imposed.c.reason).where(
        imposed.c.person == people.c.id,
        imposed.c.kind == sanctions.BAN,
        sa.or_(imposed.c.until.is_(None), imposed.c.until > CLOCK.now()),
    )
    query = sa.select(
        people.c.id.label("person"),
        people.c.name,
        people.c.created,
        seen.scalar_subquery().label("seen"),
        mine.scalar_subquery().label("tables"),
        running.scalar_subquery().label("unfinished"),
        sa.func.coalesce(banned.scalar_subquery(), "").label("banned"),
    ).order_by(last.desc())
    if name:
        query = query.where(people.c.name.icontains(name, autoescape=True))
    if idle_days:
        query = query.where(last < CLOCK.now() - idle_days * DAY)
    return [StoredPerson(**row._mapping) for row in connection.execute(query.limit(limit))]
