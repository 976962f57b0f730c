"""What pages say of the people whom one meets: whole sentences.

Strangers see a person's name, rating and number of games, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

from redouble.contract.page.pieces import plural
from redouble.web.live.strangers import Stranger


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
    return f"{one.name} has played {games}." if one.games else f"{one.name} is new here."


def seats_left(number: int) -> str:
    """Return how many seats of a table are open."""
    return "One seat is open." if number == 1 else f"{number} seats are open."


def members(count: int) -> str:
    """Return how many people are in a circle."""
    return plural(count, "member")


def people(count: int) -> str:
    """Return how many people sit at a table."""
    return "1 person" if count == 1 else f"{count} people"


def bots(count: int) -> str:
    """Return how many bots sit at a table."""
    return plural(count, "bot")


def _in_short(one: Stranger) -> str:
    if one.points is not None:
        return f"{one.name} ({one.points:,.0f}, {plural(one.games, 'game')})"
    return f"{one.name} ({plural(one.games, 'game')})" if one.games else f"{one.name} (new here)"
