"""The bot that plays each game's own heuristic: a careful human, no search."""

from __future__ import annotations

from redouble.contract.game import WORK
from redouble.kernel.rng import Generator
from redouble.match.match import Sight


class Greedy:
    """Plays what the game's ``greedy`` finds best at a glance."""

    name = "greedy"

    def choose(self, sight: Sight, rng: Generator) -> int:
        out = [*sight.legal, 0]
        return sight.game.greedy(sight.state, out, len(sight.legal), rng, [0] * WORK)
