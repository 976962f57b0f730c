"""How a game of Double Double Dominoes ended, in words."""

from __future__ import annotations

from redouble.contract.moments import who
from redouble.contract.outcome import Ending
from redouble.games.double_dominoes.rules import BOARD_FULL, TOTAL_REACHED, Position, dots


def ending(before: Position, after: Position, action: int, viewer: int | None) -> Ending:
    """Return what the last move gave, or by how much the winner was ahead."""
    seats = range(after.seats)
    winner = max(seats, key=lambda seat: (after.points[seat], dots(after, seat)))
    made = after.points[winner] - before.points[winner]
    if after.reason == TOTAL_REACHED:
        got = who(winner, viewer, "got", "got")
        if made and before.turn == winner:
            return Ending(f"{got} {_points(made)} for the last move and reached {after.goal}.")
        reached = who(winner, viewer, "had", "had")
        return Ending(f"{reached} the most points when the total of {after.goal} was reached.")
    lead = after.points[winner] - max(after.points[seat] for seat in seats if seat != winner)
    what = "No domino fits any more" if after.reason == BOARD_FULL else "The dominoes ran out"
    if not lead:
        return Ending(f"{what}, and the dots left in hand decided.")
    ahead = "you were" if winner == viewer else f"{{{winner}}} was"
    return Ending(f"{what}, and {ahead} {_points(lead)} ahead.")


def _points(number: int) -> str:
    return f"{number} point{'' if number == 1 else 's'}"
