"""What the store needs of a database, and how an older one is brought up to date."""

import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from redouble.web.errors import StoreError, WebError
from redouble.web.store.bus import Bus
from redouble.web.store.schema import metadata, secrets

WEB = Path(__file__).parents[1]
MIGRATIONS = [WEB / "store" / "migrations", *sorted(WEB.glob("features/*/migrations"))]
"""The folders of migrations: those of a feature's tables are in its own."""
REVISIONS = sorted(
    path.stem.partition("_")[0] for folder in MIGRATIONS for path in folder.glob("[0-9]*.py")
)
"""The migrations that this version has, from the baseline on."""
HEAD = REVISIONS[-1]
"""The newest migration, so that an up-to-date database is opened without Alembic."""

MATCHING = 1
"""The first of two numbers of locks that last for a transaction."""

Row = tuple[Any, ...]
"""The values of a row, in the order of the query."""


_log = logging.getLogger(__name__)


class Unconfirmed(Exception):
    """The connection was lost before the database confirmed a commit."""


class Database(ABC):
    """An open database, with one connection that writes and one that looks things up."""

    engine: sa.Engine
    """Gives the writing thread its connection."""
    name: str
    """How messages to the operator call it: without a password."""
    folder: Path | None = None
    """Where its file lies; None if it is another server's."""
    shared = False
    """Whether other processes may serve it at the same time."""

    def begin(self) -> AbstractContextManager[sa.Connection]:
        """Return a transaction that is committed when it is left, and rolled back by an error.

        Raises :class:`Unconfirmed` if it isn't known whether it was committed.
        """
        return self.engine.begin()

    @abstractmethod
    def look_up(self, query: str, *values: str) -> Row | None:
        """Return a query's only row; None if it has none.

        ``?`` stands for a value. Raises :class:`StoreError` if the database can't be read.
        """

    def unreadable(self, query: str, error: Exception) -> StoreError:
        """Log that a query failed, and return the error for visitors."""
        _log.error("rows of %s can't be read: %s", table_in(query), getattr(error, "orig", error))
        return StoreError(f"the database can't be read: {self.explain(error)}")

    async def find(self, query: str, *values: str) -> Row | None:
        """Look something up without holding up the event loop."""
        return self.look_up(query, *values)

    @abstractmethod
    def used(self) -> int:
        """Return the bytes that its rows take."""

    @abstractmethod
    def transaction_lost(self, connection: sa.Connection) -> bool:
        """Return whether a failed statement has undone the whole transaction."""

    def refusal(self, error: sa.exc.DBAPIError) -> WebError | None:
        """Return what to tell a visitor if a statement failed because of what they have sent."""
        return None

    def bus(self) -> Bus | None:
        """Return what tells the other servers of a shared database of changes, if there are any."""
        return None

    def gave_up(self, error: sa.exc.DBAPIError) -> bool:
        """Return whether a statement failed only because of what others did at the same time."""
        return False

    def explain(self, error: Exception) -> str:
        """Return what visitors may read of an error: no path, host or port."""
        return str(getattr(error, "orig", error))

    @abstractmethod
    def close(self) -> None:
        """Close its connections."""


def table_in(statement: str | None) -> str:
    """Return the table that a statement is about, as messages to the operator name it."""
    found = re.search(r"\b(?:FROM|INTO|UPDATE)\s+(\w+)", statement or "", re.IGNORECASE)
    return f"the table {found[1]}" if found else "the database"


def insert_first(connection: sa.Connection, table: sa.Table, row: Mapping[str, Any]) -> bool:
    """Insert a row, and return whether it could be: False if another process was first."""
    try:
        with connection.begin_nested():
            connection.execute(sa.insert(table).values(row))
    except sa.exc.IntegrityError:
        return False
    return True


def kept_secret(
    connection: sa.Connection, name: str, make: Callable[[], str], now: float
) -> sa.Row[Any]:
    """Return the row of a secret of the site, which is made if it is missing."""
    query = sa.select(secrets).filter_by(name=name)
    found = connection.execute(query).one_or_none()
    if found is None:
        insert_first(connection, secrets, {"name": name, "value": make(), "created": now})
        found = connection.execute(query).one()
    return found


def exists(connection: sa.Connection, query: sa.Select[Any]) -> bool:
    """Return whether a query finds any row."""
    return connection.execute(query.limit(1)).first() is not None


def count(connection: sa.Connection, table: sa.FromClause, *where: sa.ColumnElement[bool]) -> int:
    """Return how many rows of a table meet the conditions."""
    query = sa.select(sa.func.count()).select_from(table).where(*where)
    return connection.execute(query).scalar_one()


def one_at_a_time(connection: sa.Connection, what: str) -> None:
    """Let the transactions that do this run one after the other, at all servers.

    In SQLite, where one thread writes, all do.
    """
    if connection.dialect.name == "postgresql":
        number = sa.func.hashtext(what)
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MATCHING, number)))


def bring_up_to_date(connection: sa.Connection, name: str, tables: Iterable[sa.Table]) -> None:
    """Migrate a database, and create the tables that it doesn't have: all of them in a new one."""
    found, there = found_revision(connection), sa.inspect(connection).get_table_names()
    if found:
        _migrate(connection, name, found)
    elif there:
        raise StoreError(f"{name} isn't a database of Redouble: move it away")
    else:
        connection.exec_driver_sql(
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL,"
            " CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
        )
        connection.exec_driver_sql(f"INSERT INTO alembic_version VALUES ('{HEAD}')")
    if missing := [table for table in tables if table.name not in there]:
        metadata.create_all(connection, missing)  # a feature is new here, or all is


def _migrate(connection: sa.Connection, name: str, found: str) -> None:
    """Bring the schema of a revision to the newest. Alembic is imported only if there is one."""
    if found == HEAD:
        return
    if found < REVISIONS[0]:
        raise StoreError(
            f"{name} was written by an early version of Redouble (schema {found}): bring it up to "
            "date with 'python scripts/upgrade_database.py'"
        )
    if found not in REVISIONS:
        raise StoreError(
            f"{name} was written by a newer version of Redouble (schema {found}): "
            "update Redouble to open it"
        )
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(str(WEB), version_locations=[str(one) for one in MIGRATIONS])
    with Operations.context(MigrationContext.configure(connection)):
        for one in reversed([*scripts.iterate_revisions(HEAD, found)]):
            one.module.upgrade()
    connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{HEAD}'")


def found_revision(connection: sa.Connection) -> str:
    """Return the migration that a database is at; empty if it has none."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return ""
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return str(found or "")
