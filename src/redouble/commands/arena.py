"""``redouble arena``: the command line of tournaments."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from redouble.lab.arena.tournament import Results, Tournament

INTERRUPTED = 130
"""The exit code after Ctrl-C, also when there are results."""
WIDE = 160
"""Columns where nobody says how many there are."""


def arena(
    game: Annotated[str, typer.Argument(help="The game's name.")],
    bots: Annotated[
        list[str],
        typer.Argument(
            help="Two bots or more: a name (novice ... master, greedy, random), FILE.py,"
            ' FILE.py:NAME, or "cmd:PROGRAM ARGUMENTS" that reads and writes JSON lines.'
            " NAME= before it gives it another name."
        ),
    ],
    games: Annotated[int, typer.Option(help="Games in all, rounded up to whole deals.")] = 1000,
    seats: Annotated[
        int | None, typer.Option(help="How many play in a game; else as many as bots, if it can.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", help="An option of the rules, name=value.")
    ] = None,
    seed: Annotated[str | None, typer.Option(help="A text that decides all chance.")] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the results to this file as JSON.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write them to this file as a page, with plots.")
    ] = None,
    time_limit: Annotated[
        float, typer.Option(help="Seconds that a bot of a file or command has for a move.")
    ] = 10.0,
    threads: Annotated[
        int | None, typer.Option(min=1, max=256, help="Threads; else all cores.")
    ] = None,
) -> None:
    """Let bots play many games against each other, each deal in every seating.

    A deal is played as often as there are bots, and each bot sits once in each seat, so luck
    cancels. Where there are fewer bots than seats, they take several seats each; where there are
    more, each game leaves some out. Ctrl-C stops early, with the results so far.
    """
    from rich.console import Console
    from rich.text import Text

    from redouble.contract.registry import GAMES
    from redouble.kernel.errors import RedoubleError
    from redouble.lab.arena.entrants import entrants
    from redouble.lab.report import check_writable
    from redouble.terminal.setup import read_options

    chosen = GAMES[game]
    entered = entrants(bots)
    for path in (json_file, report):
        if path is not None:
            check_writable(path)
    if report is not None and report == json_file:
        raise RedoubleError(f"{report} cannot hold both the page and the JSON")
    from redouble.lab.arena.tournament import Tournament  # costs the import of a compiler

    tournament = Tournament(
        chosen,
        entered,
        games,
        seats,
        read_options(chosen, option or []),
        token_hex(4) if seed is None else seed,
        time_limit,
    )
    from redouble.lab.arena import show

    results = _play(tournament, threads)
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, WIDE)
    if results.standings is not None:
        for table in show.tables(results, results.standings, console):
            console.print(table)
            console.print()
        for sentence in show.troubles(results.standings):
            console.print(Text(sentence), soft_wrap=not console.is_terminal)
    console.print(Text(show.summary(results)), soft_wrap=not console.is_terminal)
    if json_file is not None:
        line = json.dumps(results.to_dict(), ensure_ascii=False, indent=1)
        json_file.write_text(f"{line}\n", encoding="utf-8")
    if report is not None:
        show.page(results).write(report)
    for path in (json_file, report):
        if path is not None:
            console.print(Text(f"Written: {path}"), soft_wrap=True)
    if results.interrupted:
        raise typer.Exit(INTERRUPTED)


def _play(tournament: Tournament, threads: int | None) -> Results:
    """Play with a bar on standard error, when somebody looks at it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeLeft())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("preparing", total=tournament.plan.games)

        def watch(played: int) -> None:
            if played:
                bar.update(task, advance=played, description="games")
            else:
                bar.update(task, description="stopping")
                if bar.disable:
                    print("Stopping; the results so far follow.", file=sys.stderr)

        return tournament.play(watch, threads)
