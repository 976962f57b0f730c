"""``redouble serve``, ``work`` and ``mcp``, and copies of a server's data."""

from pathlib import Path
from typing import Annotated

from redouble.commands.arguments import ServerData, argument
from redouble.kernel.settings import Database, Metrics, Settings, option, switch


def serve(*, settings: Settings) -> None:
    """Start the web server, for browsers and programs."""
    from redouble.web.server.serve import serve as run_server

    run_server(settings)


def work(
    database: Database = "",
    workers: Annotated[
        int, option("N", "Make N reviews at a time, each in its own process.", low=1, high=256)
    ] = 1,
    metrics: Metrics = "",
) -> None:
    """Make reviews for web servers that share a database."""
    from redouble.web.server.work import work as run_workers

    run_workers(database, workers, metrics)


def mcp(
    port: Annotated[
        int | None,
        option("N", "Serve HTTP at /mcp on this port of this machine.", low=1, high=65535),
    ] = None,
) -> None:
    """Let an assistant play, by the Model Context Protocol.

    It speaks over standard input and output, as assistants start it, or over HTTP. It needs the
    extra llm.
    """
    from redouble.assistant.server import mcp_server

    server = mcp_server()
    if port is None:
        server.run("stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=port)


def backup(
    to: Annotated[Path, argument("FOLDER", "A new folder for the copy.")],
    *,
    server: ServerData,
) -> None:
    """Copy a server's data, even while it is running."""
    from redouble.web.features.operate.backup import back_up, refuse_postgresql
    from redouble.web.server.serve import data_folder

    refuse_postgresql(server.database)
    folder = data_folder(server.data, new=False)
    back_up(folder, to)
    print(f"{to} has a copy of {folder}. It holds the key and all hidden cards: keep it private.")


def restore(
    backup: Annotated[Path, argument("FOLDER", "The folder of the backup.")],
    replace: Annotated[bool, switch("--replace", "Move existing data aside first.")] = False,
    *,
    server: ServerData,
) -> None:
    """Restore a backup. The server must not be running."""
    from redouble.web.features.operate.backup import check_backup, refuse_postgresql
    from redouble.web.features.operate.backup import restore as put_back
    from redouble.web.server.serve import data_folder, locked

    refuse_postgresql(server.database)
    check_backup(backup)
    folder = data_folder(server.data)
    with locked(folder):
        aside = put_back(backup, folder, replace)
    print(f"{folder} now has the data from {backup}.")
    if aside is not None:
        print(f"The data that was there is in {aside}.")


def migrate(
    source: Annotated[
        str, option("FOLDER", "The data folder, or a PostgreSQL database's address.", "--from")
    ],
    target: Annotated[
        str,
        option(
            "ADDRESS",
            "An empty PostgreSQL database, or a new folder.",
            "--to",
            env="REDOUBLE_DATABASE",
        ),
    ],
) -> None:
    """Copy a server's data to another database.

    The server must not be running.
    """
    import contextlib

    from redouble.web.features.operate.migrate import migrate as move
    from redouble.web.installed import FEATURES
    from redouble.web.server.serve import locked
    from redouble.web.store.postgresql import SCHEMES

    with contextlib.ExitStack() as stack:
        for place in dict.fromkeys((source, target)):
            if not place.startswith(SCHEMES) and Path(place).is_dir():
                stack.enter_context(locked(Path(place)))
        moved = move(source, target, FEATURES.tables)
    for table, rows in moved.rows.items():
        print(f"{rows:>12,}  {table}")
    print(f"Everything was copied and reads the same. SHA-256 of all rows: {moved.digest}")
    print("The key that signs cookies stays in the data folder: serve with the same --data.")
