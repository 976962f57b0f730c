"""Frees the seats of people who wait at several tables, once one of these games begins."""

from collections.abc import Iterable

import sqlalchemy as sa

from redouble.web.live import table_rows
from redouble.web.store import notices
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import seats, tables
from redouble.web.table import Entry, Table, apply
from redouble.web.table.acts.seats import Leave


def free_elsewhere(connection: sa.Connection, begun: Table) -> None:
    """Let the people of a game that begins leave the other tables where they wait.

    This is for the transaction in which it begins, so that no two games begin with one person. They
    stay in correspondence games, and when they play with bots alone.
    """
    people = begun.people().keys()
    if begun.gathering or begun.clocks.control.slow or len(people) < 2:
        return
    query = sa.select(tables.c.token).join(seats, seats.c.token == tables.c.token).distinct()
    others = query.where(
        tables.c.status == "waiting",
        seats.c.person.in_(people),
        tables.c.token != begun.header.token,
    )
    for token in sorted(connection.execute(others).scalars()):
        _leave(connection, token, people)


def _leave(connection: sa.Connection, token: str, people: Iterable[str]) -> None:
    # Whoever writes to it ends first.
    connection.execute(sa.select(tables.c.token).filter_by(token=token).with_for_update())
    table = table_rows.folded(*table_rows.stored(connection, token))
    if not table.gathering or table.clocks.control.slow:
        return
    mine = [seat for person in people for seat in table.seats_of(person)]
    entries = [Entry(table.ply + i, CLOCK.now(), Leave(seat=seat)) for i, seat in enumerate(mine)]
    for entry in entries:
        apply(table, entry)
    if entries:
        table_rows.append(connection, table, entries)
        notices.post(connection, "", notices.TABLE, [token])  # this server has it in memory, too
