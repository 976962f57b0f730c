"""What a network sees of dominoes: features of a position, and traits of a move."""

from __future__ import annotations

from redouble.games.double_dominoes.rules import (
    HIGH,
    KINDS,
    LOW,
    MAX_SEATS,
    NUMBERS,
    PIT,
    PLACEMENTS,
    SIZE,
    SQUARES,
    STEP,
    STOP,
    WORD,
    WORDS,
    Position,
    beside,
    worth,
)
from redouble.kernel.piles import lowest_bit
from redouble.kernel.state import EVERYONE
from redouble.kernel.steps import steps_reached

NEIGHBORS = tuple(
    tuple((*beside(square, way), -1)[0] for way in range(len(STEP))) for square in range(SQUARES)
)
"""The squares beside each square, or -1 beyond the edge."""

# Where numbers are told apart no further: the points of two diamonds; how far a seat is from the
# goal, and ahead of another, in steps; dominoes left to draw; and unseen dominoes with a number.
DIAMONDS = 10
TO_GOAL, GOAL_STEP = 12, 5
LEAD, LEAD_STEP = 10, 3
TO_DRAW = (1, 2, 4, 7, 11, 16, 24, 36)
UNSEEN = (1, 3, 6, 10)

# Where each kind of feature begins. Of this seat: what it must do, its dominoes, how far it is from
# the goal and ahead, and the number its piece stands on.
SEATS = 0
FOLLOWS = SEATS + MAX_SEATS + 1
HOLDS = FOLLOWS + 2
TWICE = HOLDS + KINDS
GOAL = TWICE + KINDS
AHEAD = GOAL + TO_GOAL + 1
STANDS = AHEAD + 2 * LEAD + 1
# Of the table: what is left to draw, the most that a domino with each number can cover, and the
# unseen dominoes with each.
DRAWS = STANDS + NUMBERS + 1
COVERS = DRAWS + len(TO_DRAW) + 1
HIDDEN = COVERS + NUMBERS * (DIAMONDS + 1)
# Of the others in the order of turns: the number they stand on, how far this seat is ahead and they
# are from the goal; and the dominoes that the next one is known to hold.
OTHER_STANDS = HIDDEN + NUMBERS * (len(UNSEEN) + 1)
OTHER_BEHIND = OTHER_STANDS + (MAX_SEATS - 1) * (NUMBERS + 1)
OTHER_GOAL = OTHER_BEHIND + (MAX_SEATS - 1) * (2 * LEAD + 1)
SHOWN = OTHER_GOAL + (MAX_SEATS - 1) * (TO_GOAL + 1)
FEATURES = SHOWN + KINDS

# Where each kind of trait begins: the points a domino makes, by whether it is a double; its kind;
# and the others who get a bonus, in the order of their turns.
POINTS = 24
GAINS = 0
KIND = GAINS + 2 * POINTS
BONUSES = KIND + KINDS
# Of its ends, the better one for the next domino first: its number, the most that can be covered
# beside it, and dominoes in this hand with the number.
OPENS = BONUSES + MAX_SEATS - 1
OPENS_LESS = OPENS + NUMBERS * (DIAMONDS + 1) * 3
# Diamonds where nothing can lie anymore; the number that the piece stands on then, and dominoes in
# this hand with it; what may follow a double; and whether the game ends.
CLOSES = OPENS_LESS + NUMBERS * (DIAMONDS + 1) * 3
STANDS_THEN = CLOSES + DIAMONDS + 1
GOES_ON = STANDS_THEN + (NUMBERS + 1) * 3
ENDS = GOES_ON + DIAMONDS + 1
WINS, LOSES = 0, 1
# Other moves: to stop after a double, and the kinds for the pit.
STOPS = ENDS + 2
INTO_PIT = STOPS + 1
TRAITS = INTO_PIT + KINDS

# Where `features` keeps what it counts by number, behind the numbers that it writes.
BEST, LEFT = 1024, 1024 + NUMBERS


def _stands(points: int) -> int:
    """Return the number that a piece stands on after these points; NUMBERS beside the track."""
    return points % NUMBERS if points else NUMBERS


