"""``redouble train``: a small network that learns to play a game."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redouble.commands.arguments import Cluster, GameName, Rule, Threads, executor

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from redouble.lab.training.run import TrainingPlan, TrainingProgress, TrainingRound

CHECKPOINT = ".training"
"""Behind the name of the agent's file: the checkpoint."""


def train(
    game: GameName,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help=f"Where the agent is written. Until then, FILE{CHECKPOINT} holds what is needed to"
            " go on after Ctrl-C.",
        ),
    ],
    seats: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Number of players.", show_default="the game's usual number"
        ),
    ] = None,
    option: Rule = None,
    imitate: Annotated[
        int, typer.Option(metavar="ROUNDS", help="Rounds that learn the expert's moves.")
    ] = 6,
    improve: Annotated[
        int,
        typer.Option(
            metavar="ROUNDS", help="Rounds after that, which learn what a search gives each move."
        ),
    ] = 20,
    positions: Annotated[
        int, typer.Option(metavar="N", help="Positions that the search judges in a round.")
    ] = 60_000,
    iterations: Annotated[
        int, typer.Option(metavar="N", help="Iterations of the search in a position.")
    ] = 400,
    seed: Annotated[
        str, typer.Option(metavar="TEXT", help="Text that decides all that is left to chance.")
    ] = "train",
    threads: Threads = None,
    cluster: Cluster = None,
) -> None:
    """Train a small network to play a game: it imitates the expert, then learns from a search.

    The file plays as a bot: redouble arena GAME agent:FILE expert. Ctrl-C stops, and the same
    command goes on from the last complete round.
    """
    from redouble.commands.progress import progress_bar
    from redouble.contract.registry import GAMES
    from redouble.lab.report import check_writable
    from redouble.lab.training.run import TrainingPlan
    from redouble.lab.training.run import train as carry_out

    checkpoint = out.with_name(f"{out.name}{CHECKPOINT}")
    for path in (out, checkpoint):
        check_writable(path)
    chosen = GAMES[game]
    plan = TrainingPlan(
        chosen.name,
        chosen.usual_seats if seats is None else seats,
        chosen.read_options(option or []),
        seed,
        imitate,
        improve,
        positions,
        iterations,
    )
    where = executor(threads, cluster)
    try:
        with progress_bar() as bar:
            agent = carry_out(plan, where, _Watch(plan, bar), checkpoint)
    except KeyboardInterrupt:
        print("Stopped. The same command goes on from the last complete round.", file=sys.stderr)
        raise
    agent.save(out)
    checkpoint.unlink(missing_ok=True)
    print(f"Written: {out}", file=sys.stderr)


class _Watch:
    """Shows how far training has come, and prints a line about each round that is complete."""

    def __init__(self, plan: TrainingPlan, bar: Progress) -> None:
        self._bar, self._total = bar, plan.rounds
        self._task: TaskID = bar.add_task("rounds", total=plan.rounds)
        self._told: int | None = None

    def __call__(self, progress: TrainingProgress) -> None:
        done = len(progress.rounds)
        if self._told is None:  # a checkpoint's rounds were told when they were made
            self._told = done
        for number, one in enumerate(progress.rounds[self._told :], self._told + 1):
            print(f"round {number} of {self._total}: {_said(one)}", flush=True)
        self._told = done
        self._bar.update(self._task, completed=done + progress.part)


def _said(one: TrainingRound) -> str:
    """Return what a round found, in words."""
    from redouble.lab.training.run import EXPERT

    if not one.positions:
        return "no position with a choice came up"
    agreed = f"{100 * one.agreed:.1f} % of the moves were the {one.teacher}'s"
    if one.teacher == EXPERT:
        return agreed
    return f"{agreed}; a move was worth {100 * one.missed:.2f} points less than the best"
