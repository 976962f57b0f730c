"""A tournament bot that plays by the network that examples/ppo.py has saved as network.npz.

redouble arena double-down examples/network_bot.py expert --seats 2
"""

import os

import numpy as np

from redouble.envs.arrays.observation import observation as tensor_of

FILE = os.environ.get("NETWORK", "network.npz")


class NetworkBot:
    """A player that makes the move with the highest score."""

    def __init__(self):
        with np.load(FILE) as arrays:
            self.arrays = [arrays[name] for name in arrays.files]

    def choose(self, observation, rng):
        """Return one of ``observation.legal``."""
        values = np.array(tensor_of(observation.game, observation.state, observation.seat), float)
        for i in range(0, len(self.arrays), 2):  # layers of weights and biases
            values = (np.maximum(values, 0.0) if i else values) @ self.arrays[i]
            values += self.arrays[i + 1]
        return max(observation.legal, key=values.__getitem__)
