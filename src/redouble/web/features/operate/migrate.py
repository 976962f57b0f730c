"""Moves a server's data from one database to another: from SQLite to PostgreSQL, or back."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from pydantic_core import to_json
from sqlalchemy.exc import DBAPIError

from redouble.kernel.errors import RedoubleError
from redouble.web.store.database import Database
from redouble.web.store.postgresql import SCHEMES, PostgresqlDatabase
from redouble.web.store.schema import notices
from redouble.web.store.sqlite import FILE, SqliteDatabase

BATCH = 1000
"""Rows in memory at a time."""
MODULUS = 2**256


class MigrateError(RedoubleError):
    """The data can't be moved; the message says why. Nothing has changed."""


@dataclass(frozen=True)
class Moved:
    """What was copied."""

    rows: Mapping[str, int]
    """The number of rows by table."""
    digest: str
    """The same for databases with the same rows, whatever their kind."""


def migrate(source: str, target: str, tables: Sequence[sa.Table]) -> Moved:
    """Copy all ``tables`` from one database to another, which has to be empty, and compare them.

    Each is a data folder or the address of a PostgreSQL database, and no server may use it. The
    source stays as it is, but for migrations that it needs. Raises :class:`MigrateError`, and
    :class:`~redouble.web.errors.StoreError` if a database can't be used.
    """
    if not source.startswith(SCHEMES) and not (Path(source) / FILE).is_file():
        raise MigrateError(f"there is no database in {source}: give another folder with --from")
    if source == target or (Path(source).is_dir() and Path(source).resolve() == _folder(target)):
        raise MigrateError("source and target are the same: name another target")
    old = _opened(source, tables)
    try:
        new = _opened(target, tables)
        try:
            return _copied(old, new, tables)
        except DBAPIError as error:
            raise MigrateError(f"{new.name} can't take the data: {error.orig}") from error
        finally:
            new.close()
    finally:
        old.close()


def _folder(place: str) -> Path | None:
    return None if place.startswith(SCHEMES) else Path(place).resolve()


def _opened(place: str, tables: Sequence[sa.Table]) -> Database:
    folder = _folder(place)
    if folder is None:
        return PostgresqlDatabase(place, tables)
    folder.mkdir(parents=True, exist_ok=True)
    return SqliteDatabase(folder, tables)


def _copied(old: Database, new: Database, tables: Sequence[sa.Table]) -> Moved:
    with old.begin() as reading, new.begin() as writing:
        for table in tables:
            if writing.execute(sa.select(table).limit(1)).first() is not None:
                raise MigrateError(f"{new.name} isn't empty: name another target")
        rows = {}
        for table in tables:
            if table is not notices:  # they mean nothing to a server that starts later
                rows[table.name] = 0
                for part in _parts(reading, table):
                    writing.execute(sa.insert(table), part)
                    rows[table.name] += len(part)
        digest = _digest(reading, tables)
        if _digest(writing, tables) != digest:
            raise MigrateError(f"{new.name} doesn't return the rows that it was given")
    return Moved(rows, digest)


def _parts(connection: sa.Connection, table: sa.Table) -> Any:
    """Yield the rows of a table as dicts, many at a time."""
    found = connection.execution_options(yield_per=BATCH).execute(sa.select(table))
    for part in found.mappings().partitions():
        yield [dict(row) for row in part]


def _digest(connection: sa.Connection, tables: Sequence[sa.Table]) -> str:
    """Return a digest of all rows but notices; their order doesn't matter."""
    total = 0
    for table in tables:
        if table is notices:
            continue
        for part in _parts(connection, table):
            for row in part:
                line = to_json([table.name, *sorted(row.items())])
                total += int.from_bytes(hashlib.sha256(line).digest())
    return f"{total % MODULUS:064x}"
