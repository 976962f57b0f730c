"""What pages say of a game's options, and of the people whom one meets: whole sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

from redouble.contract.game import Game
from redouble.contract.options import Choice, Data, Flag, Number, Option, PerSeat
from redouble.contract.page.pieces import plural
from redouble.web.people.profiles import Stranger

KINDS: dict[type[Option], str] = {
    Flag: "flag",
    Choice: "choice",
    Number: "number",
    PerSeat: "seats",
    Data: "lines",
}
"""The form fields for options; a choice is a number as well, and comes first."""


def option_kind(option: Any) -> str:
    """Return the form field for an option: one of ``KINDS``."""
    for kind, name in KINDS.items():
        if isinstance(option, kind):
            return name
    raise TypeError(f"no form field for {type(option).__name__}")


def house_rules(game: Game, options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the label and the value in words of each option that differs from the usual game."""
    return [
        (option.label, option.in_words(options[option.name]))
        for option in game.options
        if str(options[option.name]) != str(option.default)  # a form's values are texts
    ]


def who_waits(people: Sequence[Stranger]) -> str:
    """Return who waits for others at a table."""
    *others, last = [_in_short(one) for one in people]
    if not others:
        return f"{last} is waiting."
    return f"{', '.join(others)} and {last} are waiting."


def has_played(one: Stranger) -> str:
    """Return how many games a person has finished, and their rating if they have one."""
    games = plural(one.games, "game")
    if one.points is not None:
        return f"{one.name} has played {games} and is rated {one.points:,.0f}."
    return f"{one.name} has played {games}." if one.games else f"{one.name} is a new player."


def played_in_short(one: Stranger) -> str:
    """Return the same in a few words, for a place that shows the name already."""
    if one.points is not None:
        return f"{plural(one.games, 'game')}, rated {one.points:,.0f}"
    return plural(one.games, "game") if one.games else "new player"


def seats_left(number: int) -> str:
    """Return how many seats of a table are open."""
    return "One seat is open." if number == 1 else f"{number} seats are open."


def people(count: int) -> str:
    """Return how many people sit at a table."""
    return "1 person" if count == 1 else f"{count} people"


def _in_short(one: Stranger) -> str:
    if one.points is not None:
        return f"{one.name} ({one.points:,.0f}, {plural(one.games, 'game')})"
    return f"{one.name} ({plural(one.games, 'game')})" if one.games else f"{one.name} (new player)"
