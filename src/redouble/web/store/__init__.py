"""The database: SQLite in the data folder, or PostgreSQL."""

from collections.abc import Iterable
from pathlib import Path

import sqlalchemy as sa

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
    tables: Iterable[sa.Table],
    *,
    beside: bool = False,
    shared: bool = False,
    watcher: Watcher | None = None,
) -> Store:
    """Open the database of a data folder, or of an address such as ``postgresql://host/name``.

    It gets those of the ``tables`` that it doesn't have: see :attr:`.FeatureList.tables`.
    With ``beside``, a server may use the PostgreSQL database at the same time; if it is ``shared``,
    several servers do. Raises :class:`~redouble.web.errors.StoreError` if it can't be used.
    """
    if isinstance(where, Path):
        return Store(SqliteDatabase(where, tables), watcher)
    return Store(PostgresqlDatabase(where, tables, beside=beside, shared=shared), watcher)
