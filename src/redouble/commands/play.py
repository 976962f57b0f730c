"""``redouble play``: a game in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redouble.bots.levels import USUAL_LEVEL
from redouble.commands.arguments import GAME_NAME, LEVEL_NAMES, OTHER_BOTS, Plain, Rule, Seed
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
        typer.Argument(metavar="GAME", help=GAME_NAME, show_default="choose from a menu"),
    ] = None,
    seats: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Number of players.", show_default="4 if the game allows it"
        ),
    ] = None,
    level: Annotated[
        str,
        typer.Option(
            metavar="LEVEL",
            help=f"Level of the bots: {LEVEL_NAMES}; or one of the bots {OTHER_BOTS}.",
        ),
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
        float,
        typer.Option(metavar="SECONDS", min=0, help="Time that each bot takes for a move."),
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
            metavar="DIFFICULTY",
            help="In a solitaire, deal a game that can be won: any, easy, medium or hard.",
        ),
    ] = None,
    plain: Plain = False,
) -> None:
    """Play in the terminal, against bots or people.

    Several people share the keyboard and pass it on. Without GAME, choose one from a menu.
    """
    from redouble.terminal.ask.screen import InputEnded, Screen, telling
    from redouble.terminal.files import load_match, naming
    from redouble.terminal.play.afterwards import play_games
    from redouble.terminal.play.setup import Setup, read_deck
    from redouble.terminal.play.unfinished import offer_unfinished

    screen = Screen(plain)
    if load is None:
        try:
            cut_off = offer_unfinished(screen)
        except InputEnded:
            return
        if cut_off is not None:
            again, seats = cut_off.match, cut_off.match.seats
            setup = Setup(
                again.game, seats, cut_off.people, cut_off.bot, options=dict(again.options),
                pace=0.0 if fast else pace, auto=auto,
            )  # fmt: skip
            play_games(setup, screen, again, None, cut_off.notes, cut_off.keeper)
            return
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
        given: dict[str, object] = {"--seats": seats, "--people": people, "--names": names}
        given |= {"--seed": seed, "--option": option, "--deck": deck, "--winnable": winnable}
        if lacking := [name for name, value in given.items() if value]:
            raise RedoubleError(f"{lacking[0]} needs a game: name one, or leave it out for a menu")
        _menu()
        return
    chosen = GAMES[game]
    options = chosen.as_played(chosen.read_options(option or []))
    if winnable is not None:
        from redouble.terminal.study.solving import deal_of_difficulty, solvable

        if seed is not None or deck is not None:
            raise RedoubleError("--winnable chooses the deal: leave out --seed and --deck")
        with telling("Looking for a deal..."):
            seed = deal_of_difficulty(solvable(game), options, winnable)
    setup = Setup(
        chosen,
        seats,
        people,
        level,
        [name.strip() for name in names.split(",")] if names else [],
        seed,
        options,
        None if deck is None else read_deck(deck),
        0.0 if fast else pace,
        auto,
    )
    if match is None:
        with naming(deck) if deck is not None and Path(deck).is_file() else nullcontext():
            match = setup.start()
    play_games(setup, screen, match, load, notes)


def _menu() -> None:
    """Play what the person chooses, until they leave."""
    from redouble.terminal.ask.screen import InputEnded, Screen
    from redouble.terminal.play.afterwards import play_games
    from redouble.terminal.play.menu import choose

    screen = Screen()
    try:
        while (setup := choose(screen, PACE)) is not None:
            play_games(setup, screen)
            if not screen.live:
                return
            screen.say()
    except InputEnded:
        screen.say("End of input.")
