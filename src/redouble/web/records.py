"""Records that people bring along."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from redouble.contract.registry import GAMES
from redouble.kernel.errors import RecordError, RedoubleError
from redouble.match.record import Record
from redouble.match.replay import replay
from redouble.web import queries
from redouble.web.people import NAME_LENGTH, Person
from redouble.web.store import Store


@dataclass(frozen=True)
class Kept:
    """A record in a list."""

    token: str
    title: str
    """The game's."""
    names: tuple[str, ...]
    moves: int
    at: float


async def keep_record(store: Store, person: Person, line: str) -> str:
    """Keep a record that can be played; its token.

    Raises :class:`RecordError` when it cannot, and :class:`TooMuch`.
    """
    line = await asyncio.to_thread(checked_record, line)
    return await store.run(lambda c: queries.keep_record(c, person.id, line, time.time()))


def checked_record(line: str, number: int = 1) -> str:
    """The line as it is written here, after playing it: the ``number``-th line of a file.

    Raises :class:`RecordError`, naming the line and in it the move.
    """
    record = Record.parse(line, number)
    replay(record, number)
    line = str(record)
    if not line.isascii():
        try:
            line.encode("utf-8")
        except UnicodeEncodeError:
            raise RecordError(
                f"line {number}: it holds half a character, which is no text"
            ) from None
    return line


async def records_of(store: Store, person: Person) -> list[Kept]:
    """The records that a person brought along, the last first; without those not read any more."""
    rows = await store.run(lambda c: queries.records_of(c, person.id))
    return await asyncio.to_thread(_listed, rows)


def _listed(rows: list[tuple[str, str, float]]) -> list[Kept]:
    found = []
    for token, line, at in reversed(rows):
        try:
            record = Record.parse(line)
            title = GAMES[record.game].title
        except RedoubleError:
            continue
        names = tuple(name[:NAME_LENGTH] for name in record.seats)
        found.append(Kept(token, title, names, len(record.moves), at))
    return found
