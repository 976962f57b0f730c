"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redouble.bots import BOTS
from redouble.bots.levels import LEVELS
from redouble.kernel.checks import word
from redouble.kernel.errors import RedoubleError

if TYPE_CHECKING:
    from redouble.lab.shards import Executor

BOT_NAMES = ", ".join(BOTS)
"""What people can type for a bot: the levels, weakest first, then the others."""
LEVEL_NAMES = ", ".join(LEVELS)
OTHER_BOTS = ", ".join(name for name in BOTS if name not in LEVELS)
GAME_NAME = "The game's name; 'redouble games' lists them."

GameName = Annotated[str, typer.Argument(metavar="GAME", help=GAME_NAME)]
OptionalGame = Annotated[
    str | None, typer.Argument(metavar="GAME", help=GAME_NAME, show_default="every game")
]
Rule = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="Set a rule option, such as free-flip=yes; repeat for several. 'redouble games'"
        " lists them.",
    ),
]


def seed_word(text: str | None) -> str | None:
    """Return a seed as it is compared."""
    return None if text is None else word(text)


Seed = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        callback=seed_word,
        help="Text that decides the shuffles and the bots' moves.",
        show_default="a random one",
    ),
]
FixedSeed = Annotated[
    str,
    typer.Option(
        metavar="TEXT", callback=seed_word, help="Text that decides the shuffles and the bots."
    ),
]
ReportFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write an HTML page with plots to this file."),
]
RecordFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="A file of saved games, one per line; - reads standard input."
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, max=256, help="Number of threads.", show_default="one per core"
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Play on a Ray cluster: HOST:PORT, ray://HOST:PORT, or auto for the one on this"
        " machine.",
    ),
]
Database = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        envvar="REDOUBLE_DATABASE",
        help="A PostgreSQL database, such as postgresql://user:password@host/name. Set it in the"
        " environment: process lists show options.",
        show_default="a file in the data folder",
        show_envvar=True,
    ),
]
Plain = Annotated[
    bool, typer.Option("--plain", help="Print plain lines instead of drawing the table.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def executor(threads: int | None, cluster: str | None) -> Executor:
    """Return where to play what ``--threads`` and ``--cluster`` ask for.

    Raises :class:`RedoubleError` if both are given or the cluster can't be used.
    """
    if cluster is None:
        from redouble.lab.shards import Threads as Pool

        return Pool(threads)
    if threads is not None:
        raise RedoubleError("--threads and --cluster exclude each other: give one of them")
    from redouble.lab.cluster import Cluster as RayCluster

    return RayCluster(cluster)
