"""Decisions by learned weights, compiled together with a game's rules.

:mod:`redouble.bots.learned` says what the weights are and decides by them in plain Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redouble.bots.learned import learned_weights
from redouble.contract.game import Game
from redouble.contract.placeholders import greedy, legal, traits
from redouble.kernel.rng import Generator


def prefer(s: Any, out: Any, n: int, rng: Generator, weights: Any, work: Any) -> int:
    """Return the legal action with the highest sum of weights, of equal ones the first."""
    right = greedy(s, out, n, rng, work)
    n = legal(s, out)  # the heuristic may leave them in another order
    best = 0
    highest = 0.0
    for i in range(n):
        found = worth(s, out[i], right, weights, work)
        if i == 0 or found > highest:
            best = i
            highest = found
    return int(out[best])


def worth(s: Any, action: int, right: int, weights: Any, work: Any) -> float:
    """Return the sum of the weights that count for a legal action; ``right`` is the heuristic's."""
    total = 0.0
    for k in range(traits(s, action, work)):
        total += weights[work[k]]
    if action == right:
        total += weights[len(weights) - 1]
    return total


def weights_array(game: Game, seats: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the game's weights for this many seats: float64[game.weights + 1]; [0] for none.

    Raises :class:`~redouble.kernel.errors.InputError` if the file is broken.
    """
    found = learned_weights(game).get(seats)
    return np.array(found.weights if found else [], np.float64)
