"""The rules of version 1, in which chance picks which of a hand's equal cards is played.

Only the places differ, and with them the cards of rounds that follow a reshuffle.
"""

from __future__ import annotations

from redouble.games.double_down.rules import (
    ACTIONS,
    MAX_LEGAL,
    Position,
    determinize,
    hidden,
    legal,
    play,
    rank,
    redact,
    score,
)
from redouble.games.double_down.rules import setup as begin

__all__ = [
    "ACTIONS",
    "MAX_LEGAL",
    "Position",
    "determinize",
    "hidden",
    "legal",
    "play",
    "rank",
    "redact",
    "score",
    "setup",
]


def setup(s: Position) -> None:
    """Set a game up as version 2 does; its cards are picked by chance."""
    s.by_chance = 1
    begin(s)
