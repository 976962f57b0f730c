"""``redouble selfplay``: games between bots, written to a file."""

import sys
from pathlib import Path
from typing import Annotated

from redouble.commands import arguments
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.kernel.settings import option

ARRAYS, RECORDS = ".npz", ".jsonl"
"""How the names of files end, by what they hold."""


def selfplay(
    game: arguments.GameName,
    out: Annotated[
        Path,
        option(
            "FILE",
            "A new file: .npz for arrays of observations, actions and results, .jsonl for records.",
            read=arguments.output_file,
        ),
    ],
    games: Annotated[int, option("N", "Number of games.")] = 1000,
    bots: arguments.Bots = "expert",
    seats: arguments.Seats = None,
    options: arguments.Rule = None,
    seed: arguments.FixedSeed = "selfplay",
    *,
    where: arguments.Workers,
) -> None:
    """Let bots play games, to replay or to learn from.

    The games are the same for any number of threads or machines. Ctrl-C stops early and writes the
    games so far.
    """
    from redouble.lab.selfplay import self_play

    if out.suffix not in (ARRAYS, RECORDS):
        raise RedoubleError(f"{out} has no known format: end its name in {ARRAYS} or {RECORDS}")
    chosen = GAMES[game]
    with arguments.progress_bar() as bar:
        task = bar.add_task("playing", total=games)
        found = self_play(
            chosen,
            arguments.BETWEEN_BOTS.split(bots),
            games,
            seats,
            chosen.read_options(options or []),
            seed,
            where.executor(),
            lambda done: bar.update(task, completed=done),
        )
        bar.remove_task(task)
        if out.suffix == ARRAYS:
            found.save(out)
        else:
            task = bar.add_task("writing", total=found.games)
            with out.open("w", encoding="utf-8") as file:
                for record in found.records():
                    file.write(f"{record}\n")
                    bar.advance(task)
    played = "1 game" if found.games == 1 else f"{found.games:,} games"
    print(f"{played} with {found.decisions:,} decisions. Digest: {found.digest()}")
    print(f"Written: {out}", file=sys.stderr)
    arguments.exit_if_stopped(found.stopped)
