"""What pages say of the people whom one meets: whole sentences."""

from __future__ import annotations

from collections.abc import Collection

from redouble.contract.page.pieces import plural


def who_waits(names: Collection[str]) -> str:
    """Return who waits for others at a table."""
    *others, last = names
    if not others:
        return f"{last} is waiting."
    return f"{', '.join(others)} and {last} are waiting."


def has_played(name: str, games: int) -> str:
    """Return how many games a person has finished."""
    return f"{name} has played {plural(games, 'game')}." if games else f"{name} is new here."


def members(count: int) -> str:
    """Return how many people are in a circle."""
    return plural(count, "member")


def people(count: int) -> str:
    """Return how many people sit at a table."""
    return "1 person" if count == 1 else f"{count} people"


def bots(count: int) -> str:
    """Return how many bots sit at a table."""
    return plural(count, "bot")
