"""What a network sees of Double Down: features of a position, and traits of a card."""

from __future__ import annotations

from redouble.games.double_down.rules import FACES, HAND, LIMIT, MAX_SEATS, VALUES, X2, Position
from redouble.kernel.piles import seat_beside
from redouble.kernel.state import EVERYONE

LIVES = 5
"""Numbers of lives a seat can have."""
TOTALS = 110
"""Totals told apart: from -10 or less to 99."""
STAGES = (50, 78)
"""The totals at which a round gets tight, and tighter."""

# Where each kind of trait begins. By face: of the only card or the last of two, of
# one played after an x2 in the same turn, and of the first of two.
LAST, AFTER_X2, FIRST = 0, FACES, 2 * FACES
# By the total that the card makes: for a next seat that owes one card, two, or this one again.
ONE_NEXT = 3 * FACES
TWO_NEXT = ONE_NEXT + TOTALS
OWN_NEXT = TWO_NEXT + TOTALS
# By the lives of this seat and of the best other: a chip lost to a double, and with the round.
DOUBLE = OWN_NEXT + TOTALS
OVER = DOUBLE + LIVES * LIVES
# By stage: cards left in hand that would cost nothing at this total, and that never add to it.
SAFE = OVER + LIVES * LIVES
NEVER_ADD = SAFE + (len(STAGES) + 1) * (HAND + 1)
TRAITS = NEVER_ADD + (len(STAGES) + 1) * (HAND + 1)

# Where numbers are told apart no further: cards of a face in hand, and unseen ones; cards of the
# next seat; the latest cards played; cards left to draw, by eights.
IN_HAND, UNSEEN, NEXT_HAND, LATEST, PILE, EIGHT = 3, 5, HAND, MAX_SEATS, 7, 8
TENS = 12
"""Totals told apart by tens, from -10 or less."""

# Where each kind of feature begins. Of this seat: the total, what it owes, its lives, and by face
# whether it holds one, two and three cards.
TOTAL = 0
OWED = TOTAL + TOTALS
OWN_LIVES = OWED + 4
HOLDS = OWN_LIVES + LIVES
# Of the others, in the order of their turns: their lives, and how many cards the next one holds.
OTHERS_LIVES = HOLDS + FACES * IN_HAND
NEXT_HOLDS = OTHERS_LIVES + (MAX_SEATS - 1) * LIVES
# By face: how many cards this seat hasn't seen since they were last shuffled.
HIDDEN = NEXT_HOLDS + NEXT_HAND + 1
# Of the latest cards, the last one first: its face, and the total that it was added to. Experts
# play their highest safe card, so this tells what they don't hold.
PLAYED = HIDDEN + FACES * (UNSEEN + 1)
ADDED_TO = PLAYED + LATEST * FACES
LAST_ADDED_TO = ADDED_TO + LATEST * TENS
TO_DRAW = LAST_ADDED_TO + TOTALS
SEATS = TO_DRAW + PILE + 1
FEATURES = SEATS + MAX_SEATS + 1

COUNTS = 1024
"""Where scratch for a count of each face begins in the array for the numbers."""


def features(s: Position, out: list[int]) -> int:
    """Write the numbers of the features of a position; return how many."""
    seat = s.turn
    out[0] = TOTAL + _called(s.total)
    out[1] = OWED + (3 if s.owed == 2 else 2 * s.doubling + (s.debt == 2))
    out[2] = OWN_LIVES + s.lives[seat]
    out[3] = TO_DRAW + min((s.pile_n - s.pile_at) // EIGHT, PILE)
    out[4] = SEATS + s.seats
    n = 5
    for face in range(FACES):
        out[COUNTS + face] = 0
    for i in range(s.hand_n[seat]):
        face = s.deck[s.hand[seat][i]]
        if out[COUNTS + face] < IN_HAND:
            out[n] = HOLDS + face * IN_HAND + out[COUNTS + face]
            out[COUNTS + face] += 1
            n += 1
    later = 0
    other = seat
    for _ in range(s.seats - 1):
        other = seat_beside(other, s.direction, s.seats)
        if s.lives[other]:
            if later == 0:
                out[n] = NEXT_HOLDS + min(s.hand_n[other], NEXT_HAND)
                n += 1
            out[n] = OTHERS_LIVES + later * LIVES + s.lives[other]
            n += 1
            later += 1
    n = _count_hidden(s, out, n)
    total = s.total
    for k in range(min(s.discard_n, LATEST)):
        face = s.deck[s.discard[s.discard_n - 1 - k]]
        total -= VALUES[face]
        out[n] = PLAYED + k * FACES + face
        out[n + 1] = ADDED_TO + k * TENS + min(_called(total) // 10, TENS - 1)
        n += 2
        if k == 0:
            out[n] = LAST_ADDED_TO + _called(total)
            n += 1
    return n


def _count_hidden(s: Position, out: list[int], n: int) -> int:
    """Write, after ``n`` others, how many cards of each face the seat to move hasn't seen."""
    for face in range(FACES):
        out[COUNTS + face] = 0
    for place in range(s.deck_n):
        out[COUNTS + s.box[place]] += 1
    for place in range(s.deck_n):
        if s.known_to[place] == EVERYONE or s.known_to[place] == s.turn:
            out[COUNTS + s.deck[place]] -= 1
    for face in range(FACES):
        hidden = min(max(out[COUNTS + face], 0), UNSEEN)
        out[n] = HIDDEN + face * (UNSEEN + 1) + hidden
        n += 1
    return n


def _called(total: int) -> int:
    return min(max(total + 10, 0), TOTALS - 1)


def traits(s: Position, action: int, out: list[int]) -> int:
    """Write the numbers of the traits of a legal card; return how many."""
    if s.asking:
        return 0
    seat = s.turn
    total = s.total + VALUES[action]
    others = 0
    for other in range(s.seats):
        if other != seat:
            others = max(others, s.lives[other])
    lives = LIVES * s.lives[seat] + others
    if total >= LIMIT:
        out[0] = OVER + lives
        return 1
    n = 0
    if _costs(s, total, VALUES[action]):
        out[n] = DOUBLE + lives
        n += 1
    called = _called(total)
    if s.owed == 2:
        out[n] = FIRST + action
        out[n + 1] = OWN_NEXT + called
    else:
        out[n] = (AFTER_X2 if s.doubling else LAST) + action
        out[n + 1] = (TWO_NEXT if s.doubling or action == X2 else ONE_NEXT) + called
    # The card itself counts once among those that stay.
    safe = -int(not _costs(s, total + VALUES[action], VALUES[action]))
    never_add = -int(VALUES[action] <= 0)
    for i in range(s.hand_n[seat]):
        value = VALUES[s.deck[s.hand[seat][i]]]
        safe += not _costs(s, total + value, value)
        never_add += value <= 0
    stage = (HAND + 1) * ((total >= STAGES[0]) + (total >= STAGES[1]))
    out[n + 2] = SAFE + stage + safe
    out[n + 3] = NEVER_ADD + stage + never_add
    return n + 4


def _costs(s: Position, total: int, value: int) -> bool:
    double = total > 0 and total % 11 == 0 and (value != 0 or s.repeats_cost != 0)
    return double or total >= LIMIT
