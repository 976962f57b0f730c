"""Ratings of the bots: Bradley-Terry strengths on the scale of Elo ratings.

In the Bradley-Terry model each bot has a strength, and the bot with the higher one comes first with
a chance that depends on the difference alone: 400 points more are odds of ten to one. Choix fits
the strengths to all comparisons of the tournament; 0 is the average of its bots.

The intervals come from a Bayesian bootstrap over deals (Rubin, "The Bayesian Bootstrap", 1981),
because the games of one deal depend on each other. For every pair of bots, two imaginary deals are
added, one won by each side. They keep the strength of a bot that always wins finite: its interval
shows how certain the difference is after that many deals, and begins well above the other bot's.
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from redouble.kernel.extras import needs
from redouble.lab.arena.intervals import Estimate

GROUPS = 200
"""Groups of deals that the bootstrap weighs; up to this number of deals, each is its own group."""
SAMPLES = 400
"""Bootstrap samples that an interval comes from."""
ELO = 400.0 / log(10.0)
"""Rating points in one unit of the model's strength."""
SEED = 1
"""The seed of the bootstrap, so that the same results get the same intervals."""

Array = np.ndarray[Any, np.dtype[np.float64]]


def rate(beaten: Array, deals: int) -> list[Estimate]:
    """Return the rating of each bot, with its 95 % interval.

    ``beaten`` has the shape (groups, bots, bots): in each group of deals, the number of comparisons
    in which the row's bot came before the column's, a tie counting half. ``deals`` is the number of
    deals in all groups together.
    """
    bots = beaten.shape[1]
    pairs = bots * (bots - 1)
    # The imaginary deal that a bot wins against another has as many comparisons as a real one has.
    imaginary = np.full((bots, bots), 2 * beaten.sum() / deals / pairs)
    np.fill_diagonal(imaginary, 0.0)
    groups = beaten[beaten.any(axis=(1, 2))]
    mean = _strengths(groups.sum(axis=0) + imaginary)
    chance = np.random.default_rng(SEED)
    samples = np.array(
        [
            _strengths(
                np.tensordot(chance.exponential(size=len(groups)), groups, axes=1)
                + chance.exponential(size=imaginary.shape) * imaginary
            )
            for _ in range(SAMPLES)
        ]
    )
    low, high = np.quantile(samples, (0.025, 0.975), axis=0)
    return [
        Estimate(float(mean[bot]), float(low[bot]), float(high[bot])) for bot in range(len(mean))
    ]


def _strengths(beaten: Array) -> Array:
    """Fit the model to a matrix of wins; the mean strength is 0."""
    with needs("a rating", "lab"):
        import choix  # imports all of SciPy's statistics

    strengths: Array = choix.ilsr_pairwise_dense(beaten) * ELO
    strengths -= strengths.mean()
    return strengths
