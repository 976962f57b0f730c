"""The bot that plays each game's own heuristic: a careful human, no search."""

from __future__ import annotations

from redouble.contract.game import WORK
from redouble.kernel.rng import Generator
from redouble.match.match import Observation


class GreedyBot:
    """Plays what the game's ``greedy`` finds best at a glance."""

    name = "greedy"

    def choose(self, observation: Observation, rng: Generator) -> int:
        out = [*observation.legal, 0]
        return observation.game.greedy(
            observation.state, out, len(observation.legal), rng, [0] * WORK
        )
