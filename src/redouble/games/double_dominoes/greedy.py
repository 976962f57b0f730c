"""A watchful human's dominoes: take points, share few, save doubles for good squares."""

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

# Worth is counted in parts of a point.
POINT = 24
FOLLOW = 36
KEEP = 24

# For `evaluate`: a point is this many thousandths of a sure lead, divided by the points that are
# still to be made and some more; and the points that a domino in the boneyard may bring.
A_POINT = 1500
SETTLED = 12
A_DOMINO = 4

# The kinds with each number.
WITH = tuple(
    sum(1 << kind for kind in range(len(LOW)) if number in (LOW[kind], HIGH[kind]))
    for number in range(NUMBERS)
)


def greedy(s: Position, out: list[int], n: int, rng: Generator, work: list[int]) -> int:
    """The legal move with the best worth; of equals the one that keeps most dots in hand."""
    held = kinds_held(s, s.turn)
    best = out[0]
    most = -1_000_000
    for i in range(n):
        action = out[i]
        if action < STOP:
            worth = _worth(s, action, held)
        elif action == STOP:
            worth = 0
        else:
            worth = _loss(action - PIT)
        if worth > most:
            most = worth
            best = action
    return best


def _worth(s: Position, action: int, held: int) -> int:
    """Diamonds now, the bonus for oneself and against the others, and what a double is good for."""
    kind = action // PLACEMENTS
    spot = action % PLACEMENTS
    low = spot % SQUARES
    high = low + STEP[spot // SQUARES]
    worth = POINT * (max(s.board[low], 0) + max(s.board[high], 0))
    if LOW[kind] == HIGH[kind]:
        # It scores twice, so it is worth saving for better squares; but when another domino with
        # its number is held, the two may be placed in one turn.
        worth = 2 * worth - KEEP
        if held & WITH[LOW[kind]] & ~(1 << kind):
            worth += FOLLOW
    for seat in range(s.seats):
        points = s.points[seat]
        if points and (points % NUMBERS == LOW[kind] or points % NUMBERS == HIGH[kind]):
            if seat == s.turn:
                worth += BONUS * POINT
            else:
                # The more seats there are, the less one of them is the one to beat.
                worth -= BONUS * POINT // (s.seats - 1)
    return worth


def _loss(kind: int) -> int:
    """What a domino in the pit is missed for: doubles score twice, dots may break a tie."""
    if LOW[kind] == HIGH[kind]:
        return -100
    return -LOW[kind] - HIGH[kind]


def evaluate(s: Position, out: list[int]) -> None:
    """Points; the nearer the end, by points or by the last domino, the surer they are."""
    most = 0
    for seat in range(s.seats):
        most = max(most, s.points[seat])
    left = min(max(s.goal - most, 0), A_DOMINO * (s.deck_n - s.pile_at))
    for seat in range(s.seats):
        out[seat] = s.points[seat] * A_POINT // (left + SETTLED)
