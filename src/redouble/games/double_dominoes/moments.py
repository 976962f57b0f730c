"""What people see in the middle of a move of Double Double Dominoes, and at its end."""

from __future__ import annotations

from redouble.contract.moments import Headline, MomentKind, who
from redouble.contract.outcome import Ending
from redouble.games.double_dominoes import rules
from redouble.games.double_dominoes.rules import Position
from redouble.kernel.checks import counted, joined


def gains(s: Position) -> list[int]:
    """Return the points that the domino just placed is about to bring each seat."""
    kind, spot = s.deck[s.last], s.where[s.last]
    direction, low = divmod(spot, rules.SQUARES)
    return [rules.worth(s, kind, low, low + rules.STEP[direction], seat) for seat in range(s.seats)]


def _placed(s: Position, seat: int | None) -> Headline | None:
    points = gains(s)
    if not any(points):
        return None
    mine = points[s.turn]
    made = counted(mine, "point") if mine else "nothing"
    lucky = [other for other in range(s.seats) if other != s.turn and points[other]]
    names = ["you" if other == seat else f"{{{other}}}" for other in lucky]
    if not names:
        bonus = ""
    elif len(names) == 1:
        bonus = f"{who(lucky[0], seat, 'gets', 'get')} a bonus of {rules.BONUS}."
    else:
        bonus = f"{joined(names)} get a bonus of {rules.BONUS} each."
        bonus = bonus[0].upper() + bonus[1:]
    said = " ".join(filter(None, [_sources(s, mine), bonus]))
    return Headline(who(s.turn, seat, f"scores {made}", f"score {made}"), said)


def _sources(s: Position, points: int) -> str:
    """Return what the points of the domino just placed come from; nothing if of one diamond."""
    kind, spot = s.deck[s.last], s.where[s.last]
    direction, low = divmod(spot, rules.SQUARES)
    diamonds = [s.board[at] for at in (low, low + rules.STEP[direction]) if s.board[at] > 0]
    twice = bool(diamonds) and rules.LOW[kind] == rules.HIGH[kind]
    bonus = points > sum(diamonds) * (1 + twice)
    said = []
    if len(diamonds) + twice + bonus > 1 and diamonds:
        numbers = " + ".join(map(str, diamonds))
        said.append(f"Diamonds: {numbers}{', twice for the double' if twice else ''}.")
    if bonus:
        said.append(f"Bonus: {rules.BONUS}.")
    return " ".join(said)


def _pitted(s: Position, seat: int | None) -> Headline:
    return Headline(
        who(s.turn, seat, "can't place a domino", "can't place a domino"),
        "One goes face down into the pit.",
    )


MOMENTS = (
    MomentKind("placed", _placed, seconds=1.4, board=lambda s: {"gains": gains(s)}),
    MomentKind("pitted", _pitted, seconds=1.2),
)


def ending(before: Position, after: Position, action: int, viewer: int | None) -> Ending:
    """Return what the last move gave, or by how much the winner was ahead."""
    seats = range(after.seats)
    winner = max(seats, key=lambda seat: (after.points[seat], rules.dots(after, seat)))
    made = after.points[winner] - before.points[winner]
    if after.reason == rules.TOTAL_REACHED:
        if made and before.turn == winner:
            got = f"{who(winner, viewer, 'got', 'got')} {counted(made, 'point')}"
            return Ending(f"{got} for the last move and reached {after.goal}.")
        reached = who(winner, viewer, "had", "had")
        return Ending(f"{reached} the most points when the total of {after.goal} was reached.")
    lead = after.points[winner] - max(after.points[seat] for seat in seats if seat != winner)
    what = "No domino fits any more" if after.reason == rules.BOARD_FULL else "The dominoes ran out"
    if not lead:
        return Ending(f"{what}, and the dots left in hand decided.")
    ahead = "you were" if winner == viewer else f"{{{winner}}} was"
    return Ending(f"{what}, and {ahead} {counted(lead, 'point')} ahead.")
