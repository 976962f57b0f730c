"""Whole random games: the loops of playouts.

They are rules like any other, so they compile together with a game's own, for every target.
"""

from __future__ import annotations

from typing import Any

from redouble.contract.placeholders import legal, play, setup
from redouble.kernel.engine import put
from redouble.kernel.rng import Generator, below, reseed

MAX_MOVES = 1_000_000
"""Moves after which a random game is given up; no game's random play comes near it."""


def deal(states: Any, rng: Generator) -> None:
    """Deal ``states[0]`` anew from the header in ``states[1]``."""
    put(states, 0, states[1])
    reseed(states[0].rng, rng)
    setup(states[0])


def playout(s: Any, rng: Generator, out: Any, max_moves: int) -> int:
    """Play at random to the end, at most ``max_moves`` moves, and return the number of moves."""
    moves = 0
    n = legal(s, out)
    while n and moves < max_moves:
        play(s, out[below(rng, n)])
        moves += 1
        n = legal(s, out)
    return moves


def playouts(states: Any, rng: Generator, out: Any, games: int, max_moves: int) -> int:
    """Deal and play ``games`` random games and return the number of moves."""
    moves = 0
    for _ in range(games):
        deal(states, rng)
        moves += playout(states[0], rng, out, max_moves)
    return moves
