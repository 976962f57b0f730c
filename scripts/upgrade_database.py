"""Bring a database of an early version up to date, so that Redouble can open it.

    .venv/bin/python scripts/upgrade_database.py ~/.local/share/redouble
    .venv/bin/python scripts/upgrade_database.py postgresql://user@host/name

Stop the server first. The argument is a data folder or the address of a PostgreSQL database. A
folder's database is first copied into a new folder there, which ``redouble restore`` puts back.
Later versions need no script: a server brings its database up to date when it starts.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from redouble.kernel.errors import RedoubleError
from redouble.web.installed import FEATURES
from redouble.web.store import FILE, open_store
from redouble.web.store.database import found_revision
from redouble.web.store.postgresql import parsed_address
from redouble.web.store.sqlite import copy_before_update

EARLIER = Path(__file__).parent / "earlier_schemas"
BASELINE = "0030"
"""Where the migrations of the package begin."""


def upgrade(place: str, to: str = BASELINE) -> str:
    """Bring a database to a revision, and return the one it had.

    Raises :class:`RedoubleError` if it isn't a database of Redouble, or can't be used.
    """
    served = place.startswith("postgresql")
    path = Path(place) / FILE
    if not served and not path.is_file():
        raise RedoubleError(f"there is no database in {place}: name a data folder or an address")
    engine = sa.create_engine(parsed_address(place) if served else f"sqlite:///{path}")
    try:
        with engine.connect() as connection:
            found = found_revision(connection)
        if not found:
            raise RedoubleError(f"{place} isn't a database of Redouble: choose another one")
        if found >= to:
            return found
        if not served:
            copy_before_update(path, found)
        config = Config()
        config.set_main_option("script_location", str(EARLIER))
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, to)
    finally:
        engine.dispose()
    return found


def main() -> int:
    """Upgrade the database that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("place", help="a data folder, or the address of a PostgreSQL database")
    place = parser.parse_args().place
    try:
        found = upgrade(place)
        where = place if place.startswith("postgresql") else Path(place)
        open_store(where, FEATURES.tables).close()
    except RedoubleError as error:
        print(f"upgrade_database: {error}", file=sys.stderr)
        return 1
    print(f"The database is up to date; it was at schema {found}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
