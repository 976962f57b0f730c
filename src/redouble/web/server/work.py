"""Workers: processes that make the reviews which people ask the servers of a database for."""

import asyncio
import contextlib
import signal
import sys
import time

import sqlalchemy as sa

from redouble.kernel.errors import RedoubleError
from redouble.kernel.extras import needs
from redouble.web.installed import FEATURES
from redouble.web.server.processes import run_processes
from redouble.web.server.serve import ServeError, next_port
from redouble.web.store import Store, notices, open_store
from redouble.web.thinking.compiler import Compiler
from redouble.web.watchers import Watchers

SAY_SECONDS = 2.0
"""How often a worker says that it is there."""
SILENT_SECONDS = 10.0
"""A worker that couldn't say so for this time isn't ready."""


def work(database: str, workers: int, metrics: str = "") -> None:
    """Make reviews with that many processes, until interrupted.

    ``database`` is the address of a PostgreSQL database, and ``metrics`` that of the first
    process's figures and health; those of the others have the next ports. Raises
    :class:`ServeError` without a database, and :class:`StoreError` if it can't be used.
    """
    if not database:
        raise ServeError(
            "workers share a PostgreSQL database with the servers: add --database "
            "postgresql://host/name; a server with a data folder makes its reviews itself"
        )
    # What is wrong with the database is said once, and nobody else migrates it.
    with contextlib.closing(open_store(database, FEATURES.tables, shared=True)) as store:
        name = store.database.name
    print(f"Making the reviews of {name}. Press Ctrl-C to stop.", flush=True)
    if not run_processes(_work_one, workers, database, metrics):
        raise ServeError("the workers could not start: see the lines above")
    print("Stopped.", file=sys.stderr)


def _work_one(number: int, database: str, metrics: str) -> None:
    asyncio.run(_work(database, metrics and next_port(metrics, number)))


class _Voice:
    """When a worker could last say that it is there, which shows that it can write."""

    def __init__(self) -> None:
        self._heard = time.monotonic()

    def note(self) -> None:
        self._heard = time.monotonic()

    def problem(self) -> str:
        """Return why the worker isn't ready; nothing if it is."""
        silent = time.monotonic() - self._heard > SILENT_SECONDS
        return "the database can't be written" if silent else ""


async def _work(database: str, metrics: str) -> None:
    stop = asyncio.Event()
    for interruption in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(interruption, stop.set)
    watchers, voice = Watchers(), _Voice()
    with contextlib.ExitStack() as opened:
        store = open_store(database, FEATURES.tables, shared=True, watcher=watchers)
        opened.enter_context(contextlib.closing(store))
        if metrics:
            with needs("--metrics", "server"):
                from redouble.web.server.metrics import StoreMetrics, served
            figures = StoreMetrics(store)
            opened.enter_context(served(figures, watchers, metrics, voice.problem))
        compiler = Compiler()
        services = [one for run in FEATURES.workers for one in run(store, compiler, watchers)]
        tasks = [asyncio.create_task(one.follow()) for one in services]
        tasks.append(asyncio.create_task(_say(store, voice)))
        await stop.wait()
        for task in tasks:
            task.cancel()
        for one in services:
            one.stop()
        await compiler.close()
        for one in services:
            await one.close()


async def _say(store: Store, voice: _Voice) -> None:
    """Say again and again that a worker is there, so that servers leave reviews to it."""

    def job(connection: sa.Connection) -> None:
        notices.drop_said(connection, store.id)
        notices.post(connection, store.id, notices.WORKER, [""])

    while True:
        with contextlib.suppress(RedoubleError):  # servers notice the silence
            await store.run(job)
            voice.note()
        await asyncio.sleep(SAY_SECONDS)
