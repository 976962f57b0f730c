"""Duplicate games of circles: several tables play the same deals, and equal seats compare.

In the code and the database such a game, which has several deals, is an *evening*.

People are spread evenly over the tables and get the first seats; bots get the others,
the same at every table. The seed of a deal names its evening, so that it is known wherever a game
with it turns up; nobody can compute it without the evening's secret.
"""

import hmac
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import SystemRandom
from typing import Any

import sqlalchemy as sa

from redouble.contract.registry import GAMES
from redouble.web.errors import NotFound, NotYours, Stale, TooMuch, WebError
from redouble.web.feature import CalendarEntry, Letter, MessageKind
from redouble.web.features.circles.circles import (
    Member,
    circle_members,
    circle_of,
    circles,
    evening_players,
    evenings,
    lock_circle,
    members_of,
)
from redouble.web.features.circles.seasons import shares_beaten
from redouble.web.live.plan import seated, usual_options
from redouble.web.people.mutes import reaches
from redouble.web.people.people import new_id
from redouble.web.store import count, exists, insert_first
from redouble.web.store.clock import CLOCK, DAY
from redouble.web.store.schema import results, seats, tables
from redouble.web.table import Header
from redouble.web.table.parts import KeptSeat

MAX_DEALS = 12
"""Deals of one evening."""
MAX_WAITING = 5
"""Evenings of a circle that wait for their start."""
AHEAD_SECONDS = 90.0 * DAY
"""How far ahead an evening can be planned."""
GATHER_SECONDS = 1.0 * DAY
"""How long an evening can wait for its start, after the time for which it was planned."""
REMINDED_SECONDS = 3600.0
"""How long before an evening its people are reminded."""
SHOWN_SECONDS = 2 * 3600.0
"""How long an evening is in a calendar."""
SEALED_SECONDS = 7.0 * DAY
"""After this time an evening is over, whatever isn't finished."""
SEED = re.compile(r"evening-([0-9a-f]{16})-\d+-[0-9a-f]{32}")
ENDED = ("over", "abandoned", "closed")
"""The states of tables that don't go on."""


@dataclass(frozen=True)
class Evening:
    """A duplicate evening."""

    id: str
    circle: str
    game: str
    seats: int
    """Seats at each table."""
    deals: int
    host: str | None
    """The person who has announced it, and starts it."""
    secret: str
    made: float
    begins: float | None
    """For when it is planned; None for as soon as its people are there."""
    started: float | None
    groups: int
    """How many tables play each deal; 0 before the start."""

    @property
    def address(self) -> str:
        """The path of its page."""
        return f"/circles/{self.circle}/evenings/{self.id}"

    @property
    def over(self) -> bool:
        """Whether its time is up."""
        return self.started is not None and CLOCK.now() >= self.started + SEALED_SECONDS

    def seed(self, deal: int) -> str:
        """Return the seed of a deal, counted from 1."""
        digest = hmac.digest(self.secret.encode(), f"deal {deal}".encode(), "sha256").hex()
        return f"evening-{self.id}-{deal}-{digest[:32]}"


@dataclass(frozen=True)
class SeatResult:
    """What a person has reached in a seat of a deal."""

    seat: int
    person: str
    name: str
    rank: int
    score: int | None
    share: float | None
    """The share of the others in this seat who did worse; None as long as there are no others."""


@dataclass(frozen=True)
class EveningRow:
    """A person's place in an evening."""

    person: str
    name: str
    average: float
    """Of the shares in deals that compare."""
    deals: int


def announce(
    connection: sa.Connection,
    person: str,
    circle: str,
    game: str,
    numbers: tuple[int, int],
    begins: float | None = None,
) -> str:
    """Announce an evening, as a member who takes part; return its id.

    The ``numbers`` are those of the seats at a table and of the deals. Raises :class:`WebError`.
    """
    players, deals = numbers
    chosen = GAMES[game]
    chosen.check_seats(players)
    if players < 2:
        raise WebError(f"{chosen.title} for one has a daily deal: choose a game for several")
    if not 1 <= deals <= MAX_DEALS:
        raise WebError(f"a duplicate game has 1 to {MAX_DEALS} deals: choose another number")
    if begins is not None and not 0 < begins - CLOCK.now() < AHEAD_SECONDS:
        days = round(AHEAD_SECONDS / DAY)
        raise WebError(f"this time is past or too far ahead: choose one in the next {days} days")
    lock_circle(connection, circle)
    circle_of(connection, person, circle)
    if sum(one.started is None for one in evenings_of(connection, circle)) >= MAX_WAITING:
        raise TooMuch(f"{MAX_WAITING} duplicate games are planned already: take part there", 0)
    made = secrets.token_hex(8)
    row = {
        "id": made,
        "circle": circle,
        "game": chosen.name,
        "seats": players,
        "deals": deals,
        "host": person,
        "secret": secrets.token_hex(32),
        "made": CLOCK.now(),
        "begins": begins,
        "groups": 0,
    }
    connection.execute(sa.insert(evenings).values(row))
    take_part(connection, person, circle, made, True)
    return made


