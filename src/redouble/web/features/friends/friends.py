"""Friends: two people who have both agreed, and the tables that they invite each other to.

Nobody learns from these rows who is online: that is in memory, and only friends read it.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from redouble.contract.registry import GAMES
from redouble.web.errors import NotFound, Stale, TooMuch, WebError
from redouble.web.feature import Letter, MessageKind
from redouble.web.live.hooks import Hooks
from redouble.web.people.mutes import meet, reaches
from redouble.web.people.people import lock, new_id
from redouble.web.people.profiles import PICTURE, Audience
from redouble.web.store import count, exists, insert_first
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import metadata, owned_by, people, profiles, seats, tables
from redouble.web.table import Entry, Header, Table
from redouble.web.table.acts.rematch import Later

friends = sa.Table(
    "friends",
    metadata,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("pair", sa.String, nullable=False, unique=True),  # both ids, in one order
    sa.Column("asker", owned_by("people.id"), nullable=False, index=True),
    sa.Column("asked", owned_by("people.id"), nullable=False, index=True),
    sa.Column("game", sa.String, nullable=False),  # that they met at
    sa.Column("state", sa.String, nullable=False),  # see below
    sa.Column("at", sa.Float, nullable=False),
)
"""Who is whose friend, and who has asked to be."""

hidden = sa.Table(
    "hidden",
    metadata,
    sa.Column("person", owned_by("people.id"), primary_key=True),
)
"""People who don't show their friends when they are online."""

