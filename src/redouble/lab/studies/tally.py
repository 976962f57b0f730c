"""Sums over games or deals that can be added up, with the means and errors that follow."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np

from redouble.analysis.stats import chi_square_tail

Numbers = np.ndarray[Any, np.dtype[np.float64]]
Counts = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over games or deals that give means, deviations and covariances."""

    n: int
    totals: Numbers
    """Shape (columns,)."""
    squares: Numbers
    products: Numbers
    """Shape (seats, seats): products of the seats' shares of opponents beaten."""

    @classmethod
    def of(cls, values: Numbers, shares: Numbers) -> Sums:
        """Add up games: rows of ``values`` (a column per figure) and ``shares`` (per seat)."""
        products = np.einsum("gi,gj->ij", shares, shares)
        return cls(len(values), values.sum(axis=0), (values * values).sum(axis=0), products)

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            self.n + other.n,
            self.totals + other.totals,
            self.squares + other.squares,
            self.products + other.products,
        )

    def mean(self, column: int) -> float:
        return float(self.totals[column]) / self.n

    def deviation(self, column: int) -> float:
        """Return the standard deviation; 0 for a single game."""
        if self.n < 2:
            return 0.0
        mean = self.mean(column)
        variance = (float(self.squares[column]) - self.n * mean * mean) / (self.n - 1)
        # A constant column may leave a tiny variance from rounding.
        return sqrt(variance) if variance > 1e-12 * mean * mean else 0.0

    def error(self, column: int) -> float:
        """Return the standard error of the mean; infinite for a single game."""
        return self.deviation(column) / sqrt(self.n) if self.n > 1 else inf


def unequal(sums: Sums, columns: list[int], fair: float) -> tuple[float, float]:
    """Test whether the seats' shares all have the mean ``fair``, by Wald's method.

    Return the statistic, chi-square with seats - 1 degrees of freedom, and its p-value: how likely
    chance alone makes it this large.
    """
    if sums.n < 2 or len(columns) < 2:
        return 0.0, 1.0
    means = sums.totals[columns] / sums.n
    covariance = (sums.products / sums.n - np.outer(means, means)) / (sums.n - 1)
    # The shares of a game have a fixed sum, so the last one is redundant.
    away = (means - fair)[:-1]
    statistic = float(away @ np.linalg.pinv(covariance[:-1, :-1], hermitian=True) @ away)
    return statistic, chi_square_tail(statistic, len(columns) - 1)


def added(counts: Counts, others: Counts) -> Counts:
    """Return the sum of two histograms that may differ in length."""
    total = np.zeros(max(len(counts), len(others)), np.int64)
    total[: len(counts)] += counts
    total[: len(others)] += others
    return total


def quantile(counts: Counts, share: float) -> int:
    """Return the least number that at least this share of a histogram does not exceed."""
    below = np.cumsum(counts)
    return int(np.searchsorted(below, share * below[-1], side="left"))