planned = sa.func.coalesce(evenings.c.begins, evenings.c.made)
"""The time for which an evening was announced."""


def evenings_of(connection: sa.Connection, circle: str, limit: int = 5) -> list[Evening]:
    """Return a circle's evenings: those that wait for their start, and then the latest others."""
    mine = sa.select(evenings).filter_by(circle=circle)
    waits = evenings.c.started.is_(None) & (planned > CLOCK.now() - GATHER_SECONDS)
    ahead = mine.where(waits).order_by(planned)
    started = mine.where(evenings.c.started.is_not(None)).order_by(evenings.c.started.desc())
    found = [*connection.execute(ahead), *connection.execute(started.limit(limit))]
    return [Evening(**row._mapping) for row in found]


def ahead_of(connection: sa.Connection, person: str) -> list[tuple[Evening, str]]:
    """Return the evenings to come that a person hasn't declined, each with its circle's name."""
    query = (
        _invited(evenings, circles.c.name.label("club"))
        .join(circles, circles.c.id == evenings.c.circle)
        .where(circle_members.c.person == person, evenings.c.begins > CLOCK.now())
    )
    found = connection.execute(query.order_by(evenings.c.begins))
    return [(Evening(*columns), club) for *columns, club in found]


def expected(connection: sa.Connection, person: str) -> list[CalendarEntry]:
    """Return the evenings to come for a person's calendar."""
    return [
        CalendarEntry(
            *(f"circle-{one.id}", f"{GAMES[one.game].title} with {club}", one.address),
            *(one.begins, one.made, SHOWN_SECONDS),
        )
        for one, club in ahead_of(connection, person)
        if one.begins is not None and one.game in GAMES
    ]


def _invited(*selected: Any) -> sa.Select[Any]:
    """Select evenings that wait for their start, by each member who hasn't declined.

    Who has muted the host and hasn't answered isn't among them.
    """
    theirs = (evening_players.c.evening == evenings.c.id) & (
        evening_players.c.person == circle_members.c.person
    )
    heard = reaches(evenings.c.host, circle_members.c.person)
    return (
        sa.select(*selected)
        .select_from(evenings)
        .join(circle_members, circle_members.c.circle == evenings.c.circle)
        .outerjoin(evening_players, theirs)
        .where(evenings.c.started.is_(None), sa.func.coalesce(evening_players.c.comes, heard))
    )


def _reminder(connection: sa.Connection, person: str, about: str, now: float) -> Letter | None:
    """Return that an evening begins soon, for somebody who may come."""
    for one, club in ahead_of(connection, person):
        if one.id == about and one.begins is not None and one.game in GAMES:
            minutes = max(1, round((one.begins - now) / 60))
            title = f"{GAMES[one.game].title} with {club} in {minutes} minutes"
            return Letter(title, "The same cards at every table.", one.address, by=())
    return None


REMINDER = MessageKind(
    name="invited",  # the switch of invitations to tables
    news=_invited(
        *(circle_members.c.person, evenings.c.id.label("about"), sa.null().label("token")),
        (evenings.c.begins - (REMINDED_SECONDS + 60.0)).label("since"),
    ).where(evenings.c.begins.is_not(None)),
    lasts=REMINDED_SECONDS,
    letter=_reminder,
)


def evening_of(connection: sa.Connection, person: str, circle: str, evening: str) -> Evening:
    """Return an evening of a circle that a person is in. Raises :class:`NotFound`."""
    circle_of(connection, person, circle)
    found = _found(connection, evening)
    if found is None or found.circle != circle:
        raise NotFound("there is no such game: open the circle's page")
    return found


def players_of(connection: sa.Connection, circle: str, evening: str) -> list[Member]:
    """Return the members who take part in an evening that hasn't begun."""
    return answers_of(connection, circle, evening)[True]


