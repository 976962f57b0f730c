"""``redouble study``: simulate a game and compare house rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redouble.commands.arguments import GameName, Rule, Threads
from redouble.contract.registry import GAMES


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
    as_json: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write JSON to this file; - prints it."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write an HTML page with plots to this file."),
    ] = None,
) -> None:
    """Simulate a game and compare house rules.

    Ctrl-C stops early and shows the results so far.
    """
    from redouble.lab.study.command import study as carry_out
    from redouble.lab.study.plan import StudyPlan, other_setting, setting, skill_pair, split_against

    chosen = GAMES[game]
    settings = [setting(chosen, seats, chosen.read_options(option or []), bots)]
    if against:
        other_seats, other_bots, texts = split_against(against)
        changed = chosen.read_options(texts)
        settings.append(other_setting(settings[0], other_seats, other_bots, changed))
    plan = StudyPlan(tuple(settings), number, seed, skill_pair(skill))
    carry_out(plan, threads, as_json, report)
