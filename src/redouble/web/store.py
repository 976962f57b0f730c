"""The database: one SQLite file, written by one thread, with many small jobs in a transaction.

What every request looks up is read at once, by a connection of its own that can't write.

A job is a function of a connection. All jobs that wait when the thread is free share one
transaction, since committing takes the disk several milliseconds. There each job has its own
savepoint, so that a job that fails doesn't undo the others.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import secrets
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from redouble.web.errors import StoreError
from redouble.web.schema import metadata

T = TypeVar("T")
Job = Callable[[sa.Connection], T]

FILE = "redouble.sqlite3"
BATCH = 256
"""Jobs in a transaction, at most."""
HEAD = "0009"
"""The newest migration, so that an up-to-date database is opened without Alembic."""


class Store:
    """The database of a data folder. ``run`` and ``call`` are safe from any thread or task.

    Opening brings an older database up to date. Raises :class:`StoreError` if the file can't be
    used or was written by a newer version of Redouble.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self.id = secrets.token_hex(8)
        """Tells the notices of this process from those of others."""
        keep_private(self.path)
        self._engine = _engine(self.path)
        self._jobs: queue.SimpleQueue[tuple[Job[Any], Future[Any]] | None] = queue.SimpleQueue()
        self._closed = False
        try:
            _bring_up_to_date(self._engine)
            _write_ahead(self._engine)
            self._reader = _reader(self.path)
        except DBAPIError as error:
            self._engine.dispose()
            raise StoreError(f"{self.path} can't be used: {error.orig}") from error
        except StoreError:
            self._engine.dispose()
            raise
        self._thread = threading.Thread(target=self._work, name="store", daemon=True)
        self._thread.start()

    async def run(self, job: Job[T]) -> T:
        """Run a job, wait until its changes are on disk, and return its result.

        Raises what the job raises, and :class:`StoreError` if the database can't be written.
        """
        return await asyncio.wrap_future(self.call(job))

    def call(self, job: Job[T]) -> Future[T]:
        """Run a job like ``run``, outside of coroutines: ``call(job).result()``."""
        done: Future[T] = Future()
        if self._closed:
            done.set_exception(StoreError("nothing can be saved any more: the server is stopping"))
        else:
            self._jobs.put((job, done))
        return done

    def look_up(self, query: str, *values: str) -> Any:
        """Return the first value of a query's only row; None if it has no row.

        This reads in the caller's thread: only for a look-up of one row by its primary key. Raises
        :class:`StoreError` if the database can't be read.
        """
        try:
            rows = self._reader.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"the database can't be read: {error}") from error
        return rows[0][0] if rows else None

    @property
    def waiting(self) -> int:
        """The number of jobs that wait for the thread."""
        return self._jobs.qsize()

    def close(self) -> None:
        """Finish the waiting jobs, then close the file. Later jobs are refused."""
        self._closed = True
        self._jobs.put(None)
        self._thread.join()
        self._reader.close()
        self._engine.dispose()

    def _work(self) -> None:
        while (first := self._jobs.get()) is not None:
            batch, stop = [first], False
            while len(batch) < BATCH:
                try:
                    job = self._jobs.get_nowait()
                except queue.Empty:
                    break
                if job is None:
                    stop = True
                    break
                batch.append(job)
            self._do(batch)
            if stop:
                return

    def _do(self, batch: list[tuple[Job[Any], Future[Any]]]) -> None:
        """Run jobs in one transaction, and report their results when it is committed.

        A job can't be canceled once it has begun.
        """
        batch = [(job, done) for job, done in batch if done.set_running_or_notify_cancel()]
        outcomes: list[tuple[Future[Any], Any, Exception | None]] = []
        try:
            if len(batch) == 1:
                outcomes.append(self._alone(*batch[0]))
            else:
                with self._engine.begin() as connection:
                    for job, done in batch:
                        outcomes.append(self._one(connection, job, done))
        except Exception as error:
            broken = _store_error(error)
            outcomes = [(done, None, broken) for _, done in batch]
        for done, result, failure in outcomes:
            if failure is None:
                done.set_result(result)
            else:
                done.set_exception(failure)

    def _alone(self, job: Job[Any], done: Future[Any]) -> tuple[Future[Any], Any, Exception | None]:
        """Run a job in a transaction of its own, which needs no savepoint."""
        failure: Exception | None = None
        try:
            with self._engine.begin() as connection:
                try:
                    return done, job(connection), None
                except Exception as error:
                    failure = error
                    raise
        except Exception:
            if failure is None:  # the transaction couldn't begin or be committed
                raise
        if isinstance(failure, DBAPIError) and not isinstance(failure, sa.exc.IntegrityError):
            failure = _store_error(failure)
        return done, None, failure

    def _one(
        self, connection: sa.Connection, job: Job[Any], done: Future[Any]
    ) -> tuple[Future[Any], Any, Exception | None]:
        first: DBAPIError | None = None
        try:
            with connection.begin_nested():
                try:
                    return done, job(connection), None
                except DBAPIError as error:
                    first = error
                    raise
        except sa.exc.IntegrityError as error:
            return done, None, error
        except DBAPIError as error:
            failure = _store_error(first or error)
            if not _in_transaction(connection):
                # On a full disk SQLite rolls back the whole transaction with its savepoints, so
                # the changes of the jobs before this one are lost.
                raise failure from error
            return done, None, failure
        except Exception as error:  # the job's own error: for its caller
            return done, None, error


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


def _write_ahead(engine: sa.Engine) -> None:
    """Use a write-ahead log. This changes the file, so the database must be known to be ours."""
    connection = engine.raw_connection()
    try:
        connection.cursor().execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def _in_transaction(connection: sa.Connection) -> bool:
    raw = connection.connection.dbapi_connection
    return isinstance(raw, sqlite3.Connection) and raw.in_transaction


def _bring_up_to_date(engine: sa.Engine) -> None:
    """Create or migrate the schema. Alembic is imported only if there is something to do."""
    inspector = sa.inspect(engine)
    if inspector.has_table("alembic_version"):
        with engine.connect() as connection:
            found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
        if found == HEAD:
            return
        known = {path.stem.split("_")[0] for path in _versions().glob("[0-9]*.py")}
        if found not in known:
            raise StoreError(
                f"{engine.url.database} was written by a newer version of Redouble (schema "
                f"{found}): update Redouble to open it"
            )
    elif inspector.get_table_names():
        raise StoreError(f"{engine.url.database} isn't a database of Redouble: move it away")
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_versions().parent))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _versions() -> Path:
    return Path(__file__).parent / "migrations" / "versions"


def _store_error(error: Exception) -> StoreError:
    """Return the error to report to visitors, which doesn't name the file."""
    if isinstance(error, StoreError):
        return error
    reason = str(getattr(error, "orig", error))
    return StoreError(f"saving failed, and nothing has changed: {reason}")


__all__ = ["FILE", "HEAD", "Store", "metadata"]
