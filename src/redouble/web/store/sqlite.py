"""A database in one SQLite file, which one thread writes."""

import contextlib
import logging
import os
import shutil
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from redouble.kernel.cores import IN_BROWSER
from redouble.web.errors import StoreError
from redouble.web.store.database import (
    HEAD,
    REVISIONS,
    Database,
    Row,
    bring_up_to_date,
    table_in,
)

FILE = "redouble.sqlite3"
BEFORE_UPDATE = "before-update-"
"""How the names of folders begin that have a copy of the database before a migration."""
MAX_COPIES = 3
JOURNAL = "TRUNCATE" if IN_BROWSER else "WAL"
"""How changes become durable: a write-ahead log needs memory that processes share."""
READY = Path(__file__).parents[2] / "ready.sqlite3"
"""A database without rows, which the edition for browsers has: to make one takes a second there."""
_log = logging.getLogger(__name__)
_USED = (
    "SELECT (page_count - freelist_count) * page_size"
    " FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()"
)


class SqliteDatabase(Database):
    """The database of a data folder.

    Raises :class:`StoreError` if the file can't be used or was written by a newer version of
    Redouble.
    """

    def __init__(self, folder: Path, tables: Iterable[sa.Table]) -> None:
        path = folder / FILE
        self.name, self.folder = str(path), folder
        refuse_empty(path)
        if not path.exists():
            _create(path, tables)
        keep_private(path)
        self.engine = _engine(path)
        try:
            found = revision(path)
            if found != HEAD and found in REVISIONS:
                copy_before_update(path, found)
            with self.engine.begin() as connection:
                bring_up_to_date(connection, self.name, tables)
            _keep_journal(self.engine)
            self._reader = _reader(path)
        except DBAPIError as error:
            self.engine.dispose()
            place = table_in(error.statement)
            raise StoreError(f"{path} can't be used: {error.orig}, in {place}") from error
        except OSError as error:
            self.engine.dispose()
            raise StoreError(f"{path} can't be copied before its update: {error}") from error
        except StoreError:
            self.engine.dispose()
            raise

    def look_up(self, query: str, *values: str) -> Row | None:
        """Return a query's only row; None if it has none."""
        try:
            rows: list[Row] = self._reader.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise self.unreadable(query, error) from error
        return rows[0] if rows else None

    def used(self) -> int:
        """Return the bytes that its rows take. Deleted rows leave room in the file."""
        row = self.look_up(_USED)
        return int(row[0]) if row else 0

    def transaction_lost(self, connection: sa.Connection) -> bool:
        """Return whether the transaction is undone: on a full disk, with all its savepoints."""
        raw = connection.connection.dbapi_connection
        return not (isinstance(raw, sqlite3.Connection) and raw.in_transaction)

    def close(self) -> None:
        """Close the file."""
        self._reader.close()
        self.engine.dispose()


def copy_before_update(path: Path, found: str) -> None:
    """Copy a database of revision ``found`` into a folder that ``redouble restore`` puts back.

    Raises :class:`OSError` and :class:`StoreError`; then nothing has changed.
    """
    free, needed = shutil.disk_usage(path.parent).free, 2 * path.stat().st_size
    if free < needed:
        raise StoreError(
            f"{path} has to be copied before its update, and there is no room: free "
            f"{(needed - free) // 1_000_000 + 1} megabytes"
        )
    old = sorted(path.parent.glob(f"{BEFORE_UPDATE}*"))[: 1 - MAX_COPIES or None]
    for folder in old:
        shutil.rmtree(folder, ignore_errors=True)
    copy = path.parent / time.strftime(f"{BEFORE_UPDATE}%Y%m%d-%H%M%S-from-{found}")
    copy.mkdir(mode=0o700)
    keep_private(copy / FILE)
    with (
        contextlib.closing(_reader(path)) as source,
        contextlib.closing(sqlite3.connect(copy / FILE)) as target,
    ):
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")  # one file, without others beside it
    with open(copy / FILE, "rb") as file:
        os.fsync(file.fileno())
    _log.warning("%s is being updated; as it was, it is in %s", path, copy)


def refuse_empty(path: Path) -> None:
    """Raise :class:`StoreError` for a file without content, which can't have been a database."""
    with contextlib.suppress(FileNotFoundError):
        if path.is_file() and path.stat().st_size == 0:
            raise StoreError(
                f"{path} is empty, so its content is lost: restore a backup, or delete the file to "
                "begin anew"
            )


def _create(path: Path, tables: Iterable[sa.Table]) -> None:
    """Create a database, which gets its name when it is complete: so a crash leaves no empty one.

    Raises :class:`StoreError`.
    """
    new = path.with_name(f"{path.name}.new")
    try:
        new.unlink(missing_ok=True)
        if READY.exists():
            shutil.copyfile(READY, new)
        keep_private(new)
        engine = _engine(new)
        try:
            with engine.begin() as connection:
                bring_up_to_date(connection, str(path), tables)
        finally:
            engine.dispose()
        new.replace(path)
    except DBAPIError as error:
        raise StoreError(f"{path} can't be used: {error.orig}") from error
    except OSError as error:
        raise StoreError(f"{path} can't be used: {error.strerror}") from error


def keep_private(path: Path) -> None:
    """Let only its owner read a file, which is created if missing.

    SQLite gives the files beside a database the same mode.
    """
    with contextlib.suppress(OSError):  # opening it says why
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        os.chmod(path, 0o600)


def revision(path: Path) -> str:
    """Return the migration that a database is at, without changing it; empty if it has none."""
    try:
        with contextlib.closing(_reader(path)) as database:
            found = database.execute("SELECT version_num FROM alembic_version").fetchall()
    except sqlite3.Error:
        return ""
    return str(found[0][0]) if found else ""


def _engine(path: Path) -> sa.Engine:
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(path)),
        connect_args={"check_same_thread": False},
        poolclass=sa.StaticPool,
    )

    @sa.event.listens_for(engine, "connect")
    def _set_up(connection: sqlite3.Connection, record: object) -> None:
        connection.isolation_level = None  # savepoints need explicit transactions
        connection.execute("PRAGMA synchronous = FULL")  # what is acknowledged is on disk
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # deleted data is overwritten
        connection.execute("PRAGMA busy_timeout = 5000")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _reader(path: Path) -> sqlite3.Connection:
    """Return a connection that never waits for the writing thread, and can't write."""
    address = f"{path.resolve().as_uri()}?mode=ro"
    return sqlite3.connect(address, uri=True, check_same_thread=False, isolation_level=None)


def _keep_journal(engine: sa.Engine) -> None:
    """Set the journal. This changes the file, so the database must be known to be ours."""
    connection = engine.raw_connection()
    try:
        connection.cursor().execute(f"PRAGMA journal_mode = {JOURNAL}")
    finally:
        connection.close()