calls = sa.Table(
    "calls",
    metadata,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("caller", owned_by("people.id"), nullable=False),
    sa.Column("called", owned_by("people.id"), nullable=False),
    sa.Column("token", owned_by("tables.token"), nullable=False, index=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Index("ix_calls_called", "called", "caller", "token", unique=True),
    sa.Index("ix_calls_caller", "caller"),
)
"""Invitations of friends to tables."""

ASKED, AGREED, REFUSED = "asked", "agreed", "refused"
"""The states of a friendship."""
MAX_FRIENDS = 200
"""Friends of one person, with those who are still to answer."""
CALL_SECONDS = 24 * 3600.0
"""How long an invitation is shown."""


@dataclass(frozen=True)
class Friend:
    """Another person, as a friend of theirs or somebody whom they have asked sees them."""

    id: str
    """The id of the friendship."""
    person: str
    name: str
    game: str
    """The game that they met at."""
    hides: bool
    """Whether they don't show when they are online."""
    since: float
    picture: str
    shows_games: bool
    """Whether their friends see how they have played."""


def ask(connection: sa.Connection, asker: str, asked: str, game: str) -> bool:
    """Ask a person to be friends; agree if they have asked before.

    Return whether anything has changed. Someone who was refused isn't notified.
    Raises :class:`TooMuch`.
    """
    lock(connection, asker)
    mine = sa.or_(
        friends.c.asker == asker, sa.and_(friends.c.asked == asker, friends.c.state == AGREED)
    )
    if count(connection, friends, mine) >= MAX_FRIENDS:
        raise TooMuch(f"you have {MAX_FRIENDS} friends: remove one first", 0)
    row = {
        "id": new_id(12),
        "pair": _pair(asker, asked),
        "asker": asker,
        "asked": asked,
        "game": game,
        "state": ASKED,
        "at": CLOCK.now(),
    }
    if insert_first(connection, friends, row):
        return True
    # They have asked, or have refused a request and now ask themselves.
    agrees = sa.update(friends).filter_by(pair=row["pair"], asker=asked, state=ASKED)
    if connection.execute(agrees.values(state=AGREED, at=row["at"])).rowcount:
        return True
    changes = sa.update(friends).filter_by(pair=row["pair"], asked=asker, state=REFUSED)
    return connection.execute(changes.values(state=AGREED, at=row["at"])).rowcount > 0


def answer(connection: sa.Connection, person: str, friendship: str, agrees: bool) -> str:
    """Agree to a request or refuse it, as the person who was asked, and return who has asked.

    Raises :class:`NotFound` for anybody else's.
    """
    change = sa.update(friends).filter_by(id=friendship, asked=person, state=ASKED)
    state = AGREED if agrees else REFUSED
    done = change.values(state=state, at=CLOCK.now()).returning(friends.c.asker)
    asker = connection.execute(done).scalar_one_or_none()
    if asker is None:
        raise NotFound("this friend request no longer exists: reload the page")
    return str(asker)


def remove(connection: sa.Connection, person: str, friendship: str) -> str:
    """End a friendship, or withdraw a request, and return who the other person is.

    Raises :class:`NotFound` if the person has no part in it.
    """
    mine = sa.or_(friends.c.asker == person, friends.c.asked == person)
    row = connection.execute(sa.select(friends).filter_by(id=friendship).where(mine)).one_or_none()
    # Who was refused doesn't learn it, and can't ask again.
    if row is None or row.state == REFUSED:
        raise NotFound("you are no longer friends: reload the page")
    if row.state == ASKED and row.asker != person:
        raise NotFound("you aren't friends yet: answer the request")
    connection.execute(sa.delete(friends).filter_by(id=friendship))
    other = str(row.asked if row.asker == person else row.asker)
    for one, two in ((person, other), (other, person)):
        connection.execute(sa.delete(calls).filter_by(caller=one, called=two))
    return other


def friend(connection: sa.Connection, person: str, friendship: str) -> Friend:
    """Return a friend of a person. Raises :class:`NotFound` if they aren't friends."""
    for one in friends_of(connection, person):
        if one.id == friendship:
            return one
    raise NotFound("you are no longer friends: reload the page")


def are_friends(connection: sa.Connection, one: str, other: str) -> bool:
    """Return whether two people are friends."""
    return exists(connection, sa.select(friends).filter_by(pair=_pair(one, other), state=AGREED))


def pairs(connection: sa.Connection, among: Collection[str]) -> set[frozenset[str]]:
    """Return the pairs of friends among some people."""
    found = bonds(connection, among).items()
    return {frozenset(pair) for pair, state in found if state == AGREED}


def friends_of(connection: sa.Connection, person: str) -> list[Friend]:
    """Return a person's friends by name."""
    return [
        *_listed(connection, friends.c.asked, person, AGREED),
        *_listed(connection, friends.c.asker, person, AGREED),
    ]


def askers_of(connection: sa.Connection, person: str) -> list[Friend]:
    """Return the people who wait for a person's answer, by name."""
    return list(_listed(connection, friends.c.asker, person, ASKED))


def bonds(connection: sa.Connection, among: Iterable[str]) -> dict[tuple[str, str], str]:
    """Return what there is between people: the state, by who has asked and who was asked."""
    found = list(among)
    these = sa.and_(friends.c.asker.in_(found), friends.c.asked.in_(found))
    rows = connection.execute(sa.select(friends).where(these))
    return {(row.asker, row.asked): row.state for row in rows}


def hides(connection: sa.Connection, person: str) -> bool:
    """Return whether a person doesn't show their friends when they are online."""
    return exists(connection, sa.select(hidden).filter_by(person=person))


def hide(connection: sa.Connection, person: str, hides: bool) -> None:
    """Choose whether a person's friends see when they are online."""
    if hides:
        insert_first(connection, hidden, {"person": person})
    else:
        connection.execute(sa.delete(hidden).filter_by(person=person))


def call(
    connection: sa.Connection, person: str, friendship: str, header: Header, hooks: Sequence[Hooks]
) -> str:
    """Invite a friend to a table where a person sits and a seat is open. Return who is invited.

    Raises :class:`NotFound` for somebody who isn't a friend, :class:`Stale` for other tables, and
    :class:`NotYours` where the friend may have no seat.
    """
    token = header.token
    other = friend(connection, person, friendship).person
    sitting = list(connection.execute(sa.select(seats).filter_by(token=token)))
    if all(one.person != person for one in sitting):
        raise WebError("you can only invite to tables where you have a seat")
    if any(one.person == other for one in sitting):
        raise Stale("they have a seat there already")
    if all(one.person or one.bot for one in sitting):
        raise Stale("every seat at this table is taken")
    for hook in hooks:
        hook.admit(connection, header, [other])
    invite(connection, person, token, [other])
    return other


def ask_again(
    connection: sa.Connection, header: Header, person: str, others: Collection[str]
) -> None:
    """Invite people to the table of a rematch."""
    invite(connection, person, header.token, others)


def invite(connection: sa.Connection, person: str, token: str, others: Collection[str]) -> None:
    """Note that a person invites others to a table."""
    for other in others:
        row = {"caller": person, "called": other, "token": token, "at": CLOCK.now()}
        insert_first(connection, calls, row | {"id": new_id(12)})


def calls_of(connection: sa.Connection, person: str) -> Sequence[sa.Row[Any, Any, Any, Any, Any]]:
    """Return the invitations of friends to tables where they wait for others, the latest first.

    Each has its ``id``, the ``caller`` and their ``name``, the ``game``, and the ``invite`` of its
    link.
    """
    now = CLOCK.now()
    free = sa.exists().where(
        seats.c.token == calls.c.token, seats.c.person.is_(None), seats.c.bot == ""
    )
    mine, theirs = (
        sa.exists().where(seats.c.token == calls.c.token, seats.c.person == one)
        for one in (person, calls.c.caller)
    )
    query = (
        sa.select(calls.c.id, calls.c.caller, people.c.name, tables.c.game, tables.c.invite)
        .join(people, people.c.id == calls.c.caller)
        .join(tables, tables.c.token == calls.c.token)
        .where(calls.c.called == person, tables.c.status == "waiting", free, theirs, ~mine)
        .where(reaches(calls.c.caller, calls.c.called))
        .where(calls.c.at.between(now - CALL_SECONDS, now + CALL_SECONDS))
        .order_by(calls.c.at.desc())
        .limit(3)
    )
    return connection.execute(query).all()


def call_letter(connection: sa.Connection, person: str, about: str, now: float) -> Letter | None:
    """Return an invitation in words, if it stands."""
    for one in calls_of(connection, person):
        if one.id == about and one.game in GAMES:
            title = f"{one.name} invites you to {GAMES[one.game].title}"
            said = "A seat is waiting for you."
            return Letter(title, said, f"/join/{one.invite}", by=(one.caller,))
    return None


INVITED = MessageKind(
    name="invited",
    words="You are invited to a table",
    news=sa.select(
        *(calls.c.called.label("person"), calls.c.id.label("about"), calls.c.token),
        calls.c.at.label("since"),
    ),
    lasts=CALL_SECONDS,
    letter=call_letter,
)


def called_to(connection: sa.Connection, person: str, token: str) -> set[str]:
    """Return the ids of the friends whom a person has invited to a table."""
    query = sa.select(calls.c.called).filter_by(caller=person, token=token)
    return set(connection.execute(query).scalars())


def drop_call(connection: sa.Connection, person: str, number: str) -> str:
    """Forget an invitation, as the person who is invited, and return the token of its table.

    Raises :class:`NotFound`.
    """
    mine = sa.delete(calls).filter_by(id=number, called=person).returning(calls.c.token)
    token = connection.execute(mine).scalar_one_or_none()
    if token is None:
        raise NotFound("this invitation has expired: reload the page")
    return str(token)


def drop_left_calls(connection: sa.Connection, table: Table, entries: Sequence[Entry]) -> None:
    """Forget the invitations to a rematch of those who leave it for later at their table."""
    for entry in entries:
        if isinstance(entry.event, Later):
            mine = {"called": table.seats[entry.event.seat].person, "token": table.next.token}
            connection.execute(sa.delete(calls).filter_by(**mine))


def adopt(connection: sa.Connection, guest: str, person: str) -> None:
    """Give a guest's friends to a person; of two friendships with the same one, one stays."""
    theirs = sa.or_(friends.c.asker == guest, friends.c.asked == guest)
    for row in connection.execute(sa.select(friends).where(theirs)).all():
        other = row.asked if row.asker == guest else row.asker
        here = friends.c.id == row.id
        pair = friends.c.pair == _pair(person, other)
        own = connection.execute(sa.select(friends).where(pair)).one_or_none()
        if other == person or own is not None:
            connection.execute(sa.delete(friends).where(here))
            if own is not None and AGREED in (own.state, row.state):
                connection.execute(sa.update(friends).where(pair).values(state=AGREED))
            continue
        asker, asked = (person, other) if row.asker == guest else (other, person)
        moved = {"asker": asker, "asked": asked, "pair": _pair(person, other)}
        connection.execute(sa.update(friends).where(here).values(moved))
    if hides(connection, guest):
        hide(connection, person, True)


def exported(connection: sa.Connection, person: str) -> list[dict[str, Any]]:
    """Return a person's friendships and requests as they may know them."""
    rows: list[dict[str, Any]] = []
    for column, mine in ((friends.c.asked, friends.c.asker), (friends.c.asker, friends.c.asked)):
        query = sa.select(people.c.name, friends.c.state, friends.c.at)
        found = query.join(people, people.c.id == column).where(mine == person)
        asked = mine is friends.c.asker
        for row in connection.execute(found.order_by(friends.c.at)):
            # Who was refused isn't notified.
            state = ASKED if asked and row.state == REFUSED else row.state
            rows.append({"name": row.name, "state": state, "asked": asked, "at": row.at})
    return rows


def _listed(
    connection: sa.Connection, other: sa.Column[str], person: str, state: str
) -> Iterable[Friend]:
    mine = (friends.c.asked if other is friends.c.asker else friends.c.asker) == person
    shown = meet if state == AGREED else reaches
    query = (
        sa.select(
            *(friends.c.id, other.label("other"), people.c.name, friends.c.game, friends.c.at),
            hidden.c.person.is_not(None).label("hides"),
            sa.func.coalesce(profiles.c.results, Audience.FRIENDS).label("audience"),
            PICTURE,
        )
        .join(people, people.c.id == other)
        .outerjoin(hidden, hidden.c.person == other)
        .outerjoin(profiles, profiles.c.person == other)
        .where(mine, friends.c.state == state)
        .where(shown(other, sa.literal(person)))
        .order_by(sa.func.lower(people.c.name))
    )
    for row in connection.execute(query):
        yield Friend(
            *(row.id, row.other, row.name, row.game, bool(row.hides), row.at),
            picture=row.picture,
            shows_games=row.audience <= Audience.FRIENDS,
        )


def _pair(one: str, two: str) -> str:
    """Return what is the same for two people, whoever asks."""
    return " ".join(sorted((one, two)))
