"""A simple Highest Card player."""

from __future__ import annotations

from highest_card.rules import Position
from redouble.kernel.rng import Generator


def greedy(s: Position, out: list[int], n: int, rng: Generator, work: list[int]) -> int:
    """The cheapest card that beats all laid so far, else the cheapest; the best to start with."""
    best = -1
    for seat in range(s.seats):
        if s.laid[seat] >= 0:
            best = max(best, s.deck[s.laid[seat]])
    if s.lowest_wins:
        return out[0]
    if best < 0:
        return out[n - 1]
    for i in range(n):
        if out[i] > best:
            return out[i]
    return out[0]


def evaluate(s: Position, out: list[int]) -> None:
    """Rounds taken, of three."""
    for seat in range(s.seats):
        out[seat] = 500 * s.taken[seat]
