"""Comparing two bots until the answer is clear, with an interval that holds whenever one stops.

A deal's *difference* is the share of comparisons that the first bot won in all its games, minus the
share that the second won. Deals are independent, so the question is about the mean of numbers from
-1 to 1, and nothing else is assumed of them.

The answer comes from bets. Somebody who doubts that the mean is ``m`` stakes a fixed fraction of a
capital of 1 on each deal, on differences above ``m``. If the mean is ``m`` or less, the chance that
the capital *ever* reaches ``2 / ALPHA`` is ``ALPHA / 2`` at most (Ville's inequality). The same is
done on the other side. The means that neither side has refuted form an interval. It contains the
true mean with a chance of 95% after all numbers of deals *at once*, so one may look after each
deal and stop at the first clear answer.

The capital is divided among the fractions ``STAKES`` beforehand: small ones find small differences,
large ones find large differences soon. This is the diversified betting of Waudby-Smith and Ramdas,
"Estimating means of bounded random variables by betting", JRSS B 86 (2024).
"""

from dataclasses import dataclass
from math import log
from typing import Any, Literal, get_args

import numpy as np

from redouble.kernel import checks
from redouble.kernel.border import JsonShape
from redouble.lab.arena.intervals import Estimate
from redouble.lab.arena.plan import TournamentError, TournamentPlan

__all__ = ["BotComparison", "BotVerdict"]

ALPHA = 0.05
"""The chance that the interval ever misses the true mean, at most."""
STAKES = np.geomspace(0.02, 0.95, 12)
"""The fractions of the capital that are staked; each has an equal part of it."""
ENOUGH = log(2 / ALPHA)
"""The logarithm of the capital that refutes a mean."""
MIN_MARGIN, MAX_MARGIN = 0.1, 50.0
"""The bounds of a margin, in points."""
POINTS = 60
"""Numbers of deals for which the course of a comparison has the interval."""
HALVINGS = 54
"""Steps in which the end of an interval is found, to the last digit."""

Array = np.ndarray[Any, Any]
BotVerdict = Literal["first better", "second better", "no difference", "not clear"]
"""The answer of a comparison; ``no difference`` is none as large as the margin."""


@dataclass(frozen=True)
class BotComparison(JsonShape):
    """Which of two bots is better. All differences are in points: hundredths of the share of
    comparisons that the first bot won, less the share that the second won."""

    first: str
    second: str
    """The names of the bots."""
    verdict: BotVerdict
    margin: float
    """A difference smaller than this counts as none."""
    deals: int
    """The deals that the answer comes from, the first ones of the tournament."""
    difference: Estimate
    """Its interval contains the true difference with a chance of 95%, whenever play stopped."""
    digest: str
    """A digest of how every game of these deals ended: equal if the same games are played again."""
    course: tuple[tuple[int, Estimate], ...]
    """Numbers of deals, and the difference after them."""

    def __post_init__(self) -> None:
        checks.text(self.first, "first", TournamentError)
        checks.text(self.second, "second", TournamentError)
        checks.text(self.digest, "digest", TournamentError)
        check_margin(self.margin)
        checks.whole(self.deals, "deals", 1, error=TournamentError)
        found = checks.instance(self.difference, Estimate, "difference", TournamentError)
        checks.number(found.mean, "the mean", -100, 100, TournamentError)
        checks.one_of(self.verdict, get_args(BotVerdict), "verdict", TournamentError)
        if self.verdict != (right := verdict(found, self.margin)):
            raise TournamentError(
                f"verdict cannot be {self.verdict!r}: the interval says {right!r}"
            )

    def __str__(self) -> str:
        """Return the answer in a sentence."""
        found = self.difference
        low, high = ends(found)
        ahead, behind, mean = self.first, self.second, found.mean
        if mean < 0:
            ahead, behind, mean, low, high = behind, ahead, -mean, -high, -low
        by = f"{ahead} is ahead by {points(mean)} points" if mean else "they are even"
        where = f"(95% interval {points(low)} to {points(high)})"
        after = "1 deal" if self.deals == 1 else f"{self.deals:,} deals"
        if self.verdict in ("first better", "second better"):
            return (
                f"{ahead} is better than {behind}: ahead by {points(mean)} points {where}"
                f" after {after}."
            )
        if self.verdict == "no difference":
            return (
                f"No difference of {self.margin:g} points or more between {self.first} and"
                f" {self.second}: {by} {where} after {after}."
            )
        return (
            f"Not clear after {after} whether {self.first} or {self.second} is better:"
            f" {by} {where}."
        )


def check_margin(margin: object) -> float:
    """Return a margin in points; raise :class:`TournamentError` if it is out of range."""
    return checks.number(margin, "margin", MIN_MARGIN, MAX_MARGIN, TournamentError)


def verdict(found: Estimate, margin: float) -> BotVerdict:
    """Return what an interval in points says.

    >>> verdict(Estimate(8.0, 0.5, 15.5), 5.0)
    'first better'
    >>> verdict(Estimate(0.5, -4.0, 4.9), 5.0)
    'no difference'
    >>> verdict(Estimate(0.5, -4.0, 5.1), 5.0)
    'not clear'
    """
    low, high = ends(found)
    if low > 0:
        return "first better"
    if high < 0:
        return "second better"
    return "no difference" if -margin < low and high < margin else "not clear"


