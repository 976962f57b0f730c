"""Jobs for the database: one thread writes, with many small jobs in a transaction.

What every request looks up is read at once, by a connection of its own that can't write.

A job is a function of a connection. All jobs that wait when the thread is free share one
transaction, since committing takes the disk several milliseconds. There each job has its own
savepoint, so that a job that fails doesn't undo the others.
"""

import asyncio
import logging
import queue
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from redouble.kernel.cores import IN_BROWSER
from redouble.web.errors import OutcomeUnknown, StoreError, WebError
from redouble.web.store.database import Database, Row, Unconfirmed, table_in
from redouble.web.watchers import Watcher, metered

T = TypeVar("T")
P = ParamSpec("P")
Job = Callable[[sa.Connection], T]

BATCH = 256
"""Jobs in a transaction, at most."""
LOG_SECONDS, MAX_LOGGED = 60.0, 20
"""How often the log says the same of saves that fail, and how much it says in this time."""
SHOWN_LETTERS = 6
"""The letters of a table's token in the log: enough to find it, too few to open it."""
_log = logging.getLogger(__name__)
GIVEN_UP_TRIES = 5
"""How often a job runs again that the database gave up.

Processes waited for each other, this one had no processor for too long, or it was cut off."""


class _GivenUp(StoreError):
    """The database gave up a transaction; doing the same again may succeed."""


@dataclass(frozen=True)
class _Waiting:
    """A job that waits for the thread."""

    about: str
    job: Job[Any]
    done: Future[Any]


class Store:
    """An open database. ``run`` and ``call`` are safe from any thread or task."""

    def __init__(self, database: Database, watcher: Watcher | None = None) -> None:
        self.database = database
        self._watcher = watcher or Watcher()
        self.id = secrets.token_hex(8)
        """Tells the notices of this process from those of others."""
        self._jobs: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._closed = False
        self._logged: dict[str, float] = {}
        self._thread: threading.Thread | None = None
        if not IN_BROWSER:
            self._thread = threading.Thread(target=self._work, name="store", daemon=True)
            self._thread.start()

    @property
    def shared(self) -> bool:
        """Whether other processes may serve the database at the same time."""
        return self.database.shared

    async def run(
        self, job: Callable[Concatenate[sa.Connection, P], T], *args: P.args, **more: P.kwargs
    ) -> T:
        """Run a job with its arguments, wait until its changes are on disk, and return its result.

        Raises what the job raises, and :class:`StoreError` if the database can't be written.
        """
        return await asyncio.wrap_future(self.call(lambda c: job(c, *args, **more)))

    async def run_at(self, token: str, job: Job[T]) -> T:
        """Run a job like ``run`` that is about the table of a token."""
        return await asyncio.wrap_future(self.call(job, token))

    def call(self, job: Job[T], about: str = "") -> Future[T]:
        """Run a job like ``run``, outside of coroutines: ``call(job).result()``.

        ``about`` is the token of the table that it changes, if it is one.
        """
        done: Future[T] = Future()
        self._watcher.saving(done)
        if self._closed:
            done.set_exception(StoreError("nothing can be saved any more: the server is stopping"))
        else:
            waiting = _Waiting(about, metered(job), done)
            if self._thread is None:
                self._do([waiting])
            else:
                self._jobs.put(waiting)
        return done

    def look_up(self, query: str, *values: str) -> Row | None:
        """Return a query's only row; None if it has none.

        This reads in the caller's thread: only for a look-up of one row by its primary key. Raises
        :class:`StoreError` if the database can't be read.
        """
        return self.database.look_up(query, *values)

    async def find(self, query: str, *values: str) -> Row | None:
        """Look something up like ``look_up``, without holding up the event loop."""
        return await self.database.find(query, *values)

    @property
    def waiting(self) -> int:
        """The number of jobs that wait for the thread."""
        return self._jobs.qsize()

    def close(self) -> None:
        """Finish the waiting jobs, then close the database. Later jobs are refused."""
        self._closed = True
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
        self.database.close()

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

    def _do(self, batch: list[_Waiting]) -> None:
        """Run jobs in one transaction, and report their results when it is committed.

        A job can't be canceled once it has begun. Processes lock tables in the same order, so that
        they seldom wait for each other in a circle; a job that the database gives up then runs
        again, alone.
        """
        batch = [one for one in batch if one.done.set_running_or_notify_cancel()]
        self._settle(sorted(batch, key=lambda one: one.about), GIVEN_UP_TRIES)

    def _settle(self, batch: list[_Waiting], tries: int) -> None:
        outcomes: list[tuple[Future[Any], Any, Exception | None]] = []
        try:
            if len(batch) == 1:
                outcomes.append(self._alone(batch[0].job, batch[0].done))
            else:
                with self.database.begin() as connection:
                    for one in batch:
                        outcomes.append(self._one(connection, one.job, one.done))
        except Exception as error:
            broken = self._failure(error)
            outcomes = [(one.done, None, broken) for one in batch]
        for one, (done, result, failure) in zip(batch, outcomes, strict=True):
            if isinstance(failure, _GivenUp) and tries:
                self._settle([one], tries - 1)
            elif failure is None:
                done.set_result(result)
            else:
                if isinstance(failure, StoreError):
                    self._log_failure(one.about, failure)
                done.set_exception(failure)

    def _log_failure(self, about: str, failure: StoreError) -> None:
        """Log that a job failed, at which table of players and in which one of the database."""
        cause = failure.__cause__ or failure
        at = f" at table {about[:SHOWN_LETTERS]}..." if about else ""
        where = table_in(getattr(cause, "statement", None))
        line = f"a save{at} failed, in {where}: {getattr(cause, 'orig', None) or cause}"
        now = time.monotonic()
        self._logged = {one: when for one, when in self._logged.items() if now - when < LOG_SECONDS}
        if line not in self._logged and len(self._logged) < MAX_LOGGED:
            self._logged[line] = now
            _log.error(line)

    def _alone(self, job: Job[Any], done: Future[Any]) -> tuple[Future[Any], Any, Exception | None]:
        """Run a job in a transaction of its own, which needs no savepoint."""
        failure: Exception | None = None
        try:
            with self.database.begin() as connection:
                try:
                    return done, job(connection), None
                except Exception as error:
                    failure = error
                    raise
        except Exception:
            if failure is None:  # the transaction couldn't begin or be committed
                raise
        if isinstance(failure, DBAPIError) and not isinstance(failure, sa.exc.IntegrityError):
            failure = self._failure(failure)
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
            failure = self._failure(first or error)
            if self.database.transaction_lost(connection):
                # On a full disk SQLite rolls back the whole transaction with its savepoints, so
                # the changes of the jobs before this one are lost.
                raise failure from error
            return done, None, failure
        except Exception as error:  # the job's own error: for its caller
            return done, None, error

    def _failure(self, error: Exception) -> WebError:
        """Return the error to report to visitors, which names no file, host or port."""
        failure = self._for_visitors(error)
        if failure is not error:
            failure.__cause__ = error
        return failure

    def _for_visitors(self, error: Exception) -> WebError:
        if isinstance(error, StoreError):
            return error
        if isinstance(error, DBAPIError) and (refused := self.database.refusal(error)):
            return refused
        if isinstance(error, DBAPIError) and self.database.gave_up(error):
            return _GivenUp("saving failed, and nothing has changed: try again")
        reason = self.database.explain(error)
        if isinstance(error, Unconfirmed):
            return OutcomeUnknown(
                f"it isn't known whether this was saved: {reason}. Reload the page"
            )
        return StoreError(f"saving failed, and nothing has changed: {reason}")
