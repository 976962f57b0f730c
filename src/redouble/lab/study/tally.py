"""Sums over games or deals that can be added up, with the means and errors that follow."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np

from redouble.analysis.stats import chi_square_tail

Numbers = np.ndarray[Any, np.dtype[np.float64]]
Counts = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class Sums:
    """Of a number of games, or of deals: what their means, spreads and covariances come from."""

    n: int
    totals: Numbers
    """Shape (columns,)."""
    squares: Numbers
    """Shape (columns,)."""
    products: Numbers
    """Shape (seats, seats): of the columns that are the seats' shares of opponents beaten."""

    @classmethod
    def of(cls, values: Numbers, shares: Numbers) -> Sums:
        """``values`` has a line a game and a column a figure, ``shares`` a column a seat."""
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
        """The standard deviation; 0 of a single game."""
        if self.n < 2:
            return 0.0
        mean = self.mean(column)
        variance = (float(self.squares[column]) - self.n * mean * mean) / (self.n - 1)
        # What is left of a constant after rounding is no spread.
        return sqrt(variance) if variance > 1e-12 * mean * mean else 0.0

    def error(self, column: int) -> float:
        """The standard error of the mean; infinite of a single game."""
        return self.deviation(column) / sqrt(self.n) if self.n > 1 else inf


def unequal(sums: Sums, columns: list[int], fair: float) -> tuple[float, float]:
    """Wald's test whether the columns of the seats' shares all have the mean ``fair``.

    Returns its statistic, chi-square with one degree of freedom less than seats, and how likely
    chance alone makes it as large as this.
    """
    if sums.n < 2 or len(columns) < 2:
        return 0.0, 1.0
    means = sums.totals[columns] / sums.n
    covariance = (sums.products / sums.n - np.outer(means, means)) / (sums.n - 1)
    # The shares of a game sum up to half of the seats, so one of them says nothing new.
    away = (means - fair)[:-1]
    statistic = float(away @ np.linalg.pinv(covariance[:-1, :-1], hermitian=True) @ away)
    return statistic, chi_square_tail(statistic, len(columns) - 1)


def added(counts: Counts, others: Counts) -> Counts:
    """Two histograms of whole numbers from 0 on, added; they may differ in length."""
    total = np.zeros(max(len(counts), len(others)), np.int64)
    total[: len(counts)] += counts
    total[: len(others)] += others
    return total


def quantile(counts: Counts, share: float) -> int:
    """The least whole number that at least this share of a histogram does not exceed."""
    below = np.cumsum(counts)
    return int(np.searchsorted(below, share * below[-1], side="left"))
