"""Tries at daily deals in the database."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from redouble.web.features.daily.deals import closes, parse_day
from redouble.web.people.results import result_rows
from redouble.web.store.clock import look
from redouble.web.store.schema import dailies
from redouble.web.table import Table


def dailies_of(connection: sa.Connection, person: str) -> list[dict[str, Any]]:
    """Return a person's tries at daily deals and puzzles, oldest first."""
    mine = sa.select(dailies).where(dailies.c.person == person)
    ordered = mine.order_by(dailies.c.day, dailies.c.game)
    return [dict(row._mapping) for row in connection.execute(ordered)]


def finish_try(connection: sa.Connection, table: Table) -> None:
    """Note the result of a table whose game has ended, if its deal is a daily one and in time.

    While the clock can't be believed, it is in time.
    """
    if not table.header.daily:
        return
    late = table.changed >= closes(parse_day(table.header.daily))
    if late and look(connection, table.changed).settles is None:
        return
    rows = result_rows(table)
    if not rows:
        return
    result = rows[0]
    resigned = table.seats[result["seat"]].resigned
    ended = {key: result[key] for key in ("rank", "score", "won")}
    connection.execute(
        sa.update(dailies)
        .where(dailies.c.token == table.header.token, dailies.c.finished.is_(None))
        .values(ended | {"resigned": resigned, "finished": table.changed})
    )


def adopt_tries(connection: sa.Connection, guest: str, person: str) -> None:
    """Give a guest's daily tries to a person; of two at one deal, the first finished one counts."""
    theirs = connection.execute(sa.select(dailies).where(dailies.c.person == guest)).all()
    for row in theirs:
        same = sa.and_(dailies.c.day == row.day, dailies.c.game == row.game)
        query = sa.select(dailies).where(same, dailies.c.person == person)
        own = connection.execute(query).one_or_none()
        if own is not None:
            first, second = (own.finished, own.begun), (row.finished, row.begun)
            keep_own = _order_of_tries(*first) <= _order_of_tries(*second)
            dropped = guest if keep_own else person
            connection.execute(sa.delete(dailies).where(same, dailies.c.person == dropped))
        moved = sa.update(dailies).where(same, dailies.c.person == guest)
        connection.execute(moved.values(person=person))


def _order_of_tries(finished: float | None, begun: float) -> tuple[bool, float]:
    return finished is None, begun if finished is None else finished
