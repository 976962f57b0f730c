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
    most: Annotated[
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
    from redouble.terminal.solving import loose_options, solvable, solve_one, solve_several

    chosen = solvable(game)
    words = list(context.args)
    if deal is not None and deal.startswith("--"):  # an option of the game's came before the deal
        words, deal = [deal, *words], None
        if words and not words[-1].startswith("--"):
            deal = words.pop()
    values = loose_options(chosen, words)
    for name, value in chosen.read_options(option or []).items():
        if name in values:
            raise RedoubleError(f"option {name} is given twice")
        values[name] = value
    if (deal is None) == (deals is None):
        raise RedoubleError("give the number of a deal, a file of records, or --deals with a count")
    if deals is not None:
        solve_several(chosen, deals, values, seed, threads, most, as_json)
    elif deal is not None:
        solve_one(chosen, deal, values, most, as_json)