def ends(found: Estimate) -> tuple[float, float]:
    """Return the ends of an interval; raise :class:`TournamentError` if there is none."""
    low = checks.number(found.low, "the lower end", -100, 100, TournamentError)
    return low, checks.number(found.high, "the upper end", -100, 100, TournamentError)


def points(value: float) -> str:
    """Return points as people read them: one decimal, and what is nearly zero with more.

    >>> [points(x) for x in (12.34, 0.0312, -0.049, 0.0)]
    ['12.3', '0.03', '−0.05', '0.0']
    """
    digits = 2 if 0 < abs(value) < 0.1 else 1
    return f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")


def share_of(difference: Estimate) -> Estimate:
    """Return the share of comparisons that the first bot won, from the difference in points.

    >>> share_of(Estimate(8.0, 0.0, 20.0))
    Estimate(mean=0.54, low=0.5, high=0.6)
    """
    low, high = ends(difference)
    return Estimate(*(0.5 + value / 200 for value in (difference.mean, low, high)))


def comparisons_of(plan: TournamentPlan) -> int:
    """Return how often two bots are compared in a deal: always equally often."""
    half = plan.seats // 2
    return 2 * half * (plan.seats - half) if plan.seats > 1 else 1


class Evidence:
    """What the deals so far, in order, say about the difference between two bots.

    ``comparisons`` is how often they are compared in a deal. A deal counts as twice the number of
    comparisons that the first bot won, a tie counting half, so it is a whole number.
    """

    def __init__(self, comparisons: int, margin: float) -> None:
        self._values = np.arange(2 * comparisons + 1) / comparisons - 1.0
        self._won: list[Array] = []
        self._counts = np.zeros(len(self._values), np.int64)
        self.deals = 0
        share = margin / 100
        # Above and below no difference; then below the margin's upper and above its lower end.
        self._growth = np.stack(
            [
                growth(self._values, 0.0),
                growth(-self._values, 0.0),
                growth(-self._values, -share),
                growth(self._values, -share),
            ],
            axis=1,
        )
        self._capital = np.zeros((4, len(STAKES)))
        self.clear = False

    def add(self, won: Array) -> bool:
        """Add deals up to the first that makes the answer clear; tell whether it is clear."""
        if self.clear or not len(won):
            return self.clear
        # One after the other, so that the sums do not depend on how the deals are divided.
        paths = np.cumsum(np.concatenate([self._capital[None], self._growth[won]]), axis=0)[1:]
        above, below, *inside = refuted(paths).T
        clear = np.flatnonzero(above | below | (inside[0] & inside[1]))
        self.clear = bool(len(clear))
        taken = int(clear[0]) + 1 if self.clear else len(won)
        self._capital = paths[taken - 1]
        self._won.append(np.array(won[:taken]))
        self._counts = self._counts + np.bincount(won[:taken], minlength=len(self._values))
        self.deals += taken
        return self.clear

    def so_far(self) -> tuple[int, Estimate]:
        """Return the number of deals and the difference in points.

        Another thread may be adding deals.
        """
        counts = self._counts
        return int(counts.sum()), self._estimate(counts)

    def course(self) -> tuple[tuple[int, Estimate], ...]:
        """Return the difference after more and more deals."""
        won = np.concatenate(self._won)
        at = np.unique(np.geomspace(1, self.deals, POINTS).round().astype(np.int64)).tolist()
        n = len(self._values)
        return tuple((k, self._estimate(np.bincount(won[:k], minlength=n))) for k in at)

    def _estimate(self, counts: Array) -> Estimate:
        low, high = interval(self._values, counts)
        mean = float(counts @ self._values) / float(counts.sum())
        return Estimate(100 * mean, 100 * low, 100 * high)


def growth(values: Array, mean: float) -> Array:
    """Return by how much each value multiplies the capital staked above a mean, as logarithms.

    The result has a row for each value and a column for each stake. Both sides stake the same
    fraction of ``1 / (1 + |mean|)``, so no deal takes more than that fraction away.
    """
    grown: Array = np.log1p(np.outer((values - mean) / (1 + abs(mean)), STAKES))
    return grown


def refuted(capital: Array) -> Array:
    """Tell for capitals by stake, as logarithms in the last axis, whether they refute the mean."""
    whole: Array = np.logaddexp.reduce(capital, axis=-1) - log(len(STAKES)) >= ENOUGH
    return whole


def interval(values: Array, counts: Array) -> tuple[float, float]:
    """Return the means between -1 and 1 that are not refuted by values that occurred so often.

    The capital staked above a mean falls as the mean rises, so halving finds where it refutes.
    """
    here = counts > 0
    values, counts = values[here], counts[here]
    mean = float(counts @ values) / float(counts.sum())
    high = -_lower(-values, counts, -mean)
    return _lower(values, counts, mean), high


def _lower(values: Array, counts: Array, mean: float) -> float:
    """Return the highest mean that is too low for these values; -1 if none is."""
    low, high = -1.0, mean
    if not refuted(counts @ growth(values, low)):
        return low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if refuted(counts @ growth(values, middle)):
            low = middle
        else:
            high = middle
    return low
