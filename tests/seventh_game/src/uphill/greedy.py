"""A player of Uphill who leaves as much room below a tile as above it, step for step."""

from __future__ import annotations

from redouble.kernel.rng import Generator
from uphill.rules import EMPTY, KINDS, SPOTS, TOP_REACHED, WASTE, Position

NO_ROOM = 1000
THROWN = 500


def greedy(s: Position, out: list[int], n: int, rng: Generator, work: list[int]) -> int:
    """Return the move that fits best; throw a tile away before leaving a step without a tile."""
    best = 0
    for i in range(1, n):
        if _misfit(s, out[i]) < _misfit(s, out[best]):
            best = i
    return out[best]


def evaluate(s: Position, out: list[int]) -> None:
    """Write 1000 for the top and for a won race, and less in proportion to the steps taken."""
    for seat in range(s.seats):
        out[seat] = 500 * s.laid[seat] // s.steps
        if s.turn < 0:
            ahead = s.reason == TOP_REACHED and s.laid[seat] == s.steps
            if s.reason != TOP_REACHED and s.seats > 1:
                other = 1 - seat
                ahead = s.laid[seat] > s.laid[other] or (
                    s.laid[seat] == s.laid[other] and s.height[seat] > s.height[other]
                )
            if ahead:
                out[seat] = 1000 if s.seats == 1 else 1500


def _misfit(s: Position, action: int) -> int:
    """Return how badly a move divides the room that is left on the path of the seat to move."""
    kind = action // SPOTS
    step = action % SPOTS
    if step == WASTE:
        return THROWN
    low = -1
    high = KINDS
    below = 0
    above = 0
    for other in range(s.steps):
        place = s.path[s.turn][other]
        if other < step:
            below = below + 1 if place == EMPTY else 0
            low = low if place == EMPTY else s.deck[place]
        elif other > step and high == KINDS:
            above += place == EMPTY
            high = high if place == EMPTY else s.deck[place]
    room_below = kind - low - 1
    room_above = high - kind - 1
    if below > room_below or above > room_above:
        return NO_ROOM
    return abs((room_below + 1) * (above + 1) - (room_above + 1) * (below + 1))
