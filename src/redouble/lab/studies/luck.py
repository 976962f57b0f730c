"""Skill against luck: one stronger player among weaker ones, each deal played from every seat.

A deal is played once with the stronger player in each seat; in a game for one player, once by each
of the two players. So the design is balanced, and an analysis of variance splits the results of the
seats (the share of opponents beaten, or for one player whether the game was won) into components
that do not overlap:

- *skill*: between the stronger player and the weaker ones;
- *seat*: between the seats, whatever is dealt;
- *deal*: between the seats of the same deal, for any player;
- *rest*: between plays of the same seat of the same deal by the same kind of player, through random
  decisions and the moves of the other players.

From each component, the chance contribution of those below it is subtracted, so the shares do not
depend on the number of deals. Their errors are jackknife errors over groups of deals.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from redouble.lab.studies.tally import Numbers

GROUPS = 50
SOURCES = ("skill", "seat", "deal", "rest")

# The columns before those of the seats.
DEALS, SQUARES, BY_DEAL, STRONG, TOTAL = range(5)
FIRST_SEAT = 5


@dataclass(frozen=True, eq=False)
class Luck:
    """Sums over deals."""

    groups: Numbers
    """Shape (GROUPS, FIRST_SEAT + seats)."""
    seats: int

    @classmethod
    def of(cls, first: int, reached: Numbers, strong: Numbers) -> Luck:
        """Add up deals, numbered from ``first``.

        ``reached`` is the result of each seat, shape (deals, plays, seats); ``strong`` is 1 where
        the stronger player sat.
        """
        deals, plays, seats = reached.shape
        lines = np.empty((deals, FIRST_SEAT + seats))
        by_seat = reached.sum(axis=1)
        lines[:, DEALS] = 1
        lines[:, SQUARES] = (reached * reached).sum(axis=(1, 2))
        lines[:, BY_DEAL] = (by_seat * by_seat).sum(axis=1) / plays
        lines[:, STRONG] = (reached * strong).sum(axis=(1, 2))
        lines[:, TOTAL] = by_seat.sum(axis=1)
        lines[:, FIRST_SEAT:] = by_seat
        groups = np.zeros((GROUPS, lines.shape[1]))
        np.add.at(groups, (first + np.arange(deals)) % GROUPS, lines)
        return cls(groups, seats)

    def __add__(self, other: Luck) -> Luck:
        return Luck(self.groups + other.groups, self.seats)

    def shares(self) -> dict[str, float]:
        """Return the share of each of the SOURCES in the variance."""
        return dict(zip(SOURCES, map(float, self._split(self.groups.sum(axis=0))), strict=True))

    def without_each(self) -> Numbers:
        """Return the shares without each group of deals; shape (groups that are not empty, 4)."""
        total = self.groups.sum(axis=0)
        return np.array([self._split(total - group) for group in self.groups if group[DEALS]])

    @property
    def enough(self) -> bool:
        """Whether there are enough deals for an estimate."""
        return bool((self.groups[:, DEALS] > 0).sum() >= 4)

    def _split(self, sums: Numbers) -> Numbers:
        """Return the shares from sums of squares; a negative component counts as zero."""
        seats = self.seats
        plays = max(seats, 2)
        deals = sums[DEALS]
        cells = deals * plays * seats
        mean = sums[TOTAL] / cells
        strongs = deals * (plays if seats > 1 else 1)
        weaks = cells - strongs
        weak = sums[TOTAL] - sums[STRONG]
        middle = cells * mean * mean
        whole = sums[SQUARES] - middle
        skill = sums[STRONG] ** 2 / strongs + weak**2 / weaks - middle
        seat = (sums[FIRST_SEAT:] ** 2).sum() / (deals * plays) - middle
        deal = sums[BY_DEAL] - middle - seat
        rest = whole - skill - seat - deal
        # The shares of opponents beaten have the same sum in each game, so one seat is not free.
        free = max(seats - 1, 1)
        free_deal = (deals - 1) * free
        free_seat = seats - 1
        free_rest = max(deals * plays * free - (seats == 1) - 1 - free_seat - free_deal, 1)
        noise = max(rest, 0.0) / free_rest
        spread = max(deal, 0.0) / max(free_deal, 1)
        parts = np.array(
            [
                (skill - noise) / (deals * plays * free),
                (seat - free_seat * spread) / (deals * plays * free),
                (spread - noise) / plays,
                noise,
            ]
        ).clip(0.0)
        total = parts.sum()
        shares: Numbers = parts / total if total > 0 else parts
        return shares


def jackknife_error(without_each: Numbers) -> Numbers:
    """Return the standard error from estimates that each leave out one group."""
    n = len(without_each)
    away = without_each - without_each.mean(axis=0)
    error: Numbers = np.sqrt((away * away).sum(axis=0)) * sqrt((n - 1) / n)
    return error
