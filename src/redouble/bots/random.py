"""The bot that does not care: every legal move is equally likely."""

from __future__ import annotations

from redouble.match import Sight
from redouble.rng import Generator, below


class Random:
    """Plays any legal move."""

    name = "random"

    def choose(self, sight: Sight, rng: Generator) -> int:
        return sight.legal[below(rng, len(sight.legal))]
