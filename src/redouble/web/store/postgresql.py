"""A database of a PostgreSQL server."""

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from redouble.kernel.extras import require
from redouble.web.errors import NotFound, StoreError, WebError
from redouble.web.store import database
from redouble.web.store.bus import Bus

SCHEMES = ("postgresql://", "postgres://")
"""How the address of a database begins; the second is what many hosts of databases give."""
ENCODING = "UTF8"
PASSWORD_FILE = "REDOUBLE_DATABASE_PASSWORD_FILE"
"""Names the file of the password in the environment, for an address without one."""
LOCK = 7_305_202_409
"""The advisory lock of the server that a database belongs to."""
LOCK_SECONDS = 5.0
"""How long the lock is waited for."""
WAIT_SECONDS = 60.0
"""How long a start waits for a server that isn't there yet."""
STALLED_MILLISECONDS = 1500
"""How long a server that has stopped in a transaction holds up the others that share it."""
READERS = 4
"""Look-ups at the same time; a slow server holds up their requests, but not the event loop."""
READ_SECONDS = 10.0
"""What a look-up may take in all."""
GAVE_UP = ("40001", "40P01", "25P03")
"""PostgreSQL's codes of a serialization failure, a deadlock, and a transaction that stood still."""
LOG_SECONDS = 60.0
"""How often the log says the same thing."""
DEFAULTS: Mapping[str, str] = {
    "application_name": "redouble",
    "client_encoding": ENCODING,
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
"""What an address means unless it says otherwise: a dead connection is noticed in 25 seconds."""
_SESSION = (
    # The server, too, gives up a dead connection soon, and with it the lock.
    "SELECT set_config('tcp_keepalives_idle', '10', false),"
    " set_config('tcp_keepalives_interval', '5', false),"
    " set_config('tcp_keepalives_count', '3', false),"
    " set_config('tcp_user_timeout', '20000', false)",
    # What is acknowledged is on disk.
    "SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') IN ('off', 'remote_write')",
)
_STALLED = "idle_in_transaction_session_timeout"
_log = logging.getLogger(__name__)


class _Taken(Exception):
    """Another server holds the lock."""


class PostgresqlDatabase(database.Database):
    """The database of an address such as ``postgresql://user:password@host/name``.

    One server holds its lock, or several that share it; with ``beside``, a command works beside
    them. Waits ``wait`` seconds (:data:`WAIT_SECONDS` if ``None``) for a PostgreSQL server that
    isn't there yet. Raises :class:`StoreError` if the address or the database can't be used,
    another server of Redouble uses it, or a newer version of Redouble wrote it, and
    :class:`MissingExtra` without psycopg.
    """

    def __init__(
        self,
        address: str,
        tables: Iterable[sa.Table],
        wait: float | None = None,
        *,
        beside: bool = False,
        shared: bool = False,
    ) -> None:
        url = parsed_address(address)
        require("--database postgresql://", "server", "psycopg")  # SQLAlchemy loads it
        self.name = _name(url)
        self._url = url
        self._beside = beside
        self.shared = shared
        self._logged: dict[str, float] = {}
        self._used = 0
        self._measuring = False
        self._threads = ThreadPoolExecutor(READERS, "look-up")
        self.engine = sa.create_engine(url, pool_size=1, max_overflow=0, pool_pre_ping=True)
        # SQLAlchemy itself would stumble over the texts of a database without an encoding.
        sa.event.listen(self.engine, "connect", self._check_encoding, insert=True)
        sa.event.listen(self.engine, "connect", self._set_up)
        self._reader = sa.create_engine(
            url, isolation_level="AUTOCOMMIT", pool_size=READERS, max_overflow=1, pool_pre_ping=True
        )
        sa.event.listen(self._reader, "connect", _read_only)
        try:
            self._open(WAIT_SECONDS if wait is None else wait, tables)
            self._used = self._measured()
        except DBAPIError as error:
            self.close()
            raise StoreError(f"{self.name} can't be used: {_reason(error)}") from None
        except _Taken as error:
            self.close()
            raise StoreError(str(error)) from None
        except StoreError:
            self.close()
            raise

    def _open(self, wait: float, tables: Iterable[sa.Table]) -> None:
        until, refused = time.monotonic() + wait, False
        while True:
            try:
                with self.engine.begin() as connection:
                    if self._beside:
                        self._check_revision(connection)
                    else:
                        # One of several servers that begin at the same time migrates it.
                        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK + 1})")
                        connection.exec_driver_sql(f"SET LOCAL {_STALLED} = 0")  # it takes its time
                        database.bring_up_to_date(connection, self.name, tables)
                return
            except OperationalError as error:
                # A server that answers and refuses twice has said what is wrong with the address.
                answers = _answers(self._url)
                if time.monotonic() > until or (answers and refused):
                    raise
                refused = answers
                if not answers:
                    self._say(f"waiting for {self.name}: {_reason(error)}")
                    time.sleep(1.0)

    def _check_revision(self, connection: sa.Connection) -> None:
        found = database.found_revision(connection)
        if found != database.HEAD:
            raise StoreError(
                f"{self.name} has schema {found or 'none'}, and this version of Redouble needs "
                f"{database.HEAD}: start the server of this version first"
            )

    def _check_encoding(self, connection: Any, record: object) -> None:
        found = connection.info.parameter_status("server_encoding")
        if found != ENCODING:
            raise StoreError(
                f"{self.name} has the encoding {found}, which can't hold every name: make one with "
                f"createdb --encoding {ENCODING} --template template0"
            )

    def _set_up(self, connection: Any, record: object) -> None:
        """Prepare a connection that writes; it holds the lock while it lives."""
        for statement in _SESSION:
            connection.execute(statement)
        if self.shared and not self._beside:
            # A frozen server keeps its rows locked, and the one thread of another that writes would
            # wait for them. PostgreSQL undoes the transaction; who began it does it again.
            connection.execute(f"SET {_STALLED} = {STALLED_MILLISECONDS}")
        if not self._beside:
            self._lock(connection)
        connection.commit()

    def _lock(self, connection: Any) -> None:
        """Take the lock. The server's own last session may hold it for a moment more."""
        until = time.monotonic() + LOCK_SECONDS
        kind = "_shared" if self.shared else ""
        while True:
            tried = connection.execute(f"SELECT pg_try_advisory_lock{kind}(%s)", (LOCK,)).fetchone()
            connection.commit()
            if tried[0]:
                return
            if time.monotonic() > until:
                alone = "it doesn't share it" if self.shared else "this one wouldn't share it"
                raise _Taken(
                    f"another server uses {self.name}, and {alone}: stop it first, or start both "
                    "with --workers. If it was cut off from PostgreSQL, wait half a minute"
                )
            time.sleep(0.05)

    @contextlib.contextmanager
    def begin(self) -> Iterator[sa.Connection]:
        """Yield a connection in a transaction, which is committed if nothing is raised.

        Raises :class:`Unconfirmed` if the connection is lost while that happens.
        """
        with self.engine.connect() as connection:
            transaction, committing = connection.begin(), False
            try:
                yield connection
                committing = True
                transaction.commit()
            except BaseException as error:
                with contextlib.suppress(DBAPIError):  # it was lost: the first error says why
                    transaction.rollback()
                if not committing:
                    raise
                lost = isinstance(error, DBAPIError) and error.connection_invalidated
                lost = lost and _code(error) not in GAVE_UP  # then it says that it is undone
                connection.invalidate()  # whatever it was doing, it has ended
                if lost:
                    raise database.Unconfirmed(_reason(error)) from error
                raise

    def look_up(self, query: str, *values: str) -> database.Row | None:
        """Return a query's only row; None if it has none."""
        try:
            with self._reader.connect() as connection:
                row = connection.exec_driver_sql(query.replace("?", "%s"), values).first()
        except (DBAPIError, sa.exc.TimeoutError) as error:
            if _is_no_text(error):
                return None
            raise self.unreadable(query, error) from error
        return tuple(row) if row else None

    async def find(self, query: str, *values: str) -> database.Row | None:
        """Look something up in another thread, so that a slow server doesn't hold up the rest."""
        looking = asyncio.get_running_loop().run_in_executor(
            self._threads, self.look_up, query, *values
        )
        try:
            return await asyncio.wait_for(looking, READ_SECONDS)
        except TimeoutError as error:
            raise StoreError("the database can't be read: it doesn't answer") from error

    def used(self) -> int:
        """Return the bytes that its rows and indexes took when that was last measured.

        This begins to measure them again, in another thread.
        """
        if not self._measuring:
            self._measuring = True
            self._threads.submit(self._measure)
        return self._used

    def _measure(self) -> None:
        try:
            self._used = self._measured()
        except StoreError as error:
            self._say(f"the size of {self.name} can't be measured: {error}")
        finally:
            self._measuring = False

    def _measured(self) -> int:
        row = self.look_up("SELECT pg_database_size(current_database())")
        return int(row[0]) if row else 0

    def transaction_lost(self, connection: sa.Connection) -> bool:
        """Return whether the transaction is undone: with the connection, or by the server."""
        return connection.invalidated or connection.closed

    def refusal(self, error: DBAPIError) -> WebError | None:
        """Return what to tell a visitor who asks for what no text of PostgreSQL can hold."""
        if _is_no_text(error):
            return NotFound("there is nothing of this name: it contains an invalid character")
        return None

    def bus(self) -> Bus | None:
        """Return NOTIFY and LISTEN, if other servers may use the database."""
        return Bus(_conninfo(self._url)) if self.shared else None

    def gave_up(self, error: DBAPIError) -> bool:
        """Return whether the transaction is undone: it stood still, say, or was cut off.

        A connection that ends before the commit has taken the whole transaction with it, and its
        last words, which say why, may not have been read.
        """
        return error.connection_invalidated or _code(error) in GAVE_UP

    def explain(self, error: Exception) -> str:
        """Log what went wrong, and return what visitors read of it: no host or port."""
        self._say(f"{self.name}: {_reason(error)}")
        return "its server can't be reached, or it refuses; the operator's log says more"

    def close(self) -> None:
        """Close its connections, which frees the lock."""
        self._threads.shutdown()
        self._reader.dispose()
        self.engine.dispose()

    def _say(self, line: str) -> None:
        """Log a line, unless the log has just said the same."""
        now = time.monotonic()
        self._logged = {one: at for one, at in self._logged.items() if now - at < LOG_SECONDS}
        if line not in self._logged:
            self._logged[line] = now
            _log.warning(line)


