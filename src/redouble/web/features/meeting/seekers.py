"""Who looks for others, in the database: a row for each person, as long as their page is open."""

from dataclasses import dataclass
from random import SystemRandom
from typing import Any

import sqlalchemy as sa

from redouble.contract.registry import GAMES
from redouble.web.feature import Letter, MessageKind
from redouble.web.features.meeting.groups import Crowd, PlayGroup, SearchWishes, Seeker
from redouble.web.live.lists import running
from redouble.web.live.plan import strangers_table
from redouble.web.live.tables import Beginning
from redouble.web.people.mutes import at_odds, reaches
from redouble.web.people.people import lock, new_id
from redouble.web.store import one_at_a_time
from redouble.web.store.clock import CLOCK, DAY
from redouble.web.store.schema import metadata, owned_by, people, seats, tables
from redouble.web.table.parts import KeptSeat

seekers = sa.Table(
    "seekers",
    metadata,
    sa.Column("person", owned_by("people.id"), primary_key=True),
    sa.Column("id", sa.String, nullable=False),  # of this search
    sa.Column("least", sa.Integer, nullable=False),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("bots", sa.Float),
    sa.Column("tell", sa.Boolean, nullable=False),  # when others come, once they have gone
    sa.Column("promise", sa.String, nullable=False),
    sa.Column("since", sa.Float, nullable=False),
    sa.Column("seen", sa.Float, nullable=False, index=True),  # the last sign of life
    sa.Column("token", sa.String, nullable=False),  # the table that was found
)
"""Who looks for others, or did within a day."""

sought = sa.Table(
    "sought",
    metadata,
    sa.Column("person", owned_by("people.id"), primary_key=True),
    sa.Column("game", sa.String, primary_key=True),
)
"""The games that they would play."""

HERE_SECONDS = 20.0
"""Somebody is here for so long after a sign of life: a page or program gives one more often."""
LEAVING_SECONDS = 4.0
"""For so long a page that has closed may be loaded anew. Nobody meets its person meanwhile."""
FOUND_SECONDS = 60.0
"""For so long a page that asks is led to the table that was found."""
MAX_HERE = 60
"""People among whom others are found; those who came first count."""


@dataclass(frozen=True)
class PeopleSearch:
    """What a person looks for, or did last."""

    id: str
    wishes: SearchWishes
    tell: bool
    """Whether they want to know when others come, once they have gone."""
    promise: str
    since: float
    seen: float
    token: str
    """The table that was found; empty before."""

    @property
    def active(self) -> bool:
        """Whether they are here and look for others."""
        return not self.token and abs(CLOCK.now() - self.seen) <= HERE_SECONDS


def look(
    connection: sa.Connection, person: str, wishes: SearchWishes, tell: bool, promise: str
) -> None:
    """Let a person look for others, from now on or with other wishes."""
    lock(connection, person)
    search, now = search_of(connection, person), CLOCK.now()
    waits = search if search is not None and search.active else None
    row = {
        "person": person,
        "id": waits.id if waits else new_id(12),
        "least": wishes.least,
        "kind": wishes.kind,
        "bots": wishes.bots and ((waits and waits.wishes.bots) or wishes.bots),
        "tell": tell,
        "promise": promise or (waits.promise if waits else ""),
        "since": waits.since if waits else now,
        "seen": now,
        "token": "",
    }
    stop(connection, person)
    connection.execute(sa.insert(seekers).values(row))
    rows = [{"person": person, "game": game} for game in sorted(wishes.games)]
    connection.execute(sa.insert(sought), rows)


def stop(connection: sa.Connection, person: str) -> None:
    """End a person's search, and send them nothing more."""
    for table in (seekers, sought):
        connection.execute(sa.delete(table).filter_by(person=person))


def drop_old(connection: sa.Connection, now: float) -> None:
    """Delete searches after a day."""
    old = sa.select(seekers.c.person).where(seekers.c.seen < now - DAY)
    connection.execute(sa.delete(sought).where(sought.c.person.in_(old)))
    connection.execute(sa.delete(seekers).where(seekers.c.person.in_(old)))


def search_of(connection: sa.Connection, person: str) -> PeopleSearch | None:
    """Return what a person looks for, or has looked for within a day."""
    row = connection.execute(sa.select(seekers).filter_by(person=person)).one_or_none()
    if row is None:
        return None
    games = connection.execute(sa.select(sought.c.game).filter_by(person=person)).scalars()
    wishes = SearchWishes(frozenset(games), row.least, row.kind, row.bots)
    return PeopleSearch(row.id, wishes, row.tell, row.promise, row.since, row.seen, row.token)


def note_here(connection: sa.Connection, person: str, search: str = "") -> None:
    """Note a sign of life of somebody who looks for others.

    The page of a ``search`` revives it, such as after a sleep of the device.
    """
    now = CLOCK.now()
    lives = sa.or_(seekers.c.id == search, seekers.c.seen > now - HERE_SECONDS)
    mine = sa.update(seekers).filter_by(person=person, token="").where(lives)
    connection.execute(mine.values(seen=now))


