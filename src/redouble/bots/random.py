"""The bot that does not care: every legal move is equally likely."""

from __future__ import annotations

from redouble.kernel.rng import Generator, below
from redouble.match.match import Sight


class Random:
    """Plays any legal move."""

    name = "random"

    def choose(self, sight: Sight, rng: Generator) -> int:
        return sight.legal[below(rng, len(sight.legal))]
