"""Seasons of circles: what the games of a calendar month (UTC) at a circle's tables have earned.

A game gives each player 100 points for beating all the other people at the table, and the share of
that which they have beaten; a tie counts half. Bots don't count, nor does who resigned before their
first move, nor do games where a move was undone after something new was seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import sqlalchemy as sa

from redouble.web.errors import NotFound
from redouble.web.features.circles.circles import Member
from redouble.web.features.daily.deals import begins, day_of
from redouble.web.store.schema import results, tables
from redouble.web.table.verdict import UNPLAYED

POINTS = 100.0
"""What a game gives to a player who has beaten everybody."""


@dataclass(frozen=True, order=True)
class Season:
    """A calendar month."""

    first: date
    """Its first day."""

    def __str__(self) -> str:
        return f"{self.first:%Y-%m}"

    @property
    def title(self) -> str:
        return f"{self.first:%B %Y}"

    @property
    def before(self) -> Season:
        return Season.at(self.begins - 1)

    @property
    def after(self) -> Season:
        return Season((self.first + timedelta(days=31)).replace(day=1))

    @property
    def begins(self) -> float:
        """When it begins, in seconds since 1970."""
        return begins(self.first)

    @classmethod
    def at(cls, seconds: float) -> Season:
        """Return the season of a time in seconds since 1970."""
        return cls(day_of(seconds).replace(day=1))

    @classmethod
    def parse(cls, text: str) -> Season:
        """Return the season of an address. Raises :class:`NotFound`."""
        try:
            found = cls(date.fromisoformat(f"{text}-01"))
        except ValueError:
            found = None
        if found is None or str(found) != text or not 1970 <= found.first.year < 9000:
            raise NotFound("there is no such season: write it as 2026-11")
        return found


@dataclass(frozen=True)
class SeasonRow:
    """A member's place in a season."""

    member: Member
    points: float
    games: int

    @property
    def average(self) -> float:
        return self.points / self.games


def season_table(
    connection: sa.Connection, circle: str, season: Season, members: Sequence[Member]
) -> list[SeasonRow]:
    """Return the members who have played in a season, the one with the most points first."""
    query = (
        sa.select(results.c.token, results.c.person, results.c.rank)
        .join(tables, tables.c.token == results.c.token)
        .where(
            tables.c.circle == circle,
            tables.c.status == "over",
            results.c.counts.is_(True),
            results.c.reason != UNPLAYED,
            results.c.at >= season.begins,
            results.c.at < season.after.begins,
        )
    )
    games: dict[str, dict[str, int]] = {}
    for row in connection.execute(query):
        games.setdefault(row.token, {})[row.person] = row.rank
    points: dict[str, list[float]] = {}
    for ranks in games.values():
        for person, share in shares_beaten(ranks).items():
            points.setdefault(person, []).append(POINTS * share)
    rows = [
        SeasonRow(one, sum(points[one.person]), len(points[one.person]))
        for one in members
        if one.person in points
    ]
    return sorted(rows, key=lambda row: (-row.points, row.games, row.member.name.casefold()))


def shares_beaten(ranks: Mapping[str, int]) -> dict[str, float]:
    """Return the share of the others whom each has beaten; a tie counts half. None if alone."""
    others = len(ranks) - 1
    if others < 1:
        return {}
    places = list(ranks.values())
    return {
        who: (sum(other > mine for other in places) + (places.count(mine) - 1) / 2) / others
        for who, mine in ranks.items()
    }
