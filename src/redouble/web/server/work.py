"""Workers: processes that make the reviews which people ask the servers of a database for."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys

import sqlalchemy as sa

from redouble.kernel.errors import RedoubleError
from redouble.web.played.reviewer import Reviewer
from redouble.web.server.processes import run_processes
from redouble.web.server.serve import ServeError
from redouble.web.store import Store, notices, open_store
from redouble.web.thinking.compiler import Compiler

SAY_SECONDS = 2.0
"""How often a worker says that it is there."""


def work(database: str, processes: int) -> None:
    """Make reviews with that many processes, until interrupted.

    ``database`` is the address of a PostgreSQL database. Raises :class:`ServeError` without one,
    and :class:`StoreError` if it can't be used.
    """
    if not database:
        raise ServeError(
            "workers share a PostgreSQL database with the servers: add --database "
            "postgresql://host/name; a server with a data folder makes its reviews itself"
        )
    # What is wrong with the database is said once, and nobody else migrates it.
    with contextlib.closing(open_store(database, shared=True)) as store:
        name = store.database.name
    print(f"Making the reviews of {name}. Press Ctrl-C to stop.", flush=True)
    run_processes(_work_one, processes, database)
    print("Stopped.", file=sys.stderr)


def _work_one(number: int, database: str) -> None:
    try:
        asyncio.run(_work(database))
    except RedoubleError as error:
        print(f"redouble: {error}", file=sys.stderr, flush=True)
        sys.exit(1)


async def _work(database: str) -> None:
    stop = asyncio.Event()
    for interruption in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(interruption, stop.set)
    with contextlib.closing(open_store(database, shared=True)) as store:
        compiler = Compiler()
        reviewer = Reviewer(store, compiler)
        reviewer.start()
        saying = asyncio.create_task(_say(store))
        await stop.wait()
        saying.cancel()
        reviewer.stop()
        await compiler.close()
        await reviewer.close()


async def _say(store: Store) -> None:
    """Say again and again that a worker is there, so that servers leave reviews to it."""

    def job(connection: sa.Connection) -> None:
        notices.drop_said(connection, store.id)
        notices.post(connection, store.id, notices.WORKER, [""])

    while True:
        with contextlib.suppress(RedoubleError):  # servers notice the silence
            await store.run(job)
        await asyncio.sleep(SAY_SECONDS)
