"""The database: SQLite in the data folder, or PostgreSQL."""

from __future__ import annotations

from pathlib import Path

from redouble.web.store.database import (
    HEAD,
    Database,
    count,
    exists,
    insert_first,
    kept_secret,
    one_at_a_time,
)
from redouble.web.store.jobs import Job, P, Store, T
from redouble.web.store.postgresql import PostgresqlDatabase
from redouble.web.store.sqlite import (
    BEFORE_UPDATE,
    FILE,
    SqliteDatabase,
    keep_private,
    refuse_empty,
    revision,
)
from redouble.web.watchers import Watcher

__all__ = [
    "BEFORE_UPDATE",
    "FILE",
    "HEAD",
    "Database",
    "Job",
    "P",
    "Store",
    "T",
    "count",
    "exists",
    "insert_first",
    "keep_private",
    "kept_secret",
    "one_at_a_time",
    "open_store",
    "refuse_empty",
    "revision",
]


def open_store(
    where: Path | str,
    *,
    beside: bool = False,
    shared: bool = False,
    watcher: Watcher | None = None,
) -> Store:
    """Open the database of a data folder, or of an address such as ``postgresql://host/name``.

    With ``beside``, a server may use the PostgreSQL database at the same time; if it is ``shared``,
    several servers do. Raises :class:`~redouble.web.errors.StoreError` if it can't be used.
    """
    if isinstance(where, Path):
        return Store(SqliteDatabase(where), watcher)
    return Store(PostgresqlDatabase(where, beside=beside, shared=shared), watcher)
