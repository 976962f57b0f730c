"""The levels of bots, weakest first. docs/strength.md says how strong each is."""

from redouble.bots.inputs import check_decision
from redouble.bots.learned import learned_move
from redouble.bots.policy import BEST, Policy
from redouble.bots.simple import greedy_move, random_move
from redouble.kernel import checks
from redouble.kernel.cores import cores
from redouble.kernel.rng import Generator, below
from redouble.match.match import Observation

__all__ = ["LEVELS", "LEVEL_WORDS", "LevelBot"]

LEVELS = {
    "novice": Policy(mistakes=0.6),
    "casual": Policy(mistakes=0.35),
    "club": Policy(mistakes=0.15),
    "expert": Policy(),
    "master": Policy(iterations=4000, method=BEST),
}
"""The policy of each level, in every game: the game's heuristic with random mistakes, the heuristic
alone, or the search that plays best in the game (docs/strength.md). The shares of mistakes make the
steps from novice to expert about equal where mistakes count most, in Double Down."""
LEVEL_WORDS = {
    "novice": "makes most moves at random",
    "casual": "plays sensibly, but one move in three is random",
    "club": "plays well, with a careless move now and then",
    "expert": "makes no careless mistakes, but never looks ahead",
    "master": "tries every move in thousands of imagined games",
}
"""What a player of each level does, in words for people."""
EXPERT = "expert"
"""The level of the heuristic alone, which searches and networks are measured against."""
USUAL_LEVEL = "club"
"""The default level of a bot."""
THREADS = min(2, cores())
"""Threads of a search; the move does not depend on their number."""


def searches(level: str) -> bool:
    """Return whether bots of this level need the compiled search."""
    return checks.text(level, "level") in LEVELS and LEVELS[level].iterations > 0


class LevelBot:
    """A bot that decides by a policy."""

    def __init__(self, name: str, policy: Policy) -> None:
        self.name = checks.text(name, "name")
        self.policy = checks.instance(policy, Policy, "policy")
        self._careful = learned_move if policy.learned else greedy_move

    def choose(self, observation: Observation, rng: Generator) -> int:
        """Return an action; ``rng`` is the decision's generator. Raises :class:`InputError`."""
        check_decision(observation, rng)
        if len(observation.legal) == 1:
            return observation.legal[0]
        if self.policy.mistakes and below(rng, 1024) < int(self.policy.mistakes * 1024):
            return random_move(observation, rng)
        if not self.policy.iterations:
            return self._careful(observation, rng)
        from redouble.bots.search import think  # imports a compiler

        return think(observation, rng, self.policy, threads=THREADS)[0].action
