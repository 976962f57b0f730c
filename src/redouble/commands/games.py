"""``redouble games``, ``rules``, ``prepare`` and ``bench``: the installed games."""

from typing import Annotated

from redouble.commands.arguments import GameName, JsonFile, OptionalGame, Plain
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.kernel.settings import option


def games(*, out: JsonFile) -> None:
    """List the installed games and their rule options."""
    out.write(
        [
            {
                "name": game.name,
                "title": game.title,
                "rules": game.version,
                "seats": [game.min_seats, game.max_seats],
                "summary": game.summary,
                "options": [
                    {"name": o.name, "default": o.default, "meaning": o.meaning}
                    for o in game.options
                ],
            }
            for game in GAMES.values()
        ]
    )
    if out.printed:
        return
    from rich.console import Console

    from redouble.terminal.ask.pages import games_and_options

    Console(highlight=False).print(games_and_options(GAMES))


def rules(game: GameName, plain: Plain = False) -> None:
    """Read the rules of a game."""
    from redouble.terminal.ask.pages import show_rulebook
    from redouble.terminal.ask.screen import Screen

    show_rulebook(GAMES[game], Screen(plain))


def prepare(game: OptionalGame = None) -> None:
    """Compile the bots' search ahead of time.

    Otherwise the first game that needs it has to wait. You need this only once
    after each installation or update.
    """
    from redouble.analysis.prepare import prepare as compile_code
    from redouble.analysis.prepare import purposes
    from redouble.kernel.backend import why_slow

    if trouble := why_slow():
        raise RedoubleError(trouble)
    for each in [GAMES[game]] if game else GAMES.values():
        print(f"{each.title}...", end=" ", flush=True)
        for purpose in purposes(each):
            compile_code(each, purpose)
        print("ready", flush=True)


def bench(
    game: OptionalGame = None,
    seats: Annotated[
        int | None, option("N", "Number of players.", usual="the fewest the game allows")
    ] = None,
    seconds: Annotated[float, option("SECONDS", "Time to measure each engine.", low=0.01)] = 2,
    *,
    out: JsonFile,
) -> None:
    """Measure the speed of random games.

    Times the interpreted and the compiled engine, on one core and on all, and the compilation.
    """
    from redouble.kernel.backend import why_slow
    from redouble.lab.bench import machine, measure

    if trouble := why_slow(cached=False):
        raise RedoubleError(trouble)
    chosen = [GAMES[game]] if game else list(GAMES.values())
    for one in chosen:
        one.check_seats(seats or one.min_seats)
    if not out.printed:
        print(", ".join(f"{name} {value}" for name, value in machine().items()))

    with out.lines() as write:
        for one in chosen:
            report = measure(one, seats or one.min_seats, seconds)
            if not out.printed:
                print(report, flush=True)
            write(report.to_dict())
