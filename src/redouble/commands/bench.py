"""``redouble bench``: how fast games are played."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from redouble.commands.arguments import AsJson, OptionalGame
from redouble.contract.registry import GAMES


def bench(
    game: OptionalGame = None,
    seats: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Number of players.", show_default="the fewest the game allows"
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.01, help="Time to measure each engine.")
    ] = 2,
    as_json: AsJson = False,
) -> None:
    """Measure the speed of random games.

    Times the interpreted and the compiled engine, on one core and on all, and the compilation.
    """
    from redouble.lab.bench import machine, measure

    chosen = [GAMES[game]] if game else list(GAMES.values())
    for one in chosen:
        one.check_seats(seats or one.min_seats)
    if not as_json:
        print(", ".join(f"{name} {value}" for name, value in machine().items()))
    for one in chosen:
        report = measure(one, seats or one.min_seats, seconds)
        print(json.dumps(report.to_dict()) if as_json else report, flush=True)
