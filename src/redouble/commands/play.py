"""``redouble play``: a game in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redouble.bots.levels import LEVELS, USUAL_LEVEL
from redouble.commands.arguments import Plain, Rule, Seed
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError

if TYPE_CHECKING:
    from redouble.match.match import Match
    from redouble.match.record import Note

PACE = 0.6
"""Seconds that a live screen shows each bot's move."""


def play(
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="The game.", show_default="choose from a menu"),
    ] = None,
    seats: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Number of players.", show_default="4 if the game allows it"
        ),
    ] = None,
    bot: Annotated[
        str,
        typer.Option(metavar="LEVEL", help=f"Level of the bots: {', '.join(LEVELS)}."),
    ] = USUAL_LEVEL,
    people: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of people, who take the first seats; bots take the others.",
            show_default="1",
        ),
    ] = None,
    names: Annotated[
        str, typer.Option(metavar="NAMES", help="The players' names, separated by commas.")
    ] = "",
    seed: Seed = None,
    option: Rule = None,
    deck: Annotated[
        str | None,
        typer.Option(
            metavar="CARDS",
            help="Order of the first shuffle: cards separated by commas, or a file.",
        ),
    ] = None,
    load: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Continue a saved game.")
    ] = None,
    pace: Annotated[
        float, typer.Option(metavar="SECONDS", help="Time that each bot takes for a move.")
    ] = PACE,
    fast: Annotated[bool, typer.Option("--fast", help="The same as --pace 0.")] = False,
    auto: Annotated[
        bool | None,
        typer.Option(
            help="Play for you when only one move is legal.",
            show_default="yes, except in a solitaire",
        ),
    ] = None,
    winnable: Annotated[
        str | None,
        typer.Option(
            metavar="LEVEL",
            help="In a solitaire, deal a game that can be won: any, easy, medium or hard.",
        ),
    ] = None,
    plain: Plain = False,
) -> None:
    """Play in the terminal, against bots or people.

    Several people share the keyboard and pass it on. Without GAME, choose one from a menu.
    """
    from redouble.terminal.ask.screen import Screen, telling
    from redouble.terminal.files import load_match
    from redouble.terminal.play.afterwards import play_games
    from redouble.terminal.play.setup import Setup, read_deck

    match: Match | None = None
    notes: Sequence[Note] = ()
    if load is not None:
        fixed = {"--seats": seats, "--names": names, "--seed": seed, "--option": option}
        fixed["--winnable"] = winnable
        if clash := [name for name, value in {**fixed, "--deck": deck}.items() if value]:
            raise RedoubleError(
                f"{clash[0]} can't go with --load: leave it out, the saved game has its own"
            )
        match, notes = load_match(load)
        if game not in (None, match.game.name):
            raise RedoubleError(
                f"{load} holds a game of {match.game.title}, not of {GAMES[game].title}"
            )
        game = match.game.name
    if game is None:
        _menu()
        return
    chosen = GAMES[game]
    options = chosen.read_options(option or [])
    if winnable is not None:
        from redouble.terminal.study.solving import deal_of_level, solvable

        if seed is not None or deck is not None:
            raise RedoubleError("--winnable chooses the deal: leave out --seed and --deck")
        with telling("Looking for a deal..."):
            seed = deal_of_level(solvable(game), options, winnable)
    setup = Setup(
        chosen,
        seats,
        people,
        bot,
        [name.strip() for name in names.split(",")] if names else [],
        seed,
        options,
        None if deck is None else read_deck(deck),
        0.0 if fast else max(0.0, pace),
        auto,
    )
    play_games(setup, Screen(plain), match, load, notes)


def _menu() -> None:
    """Play what the person chooses, until they leave."""
    from redouble.terminal.ask.screen import Screen
    from redouble.terminal.play.afterwards import play_games
    from redouble.terminal.play.menu import choose

    screen = Screen()
    try:
        while (setup := choose(screen, PACE)) is not None:
            play_games(setup, screen)
            if not screen.live:
                return
            screen.say()
    except EOFError:
        screen.say("End of input.")
