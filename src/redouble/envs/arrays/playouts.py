"""Whole random games, for every target."""

from __future__ import annotations

from typing import Any

from redouble.contract.driver import deal_next, play_on
from redouble.kernel.rng import Generator


def playouts(states: Any, rng: Generator, out: Any, games: int, max_moves: int) -> int:
    """Play random games in ``states[0]`` from the header in ``states[1]``; return their moves."""
    return playouts_from(states[1:], states, rng, out, games, max_moves)


def playouts_from(
    header: Any, states: Any, rng: Generator, out: Any, games: int, max_moves: int
) -> int:
    """Play random games in ``states[0]`` from the one in ``header``; return their moves."""
    moves = 0
    for _ in range(games):
        deal_next(states, 0, header[0], rng)
        left = play_on(states[0], out, max_moves, rng, 0)
        moves += max_moves - left
    return moves
