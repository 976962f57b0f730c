"""What a linear policy sees of a move in Double Down: which of its weights count."""

from __future__ import annotations

from redouble.games.double_down.rules import FACES, HAND, LIMIT, VALUES, X2, Position

LIVES = 5
"""Numbers of lives a seat can have."""
TOTALS = 110
"""Totals told apart: from -10 or less to 99."""
STAGES = (50, 78)
"""The totals at which a round gets tight, and tighter."""

# Where the weights of each kind of trait begin. By face: of the only card or the last of two, of
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
WEIGHTS = NEVER_ADD + (len(STAGES) + 1) * (HAND + 1)


def traits(s: Position, action: int, out: list[int]) -> int:
    """Write the numbers of the weights that count for a legal card; return how many."""
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
    called = max(total + 10, 0)
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
    """Return whether a card of this value, which makes this total, costs a chip."""
    double = total > 0 and total % 11 == 0 and (value != 0 or s.repeats_cost != 0)
    return double or total >= LIMIT
