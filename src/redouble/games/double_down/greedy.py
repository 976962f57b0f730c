"""A careful human's Double Down: lose no chip if it can be helped, and keep the escapes."""

from __future__ import annotations

from redouble.games.double_down.rules import DRAW, LIMIT, TURN, VALUES, X2, Position
from redouble.kernel.rng import Generator

# For `evaluate`, in thousandths of a certain win: the value of each number of lives (chips and free
# ride), and of a card of each face in hand. They are fitted to how games between experts ended.
CHIPS = (0, 0, 420, 740, 1000)
HELD = (70, 12, 8, 2, 0, 0, -4, -4, -4, 0, 0, 0, 0, -14, -16, -16, 20, 76, 66)


def greedy(s: Position, out: list[int], n: int, rng: Generator, work: list[int]) -> int:
    """Return the legal card of most worth: safe ones first, then what keeps the hand flexible."""
    if s.asking:
        return DRAW
    best = out[0]
    highest = -1_000_000
    for i in range(n):
        worth = _worth(s, out[i])
        if worth > highest:
            highest = worth
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
        # The round ends anyway and all cards are dealt anew.
        return worth
    # Keep the cards that never cost a chip for when no other card is safe.
    if value == 0:
        worth -= 300
        if face == X2:
            worth += 40
    elif value < 0:
        worth -= 200
    # Big cards come first: a high total leaves the others few safe cards.
    worth += value
    if s.owed == 2 and s.debt == 2:
        worth -= value
    if face == TURN and s.doubling:
        worth -= 50
    return worth


def evaluate(s: Position, out: list[int]) -> None:
    """Write the value of the chips, the last ones counting most, and of the cards seen in hand.

    A seat that is out ranks behind all others.
    """
    for seat in range(s.seats):
        if s.place_out[seat]:
            out[seat] = -1000 * (s.seats - s.place_out[seat])
        else:
            hand = s.hand[seat]
            worth = CHIPS[s.lives[seat]]
            for i in range(s.hand_n[seat]):
                face = s.deck[hand[i]]
                if face >= 0:
                    worth += HELD[face]
            out[seat] = worth
