"""Circles: standing groups of people, who join by a link and play at tables of their own.

The first member in the order of places is the owner: when they go, the longest member follows.
Whoever isn't a member of a circle learns nothing about it, not even that it exists.
"""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from redouble.web.errors import NotFound, NotYours, TooLarge, TooMuch, WebError
from redouble.web.features.friends.friends import calls, hidden, invite
from redouble.web.people.mutes import reaches
from redouble.web.people.people import lock, new_id
from redouble.web.people.profiles import PICTURE
from redouble.web.store import count, exists
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import metadata, owned_by, people, profiles, seats, tables
from redouble.web.table import Header
from redouble.web.table.names import visible
from redouble.web.table.wordlist import WORDS

circles = sa.Table(
    "circles",
    metadata,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("link", sa.String, nullable=False, unique=True),
    sa.Column("made", sa.Float, nullable=False),
)
"""Standing groups of people."""

circle_members = sa.Table(
    "circle_members",
    metadata,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("circle", owned_by("circles.id"), nullable=False),
    sa.Column("person", owned_by("people.id"), nullable=False, index=True),
    sa.Column("place", sa.Integer, nullable=False),  # the owner has the lowest
    sa.Column("since", sa.Float, nullable=False),
    sa.Index("ix_circle_members_circle", "circle", "person", unique=True),
)
"""Who is in which circle."""

evenings = sa.Table(
    "evenings",
    metadata,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("circle", owned_by("circles.id"), nullable=False, index=True),
    sa.Column("game", sa.String, nullable=False),
    sa.Column("seats", sa.Integer, nullable=False),  # at each table
    sa.Column("deals", sa.Integer, nullable=False),
    sa.Column("host", sa.ForeignKey("people.id", ondelete="SET NULL"), index=True),
    sa.Column("secret", sa.String, nullable=False),  # that its deals are derived from
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("begins", sa.Float),  # as planned; empty if it was announced for now
    sa.Column("started", sa.Float),
    sa.Column("groups", sa.Integer, nullable=False),  # tables for each deal
)
"""Duplicate games."""

evening_players = sa.Table(
    "evening_players",
    metadata,
    sa.Column("evening", owned_by("evenings.id"), primary_key=True),
    sa.Column("person", owned_by("people.id"), primary_key=True, index=True),
    sa.Column("comes", sa.Boolean, nullable=False, server_default=sa.true()),
)
"""Who takes part in a duplicate game, and who doesn't, until it begins."""

MAX_MEMBERS = 50
"""Members of one circle."""
MAX_CIRCLES = 20
"""Circles that one person is in."""
NAME_LENGTH = 40
GONE = "there is no circle at this link: ask its members for the new one"
NOT_IN_IT = "you aren't in a circle at this address: join it by its link"


@dataclass(frozen=True)
class Circle:
    """A circle, as one of its members sees it."""

    id: str
    name: str
    link: str
    """The token of its invitation."""
    made: float
    mine: bool
    """Whether the member owns it."""


@dataclass(frozen=True)
class Member:
    """A member of a circle, as the others see them."""

    id: str
    """The id of the membership."""
    person: str
    name: str
    owner: bool
    hides: bool
    """Whether they don't show when they are online."""
    since: float
    picture: str


@dataclass(frozen=True)
class CircleInvitation:
    """What a circle's link shows to anyone who has it."""

    id: str
    name: str
    owner: str
    """The owner's name."""
    members: int


def create(connection: sa.Connection, person: str, name: str) -> str:
    """Make a circle that a person owns, and return its id. Raises :class:`WebError`."""
    _check_room_for_another(connection, person)
    circle = new_id(12)
    row = {"id": circle, "name": clean_name(name), "link": _new_link(), "made": CLOCK.now()}
    connection.execute(sa.insert(circles).values(row))
    _add(connection, circle, person, 0)
    return circle


