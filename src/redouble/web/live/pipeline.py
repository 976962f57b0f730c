"""Changes tables, one command at a time.

Every change takes the same steps. Under the table's lock a command is checked, its events are
applied to a copy of the table and written to the database. Only when they are on disk does the
copy replace the table and its pages show it. If the write fails, nothing has changed. If its
outcome isn't known, since the database was lost meanwhile, the log is looked up.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from redouble.web.errors import NotFound, OutcomeUnknown, Overtaken, Stale, StoreError, TooMuch
from redouble.web.live import table_rows
from redouble.web.live.elsewhere import free_elsewhere
from redouble.web.live.hooks import Hooks
from redouble.web.live.live import Live
from redouble.web.live.memory import GONE, Memory
from redouble.web.live.neighbors import Neighbors
from redouble.web.store import Job, Store, T, notices
from redouble.web.store.clock import CLOCK
from redouble.web.table import Entry, Event, Table, apply
from redouble.web.table.acts.deals import deal
from redouble.web.table.acts.play import AskSolver
from redouble.web.watchers import Watcher, in_task

Command = Callable[[Table], list[Event]]

TRIES = 4
"""How often a command is checked at most while other processes write to its table first."""
MAX_ENTRIES = 20_000
"""A log of this length is full: it takes only events that end the game."""
WRITTEN = "written"
"""What servers tell each other when a table was written to."""


@dataclass(eq=False)
class Pipeline:
    """Carries out commands."""

    store: Store
    memory: Memory
    neighbors: Neighbors
    watcher: Watcher
    hooks: Sequence[Hooks]
    """Run in the transactions that change tables."""
    changed: Callable[[Live], None]
    """Called with each table that has changed, outside its lock."""
    _rewriting: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set, init=False)

    async def act(self, live: Live, command: Command, also: Job[None] | None = None) -> list[Entry]:
        """Carry out a command, and return its entries once they are on disk.

        The job ``also`` runs in the same transaction. If another process has written to the table
        first, the command is checked again. Raises what the command raises, :class:`Stale` when
        others were first every time, and :class:`StoreError`; then nothing has changed, except
        perhaps with :class:`OutcomeUnknown`. It is carried out even if the caller is canceled.
        """
        with self.watcher.commanded(live.table.game.name) as note:
            entries = await asyncio.shield(self.begin(self._act(live, command, also)))
            note([entry.event.kind for entry in entries])
        return entries

    async def rewrite(self, tokens: Iterable[str], job: Job[T]) -> T:
        """Run a job that rewrites or deletes rows of these tables, and load them again.

        For each table whose rows it rewrites, the job calls :func:`table_rows.note_rewritten`.
        Meanwhile the tables take no commands. Raises what the job raises. It is carried out even
        if the caller is canceled.
        """
        return await asyncio.shield(self.begin(self._rewrite(frozenset(tokens), job)))

    def begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin work that :meth:`finish` waits for."""
        task = asyncio.create_task(in_task(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def finish(self, seconds: float) -> None:
        """Wait for what has begun, at most so long."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)

    async def _act(self, live: Live, command: Command, also: Job[None] | None) -> list[Entry]:
        for _ in range(TRIES):
            with contextlib.suppress(Overtaken):
                return await self._try(live, command, also)
        raise Stale("other players moved first: choose again in the new position")

    async def _try(self, live: Live, command: Command, also: Job[None] | None) -> list[Entry]:
        """Carry out a command once.

        Raises :class:`Overtaken` if another process was first; then the table was loaded again.
        """
        async with live.lock:
            try:
                caused = command(live.table)
            except Stale:
                self.watcher.outdated()
                raise
            if not caused:
                return []
            table, entries = _applied(live.table, caused)
            if live.helped and table.over and not table.helped:
                table, entries = _applied(live.table, [*caused, AskSolver(seat=0)])
            await self._save(live, table, entries, also)
            self.memory.show(live, table)
            self.neighbors.tell(f"{WRITTEN} {table.header.token}")
        self.changed(live)
        return entries

    async def _save(
        self, live: Live, table: Table, entries: list[Entry], also: Job[None] | None
    ) -> None:
        """Write entries that were applied to ``table``; ``live`` is without them.

        Raises :class:`Overtaken` if another process was first, and :class:`StoreError`.
        """

        def job(connection: sa.Connection) -> None:
            table_rows.append(connection, table, entries)
            if also is not None:
                also(connection)
            if live.table.gathering:
                free_elsewhere(connection, table)
            who = table_rows.newcomers(entries)
            for hook in self.hooks:
                if who:
                    hook.admit(connection, table.header, who)
                if table.over:
                    hook.ended(connection, table)
                hook.written(connection, table, entries)

        try:
            await self.store.run_at(table.header.token, job)
        except (IntegrityError, Overtaken) as error:
            self.watcher.outdated()
            await self.memory.catch_up(live)
            if live.dropped:
                raise NotFound(GONE) from error
            raise Overtaken("someone else moved first") from error
        except OutcomeUnknown as error:
            saved = await self.memory.was_saved(live, entries)
            if saved is None:
                raise OutcomeUnknown(
                    "it isn't known whether this was saved: reload the page in a minute"
                ) from error
            if not saved:
                raise StoreError("saving failed, and nothing has changed: try again") from error

    async def _rewrite(self, tokens: frozenset[str], job: Job[T]) -> T:
        async with self._rewriting, contextlib.AsyncExitStack() as held:
            lives: list[Live] = []
            while live := await self.memory.one_of(
                tokens - {one.table.header.token for one in lives}
            ):
                await held.enter_async_context(live.lock)
                lives.append(live)

            def noticed(connection: sa.Connection) -> T:
                notices.post(connection, self.store.id, notices.TABLE, tokens)
                return job(connection)

            done = await self.store.run(noticed)
            for live in lives:
                try:
                    await self.memory.catch_up(live)
                except StoreError:
                    self.memory.drop(live)  # the next visit tries again
        for live in lives:
            self.changed(live)
        return done


def _applied(table: Table, caused: list[Event]) -> tuple[Table, list[Entry]]:
    """Return a copy of a table with events, and their entries; the cards are dealt once they can.

    Raises :class:`TooMuch` if the table's log is full.
    """
    if table.ply >= MAX_ENTRIES and not all(event.allowed_when_full for event in caused):
        raise TooMuch("this table's log is full: play the game to its end, or resign")
    now = CLOCK.now()
    entries = [Entry(ply, now, event) for ply, event in enumerate(caused, table.ply)]
    after = table.copy()
    for entry in entries:
        apply(after, entry)
    if after.dealing and not any(map(after.owes_share, range(len(after.seats)))):
        entries += [Entry(after.ply, now, event) for event in deal(after)]
        apply(after, entries[-1])
    return after, entries
