"""Muted and blocked players: everything that one person lets reach another asks here.

Nothing that a muted player says or does reaches the person: no chat, no invitation, no request, no
message. Two people of whom one has blocked the other also never meet: no list shows them to each
other, and no table for strangers seats them together. Nobody learns that they are muted or blocked.
In rankings the others keep their places, and the owner of a circle sees all its members.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import sqlalchemy as sa

from redouble.web.errors import NotYours, TooMuch
from redouble.web.people.people import lock, new_id
from redouble.web.store import exists, insert_first
from redouble.web.store.schema import mutes, people, seats, wary

MAX_MUTES = 500
"""The number of players whom one person can mute."""
HIDDEN_NAME = "a muted player"
"""The name of a muted player in lists and messages."""
Id = str | sa.ColumnElement[str]
Pairs = Callable[[sa.Connection, Collection[str]], set[frozenset[str]]]
"""Returns the pairs of friends among some people."""


@dataclass(frozen=True)
class MutedPerson:
    """A player whom a person has muted."""

    id: str
    """The id of the mute."""
    person: str
    name: str
    blocked: bool


def mute(connection: sa.Connection, person: str, other: str, *, blocks: bool = False) -> None:
    """Let nothing of another person reach a person, or block them. Raises :class:`TooMuch`.

    A block stays one until it is ended.
    """
    lock(connection, person)
    known = {one.person for one in muted_by(connection, person)}
    if len(known) >= MAX_MUTES and other not in known:
        raise TooMuch(f"you have muted {MAX_MUTES} players: unmute one first", 0)
    row = {"id": new_id(12), "person": person, "muted": other, "blocks": blocks}
    if not insert_first(connection, mutes, row) and blocks:
        connection.execute(sa.update(mutes).where(_row(person, other)).values(blocks=blocks))


def unmute(connection: sa.Connection, person: str, other: str) -> None:
    """End a person's mute or block of another one."""
    connection.execute(sa.delete(mutes).where(_row(person, other)))


def muted_by(connection: sa.Connection, person: str) -> list[MutedPerson]:
    """Return the players whom a person has muted or blocked, by name."""
    query = (
        sa.select(mutes.c.id, mutes.c.muted, people.c.name, mutes.c.blocks)
        .join(people, people.c.id == mutes.c.muted)
        .where(mutes.c.person == person)
        .order_by(sa.func.lower(people.c.name))
    )
    return [MutedPerson(*row) for row in connection.execute(query)]


def reaches(by: sa.ColumnElement[str], person: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    """Select whether what one person does reaches another."""
    return sa.and_(~sa.exists().where(_row(person, by)), meet(by, person))


def meet(one: sa.ColumnElement[str], other: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    """Select whether neither of two people has blocked the other."""
    either = sa.or_(_row(one, other), _row(other, one))
    return ~sa.exists().where(either, mutes.c.blocks)


def unheard_by(connection: sa.Connection, person: str) -> set[str]:
    """Return everyone of whom nothing reaches a person."""
    mine = sa.select(mutes.c.muted).where(mutes.c.person == person)
    return apart_from(connection, person) | set(connection.execute(mine).scalars())


def apart_from(connection: sa.Connection, person: str) -> set[str]:
    """Return everyone whom a person never meets: whichever of the two has blocked the other."""
    mine = sa.select(mutes.c.muted).where(mutes.c.person == person, mutes.c.blocks)
    theirs = sa.select(mutes.c.person).where(mutes.c.muted == person, mutes.c.blocks)
    return set(connection.execute(sa.union(mine, theirs)).scalars())


def at_odds(connection: sa.Connection, among: Collection[str]) -> set[tuple[str, str]]:
    """Return which of these people has muted or blocked which other one."""
    these = sa.and_(mutes.c.person.in_(among), mutes.c.muted.in_(among))
    return {(row.person, row.muted) for row in connection.execute(sa.select(mutes).where(these))}


def check_apart(connection: sa.Connection, token: str, newcomers: Collection[str]) -> None:
    """Raise :class:`NotYours` if one of these people never meets somebody who sits at a table."""
    here = set(connection.execute(sa.select(seats.c.person).filter_by(token=token)).scalars())
    if any((here | {*newcomers}) & apart_from(connection, one) for one in newcomers):
        raise NotYours("you can't take a seat at this table: choose another one")


def silence_among(
    connection: sa.Connection, among: Collection[str], friends: Pairs | None = None
) -> dict[tuple[str, str], bool]:
    """Return who of these people has muted whom, and whether the mute holds both ways.

    That is so of a block, and of everyone but friends for a person who has no chat with strangers.
    """
    if len(among) < 2:
        return {}
    these = sa.and_(mutes.c.person.in_(among), mutes.c.muted.in_(among))
    rows = connection.execute(sa.select(mutes).where(these))
    found = {(row.person, row.muted): bool(row.blocks) for row in rows}
    careful = list(connection.execute(sa.select(wary).where(wary.c.person.in_(among))).scalars())
    known = friends(connection, among) if careful and friends else set()
    strangers = {
        (one, other): True
        for one in careful
        for other in among
        if one != other and {one, other} not in known
    }
    return found | strangers


def finding_silence(among: Collection[str]) -> tuple[str, list[str]]:
    """Return a quick query, with its values, for whether :func:`silence_among` finds anything."""
    these = ", ".join("?" * len(among))
    query = (
        f"SELECT 1 FROM mutes WHERE person IN ({these}) AND muted IN ({these})"
        f" UNION SELECT 1 FROM wary WHERE person IN ({these}) LIMIT 1"
    )
    return query, [*among] * 3


def is_wary(connection: sa.Connection, person: str) -> bool:
    """Return whether a person has no chat with strangers."""
    return exists(connection, sa.select(wary).filter_by(person=person))


def be_wary(connection: sa.Connection, person: str, chosen: bool) -> None:
    """Choose whether a person has no chat with strangers."""
    if chosen:
        insert_first(connection, wary, {"person": person})
    else:
        connection.execute(sa.delete(wary).filter_by(person=person))


def _row(person: Id, muted: Id) -> sa.ColumnElement[bool]:
    return sa.and_(mutes.c.person == person, mutes.c.muted == muted)
