"""Imported records in the database."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import sqlalchemy as sa

from redouble.web.errors import NotFound, TooMuch
from redouble.web.people.people import lock
from redouble.web.store.schema import (
    records,
)


def save_record(connection: sa.Connection, person: str, line: str, at: float, limit: int) -> str:
    """Save a record that a person imports and return its token.

    Raises :class:`TooMuch` if they have as many as the ``limit``.
    """
    lock(connection, person)
    mine = sa.select(sa.func.count()).select_from(records).where(records.c.person == person)
    if (connection.execute(mine).scalar() or 0) >= limit:
        raise TooMuch(f"you have {limit} imported games: delete some first")
    token = secrets.token_urlsafe(16)
    connection.execute(sa.insert(records).values(token=token, person=person, line=line, at=at))
    return token


def record_line(connection: sa.Connection, token: str) -> str:
    """Return the line of an imported record. Raises :class:`NotFound`."""
    found = connection.execute(sa.select(records.c.line).where(records.c.token == token)).scalar()
    if found is None:
        raise NotFound("there is no saved game at this link: it may have been deleted")
    return str(found)


def record_lines(connection: sa.Connection, tokens: Sequence[str]) -> list[tuple[str, str, float]]:
    """Return token, line and time of imported records."""
    query = sa.select(records.c.token, records.c.line, records.c.at)
    rows = connection.execute(query.where(records.c.token.in_(tokens)))
    return [(row.token, row.line, row.at) for row in rows]


def record_times(connection: sa.Connection, person: str) -> list[tuple[str, float]]:
    """Return token and time of a person's imported records, oldest first."""
    query = sa.select(records.c.token, records.c.at)
    rows = connection.execute(query.where(records.c.person == person).order_by(records.c.at))
    return [(row.token, row.at) for row in rows]


def delete_record(connection: sa.Connection, person: str, token: str) -> None:
    """Delete a person's imported record. Raises :class:`NotFound`."""
    mine = sa.delete(records).where(records.c.token == token, records.c.person == person)
    if not connection.execute(mine).rowcount:
        raise NotFound("you have no saved game at this link: you may have deleted it")
