"""``redouble arena``: tournaments between bots."""

from __future__ import annotations

import sys
from secrets import token_hex
from typing import TYPE_CHECKING, Annotated

from redouble.commands import arguments
from redouble.kernel.settings import option, switch

if TYPE_CHECKING:
    from redouble.lab.arena.intervals import Estimate
    from redouble.lab.arena.tournament import Tournament, TournamentResults
    from redouble.lab.shards import Executor

GAMES_PLAYED, MAX_GAMES = 1000, 20_000
"""Games that are played by default, and the most until it is clear."""
MARGIN = 5.0
"""The default margin, in points."""
NAME = 16
"""Letters of a bot's name beside a progress bar."""


def arena(
    game: arguments.GameName,
    bots: Annotated[
        list[str],
        arguments.argument(
            "BOT",
            f"Two or more of {arguments.BOT_NAMES}; search:METHOD,NAME=NUMBER; FILE.py or"
            ' FILE.py:NAME; and "cmd:PROGRAM ARGUMENTS", which reads and writes JSON lines.'
            " NAME=BOT gives a name.",
        ),
    ],
    games: Annotated[
        int | None,
        option(
            "N",
            "Number of games, rounded up to whole deals; a maximum with --until-clear.",
            usual=f"{GAMES_PLAYED:,}, with --until-clear {MAX_GAMES:,}",
        ),
    ] = None,
    until_clear: Annotated[
        bool, switch("--until-clear", "Stop when it is clear which of two bots is better, if any.")
    ] = False,
    margin: Annotated[
        float | None,
        option(
            "POINTS",
            "With --until-clear: the difference that counts as none, in hundredths of the opponents"
            " beaten or deals won.",
            usual=f"{MARGIN:g}",
        ),
    ] = None,
    seats: Annotated[
        int | None, option("N", "Number of players.", usual="one per bot if the game allows it")
    ] = None,
    options: arguments.Rule = None,
    seed: arguments.Seed = None,
    time_limit: Annotated[
        float, option("SECONDS", "Time for each move of a file or a program.")
    ] = 10.0,
    *,
    files: arguments.ResultFiles,
    where: arguments.Workers,
) -> None:
    """Run a tournament between bots.

    Each deal is played as often as there are bots, and each bot sits once in each seat, so luck
    cancels out. With fewer bots than seats, each bot takes several seats; with more, each game
    leaves some out. Ctrl-C stops early and shows the results so far.

    With --until-clear two bots play only as long as needed, and the answer is a sentence: which is
    better, or that there is no difference, or that it isn't clear.
    """
    from rich.text import Text

    from redouble.contract.registry import GAMES
    from redouble.kernel.errors import RedoubleError
    from redouble.lab.arena.entrants import entrants

    chosen = GAMES[game]
    entered = entrants(bots)
    files.check()
    if margin is not None and not until_clear:
        raise RedoubleError("--margin is for --until-clear: give both, or leave out --margin")
    if until_clear and margin is None:
        margin = MARGIN
    if games is None:
        games = MAX_GAMES if until_clear else GAMES_PLAYED
    from redouble.lab.arena.tournament import Tournament  # costs the import of a compiler

    tournament = Tournament(
        chosen,
        entered,
        games,
        seats,
        chosen.read_options(options or []),
        token_hex(4) if seed is None else seed,
        time_limit,
        margin,
    )
    from redouble.commands.standings import tables
    from redouble.lab.arena.page import page, summary, troubles

    results = _play(tournament, where.executor())
    if not files.printed:
        console = arguments.results_console(160)
        sentences = [summary(results)]
        if results.comparison is not None:
            sentences.insert(0, str(results.comparison))
        if results.standings is not None:
            for table in tables(results, results.standings, console):
                console.print(table)
                console.print()
            sentences = [*troubles(results.standings), *sentences]
        for sentence in sentences:
            console.print(Text(sentence), soft_wrap=not console.is_terminal)
    files.save(results.to_dict, lambda: page(results))
    arguments.exit_if_stopped(results.interrupted)


def _play(tournament: Tournament, where: Executor) -> TournamentResults:
    from rich.markup import escape

    from redouble.lab.arena.sequential import ends, points

    name = escape(tournament.bots[0].name[:NAME])
    with arguments.progress_bar(ends_early=tournament.margin is not None) as bar:
        task = bar.add_task("preparing", total=tournament.plan.games)
        known = "games"

        def meanwhile(deals: int, difference: Estimate) -> None:
            nonlocal known
            low, high = ends(difference)
            known = f"{name} ahead by {points(low)} to {points(high)} points"

        def watch(played: int) -> None:
            if played:
                bar.update(task, advance=played, description=known)
            else:
                bar.update(task, description="stopping")
                if bar.disable:
                    print("Stopping. The results so far follow.", file=sys.stderr)

        return tournament.play(watch, where, meanwhile)
