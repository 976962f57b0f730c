"""``redouble play``: a game in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from redouble.bots.levels import USUAL_LEVEL, searches
from redouble.commands import arguments
from redouble.contract.registry import GAMES
from redouble.kernel.cores import INTERPRETED
from redouble.kernel.errors import RedoubleError
from redouble.kernel.settings import option, switch

if TYPE_CHECKING:
    from redouble.terminal.ask.screen import Screen
    from redouble.terminal.play.setup import Setup

PACE = 0.6
"""Seconds that a live screen shows each bot's move."""


def play(
    game: Annotated[
        str | None, arguments.argument("GAME", arguments.GAME_NAME, "choose from a menu")
    ] = None,
    seats: arguments.Seats = None,
    level: Annotated[
        str,
        option("LEVEL", f"Level of the bots: {arguments.LEVEL_NAMES}; or {arguments.OTHER_BOTS}."),
    ] = USUAL_LEVEL,
    people: Annotated[
        int | None,
        option("N", "Number of people; bots take the other seats.", usual="1"),
    ] = None,
    names: Annotated[str, option("NAMES", "The players' names, separated by commas.")] = "",
    seed: arguments.Seed = None,
    options: arguments.Rule = None,
    deck: Annotated[
        str | None,
        option("CARDS", "Cards in the order of the first deck, with commas, or a file of them."),
    ] = None,
    load: Annotated[Path | None, option("FILE", "Continue a saved game.")] = None,
    pace: Annotated[float, option("SECONDS", "Time that each bot takes for a move.", low=0)] = PACE,
    fast: Annotated[bool, switch("--fast", "The same as --pace 0.")] = False,
    auto: Annotated[
        bool | None,
        switch("--auto/--no-auto", "Make forced moves for you.", usual="yes, but in a solitaire"),
    ] = None,
    winnable: Annotated[
        str | None,
        option("DIFFICULTY", "Deal a solitaire that can be won: any, easy, medium or hard."),
    ] = None,
    plain: arguments.Plain = False,
) -> None:
    """Play in the terminal, against bots or people.

    Several people share the keyboard and pass it on. Without GAME, choose one from a menu.
    """
    from redouble.terminal.ask.screen import Screen, telling
    from redouble.terminal.files import load_match, naming
    from redouble.terminal.play.setup import Setup, read_deck
    from redouble.terminal.study.solving import deal_of_difficulty, solvable

    screen, pace = Screen(plain), 0.0 if fast else pace
    given: dict[str, object] = {"--seats": seats, "--names": names, "--seed": seed}
    given |= {"--option": options, "--deck": deck, "--winnable": winnable}
    if load is not None:
        _refuse(given, "can't go with --load: leave it out, the saved game has its own")
        match, notes = load_match(load)
        if game not in (None, match.game.name):
            raise RedoubleError(
                f"{load} holds a game of {match.game.title}, not of {GAMES[game].title}"
            )
        usual = match.game.as_played({})
        setup = Setup(match.game, None, people, level, options=usual, pace=pace, auto=auto)
        _play(setup, screen, match, load, notes)
        return
    if _has_continued(screen, pace, auto):
        return
    if game is None:
        _refuse(given | {"--people": people}, "needs a game: name one, or leave it out for a menu")
        _play_from_menu(screen, pace)
        return
    chosen = GAMES[game]
    rules = chosen.as_played(chosen.read_options(options or []))
    if winnable is not None:
        if seed is not None or deck is not None:
            raise RedoubleError("--winnable chooses the deal: leave out --seed and --deck")
        with telling("Looking for a deal..."):
            seed = deal_of_difficulty(solvable(game), rules, winnable)
    called = [name.strip() for name in names.split(",")] if names else []
    cards = None if deck is None else read_deck(deck)
    setup = Setup(chosen, seats, people, level, called, seed, rules, cards, pace, auto)
    with naming(deck) if deck is not None and Path(deck).is_file() else nullcontext():
        match = setup.start()
    _play(setup, screen, match)


def _play(setup: Setup, screen: Screen, *continued: Any) -> None:
    from redouble.terminal.play.afterwards import play_games

    if INTERPRETED or searches(setup.bot):  # hints and reviews search as well
        arguments.warn_if_slow(screen)
    play_games(setup, screen, *continued)


def _refuse(given: Mapping[str, object], why: str) -> None:
    """Raise :class:`RedoubleError` for the first option that has a value."""
    for name, value in given.items():
        if value:
            raise RedoubleError(f"{name} {why}")


def _has_continued(screen: Screen, pace: float, auto: bool | None) -> bool:
    """Offer the game that was cut off last; return whether there is nothing else to play."""
    from redouble.terminal.ask.screen import InputEnded
    from redouble.terminal.play.setup import Setup
    from redouble.terminal.play.unfinished import offer_unfinished

    try:
        found = offer_unfinished(screen)
    except InputEnded:
        return True
    if found is None:
        return False
    match = found.match
    setup = Setup(
        match.game, match.seats, found.people, found.bot, options=dict(match.options),
        pace=pace, auto=auto,
    )  # fmt: skip
    _play(setup, screen, match, None, found.notes, found.keeper)
    return True


def _play_from_menu(screen: Screen, pace: float) -> None:
    """Play what the person chooses, until they leave."""
    from redouble.terminal.ask.screen import InputEnded
    from redouble.terminal.play.menu import choose

    try:
        while (setup := choose(screen, pace)) is not None:
            _play(setup, screen)
            if not screen.live:
                return
            screen.say()
    except InputEnded:
        screen.say("End of input.")
