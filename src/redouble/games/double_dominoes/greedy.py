"""A watchful human's dominoes: take points, give few away, save doubles for good squares."""

from __future__ import annotations

from redouble.games.double_dominoes.rules import (
    BONUS,
    HIGH,
    LOW,
    NUMBERS,
    PIT,
    PLACEMENTS,
    SQUARES,
    STEP,
    STOP,
    Position,
    kinds_held,
)
from redouble.kernel.rng import Generator

# Values are in 24ths of a point.
POINT = 24
FOLLOW = 36
KEEP = 24

# For `evaluate`: the value of a point in thousandths of a certain win, before it is divided by the
# points still to be made plus SETTLED; and the points that a domino in the boneyard may bring.
A_POINT = 1500
SETTLED = 12
A_DOMINO = 4

# The kinds with each number.
WITH = tuple(
    sum(1 << kind for kind in range(len(LOW)) if number in (LOW[kind], HIGH[kind]))
    for number in range(NUMBERS)
)


def greedy(s: Position, out: list[int], n: int, rng: Generator, work: list[int]) -> int:
    """Return the move of most worth; for the pit, the domino whose loss costs least."""
    held = kinds_held(s, s.turn)
    best = out[0]
    highest = -1_000_000
    for i in range(n):
        action = out[i]
        if action < STOP:
            worth = _worth(s, action, held)
        elif action == STOP:
            worth = 0
        else:
            worth = _loss(action - PIT)
        if worth > highest:
            highest = worth
            best = action
    return best


def _worth(s: Position, action: int, held: int) -> int:
    kind = action // PLACEMENTS
    spot = action % PLACEMENTS
    low = spot % SQUARES
    high = low + STEP[spot // SQUARES]
    worth = POINT * (max(s.board[low], 0) + max(s.board[high], 0))
    if LOW[kind] == HIGH[kind]:
        # A double scores twice, so it is worth saving for better squares. But when the hand
        # has another domino of its number, both may be placed in one turn.
        worth = 2 * worth - KEEP
        if held & WITH[LOW[kind]] & ~(1 << kind):
            worth += FOLLOW
    for seat in range(s.seats):
        points = s.points[seat]
        if points and (points % NUMBERS == LOW[kind] or points % NUMBERS == HIGH[kind]):
            if seat == s.turn:
                worth += BONUS * POINT
            else:
                # With more seats, each of them is less likely to be the one to beat.
                worth -= BONUS * POINT // (s.seats - 1)
    return worth


def _loss(kind: int) -> int:
    """Return the cost of losing a domino: doubles score twice, and dots may break a tie."""
    if LOW[kind] == HIGH[kind]:
        return -100
    return -LOW[kind] - HIGH[kind]


def evaluate(s: Position, out: list[int]) -> None:
    """Write the points; they count more as the total or the last domino comes nearer."""
    highest = 0
    for seat in range(s.seats):
        highest = max(highest, s.points[seat])
    left = min(max(s.goal - highest, 0), A_DOMINO * (s.deck_n - s.pile_at))
    for seat in range(s.seats):
        out[seat] = s.points[seat] * A_POINT // (left + SETTLED)
