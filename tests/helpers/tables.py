"""Moves at a table and what can be seen of it, for the example tests of games."""

from random import Random
from typing import Any

from redouble import Match, Outcome, Zone


def push(match: Match, *moves: str) -> Match:
    """Make moves, and return the match."""
    for move in moves:
        match.push(move)
    return match


def play_on(match: Match, dice: Random) -> Match:
    """Play a match at random to its end, and return it."""
    while match.turn is not None:
        match.push(dice.choice(match.legal_moves))
    return match


def zone(match: Match, name: str, seat: int | None = None, eye: int | None = None) -> Zone:
    """A zone of the table or of a seat by its name, as a seat sees it, or else with everything."""
    return next(zone for zone in match.view(eye).zones_of(seat) if zone.name == name)


def texts(match: Match, name: str, seat: int | None = None, eye: int | None = None) -> list[str]:
    """The texts of a zone's cards, ``?`` for a card face down."""
    return [card.text if card.up else "?" for card in zone(match, name, seat, eye).cards]


def fact(match: Match, name: str, seat: int | None = None) -> Any:
    """The value of a fact of the table or of a seat by its name; None if there is none."""
    return next((one.value for one in match.view().facts_of(seat) if one.name == name), None)


def ended(match: Match) -> Outcome:
    """How a match ended, which is over."""
    assert match.outcome is not None
    return match.outcome
