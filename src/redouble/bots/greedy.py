"""The bot that plays each game's own heuristic: a careful human who doesn't search."""

from __future__ import annotations

from redouble.bots.inputs import check_decision
from redouble.contract.game import WORK
from redouble.kernel.rng import Generator
from redouble.match.match import Observation

__all__ = ["GreedyBot"]


class GreedyBot:
    """A bot that plays the move that the game's ``greedy`` prefers."""

    name = "greedy"

    def choose(self, observation: Observation, rng: Generator) -> int:
        """Return an action; ``rng`` is the decision's generator. Raises :class:`InputError`."""
        check_decision(observation, rng)
        return greedy_move(observation, rng)


def greedy_move(observation: Observation, rng: Generator) -> int:
    """Return the move that the game's ``greedy`` prefers."""
    out, greedy = [*observation.legal, 0], observation.game.player.greedy
    return greedy(observation.state, out, len(observation.legal), rng, [0] * WORK)
