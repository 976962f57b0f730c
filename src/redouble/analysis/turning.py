"""Where a finished game turned, for the panel at its end.

If there is a review, these are the costliest mistakes that it found. Otherwise they are the moves
that changed most by the game's own evaluation, which takes about 10 milliseconds. A review judges
decisions by what was known; the evaluation compares positions with all cards open, so luck counts
as much as play.
"""

from dataclasses import dataclass

from redouble.analysis.review import Review
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.kernel.shares import share_leading
from redouble.match.match import Match
from redouble.match.replay import Replay
from redouble.match.story import last_move

__all__ = ["Swing", "swings"]

NOTABLE = 0.02
"""The smallest change of a seat's share that counts."""


@dataclass(frozen=True)
class Swing:
    """A move that changed how the seats stood."""

    ply: int
    """The number of moves before it."""
    seat: int
    """Who made it."""
    size: float
    """The largest change of a seat's expected share of opponents beaten."""


def swings(match: Match, limit: int = 3) -> list[Swing]:
    """Return the moves that changed most, in order of play; the last move is not among them.

    Raises :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
    """
    checks.instance(match, Match, "match", InputError)
    checks.whole(limit, "limit", 0)
    found, shares, mover = [], [0.0] * match.seats, 0
    values = [0] * match.seats
    for ply, s in enumerate(match.positions()):
        match.game.player.evaluate(s, values)
        seats = match.seats
        before, shares = shares, [share_leading(values, seats, seat) for seat in range(seats)]
        size = max(abs(a - b) for a, b in zip(before, shares, strict=True))
        if 0 < ply < match.ply and size >= NOTABLE:
            found.append(Swing(ply - 1, mover, size))
        mover = s.turn
    largest = sorted(found, key=lambda one: (-one.size, one.ply))[:limit]
    return sorted(largest, key=lambda one: one.ply)


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
