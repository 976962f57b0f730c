"""A trained agent with random weights, which is as good as any other here."""

from __future__ import annotations

import numpy as np

from redouble.contract.registry import GAMES
from redouble.envs.agent import Agent
from redouble.envs.observation import tensor_size

GAME = GAMES["double-down"]
SIZE, ACTIONS = tensor_size(GAME, 2), GAME.actions()


def trained(seed: int = 1, hidden: int = 8) -> Agent:
    """An agent for Double Down with 2 seats."""
    dice = np.random.default_rng(seed)
    first = dice.normal(0, 0.1, (SIZE, hidden)), dice.normal(0, 0.1, hidden)
    last = dice.normal(0, 1, (hidden, ACTIONS)), dice.normal(0, 1, ACTIONS)
    return Agent(GAME, 2, [first, last], name="trained")
