"""``redouble study``: simulate a game and compare house rules."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redouble.commands.arguments import Cluster, GameName, ReportFile, Rule, Threads, executor
from redouble.commands.errors import EXIT_INTERRUPTED
from redouble.contract.registry import GAMES

if TYPE_CHECKING:
    from redouble.lab.shards import Executor
    from redouble.lab.study.plan import StudyPlan
    from redouble.lab.study.run import StudyOutcome


def study(
    game: GameName,
    seats: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Number of players.", show_default="4 if the game allows it"
        ),
    ] = None,
    option: Rule = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CHANGE",
            help="Compare with a second setting that differs by this: a rule option NAME=VALUE,"
            " seats=5 or bots=club. Repeat for several changes.",
        ),
    ] = None,
    bots: Annotated[
        str,
        typer.Option(
            metavar="BOTS",
            help="The bot that plays every seat, or one per seat separated by commas; these"
            " rotate from game to game.",
        ),
    ] = "random",
    skill: Annotated[
        str,
        typer.Option(
            metavar="BOTS", help="Two bots to measure skill with, the stronger first; or none."
        ),
    ] = "greedy,novice",
    number: Annotated[
        int, typer.Option("--games", metavar="N", help="Games to play in each setting.")
    ] = 10_000,
    seed: Annotated[
        str, typer.Option(metavar="TEXT", help="Text that decides the shuffles and the bots.")
    ] = "study",
    threads: Threads = None,
    cluster: Cluster = None,
    as_json: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write JSON to this file; - prints it."),
    ] = None,
    report: ReportFile = None,
) -> None:
    """Simulate a game and compare house rules.

    Ctrl-C stops early and shows the results so far.
    """
    from redouble.lab.study.plan import StudyPlan, other_setting, setting, skill_pair, split_against

    chosen = GAMES[game]
    settings = [setting(chosen, seats, chosen.read_options(option or []), bots)]
    if against:
        other_seats, other_bots, texts = split_against(against)
        changed = chosen.read_options(texts)
        settings.append(other_setting(settings[0], other_seats, other_bots, changed))
    plan = StudyPlan(tuple(settings), number, seed, skill_pair(skill))
    _carry_out(plan, executor(threads, cluster), as_json, report)


def _carry_out(plan: StudyPlan, where: Executor, as_json: Path | None, report: Path | None) -> None:
    """Carry out a plan, print what was found and write the files asked for.

    ``-`` as the JSON file is standard output, and then nothing else is printed there. Exits with
    ``EXIT_INTERRUPTED`` if Ctrl-C ended the study early.
    """
    from rich.console import Console

    from redouble.commands.findings import show
    from redouble.lab.report import check_writable
    from redouble.lab.study.figures import findings
    from redouble.lab.study.page import page

    to_output = as_json is not None and str(as_json) == "-"
    files = [path for path in (None if to_output else as_json, report) if path is not None]
    for path in files:
        check_writable(path)
    outcome = _watched(plan, where)
    found = findings(outcome)
    if to_output:
        print(json.dumps(found.to_dict(), ensure_ascii=False))
    else:
        show(found, Console(highlight=False))
        if as_json is not None:
            text = json.dumps(found.to_dict(), ensure_ascii=False, indent=1)
            as_json.write_text(f"{text}\n", encoding="utf-8")
    if report is not None:
        page(found).write(report)
    speed = outcome.played / outcome.seconds
    games = "1 game" if outcome.played == 1 else f"{outcome.played:,} games"
    rate = f"{speed:,.0f}" if speed >= 10 else f"{speed:.1f}"
    print(f"{games} in {outcome.seconds:.1f} s: {rate} per second.", file=sys.stderr)
    for path in files:
        print(f"Written: {path}", file=sys.stderr)
    if outcome.stopped:
        raise typer.Exit(EXIT_INTERRUPTED)


def _watched(plan: StudyPlan, where: Executor) -> StudyOutcome:
    """Carry the plan out, with a progress bar if standard error is a terminal."""
    from redouble.commands.progress import progress_bar
    from redouble.lab.study.run import carry_out

    with progress_bar() as bar:
        task = bar.add_task("compiling", total=None)

        def watch(done: int, of: int) -> None:
            bar.update(task, description="games", completed=done, total=of)

        try:
            return carry_out(plan, where, watch)
        except KeyboardInterrupt:
            print("Stopped before a game was over: there are no results.", file=sys.stderr)
            raise
