"""``redouble study``: simulate a game and compare house rules."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from redouble.commands import arguments
from redouble.contract.registry import GAMES
from redouble.kernel.settings import MORE, option

if TYPE_CHECKING:
    from rich.console import Console

    from redouble.lab.report import Report
    from redouble.lab.shards import Executor
    from redouble.lab.studies.plan import Axis, StudyPlan

Found = TypeVar("Found")


def study(
    game: arguments.GameName,
    seats: arguments.Seats = None,
    options: arguments.Rule = None,
    against: Annotated[
        list[str] | None,
        option(
            "CHANGE",
            f"Compare with a second setting: a rule option NAME=VALUE, seats=5 or bots=club{MORE}",
        ),
    ] = None,
    sweep: Annotated[
        list[str] | None,
        option(
            "NAME=VALUES",
            "Study each value: stall=20,50, seats=2..6, bots=club,expert, or the name of a yes/no"
            " option. Repeat for every combination.",
        ),
    ] = None,
    bots: Annotated[
        str,
        option(
            "BOTS",
            "The bot of every seat, or one per seat that rotate from game to game, separated by"
            f" commas: {arguments.BOT_NAMES}.",
        ),
    ] = "random",
    skill: Annotated[
        str, option("BOTS", "Two bots to measure skill with, the stronger first; or none.")
    ] = "greedy,novice",
    games: Annotated[int, option("N", "Number of games in each setting.")] = 10_000,
    seed: arguments.FixedSeed = "study",
    *,
    files: arguments.ResultFiles,
    where: arguments.Workers,
) -> None:
    """Simulate a game and compare house rules.

    Ctrl-C stops early and shows the results so far.
    """
    from redouble.lab.studies.plan import (
        StudyError,
        StudyPlan,
        other_setting,
        setting,
        skill_pair,
        split_against,
    )
    from redouble.lab.studies.sweep import read_axis, sweep_plans

    if sweep and against:
        raise StudyError("--sweep and --against exclude each other: give one of them")
    chosen = GAMES[game]
    settings = [setting(chosen, seats, chosen.read_options(options or []), bots)]
    if against:
        other_seats, other_bots, texts = split_against(against)
        changed = chosen.read_options(texts)
        settings.append(other_setting(settings[0], other_seats, other_bots, changed))
    plan = StudyPlan(tuple(settings), games, seed, skill_pair(skill))
    axes = [read_axis(chosen, text) for text in sweep or []]
    if axes:
        sweep_plans(plan, axes)
    files.check()
    executor = where.executor()
    results = _swept(plan, axes, executor) if axes else _studied(plan, executor)
    if not files.printed:
        from rich.console import Console

        results.show(Console(highlight=False))
    print(results.speed, file=sys.stderr)
    files.save(results.data, results.page)
    arguments.exit_if_stopped(results.stopped)


@dataclass(frozen=True)
class Results:
    """What a study or a sweep found, in the forms that people ask for."""

    data: Callable[[], dict[str, Any]]
    show: Callable[[Console], None]
    page: Callable[[], Report]
    stopped: bool
    speed: str
    """A sentence on how long it took."""


def _studied(plan: StudyPlan, where: Executor) -> Results:
    from redouble.commands.findings import show
    from redouble.lab.studies.figures import findings
    from redouble.lab.studies.page import page
    from redouble.lab.studies.run import carry_out

    outcome = _watched(lambda watch: carry_out(plan, where, watch))
    found = findings(outcome)
    speed = outcome.played / outcome.seconds
    games = "1 game" if outcome.played == 1 else f"{outcome.played:,} games"
    rate = f"{speed:,.0f}" if speed >= 10 else f"{speed:.1f}"
    return Results(
        found.to_dict,
        lambda console: show(found, console),
        lambda: page(found),
        outcome.stopped,
        f"{games} in {outcome.seconds:.1f} s: {rate} per second.",
    )


def _swept(plan: StudyPlan, axes: Sequence[Axis], where: Executor) -> Results:
    from redouble.commands.findings import show_sweep
    from redouble.lab.studies.page import sweep_page
    from redouble.lab.studies.sweep import sweep

    begun = perf_counter()
    table = _watched(lambda watch: sweep(plan, axes, where, watch))
    settings = "1 setting" if len(table.findings) == 1 else f"{len(table.findings)} settings"
    return Results(
        table.to_dict,
        lambda console: show_sweep(table, console),
        lambda: sweep_page(table),
        table.stopped,
        f"{settings} in {perf_counter() - begun:.1f} s.",
    )


def _watched(carry_out: Callable[[Callable[[int, int], None]], Found]) -> Found:
    """Carry something out, with a progress bar if standard error is a terminal."""

    with arguments.progress_bar() as bar:
        task = bar.add_task("compiling", total=None)

        def watch(done: int, of: int) -> None:
            bar.update(task, description="games", completed=done, total=of)

        try:
            return carry_out(watch)
        except KeyboardInterrupt:
            print("Stopped before a game was over: there are no results.", file=sys.stderr)
            raise