def _to_goal(s: Position, seat: int) -> int:
    return min((s.goal - s.points[seat]) // GOAL_STEP, TO_GOAL)


def _lead(s: Position, points: int) -> int:
    """Return in steps how far the seat to move is ahead of a number of points."""
    return min(max((s.points[s.turn] - points) // LEAD_STEP, -LEAD), LEAD) + LEAD


def features(s: Position, out: list[int]) -> int:
    """Write the numbers of the features of a position; return how many."""
    seat = s.turn
    out[0] = SEATS + s.seats
    out[1] = FOLLOWS + s.following
    out[2] = GOAL + _to_goal(s, seat)
    out[3] = STANDS + _stands(s.points[seat])
    out[4] = DRAWS + steps_reached(s.deck_n - s.pile_at, TO_DRAW)
    n = 5
    for i in range(s.hand_n[seat]):
        kind = s.deck[s.hand[seat][i]]
        before = 0
        for j in range(i):
            before += s.deck[s.hand[seat][j]] == kind
        if before < 2:
            out[n] = (TWICE if before else HOLDS) + kind
            n += 1
    most = 0
    other = seat
    for later in range(s.seats - 1):
        other = other + 1 if other + 1 < s.seats else 0
        most = max(most, s.points[other])
        out[n] = OTHER_STANDS + later * (NUMBERS + 1) + _stands(s.points[other])
        out[n + 1] = OTHER_BEHIND + later * (2 * LEAD + 1) + _lead(s, s.points[other])
        out[n + 2] = OTHER_GOAL + later * (TO_GOAL + 1) + _to_goal(s, other)
        n += 3
    out[n] = AHEAD + _lead(s, most)
    n = _write_shown(s, seat + 1 if seat + 1 < s.seats else 0, out, n + 1)
    _find_best(s, out)
    _count_unseen(s, out)
    for number in range(NUMBERS):
        out[n] = COVERS + number * (DIAMONDS + 1) + out[BEST + number]
        out[n + 1] = HIDDEN + number * (len(UNSEEN) + 1) + steps_reached(out[LEFT + number], UNSEEN)
        n += 2
    return n


def _write_shown(s: Position, seat: int, out: list[int], n: int) -> int:
    """Write the dominoes that a seat is known to hold, after ``n`` numbers."""
    shown = 0
    for i in range(s.hand_n[seat]):
        place = s.hand[seat][i]
        if s.known_to[place] == EVERYONE:
            shown |= 1 << s.deck[place]
    while shown:
        out[n] = SHOWN + lowest_bit(shown)
        shown &= shown - 1
        n += 1
    return n


def _find_best(s: Position, out: list[int]) -> None:
    """Find the most that a domino with each number can cover where one end touches it."""
    for number in range(NUMBERS):
        out[BEST + number] = 0
    for axis in range(2):
        step = SIZE if axis else 1
        for w in range(WORDS):
            pairs = 0 + s.room[axis][w]
            while pairs:
                square = w * WORD + lowest_bit(pairs)
                pairs &= pairs - 1
                other = square + step
                covered = max(s.board[square], 0) + max(s.board[other], 0)
                touched = square if _is_touched(s, square) else other
                for number in range(NUMBERS):
                    if s.takes[number][touched // WORD] >> touched % WORD & 1:
                        out[BEST + number] = max(out[BEST + number], covered)


def _is_touched(s: Position, square: int) -> int:
    return 0 + s.touched[square // WORD] >> square % WORD & 1


def _is_open(s: Position, square: int) -> int:
    return 0 + s.open[square // WORD] >> square % WORD & 1


def _count_unseen(s: Position, out: list[int]) -> None:
    """Count the dominoes with each number that the seat to move hasn't seen."""
    for number in range(NUMBERS):
        out[LEFT + number] = 0
    for place in range(s.deck_n):
        _count(s.box[place], 1, out)
        if s.known_to[place] == EVERYONE or s.known_to[place] == s.turn:
            _count(s.deck[place], -1, out)


def _count(kind: int, change: int, out: list[int]) -> None:
    out[LEFT + LOW[kind]] += change
    if HIGH[kind] != LOW[kind]:
        out[LEFT + HIGH[kind]] += change


def traits(s: Position, action: int, out: list[int]) -> int:
    """Write the numbers of the traits of a move; return how many."""
    if action >= PIT:
        out[0] = INTO_PIT + action - PIT
        return 1
    if action == STOP:
        out[0] = STOPS
        return 1
    kind = action // PLACEMENTS
    spot = action % PLACEMENTS
    low = spot % SQUARES
    high = low + STEP[spot // SQUARES]
    double = LOW[kind] == HIGH[kind]
    seat = s.turn
    gained = worth(s, kind, low, high, seat)
    out[0] = GAINS + double * POINTS + min(gained, POINTS - 1)
    out[1] = KIND + kind
    n = 2
    beaten = 0
    other = seat
    for later in range(s.seats - 1):
        other = other + 1 if other + 1 < s.seats else 0
        bonus = worth(s, kind, low, high, other)
        if bonus:
            out[n] = BONUSES + later
            n += 1
        if s.points[other] + bonus >= s.goal:
            beaten = 1
    if s.points[seat] + gained >= s.goal:
        out[n] = ENDS + WINS
        n += 1
    elif beaten:
        out[n] = ENDS + LOSES
        n += 1
    return _write_ends(s, kind, low, high, s.points[seat] + gained, out, n)


def _write_ends(
    s: Position, kind: int, low: int, high: int, points: int, out: list[int], n: int
) -> int:
    """Write what a placement does to the squares around it, and the number stood on after it."""
    at_low = _opened(s, low, high)
    at_high = _opened(s, high, low)
    least = LOW[kind]
    most = HIGH[kind]
    if at_low < at_high:
        least, most = most, least
    first = (least * (DIAMONDS + 1) + max(at_low, at_high)) * 3
    out[n] = OPENS + first + min(_others_with(s, kind, least), 2)
    first = (most * (DIAMONDS + 1) + min(at_low, at_high)) * 3
    out[n + 1] = OPENS_LESS + first + min(_others_with(s, kind, most), 2)
    out[n + 2] = CLOSES + min(_closed(s, low) + _closed(s, high), DIAMONDS)
    stands = _stands(points)
    paying = min(_others_with(s, kind, stands), 2)
    out[n + 3] = STANDS_THEN + 3 * stands + paying
    n += 4
    if least == most and _others_with(s, kind, least):
        out[n] = GOES_ON + max(at_low, at_high)
        n += 1
    return n


def _others_with(s: Position, kind: int, number: int) -> int:
    """Return how many dominoes with a number the seat to move holds besides one of this kind."""
    found = -1 if number in (LOW[kind], HIGH[kind]) else 0
    hand = s.hand[s.turn]
    for i in range(s.hand_n[s.turn]):
        held = s.deck[hand[i]]
        found += number in (LOW[held], HIGH[held])
    return found


def _opened(s: Position, square: int, half: int) -> int:
    """Return the most that can be covered beside a square, after a domino covers it and ``half``.

    The domino that covers it touches no other.
    """
    best = 0
    for way in range(4):
        near = NEIGHBORS[square][way]
        if near < 0 or near == half or not _is_open(s, near) or _is_touched(s, near):
            continue
        for on in range(4):
            beyond = NEIGHBORS[near][on]
            if beyond < 0 or beyond in NEIGHBORS[half]:
                continue  # both squares would touch the same domino
            if _is_open(s, beyond) and not _is_touched(s, beyond):
                best = max(best, max(s.board[near], 0) + max(s.board[beyond], 0))
    return best


def _closed(s: Position, square: int) -> int:
    """Return the diamonds beside a square where nothing can lie anymore once it is covered."""
    found = 0
    for way in range(4):
        near = NEIGHBORS[square][way]
        if near >= 0 and _is_open(s, near) and _is_touched(s, near):
            found += max(s.board[near], 0)
    return found
