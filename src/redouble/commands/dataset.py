"""``redouble dataset``: games, positions with values and puzzles, as files for others to use."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from redouble.bots.levels import LEVELS
from redouble.commands.arguments import (
    BOT_NAMES,
    Cluster,
    FixedSeed,
    GameName,
    Rule,
    Threads,
    executor,
)
from redouble.commands.errors import EXIT_INTERRUPTED
from redouble.commands.selfplay import BETWEEN_BOTS


def dataset(
    game: GameName,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER", help="The folder to write: a new one. It appears when it is complete."
        ),
    ],
    games: Annotated[int, typer.Option(metavar="N", help="Number of games.")] = 100,
    positions: Annotated[
        int, typer.Option(metavar="N", help="Decisions of each game that are valued, at most.")
    ] = 4,
    worlds: Annotated[
        int,
        typer.Option(metavar="N", help="Worlds in which each legal move of a position is tried."),
    ] = 200,
    bots: Annotated[
        str,
        typer.Option(
            metavar="BOTS",
            help="Bots separated by commas, which rotate from game to game. Bots:"
            f" {BOT_NAMES}, or a search, as in 'redouble arena'.",
        ),
    ] = ",".join(("random", *LEVELS)),
    puzzles: Annotated[
        bool, typer.Option(help="Include the game's puzzles for this number of players.")
    ] = True,
    seats: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Number of players.", show_default="the game's usual number"
        ),
    ] = None,
    option: Rule = None,
    seed: FixedSeed = "dataset",
    threads: Threads = None,
    cluster: Cluster = None,
) -> None:
    """Write games, positions with values, their worlds and puzzles to Parquet files with a card.

    The rules are those by which people usually play; --option changes them. The files are the same
    for any number of threads or machines. Ctrl-C stops early and writes the games so far.
    """
    from redouble.commands.progress import progress_bar
    from redouble.contract.registry import GAMES
    from redouble.lab.dataset.files import build

    chosen = GAMES[game]
    with progress_bar() as bar:
        task = bar.add_task("puzzles and games", total=None)
        built = build(
            chosen,
            out,
            seats,
            chosen.read_options(option or []),
            bots=BETWEEN_BOTS.split(bots),
            games=games,
            positions=positions,
            worlds=worlds,
            seed=seed,
            puzzles=puzzles,
            executor=executor(threads, cluster),
            watch=lambda done, total: bar.update(task, completed=done, total=total),
        )
    for one in built.files:
        print(f"{one.name}: {one.rows:,} rows, {one.bytes:,} bytes")
    print(f"Digest of the card: {built.digest()}")
    print(f"Written: {out}", file=sys.stderr)
    if built.stopped:
        raise typer.Exit(EXIT_INTERRUPTED)
