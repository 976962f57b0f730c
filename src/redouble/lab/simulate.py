"""Many games at once on the compiled engine: the driver loops and the arrays they work on.

The loops are rules like any other, so they compile together with a game's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from redouble.contract.game import Game
from redouble.contract.placeholders import functions, legal, play, setup
from redouble.kernel.engine import compiled, to_records
from redouble.kernel.rng import Generator, below, reseed, seed_words


def deal(states: Any, rng: Generator) -> None:
    """Deal ``states[0]`` anew from the header in ``states[1]``."""
    states[0] = states[1]
    reseed(states[0].rng, rng)
    setup(states[0])


def playout(s: Any, rng: Generator, out: Any, most: int) -> int:
    """Play at random to the end, at most ``most`` moves; returns the moves made."""
    moves = 0
    n = legal(s, out)
    while n and moves < most:
        play(s, out[below(rng, n)])
        moves += 1
        n = legal(s, out)
    return moves


def playouts(states: Any, rng: Generator, out: Any, games: int, most: int) -> int:
    """Deal and play ``games`` random games; returns the moves made in all."""
    moves = 0
    for _ in range(games):
        deal(states, rng)
        moves += playout(states[0], rng, out, most)
    return moves


class Simulator:
    """A game with seats and options, ready to be played many times on one thread.

    Raises what :meth:`Game.check_seats` and :meth:`Game.check_options` raise. Several simulators
    run in parallel threads: compiled loops release the GIL.
    """

    def __init__(
        self, game: Game, seats: int, options: Mapping[str, Any] | None = None, seed: str = ""
    ) -> None:
        game.check_seats(seats)
        self.game = game
        self.seats = seats
        header = game.header(seats, game.check_options(seats, options or {}))
        self._states = to_records(header, 2)
        self._rng = np.array(seed_words(f"simulate {seed}"), np.uint64)
        self._out = np.zeros(game.rules.MAX_LEGAL + 1, np.int16)

    def playouts(self, games: int, most: int = 1_000_000) -> int:
        """Random games; returns the moves made."""
        loop = compiled(playouts, **functions(self.game))
        return int(loop(self._states, self._rng, self._out, games, most))
