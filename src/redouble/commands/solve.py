"""``redouble solve``: whether deals of a solitaire can be won."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from redouble.commands.arguments import AsJson, Cluster, Rule, Threads, executor, seed_word
from redouble.commands.errors import EXIT_INTERRUPTED
from redouble.kernel.errors import RedoubleError

if TYPE_CHECKING:
    from redouble.contract.game import Game
    from redouble.lab.shards import Executor
    from redouble.lab.solitaire import TallyResult


def solve(
    deal: Annotated[
        str | None,
        typer.Argument(
            metavar="DEAL",
            help="The number of a deal, or a file with a saved game; - reads standard input.",
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(metavar="GAME", help="The game.", show_default="the first with a solver"),
    ] = None,
    option: Rule = None,
    line: Annotated[
        int | None,
        typer.Option(metavar="N", help="In a file of several saved games: the one on this line."),
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Solve this many random deals and print how many can be won."
        ),
    ] = None,
    seed: Annotated[
        str,
        typer.Option(
            metavar="TEXT", callback=seed_word, help="With --deals: text that decides the deals."
        ),
    ] = "",
    threads: Threads = None,
    cluster: Cluster = None,
    max_positions: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Positions to search before a deal is left undecided."
        ),
    ] = 20_000,
    as_json: AsJson = False,
) -> None:
    """Tell whether a solitaire deal can be won, and how.

    The rules are those by which people usually play; --option changes them. A record is solved by
    its own. Ctrl-C ends --deals early and shows the results so far.
    """
    from redouble.terminal.study.solving import solvable, solve_one

    chosen = solvable(game)
    given = chosen.read_options(option or [])
    values = chosen.as_played(given)
    if line is not None and deal is None:
        raise RedoubleError(f"--line {line} is for a file of saved games: name the file")
    if deal is not None and deals is not None:
        raise RedoubleError(f"deal {deal} and --deals {deals} exclude each other: give one of them")
    if deals is not None:
        checked = chosen.check_options(1, values)
        found = _counted(chosen, checked, deals, seed, max_positions, executor(threads, cluster))
        row = {"game": chosen.name, "options": checked, "seed": seed}
        _show(found, row if as_json else None)
    elif deal is not None:
        solve_one(chosen, deal, given, line, max_positions, as_json)
    else:
        raise RedoubleError(
            "no deal: give its number, a file with a saved game, or --deals with how many to solve"
        )


def _counted(
    game: Game,
    options: dict[str, Any],
    deals: int,
    seed: str,
    max_positions: int,
    where: Executor,
) -> TallyResult:
    """Solve random deals, with a progress bar if standard error is a terminal."""
    from redouble.commands.progress import progress_bar
    from redouble.lab.solitaire import tally_deals

    with progress_bar() as bar:
        task = bar.add_task("deals", total=deals)
        return tally_deals(
            game,
            options,
            deals,
            seed,
            max_positions,
            executor=where,
            watch=lambda done: bar.update(task, completed=done),
        )


def _show(found: TallyResult, row: dict[str, Any] | None) -> None:
    """Print how many deals can be won: a sentence, or with a ``row`` JSON that begins with it."""
    tally = found.tally
    low, high = tally.interval
    if row is not None:
        print(json.dumps(row | tally.to_dict()))
    else:
        print(
            f"{tally.deals:,} deals: {100 * tally.share:.3f}% can be won"
            f" (95% interval: {100 * low:.3f} to {100 * high:.3f}), {tally.undecided} undecided"
        )
    if found.stopped:
        print("Stopped early: these are the deals solved so far.", file=sys.stderr)
        raise typer.Exit(EXIT_INTERRUPTED)
