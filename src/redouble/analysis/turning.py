"""Where a finished game turned, for the panel at its end.

If there is a review, these are the costliest mistakes that it found. Otherwise they are the moves
that changed most by the game's own evaluation, which takes about 10 milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass

from redouble.analysis.review import Review
from redouble.analysis.swings import swings
from redouble.match.match import Match
from redouble.match.replay import Replay
from redouble.match.story import last_move


@dataclass(frozen=True)
class TurningPoint:
    """A move at which a game turned."""

    ply: int
    """The number of moves before it."""
    seat: int
    text: str
    """The move in words, without a subject."""
    better: str = ""
    """A better move in words, if a review has found one."""


def turning_points(match: Match) -> tuple[TurningPoint, ...]:
    """Return up to three turning points of a game that is over, in order of play."""
    if match.seats == 1:
        return ()
    return tuple(
        TurningPoint(one.ply, one.seat, last_move(match.back_to(one.ply + 1), match.names, None))
        for one in swings(match)
    )


def reviewed_points(replay: Replay, review: Review) -> tuple[TurningPoint, ...]:
    """Return up to three of a review's costliest mistakes, in order of play."""
    story = replay.story(None)
    costliest = sorted(review.moments(), key=lambda one: one.ply)
    return tuple(
        TurningPoint(one.ply, one.seat, story[one.ply].text, replay.described(one.ply, one.better))
        for one in costliest
    )
