"""``redouble weights``: a game's linear policy, learned from games against experts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redouble.commands.arguments import GameName
from redouble.commands.train import CHECKPOINT

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from redouble.lab.training.weights import WeightsPlan, WeightsProgress


def weights(
    game: GameName,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="Where the weights are written, beside those for other numbers of players. A game"
            " uses the file weights.json in its folder.",
        ),
    ],
    seats: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Number of players.", show_default="each, one after the other"
        ),
    ] = None,
    updates: Annotated[
        int, typer.Option(metavar="N", help="Updates of the weights, each after 2,000 games.")
    ] = 900,
    seed: Annotated[
        str, typer.Option(metavar="TEXT", help="Text that decides all that is left to chance.")
    ] = "1",
) -> None:
    """Learn when to overrule a game's heuristic; the bot 'learned' plays by the weights.

    The game needs traits. Learning takes minutes of one core for each number of players. Ctrl-C
    stops, and the same command goes on from the last full hundred updates.
    """
    from redouble.bots.learned import read_weights
    from redouble.commands.progress import progress_bar
    from redouble.contract.registry import GAMES
    from redouble.lab.report import check_writable
    from redouble.lab.training.weights import WeightsPlan, add_to_file, learn_weights

    chosen = GAMES[game]
    fewest = min(max(2, chosen.min_seats), chosen.max_seats)
    numbers = range(fewest, chosen.max_seats + 1) if seats is None else [seats]
    plans = [WeightsPlan(chosen.name, number, updates, seed) for number in numbers]
    checkpoints = [out.with_name(f"{out.name}.{plan.seats}{CHECKPOINT}") for plan in plans]
    for path in (out, *checkpoints):
        check_writable(path)
    if out.exists():
        read_weights(out, chosen)
    try:
        with progress_bar() as bar:
            for plan, checkpoint in zip(plans, checkpoints, strict=True):
                found = learn_weights(plan, _Teller(plan, bar), checkpoint)
                add_to_file(out, chosen, plan.seats, found)
                print(f"{plan.seats} players: beats {found.beats_experts} of experts", flush=True)
    except KeyboardInterrupt:
        print(
            "Stopped. The same command goes on from the last full hundred updates.", file=sys.stderr
        )
        raise
    for checkpoint in checkpoints:
        checkpoint.unlink(missing_ok=True)
    print(f"Written: {out}", file=sys.stderr)


class _Teller:
    """Shows how far learning has come, and prints a line now and then."""

    def __init__(self, plan: WeightsPlan, bar: Progress) -> None:
        self._plan, self._bar = plan, bar
        self._task: TaskID = bar.add_task(f"{plan.seats} players", total=plan.updates)

    def __call__(self, progress: WeightsProgress) -> None:
        self._bar.update(self._task, completed=progress.updates)
        if progress.share is not None:
            print(
                f"{self._plan.seats} players: {progress.updates} of {self._plan.updates} updates,"
                f" {100 * progress.share:.1f} % of experts beaten",
                flush=True,
            )