def parsed_address(address: str) -> sa.URL:
    """Return the address for SQLAlchemy, with defaults. Raises :class:`StoreError`."""
    wrong = StoreError(
        "the database's address can't be read: give postgresql://user:password@host/name"
    )
    if not address.startswith(SCHEMES):
        raise wrong
    try:
        urlsplit(address)  # finds half a bracket
        url = sa.make_url(address)
    except (ArgumentError, ValueError):
        raise wrong from None
    url = url.set(drivername="postgresql+psycopg", password=url.password or _kept_password())
    return url.update_query_dict({k: v for k, v in DEFAULTS.items() if k not in url.query})


def _kept_password() -> str | None:
    """Return the password in the file that the environment names, if it names one.

    Raises :class:`StoreError`.
    """
    name = os.environ.get(PASSWORD_FILE)
    if not name:
        return None
    try:
        lines = Path(name).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it isn't text"
        raise StoreError(f"{name}, which {PASSWORD_FILE} names, can't be read: {reason}") from None
    if not lines or not lines[0]:
        raise StoreError(f"{name}, which {PASSWORD_FILE} names, has no password: write it there")
    return lines[0]


def _name(url: sa.URL) -> str:
    """Return the address as messages to the operator name it, without a password."""
    host = {key: value for key, value in url.query.items() if key in ("host", "port")}
    who, at, port = url.username, url.host, url.port
    return sa.URL.create("postgresql", who, None, at, port, url.database, host).render_as_string()


def _answers(url: sa.URL) -> bool:
    """Return whether a PostgreSQL server accepts connections there, or the address is wrong."""
    from psycopg import pq

    return pq.PGconn.ping(_conninfo(url).encode()) in (pq.Ping.OK, pq.Ping.NO_ATTEMPT)


def _conninfo(url: sa.URL) -> str:
    """Return the address as PostgreSQL's own library reads it."""
    from psycopg import conninfo

    arguments, options = url.get_dialect()().create_connect_args(url)
    return conninfo.make_conninfo(*arguments, **options)


def _read_only(connection: Any, record: object) -> None:
    connection.execute("SET default_transaction_read_only = on")


def _is_no_text(error: Exception) -> bool:
    """Return whether a value holds the character 0, which psycopg finds before it is sent."""
    return isinstance(error, sa.exc.DataError) and "NUL" in str(error.orig)


def _code(error: BaseException) -> str | None:
    """Return PostgreSQL's code of an error, if PostgreSQL has given one."""
    return getattr(getattr(error, "orig", None), "sqlstate", None)


def _reason(error: BaseException) -> str:
    """Return what went wrong in one line, for the operator."""
    said = str(getattr(error, "orig", error)).strip()
    return said.splitlines()[0] if said else type(error).__name__
