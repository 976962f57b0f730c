"""The simple bots: one moves at random, the other by each game's heuristic, without a search."""

from redouble.bots.inputs import check_decision
from redouble.contract.game import WORK
from redouble.kernel.rng import Generator, below
from redouble.match.match import Observation

__all__ = ["GreedyBot", "RandomBot"]


class RandomBot:
    """A bot that plays a random legal move."""

    name = "random"

    def choose(self, observation: Observation, rng: Generator) -> int:
        """Return an action; ``rng`` is the decision's generator. Raises :class:`InputError`."""
        check_decision(observation, rng)
        return random_move(observation, rng)


class GreedyBot:
    """A bot that plays the move that the game's ``greedy`` prefers."""

    name = "greedy"

    def choose(self, observation: Observation, rng: Generator) -> int:
        """Return an action; ``rng`` is the decision's generator. Raises :class:`InputError`."""
        check_decision(observation, rng)
        return greedy_move(observation, rng)


def random_move(observation: Observation, rng: Generator) -> int:
    """Return any of the legal moves; all are equally likely."""
    return observation.legal[below(rng, len(observation.legal))]


def greedy_move(observation: Observation, rng: Generator) -> int:
    """Return the move that the game's ``greedy`` prefers."""
    out, greedy = [*observation.legal, 0], observation.game.player.greedy
    return greedy(observation.state, out, len(observation.legal), rng, [0] * WORK)
