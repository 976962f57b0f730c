"""``redouble dataset``: games, positions with values and puzzles, as files for others to use."""

import sys
from pathlib import Path
from typing import Annotated

from redouble.bots.levels import LEVELS
from redouble.commands import arguments
from redouble.contract.registry import GAMES
from redouble.kernel.settings import option, switch

EVERY_LEVEL = ",".join(("random", *LEVELS))


def dataset(
    game: arguments.GameName,
    out: Annotated[Path, option("FOLDER", "A new folder, which appears when it is complete.")],
    games: Annotated[int, option("N", "Number of games.")] = 100,
    positions: Annotated[int, option("N", "Decisions of each game to value, at most.")] = 4,
    worlds: Annotated[int, option("N", "Worlds in which a legal move is tried.")] = 200,
    bots: arguments.Bots = EVERY_LEVEL,
    puzzles: Annotated[
        bool,
        switch("--puzzles/--no-puzzles", "Include puzzles for this number of players."),
    ] = True,
    seats: arguments.Seats = None,
    options: arguments.Rule = None,
    seed: arguments.FixedSeed = "dataset",
    *,
    where: arguments.Workers,
) -> None:
    """Write games, positions and puzzles for others to use.

    The positions have values. The files are Parquet, with a card that describes them. The rules
    are those by which people usually play; --option changes them. The files are the same for any
    number of threads or machines. Ctrl-C stops early and writes the games so far.
    """
    from redouble.lab.dataset.files import build

    chosen = GAMES[game]
    with arguments.progress_bar() as bar:
        task = bar.add_task("puzzles and games", total=None)
        built = build(
            chosen,
            out,
            seats,
            chosen.read_options(options or []),
            bots=arguments.BETWEEN_BOTS.split(bots),
            games=games,
            positions=positions,
            worlds=worlds,
            seed=seed,
            puzzles=puzzles,
            executor=where.executor(),
            watch=lambda done, total: bar.update(task, completed=done, total=total),
        )
    for one in built.files:
        print(f"{one.name}: {one.rows:,} rows, {one.bytes:,} bytes")
    print(f"Digest of the card: {built.digest()}")
    print(f"Written: {out}", file=sys.stderr)
    arguments.exit_if_stopped(built.stopped)
