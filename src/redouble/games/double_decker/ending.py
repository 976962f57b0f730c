"""How a game of Double Decker ended, in words."""

from __future__ import annotations

from redouble.contract.moments import who
from redouble.contract.outcome import Ending
from redouble.games.double_decker.rules import ROUNDS, Position


def ending(before: Position, after: Position, action: int, viewer: int | None) -> Ending:
    """Return whether the last round changed the lead."""
    seats = range(after.seats)
    totals = after.total[: after.seats]
    last = after.points[ROUNDS - 1]
    earlier = [totals[seat] - last[seat] for seat in seats]
    first = [seat for seat in seats if totals[seat] == max(totals)]
    led = [seat for seat in seats if earlier[seat] == max(earlier)]
    winner = first[0]
    if len(first) > 1:
        return Ending(f"{len(first)} players share first place with {_points(max(totals))}.")
    lead = totals[winner] - max(totals[seat] for seat in seats if seat != winner)
    if winner in led:
        held = who(winner, viewer, "led", "led")
        return Ending(f"{held} before the last round and won by {_points(lead)}.")
    passed = "you" if led[0] == viewer else f"{{{led[0]}}}"
    made = who(winner, viewer, "made", "made")
    return Ending(f"{made} {_points(last[winner])} in the last round and overtook {passed}.")


def _points(number: int) -> str:
    sign = "\N{MINUS SIGN}" if number < 0 else ""
    return f"{sign}{abs(number)} point{'' if abs(number) == 1 else 's'}"
