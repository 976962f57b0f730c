"""``redouble backup`` and ``redouble restore``: copies of a server's data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redouble.commands.arguments import Database

Data = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="The server's folder.", show_default="your data folder"),
]


def backup(
    to: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder for the copy.")],
    data: Data = None,
    database: Database = "",
) -> None:
    """Copy a server's data, even while it is running."""
    from redouble.web.features.operate.backup import back_up, refuse_postgresql
    from redouble.web.server.serve import data_folder

    refuse_postgresql(database)
    folder = data_folder(data)
    back_up(folder, to)
    print(f"{to} has a copy of {folder}. It holds the key and all hidden cards: keep it private.")


def restore(
    backup: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the backup.")],
    data: Data = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Move existing data to another folder first.")
    ] = False,
    database: Database = "",
) -> None:
    """Restore a backup. The server must not be running."""
    from redouble.web.features.operate.backup import refuse_postgresql
    from redouble.web.features.operate.backup import restore as put_back
    from redouble.web.server.serve import data_folder, locked

    refuse_postgresql(database)
    folder = data_folder(data)
    with locked(folder):
        aside = put_back(backup, folder, replace)
    print(f"{folder} now has the data from {backup}.")
    if aside is not None:
        print(f"The data that was there is in {aside}.")
