"""``redouble weights``: a network that plays a game, learned against experts."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redouble.commands.arguments import GameName, Threads, seed_word

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from redouble.contract.game import Game
    from redouble.lab.training.weights import WeightsPlan, WeightsProgress

CHECKPOINT = ".training"
"""Behind the name of the file: what is needed to go on."""


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
        str | None,
        typer.Option(
            metavar="N",
            help="Numbers of players that one network learns together, such as 2 or 3-7.",
            show_default="all",
        ),
    ] = None,
    updates: Annotated[
        int, typer.Option(metavar="N", help="Updates of the weights, each after 4,000 games.")
    ] = 1000,
    neurons: Annotated[int, typer.Option(metavar="N", help="Neurons of the network.")] = 48,
    later: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="How much later positions count when a move is credited: 0 to 1.",
        ),
    ] = 0.5,
    seed: Annotated[
        str,
        typer.Option(
            metavar="TEXT", callback=seed_word, help="Text that decides all that is left to chance."
        ),
    ] = "1",
    threads: Threads = None,
) -> None:
    """Learn when to overrule a game's heuristic; the bot 'learned' plays by the network.

    The game needs features and traits. Learning takes a second or two of one core for each update.
    The number of threads changes nothing. Ctrl-C stops, and the
    same command goes on from the last line printed.
    """
    from redouble.bots.learned import read_weights
    from redouble.commands.progress import progress_bar
    from redouble.contract.registry import GAMES
    from redouble.lab.report import check_writable
    from redouble.lab.training.weights import WeightsPlan, add_to_file, learn_weights

    chosen = GAMES[game]
    numbers = _numbers(seats, chosen)
    plan = WeightsPlan(chosen.name, numbers, updates, neurons, later, seed)
    checkpoint = out.with_name(f"{out.name}.{plan.players}{CHECKPOINT}")
    for path in (out, checkpoint):
        check_writable(path)
    if out.exists():
        read_weights(out, chosen)
    try:
        with progress_bar() as bar:
            used = threads or os.cpu_count() or 1
            found = learn_weights(plan, _Teller(plan, bar), checkpoint, used)
    except KeyboardInterrupt:
        print("Stopped. The same command goes on from the last line printed.", file=sys.stderr)
        raise
    add_to_file(out, chosen, found)
    checkpoint.unlink(missing_ok=True)
    for number, share in found.beats.items():
        print(f"{number} players: beats {share} of experts")
    print(f"Written: {out}", file=sys.stderr)


def _numbers(seats: str | None, game: Game) -> tuple[int, ...]:
    """Return the numbers of players that a text such as ``3-7`` names."""
    if seats is None:
        return tuple(range(min(max(2, game.min_seats), game.max_seats), game.max_seats + 1))
    first, dash, last = seats.partition("-")
    if not (first.isdecimal() and (last.isdecimal() if dash else True)):
        raise typer.BadParameter(f"{seats!r} is no number of players: give one, such as 2, or 3-7")
    return tuple(range(int(first), int(last or first) + 1))


class _Teller:
    """Shows how far learning has come, and prints a line now and then."""

    def __init__(self, plan: WeightsPlan, bar: Progress) -> None:
        self._plan, self._bar = plan, bar
        self._task: TaskID = bar.add_task(f"{plan.players} players", total=plan.updates)

    def __call__(self, progress: WeightsProgress) -> None:
        self._bar.update(self._task, completed=progress.updates)
        if progress.share is not None:
            print(
                f"{self._plan.players} players: {progress.updates} of {self._plan.updates} updates,"
                f" {100 * progress.share:.1f} % of experts beaten",
                flush=True,
            )
