"""Running scores: who has won the games that people have played together, by their results."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from redouble.web.store.schema import results, tables
from redouble.web.table.verdict import UNPLAYED


@dataclass(frozen=True)
class Score:
    """How many games each of two people has won, of those that only one of them has won."""

    mine: int
    theirs: int

    def __str__(self) -> str:
        order = (self.mine > self.theirs) - (self.mine < self.theirs)
        word = {1: "lead", 0: "are even,", -1: "trail"}[order]
        return f"you {word} {self.mine} to {self.theirs}"


def between(connection: sa.Connection, person: str, others: Collection[str]) -> dict[str, Score]:
    """Return a person's score with each of these others with whom there is one."""
    mine, theirs = results.alias(), results.alias()
    query = (
        sa.select(
            theirs.c.person,
            _number(_has_won(mine), ~_has_won(theirs)).label("mine"),
            _number(_has_won(theirs), ~_has_won(mine)).label("theirs"),
        )
        .join(mine, mine.c.token == theirs.c.token)
        .where(mine.c.person == person, theirs.c.person.in_(others), theirs.c.person != person)
        .where(_was_played(mine))
        .group_by(theirs.c.person)
    )
    found = {row.person: Score(row.mine, row.theirs) for row in connection.execute(query)}
    return {who: score for who, score in found.items() if score != Score(0, 0)}


def of_series(connection: sa.Connection, token: str) -> tuple[int, dict[str, int]]:
    """Return the number of games that people have played at a table and those before it.

    Each but the first is the rematch of another. Also return how many of them each has won.
    """
    here = sa.select(tables.c.token, tables.c.before)
    series = here.where(tables.c.token == token).cte(recursive=True)
    series = series.union(here.join(series, series.c.before == tables.c.token))
    query = (
        sa.select(results.c.token, results.c.person, _has_won(results).label("won"))
        .join(series, series.c.token == results.c.token)
        .where(_was_played(results))
    )
    rows = connection.execute(query).all()
    won = dict.fromkeys((row.person for row in rows), 0)
    for row in rows:
        won[row.person] += row.won
    return len({row.token for row in rows}), won


def _has_won(one: Any) -> sa.ColumnElement[bool]:
    return sa.and_(one.c.won, one.c.counts)


def _number(*conditions: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.sum(sa.cast(sa.and_(*conditions), sa.Integer))


def _was_played(one: Any) -> sa.ColumnElement[bool]:
    """Return whether nobody resigned before their first move: others win nothing by that."""
    every = results.alias()
    return ~sa.exists().where(every.c.token == one.c.token, every.c.reason == UNPLAYED)
