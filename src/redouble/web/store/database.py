"""What the store needs of a database, and how an older one is brought up to date."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from redouble.web.errors import StoreError
from redouble.web.schema import metadata

HEAD = "0009"
"""The newest migration, so that an up-to-date database is opened without Alembic."""


class Database(ABC):
    """An open database, with one connection that writes and one that looks things up."""

    engine: sa.Engine
    """Gives the writing thread its connection."""
    name: str
    """How messages to the operator call it: without a password."""
    folder: Path | None = None
    """Where its file lies; None if it is another server's."""

    @abstractmethod
    def look_up(self, query: str, *values: str) -> Any:
        """Return the first value of a query's only row; None if it has no row.

        ``?`` stands for a value. Raises :class:`StoreError` if the database can't be read.
        """

    @abstractmethod
    def used(self) -> int:
        """Return the bytes that its rows take."""

    @abstractmethod
    def transaction_lost(self, connection: sa.Connection) -> bool:
        """Return whether a failed statement has undone the whole transaction."""

    @abstractmethod
    def close(self) -> None:
        """Close its connections."""


def bring_up_to_date(connection: sa.Connection, name: str) -> None:
    """Create or migrate the schema. Alembic is imported only if there is something to do."""
    inspector = sa.inspect(connection)
    if inspector.has_table("alembic_version"):
        found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
        if found == HEAD:
            return
        known = {path.stem.split("_")[0] for path in _versions().glob("[0-9]*.py")}
        if found not in known:
            raise StoreError(
                f"{name} was written by a newer version of Redouble (schema {found}): "
                "update Redouble to open it"
            )
    elif inspector.get_table_names():
        raise StoreError(f"{name} isn't a database of Redouble: move it away")
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_versions().parent))
    config.attributes["connection"] = connection
    if connection.dialect.name != "sqlite" and not inspector.has_table("alembic_version"):
        metadata.create_all(connection)  # the first migrations speak SQLite
        command.stamp(config, "head")
    else:
        command.upgrade(config, "head")


def _versions() -> Path:
    return Path(__file__).parent.parent / "migrations" / "versions"
