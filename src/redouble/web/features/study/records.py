"""Games that people import, as records."""

import asyncio
import contextlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from redouble.contract.registry import GAMES
from redouble.kernel.errors import RecordError, RedoubleError
from redouble.match.record import Record
from redouble.match.replay import replay
from redouble.web.errors import NotFound, TooMuch
from redouble.web.features.study.saved import MAX_MOVES, records
from redouble.web.people.people import NAME_LENGTH, Person, lock
from redouble.web.site import Site
from redouble.web.store import Store, count
from redouble.web.store.clock import CLOCK

MAX_SEED, MAX_NAME = 200, 500
"""Characters in the seed and in a name of a record that is imported."""
MAX_KNOWN = 10_000
"""Imported games of which it is remembered how lists show them."""


@dataclass(frozen=True)
class ImportedGame:
    """An imported game in a list."""

    token: str
    title: str
    """The game's."""
    names: tuple[str, ...]
    moves: int
    at: float


_known: dict[str, ImportedGame | None] = {}
"""By token; None for those that can't be read."""


async def save_record(site: Site, person: Person, line: str) -> str:
    """Save a person's record, which is checked already, and return its token.

    Raises :class:`TooMuch` if the person has as many as they may, and :class:`Full`.
    """
    site.tables.disk.check()
    token, limit = secrets.token_urlsafe(16), site.limits.records_per_person
    row = {"token": token, "person": person.id, "line": line, "at": CLOCK.now()}

    def job(connection: sa.Connection) -> None:
        lock(connection, person.id)
        if count(connection, records, records.c.person == person.id) >= limit:
            raise TooMuch(f"you have {limit} imported games: delete some first")
        connection.execute(sa.insert(records).values(row))

    await site.store.run(job)
    return token


def record_lines(connection: sa.Connection, tokens: Sequence[str]) -> list[tuple[str, str, float]]:
    """Return token, line and time of imported records."""
    query = sa.select(records.c.token, records.c.line, records.c.at)
    rows = connection.execute(query.where(records.c.token.in_(tokens)))
    return [(row.token, row.line, row.at) for row in rows]


def record_times(connection: sa.Connection, person: str) -> list[tuple[str, float]]:
    """Return token and time of a person's imported records, oldest first."""
    query = sa.select(records.c.token, records.c.at)
    rows = connection.execute(query.where(records.c.person == person).order_by(records.c.at))
    return [(row.token, row.at) for row in rows]


def delete_record(connection: sa.Connection, person: str, token: str) -> None:
    """Delete a person's imported record. Raises :class:`NotFound`."""
    if not connection.execute(sa.delete(records).filter_by(token=token, person=person)).rowcount:
        raise NotFound("you have no saved game at this link: you may have deleted it")


def checked_record(line: str, max_bytes: int, number: int = 1) -> str:
    """Replay a record, the ``number``-th line of a file, and return it as a line to save.

    Raises :class:`RecordError`, which names the line and the move, also for a record that is longer
    than any game needs.
    """
    record = Record.parse(line, number)
    if len(record.seed) > MAX_SEED:
        raise RecordError(f"line {number}: the seed is too long: at most {MAX_SEED} characters")
    if any(len(name) > MAX_NAME for name in record.seats):
        raise RecordError(f"line {number}: a name is too long: at most {MAX_NAME} characters")
    if len(line.encode("utf-8", "surrogatepass")) > max_bytes:
        raise RecordError(f"line {number}: the record is too long: at most {max_bytes} bytes")
    if len(record.moves) > MAX_MOVES:
        raise RecordError(
            f"line {number}: {len(record.moves)} moves are too many to show: at most {MAX_MOVES}"
        )
    replay(record, number)
    return str(record)


async def records_of(store: Store, person: Person) -> list[ImportedGame]:
    """Return a person's imported games, newest first, without any that can't be read any more.

    Each is read once: two hundred of the longest are forty megabytes.
    """
    times = await store.run(record_times, person.id)
    if missing := [token for token, _ in times if token not in _known]:
        rows = await store.run(record_lines, missing)
        if len(_known) > MAX_KNOWN:
            _known.clear()
        _known.update(await asyncio.to_thread(_listed, rows))
    found = (_known.get(token) for token, _ in reversed(times))
    return [one for one in found if one is not None]


def forget_lists() -> None:
    """Forget how lists show imported games, since a person's data were deleted."""
    _known.clear()


def _listed(rows: list[tuple[str, str, float]]) -> dict[str, ImportedGame | None]:
    found: dict[str, ImportedGame | None] = {}
    for token, line, at in rows:
        found[token] = None
        with contextlib.suppress(RedoubleError):
            record = Record.parse(line)
            title = GAMES[record.game].title
            names = tuple(name[:NAME_LENGTH] for name in record.seats)
            found[token] = ImportedGame(token, title, names, len(record.moves), at)
    return found