def note_leaving(connection: sa.Connection, person: str, now: float) -> None:
    """Note that the page of somebody has closed, who may come back at once."""
    left = now - HERE_SECONDS
    mine = sa.update(seekers).filter_by(person=person, token="").where(seekers.c.seen > left)
    connection.execute(mine.values(seen=left + LEAVING_SECONDS))


def crowd(connection: sa.Connection, person: str = "") -> Crowd:
    """Return those who look for others now, for a person who may be one of them."""
    now, games = CLOCK.now(), dict[str, set[str]]()
    here = sa.and_(
        seekers.c.token == "",
        seekers.c.seen > now - HERE_SECONDS + LEAVING_SECONDS,
        seekers.c.seen <= now + HERE_SECONDS,
    )
    query = sa.select(sought).join(seekers, seekers.c.person == sought.c.person).where(here)
    for row in connection.execute(query):
        if row.game in GAMES:
            games.setdefault(row.person, set()).add(row.game)
    rows = connection.execute(
        sa.select(seekers, people.c.name)
        .join(people, people.c.id == seekers.c.person)
        .where(here)
        .order_by(seekers.c.person != person, seekers.c.since, seekers.c.person)
        .limit(MAX_HERE)
    ).all()
    found = [
        Seeker(
            *(row.id, row.person, row.name),
            SearchWishes(frozenset(games.get(row.person, ())), row.least, row.kind, row.bots),
            *(row.since, row.promise),
        )
        for row in rows
    ]
    return Crowd(found, at_odds(connection, {person, *(one.person for one in found)}), now)


def pair(connection: sa.Connection, person: str) -> list[Beginning]:
    """Return the table of a person and of those with whom they can play now; none without them.

    Wherever people look, they are paired one after the other, and nobody twice.
    """
    one_at_a_time(connection, "meeting")
    group = crowd(connection, person).group_of(person)
    if group is None:
        return []
    begins = _begins(group)
    found = sa.update(seekers).where(seekers.c.person.in_([one.person for one in group.people]))
    connection.execute(found.values(token=begins[0].token, seen=CLOCK.now()))
    return [begins]


def _begins(group: PlayGroup) -> Beginning:
    order = SystemRandom().sample(group.people, len(group.people))
    sitting = [KeptSeat(one.person, one.name) for one in order]
    promises = {seat: one.promise for seat, one in enumerate(order) if one.promise}
    return strangers_table(group.game, sitting, group.seats, group.rated, promises)


def table_found(connection: sa.Connection, person: str) -> str:
    """Return the token of the table that was found for a person just now; empty without one."""
    since = CLOCK.now() - FOUND_SECONDS
    plays = sa.and_(seats.c.token == seekers.c.token, seats.c.person == seekers.c.person)
    begun = sa.select(seekers.c.token).join(tables, tables.c.token == seekers.c.token)
    begun = begun.join(seats, sa.and_(plays, seats.c.resigned.is_(False)))
    mine = begun.where(seekers.c.person == person, seekers.c.seen > since, running())
    return connection.execute(mine).scalar() or ""


def note_led(connection: sa.Connection, person: str) -> None:
    """Note that a page leads a person to the table that was found: it does so only once."""
    mine = sa.update(seekers).filter_by(person=person).where(seekers.c.token != "")
    connection.execute(mine.values(seen=CLOCK.now() - FOUND_SECONDS))


def _letter(connection: sa.Connection, person: str, about: str, now: float) -> Letter | None:
    """Return who looks for others, if they are still there and somebody wants to know it."""
    mine = search_of(connection, person)
    if mine is None or mine.id != about or not mine.tell or mine.token:
        return None
    for one in crowd(connection, person).met_by(person):
        for game in GAMES.values():
            if game.name in mine.wishes.games & one.wishes.games:
                title = f"{one.name} is looking for people to play {game.title}"
                return Letter(title, "Sit down together now.", "/people", by=(one.person,))
    return None


def _company() -> sa.Select[Any]:
    """Select who has gone and wants to know that somebody came who likes one of their games."""
    me, they = seekers.alias(), seekers.alias()
    mine, theirs = sought.alias(), sought.alias()
    return (
        sa.select(
            *(me.c.person.label("person"), me.c.id.label("about")),
            *(sa.null().label("token"), they.c.seen.label("since")),
        )
        .join(mine, mine.c.person == me.c.person)
        .join(theirs, theirs.c.game == mine.c.game)
        .join(they, they.c.person == theirs.c.person)
        .where(me.c.tell, me.c.token == "", me.c.seen < they.c.seen - HERE_SECONDS)
        .where(they.c.token == "", reaches(they.c.person, me.c.person))
        .where(reaches(me.c.person, they.c.person))
    )


COMPANY = MessageKind(
    name="company",
    news=_company(),
    after=0.0,
    lasts=HERE_SECONDS,
    letter=_letter,
)
