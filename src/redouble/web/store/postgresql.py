"""A database of a PostgreSQL server."""

from __future__ import annotations

import logging
import time
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from redouble.kernel.errors import MissingExtra
from redouble.web.errors import StoreError
from redouble.web.store.database import Database, bring_up_to_date

PREFIX = "postgresql://"
LOCK = 7_305_202_409
"""The advisory lock of the server that a database belongs to."""
WAIT_SECONDS = 60.0
"""How long a start waits for a database that isn't there yet."""
_log = logging.getLogger(__name__)


class PostgresqlDatabase(Database):
    """The database of an address such as ``postgresql://user:password@host/name``.

    Waits for a server that isn't there yet. Raises :class:`StoreError` if the address can't be
    used, another server of Redouble uses the database, or a newer version of Redouble wrote it,
    and :class:`MissingExtra` without psycopg.
    """

    def __init__(self, address: str, wait: float = WAIT_SECONDS) -> None:
        try:
            import psycopg  # noqa: F401 - SQLAlchemy loads it
        except ImportError:
            raise MissingExtra(
                "--database postgresql:// needs psycopg: pip install 'redouble[server]'"
            ) from None
        try:
            url = sa.make_url(address).set(drivername="postgresql+psycopg")
        except ArgumentError:
            raise StoreError(
                "the database's address can't be read: give postgresql://user:password@host/name"
            ) from None
        self.name = url.render_as_string(hide_password=True).replace("+psycopg", "")
        self.engine = _engine(url, self.name)
        self._reader = sa.create_engine(
            url, isolation_level="AUTOCOMMIT", pool_size=1, max_overflow=0, pool_pre_ping=True
        )
        try:
            self._open(wait)
        except DBAPIError as error:
            self.close()
            raise StoreError(f"{self.name} can't be used: {_reason(error)}") from None
        except StoreError:
            self.close()
            raise

    def _open(self, wait: float) -> None:
        until = time.monotonic() + wait
        while True:
            try:
                with self.engine.begin() as connection:
                    bring_up_to_date(connection, self.name)
                return
            except OperationalError as error:
                if time.monotonic() > until:
                    raise
                _log.warning("waiting for %s: %s", self.name, _reason(error))
                time.sleep(1.0)

    def look_up(self, query: str, *values: str) -> Any:
        """Return the first value of a query's only row; None if it has no row."""
        try:
            with self._reader.connect() as connection:
                row = connection.exec_driver_sql(query.replace("?", "%s"), values).first()
        except DBAPIError as error:
            raise StoreError(f"the database can't be read: {_reason(error)}") from error
        return row[0] if row else None

    def used(self) -> int:
        """Return the bytes that its rows and indexes take."""
        return int(self.look_up("SELECT pg_database_size(current_database())"))

    def transaction_lost(self, connection: sa.Connection) -> bool:
        """Return whether the transaction is undone: with the connection, or by the server."""
        return connection.invalidated or connection.closed

    def close(self) -> None:
        """Close its connections, which frees the lock."""
        self._reader.dispose()
        self.engine.dispose()


def _engine(url: sa.URL, name: str) -> sa.Engine:
    """Return an engine with one connection, which holds the lock while it lives."""
    engine = sa.create_engine(url, pool_size=1, max_overflow=0, pool_pre_ping=True)

    @sa.event.listens_for(engine, "connect")
    def _set_up(connection: Any, record: object) -> None:
        locked = connection.execute("SELECT pg_try_advisory_lock(%s)", (LOCK,)).fetchone()
        connection.commit()
        if not locked[0]:
            raise StoreError(
                f"another server uses {name}: stop it first, since one serves a database"
            )

    return engine


def _reason(error: DBAPIError) -> str:
    """Return what went wrong in one line, which names no address."""
    return str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else "no reason"
