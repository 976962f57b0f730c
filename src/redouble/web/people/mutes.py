"""Whom people don't want to hear. It counts at every table, and nobody else learns of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sa

from redouble.web.errors import TooMuch
from redouble.web.people.people import lock, new_id
from redouble.web.store import insert_first
from redouble.web.store.schema import mutes, people

MAX_MUTES = 500
"""People whom one person can mute."""


@dataclass(frozen=True)
class MutedPerson:
    """Somebody whom a person doesn't hear."""

    id: str
    """The id of the mute."""
    person: str
    name: str


def mute(connection: sa.Connection, person: str, other: str) -> None:
    """Mute a person for another one. Raises :class:`TooMuch`."""
    lock(connection, person)
    if len(muted_by(connection, person)) >= MAX_MUTES:
        raise TooMuch(f"you have muted {MAX_MUTES} players: hear one of them again first", 0)
    insert_first(connection, mutes, {"id": new_id(12), "person": person, "muted": other})


def unmute(connection: sa.Connection, person: str, other: str) -> None:
    """Let a person hear another one again."""
    here = sa.and_(mutes.c.person == person, mutes.c.muted == other)
    connection.execute(sa.delete(mutes).where(here))


def muted_by(connection: sa.Connection, person: str) -> list[MutedPerson]:
    """Return whom a person has muted, by name."""
    query = (
        sa.select(mutes.c.id, mutes.c.muted, people.c.name)
        .join(people, people.c.id == mutes.c.muted)
        .where(mutes.c.person == person)
        .order_by(sa.func.lower(people.c.name))
    )
    return [MutedPerson(*row) for row in connection.execute(query)]


def mutes_among(connection: sa.Connection, found: Collection[str]) -> set[tuple[str, str]]:
    """Return who of these people has muted whom."""
    if len(found) < 2:
        return set()
    these = sa.and_(mutes.c.person.in_(found), mutes.c.muted.in_(found))
    rows = connection.execute(sa.select(mutes.c.person, mutes.c.muted).where(these))
    return {(row.person, row.muted) for row in rows}
