"""Games that people import, as records."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.match.record import Record
from redouble.match.replay import replay
from redouble.web import queries
from redouble.web.people import NAME_LENGTH, Person
from redouble.web.store import Store


@dataclass(frozen=True)
class ImportedGame:
    """An imported game in a list."""

    token: str
    title: str
    """The game's."""
    names: tuple[str, ...]
    moves: int
    at: float


async def import_record(store: Store, person: Person, line: str) -> str:
    """Save a person's record after replaying it, and return its token.

    Raises :class:`RecordError` for a game that can't be replayed, and :class:`TooMuch`.
    """
    line = await asyncio.to_thread(checked_record, line)
    return await store.run(lambda c: queries.save_record(c, person.id, line, time.time()))


def checked_record(line: str, number: int = 1) -> str:
    """Replay a record, the ``number``-th line of a file, and return it as a line to save.

    Raises :class:`RecordError`, which names the line and the move.
    """
    record = Record.parse(line, number)
    replay(record, number)
    return str(record)


async def records_of(store: Store, person: Person) -> list[ImportedGame]:
    """Return a person's imported games, newest first, without any that can't be read any more."""
    rows = await store.run(lambda c: queries.records_of(c, person.id))
    return await asyncio.to_thread(_listed, rows)


def _listed(rows: list[tuple[str, str, float]]) -> list[ImportedGame]:
    found = []
    for token, line, at in reversed(rows):
        try:
            record = Record.parse(line)
            title = GAMES[record.game].title
        except RedoubleError:
            continue
        names = tuple(name[:NAME_LENGTH] for name in record.seats)
        found.append(ImportedGame(token, title, names, len(record.moves), at))
    return found