def clean_name(name: str) -> str:
    """Return a circle's name without characters that nobody sees. Raises :class:`WebError`."""
    name = visible(name)
    if not name:
        raise WebError("the circle has no name: use at least one visible character")
    if len(name) > NAME_LENGTH:
        raise TooLarge(f"the circle's name is too long: use at most {NAME_LENGTH} characters")
    WORDS.check_name(name)
    return name


def invitation(connection: sa.Connection, link: str) -> CircleInvitation:
    """Return what a link shows. Raises :class:`NotFound` for one that was renewed."""
    row = connection.execute(sa.select(circles).filter_by(link=link)).one_or_none()
    if row is None:
        raise NotFound(GONE)
    found = members_of(connection, row.id)
    return CircleInvitation(row.id, row.name, found[0].name if found else "", len(found))


def join(connection: sa.Connection, person: str, link: str) -> str:
    """Make a person a member by a circle's link, and return the circle's id.

    Members stay as they are. Raises :class:`NotFound` for an old link, and :class:`TooMuch`.
    """
    lock(connection, person)
    query = sa.select(circles.c.id).filter_by(link=link)
    found = connection.execute(query.with_for_update()).scalar_one_or_none()
    if found is None:
        raise NotFound(GONE)
    circle = str(found)
    if are_members(connection, circle, [person]):
        return circle
    _check_room_for_another(connection, person)
    counted = sa.select(sa.func.count(), sa.func.max(circle_members.c.place)).filter_by(
        circle=circle
    )
    members, last = connection.execute(counted).one()
    check_not_full(members)
    _add(connection, circle, person, last + 1)
    return circle


def check_not_full(members: int) -> None:
    """Raise :class:`TooMuch` if a circle has all the members that it can have."""
    if members >= MAX_MEMBERS:
        raise TooMuch(f"this circle is full: it has {MAX_MEMBERS} members", 0)


