"""The bot that plays at random: every legal move is equally likely."""

from __future__ import annotations

from redouble.bots.inputs import check_decision
from redouble.kernel.rng import Generator, below
from redouble.match.match import Observation

__all__ = ["RandomBot"]


class RandomBot:
    """A bot that plays a random legal move."""

    name = "random"

    def choose(self, observation: Observation, rng: Generator) -> int:
        """Return an action; ``rng`` is the decision's generator. Raises :class:`InputError`."""
        check_decision(observation, rng)
        return random_move(observation, rng)


def random_move(observation: Observation, rng: Generator) -> int:
    """Return any of the legal moves."""
    return observation.legal[below(rng, len(observation.legal))]
