"""``redouble migrate``: a server's data in another database."""

from __future__ import annotations

from typing import Annotated

import typer


def migrate(
    source: Annotated[
        str,
        typer.Option(
            "--from", metavar="FOLDER", help="The data folder, or a PostgreSQL database's address."
        ),
    ],
    target: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="ADDRESS",
            envvar="REDOUBLE_DATABASE",
            help="An empty PostgreSQL database, such as postgresql://user:password@host/name, or a"
            " new folder.",
        ),
    ],
) -> None:
    """Copy a server's data to another database. The server must not be running."""
    import contextlib
    from pathlib import Path

    from redouble.web.features.operate.migrate import migrate as move
    from redouble.web.server.serve import locked
    from redouble.web.store.postgresql import SCHEMES

    with contextlib.ExitStack() as stack:
        for place in dict.fromkeys((source, target)):
            if not place.startswith(SCHEMES) and Path(place).is_dir():
                stack.enter_context(locked(Path(place)))
        moved = move(source, target)
    for table, rows in moved.rows.items():
        print(f"{rows:>12,}  {table}")
    print(f"Everything was copied and reads the same. SHA-256 of all rows: {moved.digest}")
    print("The key that signs cookies stays in the data folder: serve with the same --data.")
