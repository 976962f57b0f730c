"""Means with 95% intervals, over deals: the games of one deal are not independent."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from redouble.analysis.stats import t95, wilson
from redouble.kernel.border import JsonShape

__all__ = ["Estimate"]


@dataclass(frozen=True)
class Estimate(JsonShape):
    """A mean with its 95% interval; without one if there are too few deals."""

    mean: float
    low: float | None = None
    """The lower end; None without an interval."""
    high: float | None = None


@dataclass
class DealSums:
    """Sums over deals of the points scored and the comparisons made."""

    deals: int = 0
    points: float = 0.0
    count: float = 0.0
    points2: float = 0.0
    both: float = 0.0
    count2: float = 0.0

    def add(self, points: np.ndarray[Any, Any], count: np.ndarray[Any, Any]) -> None:
        """Add deals, one entry each; deals without comparisons do not count."""
        x, n = points[count > 0], count[count > 0]
        self.deals += len(n)
        self.points += float(x.sum())
        self.count += float(n.sum())
        self.points2 += float((x * x).sum())
        self.both += float((x * n).sum())
        self.count2 += float((n * n).sum())

    def estimate(self, share: bool = True) -> Estimate | None:
        """Return the points per comparison: the ratio of the sums, with deals as clusters.

        None without any deal. With ``share`` the mean lies between 0 and 1. If every comparison had
        the same result, the deals show no spread; the interval is then Wilson's, with as many
        trials as there were deals.
        """
        if not self.deals:
            return None
        mean = self.points / self.count
        if share:
            mean = min(max(mean, 0.0), 1.0)
        if self.deals == 1:
            return Estimate(mean)
        t = t95(self.deals - 1)
        if share and mean in (0.0, 1.0):
            return Estimate(mean, *wilson(mean, self.deals, t))
        spread = self.points2 - 2 * mean * self.both + mean * mean * self.count2
        error = sqrt(max(spread, 0.0) * self.deals / (self.deals - 1)) / self.count
        low, high = mean - t * error, mean + t * error
        return Estimate(mean, max(low, 0.0), min(high, 1.0)) if share else Estimate(mean, low, high)


def estimate_of(values: Sequence[float]) -> Estimate | None:
    """Return the mean of independent values with its 95% interval; None without any."""
    sums = DealSums()
    sums.add(np.array(values), np.ones(len(values)))
    return sums.estimate(share=False)