def answers_of(
    connection: sa.Connection, circle: str, evening: str
) -> dict[bool | None, list[Member]]:
    """Return the members by what they have said: whether they take part, or None."""
    query = sa.select(evening_players.c.person, evening_players.c.comes).filter_by(evening=evening)
    said = {row.person: row.comes for row in connection.execute(query)}
    found: dict[bool | None, list[Member]] = {True: [], False: [], None: []}
    for one in members_of(connection, circle):
        found[said.get(one.person)].append(one)
    return found


def take_part(
    connection: sa.Connection, person: str, circle: str, evening: str, takes_part: bool
) -> None:
    """Note that a member takes part in an evening, or doesn't. Raises :class:`Stale`."""
    lock_circle(connection, circle)
    if evening_of(connection, person, circle, evening).started is not None:
        raise Stale("this game has begun: take part in the next one")
    row = {"evening": evening, "person": person, "comes": takes_part}
    if not insert_first(connection, evening_players, row):
        mine = sa.update(evening_players).filter_by(evening=evening, person=person)
        connection.execute(mine.values(comes=takes_part))


def call_off(connection: sa.Connection, person: str, circle: str, evening: str) -> list[Member]:
    """Delete an evening that hasn't begun, as its host or the circle's owner.

    Return who took part.
    """
    players = players_of(connection, circle, _to_start(connection, person, circle, evening).id)
    connection.execute(sa.delete(evenings).filter_by(id=evening))
    return players


def people_at_each(players: int, places: int) -> int:
    """Return how many people sit at each table, so that all tables have equally many.

    There are at least two tables. Returns 0 for fewer than two players.
    """
    return max((n for n in range(1, places + 1) if players % n == 0 and n < players), default=0)


def start(connection: sa.Connection, person: str, circle: str, evening: str) -> list[Header]:
    """Start an evening as its host or the circle's owner; return the tables of its first deal."""
    found = _to_start(connection, person, circle, evening)
    players = players_of(connection, circle, evening)
    SystemRandom().shuffle(players)
    at_each = people_at_each(len(players), found.seats)
    if not at_each:
        raise WebError("it takes two members who come: wait for another one")
    groups = [players[i : i + at_each] for i in range(0, len(players), at_each)]
    change = sa.update(evenings).filter_by(id=evening)
    connection.execute(change.values(started=CLOCK.now(), groups=len(groups)))
    connection.execute(
        sa.delete(evening_players).filter_by(evening=evening)
    )  # from here on their tables say who plays
    return [_first_table(found, group) for group in groups]


def _to_start(connection: sa.Connection, person: str, circle: str, evening: str) -> Evening:
    """Return an evening that a person can start or call off, and keep it for this transaction.

    Raises :class:`NotYours`, and :class:`Stale` if it has begun.
    """
    lock_circle(connection, circle)
    found = evening_of(connection, person, circle, evening)
    if person != found.host and not circle_of(connection, person, circle).mine:
        raise NotYours("only the host of this game or the circle's owner can do that")
    if found.started is not None:
        raise Stale("this game has begun: open its page")
    return found


def next_deal(connection: sa.Connection, header: Header) -> Header:
    """Return the header of the rematch at an evening's table, with the seed of its next deal.

    Others stay as they are. Raises :class:`Stale` after the last deal.
    """
    if not header.evening:
        return header
    found, left = _found(connection, header.evening), header.deals_left
    if found is None or found.over or left < 1:
        raise Stale("this was the last deal: open the results")
    return replace(header, seed=found.seed(found.deals - left + 1), deals_left=left - 1)


def is_sealed(connection: sa.Connection, person: str, seed: str) -> bool:
    """Return whether a person mustn't see the cards of this deal, since tables still play it.

    Those who have finished it themselves may.
    """
    named = SEED.fullmatch(seed)
    found = _found(connection, named[1]) if named else None
    if found is None or found.over:
        return False
    here = tables.c.evening == found.id, tables.c.seed == seed, tables.c.status.in_(ENDED)
    if count(connection, tables, *here) >= found.groups:
        return False
    mine = sa.select(seats.c.seat).join(tables, tables.c.token == seats.c.token)
    return not exists(connection, mine.where(*here, seats.c.person == person))


def sealed(now: float) -> sa.ColumnElement[bool]:
    """Return whether the deal of a table in a query is one that others may still play."""
    same = tables.alias()
    ended = sa.select(sa.func.count()).where(
        same.c.evening == tables.c.evening, same.c.seed == tables.c.seed, same.c.status.in_(ENDED)
    )
    return sa.exists().where(
        evenings.c.id == tables.c.evening,
        evenings.c.started > now - SEALED_SECONDS,
        evenings.c.groups > ended.scalar_subquery(),
    )


