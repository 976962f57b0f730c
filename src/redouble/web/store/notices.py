"""Notices from process to process about what was changed in the database.

A server holds tables in memory and keeps streams open. A process that changes their data, such as
``redouble admin`` beside the server, inserts a notice in the same transaction. Every server looks
for new notices once a second, so it acts on them a second later at most. A notice names only what
has changed: losing its meaning or handling it twice does no harm.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa

from redouble.web.store import Store
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import notices

LOOK_SECONDS = 1.0
"""How often a server looks for notices."""
SETTLED_SECONDS = 60.0
"""After this time no notice appears any more whose number is smaller than one that was read."""
KEPT_SECONDS = 24 * 3600.0
"""A server that was stopped meanwhile has nothing in memory, so old notices mean nothing."""
TABLE, SESSION = "table", "session"
"""What a notice can be about: a table was rewritten or deleted, or a session has ended."""
PRESENT, VISITED, SPENT = "present", "visited", "spent"
"""What servers tell each other: who watches which tables, who without a script was there lately,
and what clients have used up of their limits. It means nothing later."""
WORKER = "worker"
"""That a worker is there, which means nothing later either."""
PROOF = "proof"
"""That the database can be written, which nobody reads."""


@dataclass(frozen=True)
class Notice:
    """Something that has changed: its kind, and the token of the table or id of the session.

    What servers tell each other is JSON.
    """

    kind: str
    about: str
    sender: str = ""


def post(connection: sa.Connection, sender: str, kind: str, about: Iterable[str]) -> None:
    """Insert notices. The ``sender``, the id of a store, is the one that doesn't read them."""
    now = CLOCK.now()
    rows = [{"at": now, "sender": sender, "kind": kind, "about": one} for one in about]
    if rows:
        connection.execute(sa.insert(notices), rows)


def drop_present(connection: sa.Connection, person: str) -> None:
    """Delete what servers have said about where a person is."""
    named = notices.c.about.contains(person, autoescape=True)
    where = notices.c.kind.in_((PRESENT, VISITED))
    connection.execute(sa.delete(notices).where(where, named))


def prove(connection: sa.Connection, sender: str) -> None:
    """Write something, to see whether it can be done."""
    mine = (notices.c.sender == sender) & (notices.c.kind == PROOF)
    connection.execute(sa.delete(notices).where(mine))
    post(connection, sender, PROOF, [""])


def drop_said(connection: sa.Connection, sender: str) -> None:
    """Delete what a server has told others and they have read."""
    said = notices.c.kind.in_((PRESENT, VISITED, SPENT, WORKER))
    mine = sa.and_(notices.c.sender == sender, said)
    connection.execute(sa.delete(notices).where(mine, notices.c.at < CLOCK.now() - SETTLED_SECONDS))


def drop_old(connection: sa.Connection, now: float) -> None:
    """Delete notices that nobody reads any more."""
    connection.execute(sa.delete(notices).where(notices.c.at < now - KEPT_SECONDS))


class NoticeBoard:
    """Reads the notices of other processes, each of them once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._low: int | None = None
        """Every notice up to this number was read."""
        self._read: dict[int, float] = {}
        """When later ones were read: of transactions at the same time, the second may end first."""

    async def new(self) -> list[Notice]:
        """Return the notices that have appeared since the last call; none at the first."""
        if self._low is None:
            last = sa.select(sa.func.max(notices.c.id))
            self._low = await self._store.run(lambda c: c.execute(last).scalar() or 0)
            return []
        later = sa.select(notices).where(notices.c.id > self._low).order_by(notices.c.id)
        rows = await self._store.run(lambda c: c.execute(later).all())
        fresh = [row for row in rows if row.id not in self._read]
        now = time.monotonic()
        self._read |= {row.id: now for row in fresh}
        for number in [one for one, at in self._read.items() if now - at > SETTLED_SECONDS]:
            self._low = max(self._low, number)
            del self._read[number]
        others = (row for row in fresh if row.sender != self._store.id)
        return [Notice(row.kind, row.about, row.sender) for row in others]
