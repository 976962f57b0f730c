"""Seasons of circles: what the games of a calendar month (UTC) at a circle's tables have earned.

A game gives each player 100 points for beating all the other people at the table, and the share of
that which they have beaten; a tie counts half. Bots don't count, nor does who resigned before their
first move, nor do games where a move was undone after something new was seen. Who resigned or left
earns nothing.

Anybody with a circle's link can be a second member of it, in another browser. So those people count
who belong to the group that plays together whoever of the others is left out: guests of somebody's
own meet the others only through them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import sqlalchemy as sa

from redouble.web.errors import NotFound
from redouble.web.features.circles.circles import Member
from redouble.web.features.daily.deals import begins, day_of
from redouble.web.store.schema import results, tables
from redouble.web.table.verdict import LAST, UNPLAYED

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
    connection: sa.Connection,
    circle: str,
    season: Season,
    members: Sequence[Member],
    hidden: sa.ColumnElement[bool],
) -> list[SeasonRow]:
    """Return the members who have played in a season, the one with the most points first.

    Tables whose results are ``hidden`` don't count yet.
    """
    query = (
        sa.select(results.c.token, results.c.person, results.c.rank, results.c.reason)
        .join(tables, tables.c.token == results.c.token)
        .where(
            tables.c.circle == circle,
            tables.c.status == "over",
            results.c.counts.is_(True),
            results.c.reason != UNPLAYED,
            results.c.at >= season.begins,
            results.c.at < season.after.begins,
            ~hidden,
        )
    )
    games: dict[str, dict[str, int]] = {}
    gave_up = set()
    for row in connection.execute(query):
        games.setdefault(row.token, {})[row.person] = row.rank
        if row.reason in LAST:
            gave_up.add((row.token, row.person))
    known = who_counts(games.values(), [one.person for one in members])
    points: dict[str, list[float]] = {}
    for token, ranks in games.items():
        shares = shares_beaten({one: rank for one, rank in ranks.items() if one in known})
        for person, share in shares.items():
            earned = 0.0 if (token, person) in gave_up else POINTS * share
            points.setdefault(person, []).append(earned)
    rows = [
        SeasonRow(one, sum(points[one.person]), len(points[one.person]))
        for one in members
        if one.person in points
    ]
    return sorted(rows, key=lambda row: (-row.points, row.games, row.member.name.casefold()))


def who_counts(games: Iterable[Iterable[str]], by_seniority: Sequence[str]) -> set[str]:
    """Return the people who are in the main group, whoever else is left out.

    That is the largest group of people who have met; of equally large ones it is the one with the
    longest-standing member.
    """
    met: dict[str, set[str]] = {}
    for players in map(set, games):
        for one in players:
            met.setdefault(one, set()).update(players - {one})
    order = {one: number for number, one in enumerate(by_seniority)}

    def main_group(without: str) -> set[str]:
        left, groups = met.keys() - {without}, list[set[str]]()
        while left:
            group, new = set[str](), {left.pop()}
            while new:
                group |= new
                new = set[str]().union(*(met[one] for one in new)) & left
                left -= new
            groups.append(group)
        return max(
            groups,
            key=lambda group: (len(group), -min(order.get(one, len(order)) for one in group)),
            default=set(),
        )

    return set(met).intersection(*(main_group(without) | {without} for without in met))


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