def circle_of(connection: sa.Connection, person: str, circle: str) -> Circle:
    """Return a circle that a person is in. Raises :class:`NotFound` for others, as if unknown."""
    first = sa.select(sa.func.min(circle_members.c.place)).filter_by(circle=circle)
    query = (
        sa.select(circles, (circle_members.c.place == first.scalar_subquery()).label("mine"))
        .join(circle_members, circle_members.c.circle == circles.c.id)
        .where(circles.c.id == circle, circle_members.c.person == person)
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        raise NotFound(NOT_IN_IT)
    return Circle(row.id, row.name, row.link, row.made, bool(row.mine))


def members_of(connection: sa.Connection, circle: str) -> list[Member]:
    """Return the members of a circle, the owner first and then the longest."""
    query = (
        sa.select(circle_members, people.c.name, hidden.c.person.label("hidden"), PICTURE)
        .join(people, people.c.id == circle_members.c.person)
        .outerjoin(hidden, hidden.c.person == circle_members.c.person)
        .outerjoin(profiles, profiles.c.person == circle_members.c.person)
        .where(circle_members.c.circle == circle)
        .order_by(circle_members.c.place)
    )
    return [
        Member(
            *(row.id, row.person, row.name, number == 0),
            *(row.hidden is not None, row.since, row.picture),
        )
        for number, row in enumerate(connection.execute(query))
    ]


def circles_of(connection: sa.Connection, person: str) -> Sequence[sa.Row[Any, Any, Any, Any]]:
    """Return the circles that a person is in, by name, in one query.

    Each has its ``id``, ``name`` and number of ``members``, and how many tables are ``waiting``.
    """
    others = circle_members.alias()
    them = sa.select(sa.func.count()).where(others.c.circle == circles.c.id).scalar_subquery()
    waits = sa.select(sa.func.count()).where(
        tables.c.circle == circles.c.id, tables.c.status == "waiting"
    )
    query = (
        sa.select(
            circles.c.id,
            circles.c.name,
            them.label("members"),
            waits.scalar_subquery().label("waiting"),
        )
        .join(circle_members, circle_members.c.circle == circles.c.id)
        .where(circle_members.c.person == person)
        .order_by(sa.func.lower(circles.c.name))
    )
    return connection.execute(query).all()


def are_members(connection: sa.Connection, circle: str, persons: Collection[str]) -> bool:
    """Return whether all these people are in a circle."""
    here = circle_members.c.circle == circle, circle_members.c.person.in_(persons)
    return count(connection, circle_members, *here) == len(set(persons))


def share_one(connection: sa.Connection, one: str, other: str) -> bool:
    """Return whether two people are members of the same circle."""
    mine, theirs = circle_members.alias(), circle_members.alias()
    query = sa.select(mine.c.circle).join(theirs, theirs.c.circle == mine.c.circle)
    return exists(connection, query.where(mine.c.person == one, theirs.c.person == other))


def admit(connection: sa.Connection, header: Header, persons: Collection[str]) -> None:
    """Raise :class:`NotYours` if this is the table of a circle that these people aren't all in."""
    if header.circle and not are_members(connection, header.circle, persons):
        raise NotYours("only members of its circle can play at this table; you can watch")


def made(connection: sa.Connection, header: Header) -> Header:
    """Return the header of a new table, which isn't a circle's if somebody has left the circle."""
    people = {seat.person for seat in header.seats if seat.person}
    if header.circle and not are_members(connection, header.circle, people):
        return replace(header, circle="")
    return header


def rename(connection: sa.Connection, person: str, circle: str, name: str) -> None:
    """Give a circle another name, as its owner. Raises :class:`WebError`."""
    _check_owner(connection, person, circle)
    connection.execute(sa.update(circles).filter_by(id=circle).values(name=clean_name(name)))


def renew(connection: sa.Connection, person: str, circle: str) -> None:
    """Make a new link, as the owner; nobody can join by the old one any more."""
    _check_owner(connection, person, circle)
    _renew(connection, circle)


def leave(connection: sa.Connection, person: str, circle: str) -> None:
    """End a membership; without members a circle is gone. Raises :class:`NotFound`."""
    lock_circle(connection, circle)
    _end(connection, circle, circle_members.c.person == person)


def remove(connection: sa.Connection, person: str, circle: str, member: str) -> str:
    """Remove another member, as the owner, and return who it is. Raises :class:`NotFound`.

    The circle gets a new link, because they know the old one.
    """
    _check_owner(connection, person, circle)
    mine = sa.and_(circle_members.c.id == member, circle_members.c.person != person)
    gone = _end(connection, circle, mine)
    _renew(connection, circle)
    return gone


def waits_of(connection: sa.Connection, circle: str, person: str) -> list[str]:
    """Return the tables of a circle where a person waits for the game to begin."""
    query = sa.select(tables.c.token).join(seats, seats.c.token == tables.c.token)
    here = query.where(tables.c.circle == circle, tables.c.status == "waiting")
    return list(connection.execute(here.where(seats.c.person == person)).scalars())


def hand_on(connection: sa.Connection, person: str, circle: str, member: str) -> None:
    """Let another member own a circle, as its owner. Raises :class:`NotFound`."""
    _check_owner(connection, person, circle)
    here = circle_members.c.circle == circle
    first = connection.execute(sa.select(sa.func.min(circle_members.c.place)).where(here)).scalar()
    change = sa.update(circle_members).filter_by(id=member).where(here)
    if not connection.execute(change.values(place=(first or 0) - 1)).rowcount:
        raise NotFound("this person has left the circle: choose another member")


def call_members(connection: sa.Connection, person: str, circle: str, token: str) -> list[str]:
    """Invite the other members to a circle's table, and return who they are.

    Those who have muted the person aren't among them.
    """
    heard = reaches(sa.literal(person), circle_members.c.person)
    here = circle_members.c.circle == circle, circle_members.c.person != person
    others = connection.execute(sa.select(circle_members.c.person).where(*here, heard)).scalars()
    found = list(others)
    invite(connection, person, token, found)
    return found


def adopt(connection: sa.Connection, guest: str, person: str) -> None:
    """Give a guest's memberships to a person; of two in one circle, the longer one stays."""
    for row in connection.execute(sa.select(circle_members).filter_by(person=guest)).all():
        lock_circle(connection, row.circle)
        own = connection.execute(
            sa.select(circle_members).filter_by(circle=row.circle, person=person)
        ).one_or_none()
        if own is not None:
            later = max(own, row, key=lambda one: one.place)
            connection.execute(sa.delete(circle_members).filter_by(id=later.id))
    connection.execute(sa.update(circle_members).filter_by(person=guest).values(person=person))


def forget(connection: sa.Connection, person: str) -> None:
    """End all memberships of a person."""
    mine = sa.select(circle_members.c.circle).filter_by(person=person)
    for circle in sorted(connection.execute(mine).scalars()):
        leave(connection, person, circle)


def exported(connection: sa.Connection, person: str) -> list[dict[str, Any]]:
    """Return a person's circles as they may know them."""
    query = (
        sa.select(circles.c.id, circle_members.c.since)
        .join(circle_members, circle_members.c.circle == circles.c.id)
        .where(circle_members.c.person == person)
        .order_by(circle_members.c.since)
    )
    answers = sa.select(evenings.c.circle, evenings.c.game, evening_players.c.comes)
    games: dict[str, list[dict[str, Any]]] = {}
    mine = answers.join(evening_players).where(evening_players.c.person == person)
    for row in connection.execute(mine):
        games.setdefault(row.circle, []).append({"game": row.game, "comes": row.comes})
    rows = connection.execute(query).all()
    found = [(circle_of(connection, person, row.id), row.since) for row in rows]
    return [
        {"name": one.name, "owner": one.mine, "since": since, "planned": games.get(one.id, [])}
        for one, since in found
    ]


def _check_owner(connection: sa.Connection, person: str, circle: str) -> None:
    """Keep a circle as it is for this transaction. Raises :class:`NotYours` for other members."""
    lock_circle(connection, circle)
    if not circle_of(connection, person, circle).mine:
        raise NotYours("only the owner of a circle can do that")


def _check_room_for_another(connection: sa.Connection, person: str) -> None:
    lock(connection, person)
    if count(connection, circle_members, circle_members.c.person == person) >= MAX_CIRCLES:
        raise TooMuch(f"you are in {MAX_CIRCLES} circles: leave one first", 0)


def lock_circle(connection: sa.Connection, circle: str) -> None:
    """Let the jobs that change a circle's members run one after the other, at all servers."""
    connection.execute(sa.select(circles.c.id).filter_by(id=circle).with_for_update())


def _add(connection: sa.Connection, circle: str, person: str, place: int) -> None:
    row = {"id": new_id(12), "circle": circle, "person": person, "place": place}
    connection.execute(sa.insert(circle_members).values(row | {"since": CLOCK.now()}))


def _end(connection: sa.Connection, circle: str, which: sa.ColumnElement[bool]) -> str:
    """Delete a membership and the invitations to the circle's tables; return whose it was."""
    found = sa.delete(circle_members).filter_by(circle=circle).where(which)
    person = connection.execute(found.returning(circle_members.c.person)).scalar_one_or_none()
    if person is None:
        raise NotFound(NOT_IN_IT)
    here = sa.select(evenings.c.id).filter_by(circle=circle)
    takes_part = sa.and_(evening_players.c.person == person, evening_players.c.evening.in_(here))
    connection.execute(sa.delete(evening_players).where(takes_part))
    theirs = sa.select(tables.c.token).filter_by(circle=circle)
    invited = sa.and_(calls.c.called == person, calls.c.token.in_(theirs))
    connection.execute(sa.delete(calls).where(invited))
    members = sa.exists().where(circle_members.c.circle == circle)
    if connection.execute(sa.delete(circles).filter_by(id=circle).where(~members)).rowcount:
        connection.execute(sa.update(tables).filter_by(circle=circle).values(circle=None))
    return str(person)


def _renew(connection: sa.Connection, circle: str) -> None:
    connection.execute(sa.update(circles).filter_by(id=circle).values(link=_new_link()))


def _new_link() -> str:
    return secrets.token_urlsafe(16)
