"""A careful human's Double Down: lose no chip if it can be helped, and keep the escapes."""

from __future__ import annotations

from redouble.games.double_down.rules import (
    DRAW,
    LIMIT,
    TURN,
    VALUES,
    X2,
    ZERO,
    Position,
)
from redouble.kernel.rng import Generator

# What so many chips are worth, the free ride among them, in thousandths of a sure lead.
CHIPS = (0, 0, 350, 600, 800)
# What a card is worth, at a high total, that never makes a double.
ESCAPE = 60
MINUS_TEN = 16  # the faces from this one on add nothing either


def greedy(s: Position, out: list[int], n: int, rng: Generator, work: list[int]) -> int:
    """The legal card with the best worth: safe first, then what keeps the hand flexible."""
    if s.asking:
        return DRAW
    best = out[0]
    most = -1_000_000
    for i in range(n):
        worth = _worth(s, out[i])
        if worth > most:
            most = worth
            best = out[i]
    return best


def _worth(s: Position, face: int) -> int:
    value = VALUES[face]
    total = s.total + value
    worth = 0
    double = total > 0 and total % 11 == 0
    if total >= LIMIT or (double and (value != 0 or s.repeats_cost)):
        worth -= 10_000
    if total >= LIMIT:
        # The round ends anyway: give the card that is of least use, all are dealt anew.
        return worth
    # The cards that never cost are kept for when nothing else is safe.
    if value == 0:
        worth -= 300
        if face == X2:
            worth += 40
    elif value < 0:
        worth -= 200
    # A high total leaves the others few safe cards; far from it, spend the big ones.
    worth += value
    if s.owed == 2 and s.debt == 2:
        worth -= value
    if face == TURN and s.doubling:
        worth -= 50
    return worth


def evaluate(s: Position, out: list[int]) -> None:
    """Chips, of which the last ones count most, and the escapes in hand, as far as they are seen.

    A seat that is out comes after all that are in.
    """
    escape = ESCAPE * (s.total + 33) // (LIMIT + 33)
    for seat in range(s.seats):
        if s.place_out[seat]:
            out[seat] = -1000 * (s.seats - s.place_out[seat])
        else:
            hand = s.hand[seat]
            escapes = 0
            for i in range(s.hand_n[seat]):
                face = s.deck[hand[i]]
                escapes += (face == ZERO) | (face >= MINUS_TEN)
            out[seat] = CHIPS[s.lives[seat]] + escape * escapes
