"""``redouble solve``: whether deals of a solitaire can be won."""

from __future__ import annotations

from typing import Annotated

import typer

from redouble.commands.arguments import AsJson, Rule, Threads
from redouble.kernel.errors import RedoubleError

LOOSE = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Settings of this command: a game's rule options are also options of their own."""


def solve(
    context: typer.Context,
    deal: Annotated[
        str | None,
        typer.Argument(
            metavar="DEAL", help="The number of a deal, or a file of records; - reads the input."
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(metavar="GAME", help="The game.", show_default="the first with a solver"),
    ] = None,
    option: Rule = None,
    deals: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Solve this many random deals and print how many can be won."
        ),
    ] = None,
    seed: Annotated[
        str, typer.Option(metavar="TEXT", help="With --deals: text that decides the deals.")
    ] = "",
    threads: Threads = None,
    max_positions: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Positions to search before a deal is left undecided."
        ),
    ] = 20_000,
    as_json: AsJson = False,
) -> None:
    """Tell whether a solitaire deal can be won, and how.

    Each rule option of the game is also an option here: --redeals 3 means the same as
    --option redeals=3.
    """
    from redouble.terminal.solving import deal_and_options, solvable, solve_one, solve_several

    chosen = solvable(game)
    # Typer takes the first word it doesn't know for the deal, though it may be a rule option.
    words = [*([] if deal is None else [deal]), *context.args]
    deal, values = deal_and_options(chosen, words)
    for name, value in chosen.read_options(option or []).items():
        if name in values:
            raise RedoubleError(f"option {name} is given twice: give it once")
        values[name] = value
    if deal is not None and deals is not None:
        raise RedoubleError(f"deal {deal} and --deals {deals} exclude each other: give one of them")
    if deals is not None:
        solve_several(chosen, deals, values, seed, threads, max_positions, as_json)
    elif deal is not None:
        solve_one(chosen, deal, values, max_positions, as_json)
    else:
        raise RedoubleError(
            "no deal: give its number, a file of records, or --deals with how many to solve"
        )
