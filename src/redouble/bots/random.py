"""The bot that does not care: every legal move is equally likely."""

from __future__ import annotations

from redouble.kernel.rng import Generator, below
from redouble.match.match import Observation


class RandomBot:
    """Plays any legal move."""

    name = "random"

    def choose(self, observation: Observation, rng: Generator) -> int:
        return observation.legal[below(rng, len(observation.legal))]
