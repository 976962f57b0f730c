"""People at tables, as those see them who don't know them: name, rating and number of games."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa

from redouble.web.store.schema import ratings, results, seats, tables


class Stranger(NamedTuple):
    """A person at a table, as people see them who don't know them."""

    person: str
    name: str
    games: int
    """How many games of this kind they have finished."""
    points: float | None
    """Their rating in it; None before their first rated game."""


def strangers(connection: sa.Connection, tokens: Collection[str]) -> dict[str, list[Stranger]]:
    """Return who sits at tables and is no bot, as visitors see them, in one query."""
    mine = sa.and_(results.c.person == seats.c.person, results.c.game == tables.c.game)
    rated = sa.and_(ratings.c.person == seats.c.person, ratings.c.game == tables.c.game)
    newest = sa.select(ratings.c.points).where(rated).order_by(ratings.c.number.desc()).limit(1)
    query = (
        sa.select(
            *(seats.c.token, seats.c.person, seats.c.name),
            sa.select(sa.func.count()).where(mine).scalar_subquery().label("games"),
            newest.scalar_subquery().label("points"),
        )
        .join(tables, tables.c.token == seats.c.token)
        .where(seats.c.token.in_(tokens), seats.c.person.is_not(None))
        .order_by(seats.c.token, seats.c.seat)
    )
    found: dict[str, list[Stranger]] = {token: [] for token in tokens}
    for row in connection.execute(query):
        found[row.token].append(Stranger(row.person, row.name, row.games, row.points))
    return found
