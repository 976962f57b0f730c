"""Sums over games that can be added up, and what can be said from them with 95 % confidence."""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, exp, inf, pi, sqrt
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, np.dtype[np.float64]]
Counts = np.ndarray[Any, np.dtype[np.int64]]

CONFIDENT = 1.959964
"""Standard errors to each side of a 95 % interval."""


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


def share_interval(mean: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of ``n`` games: right also near nothing and near all."""
    z = CONFIDENT * CONFIDENT / n
    middle = (mean + z / 2) / (1 + z)
    half = sqrt(z * mean * (1 - mean) + z * z / 4) / (1 + z)
    return min(max(0.0, middle - half), mean), max(min(1.0, middle + half), mean)


def two_sided(difference: float, error: float) -> float:
    """How likely chance alone makes a difference as large as this."""
    if error == 0.0:
        return 1.0 if difference == 0.0 else 0.0
    return erfc(abs(difference) / error / sqrt(2.0))


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


def chi_square_tail(statistic: float, degrees: int) -> float:
    """The chance that chi-square with so many degrees of freedom is at least this (exact)."""
    half = max(statistic, 0.0) / 2
    if degrees % 2 == 0:
        term = total = exp(-half)
        for i in range(1, degrees // 2):
            term *= half / i
            total += term
    else:
        total = erfc(sqrt(half))
        term = 2 * sqrt(half / pi) * exp(-half)
        for i in range(1, (degrees + 1) // 2):
            total += term
            term *= half / (i + 0.5)
    return min(total, 1.0)


def holm(chances: list[float], most: float = 0.05) -> list[bool]:
    """Which of several tests are significant when all of them together may err once in twenty."""
    order = sorted(range(len(chances)), key=lambda i: chances[i])
    found = [False] * len(chances)
    for done, i in enumerate(order):
        if chances[i] * (len(chances) - done) > most:
            break
        found[i] = True
    return found


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