def tables_of(connection: sa.Connection, evening: Evening) -> list[tuple[int, str, bool, set[str]]]:
    """Return an evening's tables: the deal, the token, whether it has ended, and its people."""
    query = (
        sa.select(tables.c.token, tables.c.deals_left, tables.c.status, seats.c.person)
        .join(seats, seats.c.token == tables.c.token)
        .where(tables.c.evening == evening.id, seats.c.person.is_not(None))
    )
    found: dict[str, tuple[int, str, bool, set[str]]] = {}
    for row in connection.execute(query):
        deal = evening.deals - row.deals_left
        one = found.setdefault(row.token, (deal, row.token, row.status in ENDED, set()))
        one[3].add(row.person)
    return sorted(found.values(), key=lambda one: one[:2])


def results_of(connection: sa.Connection, evening: Evening) -> dict[int, list[SeatResult]]:
    """Return what people have reached, by the number of the deal; the best in each seat first."""
    query = (
        sa.select(tables.c.deals_left, results, seats.c.name)
        .join(tables, tables.c.token == results.c.token)
        .join(seats, sa.and_(seats.c.token == results.c.token, seats.c.seat == results.c.seat))
        .where(tables.c.evening == evening.id)
    )
    places: dict[tuple[int, int], list[Any]] = {}
    for row in connection.execute(query):
        places.setdefault((evening.deals - row.deals_left, row.seat), []).append(row)
    found: dict[int, list[SeatResult]] = {}
    for (deal, seat), rows in sorted(places.items()):
        shares = shares_in_seat({row.token: (row.rank, -(row.score or 0)) for row in rows})
        for row in sorted(rows, key=lambda row: (row.rank, -(row.score or 0), row.name)):
            reached = (row.rank, row.score, shares.get(row.token))
            found.setdefault(deal, []).append(SeatResult(seat, row.person, row.name, *reached))
    return found


def shares_in_seat(reached: Mapping[str, tuple[int, int]]) -> dict[str, float]:
    """Return the share of the others in the same seat whom each has beaten; a tie counts half."""
    order = sorted(set(reached.values()))
    return shares_beaten({who: order.index(what) for who, what in reached.items()})


def standings(found: Mapping[int, Sequence[SeatResult]]) -> list[EveningRow]:
    """Return the people of an evening, the one with the best average first."""
    shares: dict[str, list[float]] = {}
    names: dict[str, str] = {}
    for one in (one for rows in found.values() for one in rows if one.share is not None):
        shares.setdefault(one.person, []).append(one.share or 0.0)
        names[one.person] = one.name
    rows = [
        EveningRow(who, names[who], sum(mine) / len(mine), len(mine))
        for who, mine in shares.items()
    ]
    return sorted(rows, key=lambda row: (-row.average, row.name.casefold()))


def adopt(connection: sa.Connection, guest: str, person: str) -> None:
    """Let a person take part where a guest did."""
    mine = sa.select(evening_players.c.evening).filter_by(person=person)
    moved = (
        sa.update(evening_players)
        .filter_by(person=guest)
        .where(evening_players.c.evening.not_in(mine))
    )
    connection.execute(moved.values(person=person))
    connection.execute(sa.update(evenings).filter_by(host=guest).values(host=person))


def drop_old(connection: sa.Connection, now: float) -> None:
    """Delete the evenings that were never started."""
    late = planned < now - GATHER_SECONDS
    connection.execute(sa.delete(evenings).where(evenings.c.started.is_(None), late))


def _found(connection: sa.Connection, evening: str) -> Evening | None:
    row = connection.execute(sa.select(evenings).filter_by(id=evening)).one_or_none()
    return None if row is None else Evening(**row._mapping)


def _first_table(evening: Evening, people: Sequence[Member]) -> Header:
    """Return the table of some players: they have the first seats, and bots the others."""
    game = GAMES[evening.game]
    return Header(
        token=new_id(12),
        invite=secrets.token_urlsafe(16),
        game=game,
        options=usual_options(game, evening.seats),
        seed=evening.seed(1),
        seats=seated([KeptSeat(one.person, one.name) for one in people], evening.seats),
        host=people[0].person,
        created=CLOCK.now(),
        circle=evening.circle,
        evening=evening.id,
        deals_left=evening.deals - 1,
    )
