"""How a bot decides: the few numbers that a level is made of."""

from __future__ import annotations

from dataclasses import dataclass

WHOLE_GAME = 1_000_000
"""A horizon that no playout comes to."""


@dataclass(frozen=True)
class Policy:
    """Mistakes, then a heuristic or a search; the same for every game.

    What the search's numbers mean is said in :mod:`redouble.bots.search`. They were chosen by
    playing searches against the heuristic players; the game itself says how far a playout is worth
    going.
    """

    mistakes: float = 0.0
    """The share of decisions made at random."""
    iterations: int = 0
    """Of the search, for one decision; 0: what the game's ``greedy`` finds best."""
    care: float = 1.0
    """The share of a playout's moves that ``greedy`` chooses, the rest being random."""
    explore: float = 0.3
    """The weight of the exploring term of UCB1, where rewards are 0 to 1."""
    patience: float = 0.1
    """How much better than its node a move is thought that was never tried."""
    widen: float = 0.05
    """Below the root a node gets so many children for each square root of its visits."""
    horizon: int = 0
    """Moves a seat that are played from the root; 0: the game's own."""
