"""Lists of tables: unfinished, finished and public ones, and those of a person."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from redouble.contract.registry import GAMES
from redouble.web.people.mutes import HIDDEN_NAME, unheard_by
from redouble.web.store.clock import DAY
from redouble.web.store.schema import log, seats, tables
from redouble.web.table import TABLE
from redouble.web.table.acts.rating import SetRated

GONE = "gone-"
"""The prefix of the id of a person whose data was deleted."""
WATCHABLE_SECONDS = 3600.0
"""A public table is listed for this time after its last event."""
NEVER = 1e12
"""Seconds since 1970 that no deadline reaches."""
ENDED = ("over", "abandoned", "closed")
"""The states of tables whose game doesn't go on."""

FREE = sa.and_(seats.c.person.is_(None), seats.c.bot == "")
"""Whether a seat is open."""
_LEFT = sa.select(sa.func.count()).where(seats.c.token == tables.c.token, FREE).scalar_subquery()
"""How many seats of a table are open."""
_RATED = (
    sa.select(log.c.payload)
    .where(log.c.token == tables.c.token, log.c.kind == SetRated.kind)
    .order_by(log.c.ply.desc())
    .limit(1)
    .scalar_subquery()
    .label("rated")
)
_CASUAL = SetRated(seat=TABLE, rated=False).model_dump_json()
"""What was said last about a table's rating."""
_LISTED = (tables.c.token, tables.c.game, tables.c.status, tables.c.changed)
"""The columns of lists of tables."""


@dataclass(frozen=True)
class ListedTable:
    """A table in a list."""

    token: str
    game: str
    status: str
    names: tuple[str, ...]
    changed: float
    mine: bool = False
    """Whether it is the turn of the person who asked for the list."""
    taken: tuple[str, ...] = ()
    """The names at seats that aren't open."""
    invite: str = ""
    """The invitation to a public table with open seats."""
    others: tuple[str, ...] = ()
    """The names at the seats that aren't those of the person who asked for the list."""
    until: float | None = None
    """When their time runs out, if it is their turn and the table has a clock."""
    people: frozenset[str] = frozenset()
    """The ids of those who sit there."""
    rated: bool = True
    """Whether its game is rated, if it is among public ones."""


def unfinished(connection: sa.Connection, person: str, limit: int = 30) -> list[ListedTable]:
    """Return a person's unfinished tables: those where it is their turn, soonest deadline first.

    Muted players have no name there, nor in :func:`finished`.
    """
    mine = sa.func.coalesce(sa.func.max(sa.cast(_on_turn(), sa.Integer)), 0)
    rows = connection.execute(
        sa.select(*_LISTED, tables.c.due, mine.label("mine"))
        .join(seats, seats.c.token == tables.c.token)
        .where(
            seats.c.person == person,
            seats.c.resigned.is_(False),
            running(),
        )
        .group_by(tables.c.token)
        .order_by(
            sa.desc("mine"),
            sa.case((mine == 1, sa.func.coalesce(tables.c.due, NEVER)), else_=NEVER),
            tables.c.changed.desc(),
        )
        .limit(limit)
    ).all()
    return _rows(connection, rows, person)


def hosted(connection: sa.Connection, person: str) -> tuple[int, int]:
    """Return how many unfinished tables a person plays at, or hosts without having sat down.

    The second number is that of tables that they host for bots alone.
    """
    sat = sa.select(seats.c.token).where(seats.c.person == person)
    hosting = sa.and_(tables.c.host == person, tables.c.token.not_in(sat))
    theirs = sa.or_(tables.c.token.in_(sat.where(seats.c.resigned.is_(False))), hosting)
    count = sa.select(sa.func.count()).select_from(tables).where(running())
    peopled = sa.or_(seats.c.person.is_not(None), seats.c.bot == "")
    seated = sa.select(seats.c.seat).where(seats.c.token == tables.c.token, peopled)
    bots = count.where(tables.c.host == person, ~seated.exists())
    return (
        connection.execute(count.where(theirs)).scalar() or 0,
        connection.execute(bots).scalar() or 0,
    )


def finished(connection: sa.Connection, person: str, limit: int = 50) -> list[ListedTable]:
    """Return a person's finished tables, newest first."""
    mine = sa.select(seats.c.token).where(seats.c.person == person)
    rows = connection.execute(
        sa.select(*_LISTED)
        .where(tables.c.token.in_(mine), tables.c.status.in_(ENDED))
        .order_by(tables.c.changed.desc())
        .limit(limit)
    ).all()
    return _rows(connection, rows, person)


def due(
    connection: sa.Connection, now: float, limit: int = 1000
) -> tuple[list[tuple[str, float]], float | None]:
    """Return the tables where the server has to act now, and when that is so of the next one.

    Among them are those that were changed while the clock was ahead: their turns begin now.
    """
    ahead = sa.and_(tables.c.due.is_not(None), tables.c.changed > now + DAY)
    waiting = sa.select(tables.c.token, tables.c.due).where(sa.or_(tables.c.due <= now, ahead))
    found = connection.execute(waiting.order_by(tables.c.due).limit(limit))
    later = sa.select(sa.func.min(tables.c.due)).where(tables.c.due > now)
    return [(row.token, row.due) for row in found], connection.execute(later).scalar()


@dataclass(frozen=True)
class Turns:
    """A person's unfinished tables."""

    mine: tuple[str, ...]
    """The tokens of those where it is their turn, soonest deadline first."""
    others: tuple[str, ...]

    def besides(self, token: str) -> Turns:
        """Return the same without one table."""
        mine, others = (
            tuple(one for one in tokens if one != token) for tokens in (self.mine, self.others)
        )
        return Turns(mine, others)

    def after(self, token: str) -> str:
        """Return the next table where it is their turn; empty if there is no other."""
        at = self.mine.index(token) + 1 if token in self.mine else 0
        return next((one for one in self.mine[at:] + self.mine[:at] if one != token), "")


def turns(connection: sa.Connection, person: str, limit: int = 100) -> Turns:
    """Return a person's unfinished tables, with those where it is their turn."""
    mine = sa.func.max(sa.cast(_on_turn(), sa.Integer))
    found = connection.execute(
        sa.select(tables.c.token, mine.label("mine"))
        .join(seats, seats.c.token == tables.c.token)
        .where(seats.c.person == person, seats.c.resigned.is_(False), running())
        .group_by(tables.c.token)
        .order_by(sa.func.coalesce(tables.c.due, NEVER), tables.c.changed)
        .limit(limit)
    ).all()
    return Turns(
        tuple(row.token for row in found if row.mine),
        tuple(row.token for row in found if not row.mine),
    )


def public_tables(
    connection: sa.Connection, since: float, limit: int, without: Collection[str] = ()
) -> list[ListedTable]:
    """Return the public tables that changed since then: first those with open seats, then others.

    Of each kind the last changed comes first; those ``without`` certain people. Anyone with the
    list can join and watch.
    """
    occupied = sa.select(seats.c.seat).where(seats.c.token == tables.c.token, seats.c.person != "")
    rows = connection.execute(
        sa.select(*_LISTED, tables.c.invite, _LEFT.label("open_seats"), _RATED)
        .where(
            tables.c.public.is_(True),
            running(),
            _without(without),
            sa.or_(tables.c.status != "waiting", occupied.exists()),
            # A later time is that of a clock which was ahead.
            tables.c.changed.between(since, since + 2 * WATCHABLE_SECONDS),
        )
        .order_by(sa.desc(_LEFT > 0), tables.c.changed.desc())
        .limit(limit)
    ).all()
    return _rows(connection, rows)


def of_circle(
    connection: sa.Connection, circle: str, without: Collection[str], limit: int = 12
) -> tuple[list[ListedTable], list[ListedTable]]:
    """Return the open tables of a circle and its last games, the latest first.

    They are those ``without`` certain people. Those of evenings aren't among them: their cards are
    sealed for a time.
    """
    here = sa.and_(tables.c.circle == circle, tables.c.evening.is_(None), _without(without))
    query = sa.select(*_LISTED, tables.c.invite, _LEFT.label("open_seats"))
    ordered = query.order_by(tables.c.changed.desc()).limit(limit)
    open_ones = connection.execute(ordered.where(here, running())).all()
    ended = connection.execute(ordered.where(here, tables.c.status == "over")).all()
    return _rows(connection, open_ones), _rows(connection, ended)


def running_with_others(connection: sa.Connection, person: str) -> list[str]:
    """Return the tokens of a person's unfinished tables with other people."""
    mine = sa.select(seats.c.token).where(seats.c.person == person, seats.c.resigned.is_(False))
    shared = sa.select(tables.c.token).where(running(), with_others(person))
    return [row.token for row in connection.execute(shared.where(tables.c.token.in_(mine)))]


def known_at(connection: sa.Connection, person: str) -> list[str]:
    """Return the tokens of the tables that a person made, sat at or chatted at, in their order."""
    found = connection.execute(
        sa.union(
            sa.select(tables.c.token).where(tables.c.host == person),
            sa.select(seats.c.token).where(seats.c.person == person),
            sa.select(log.c.token).where(log.c.person == person),
        )
    )
    return sorted(row.token for row in found)


def plays_elsewhere(connection: sa.Connection, person: str, game: str, token: str) -> bool:
    """Return whether a person has a seat at another table of this game, finished or not."""
    query = (
        sa.select(seats.c.token)
        .join(tables, seats.c.token == tables.c.token)
        .where(seats.c.person == person, tables.c.game == game, tables.c.token != token)
    )
    return connection.execute(query.limit(1)).first() is not None


def has_met(connection: sa.Connection, person: str) -> bool:
    """Return whether a person has had a seat at a table with others."""
    mine = sa.select(seats.c.token).where(seats.c.person == person)
    shared = sa.select(tables.c.token).where(tables.c.token.in_(mine), with_others(person))
    return connection.execute(shared.limit(1)).first() is not None


def running() -> sa.ColumnElement[bool]:
    return tables.c.status.in_(("waiting", "playing"))


def with_others(person: str) -> sa.ColumnElement[bool]:
    """Return whether a table has another person as its host or at a seat."""

    def other(column: sa.ColumnElement[Any]) -> sa.ColumnElement[bool]:
        return sa.and_(column != person, ~column.startswith(GONE, autoescape=True))

    sits = sa.exists().where(seats.c.token == tables.c.token, other(seats.c.person))
    return sa.or_(sits, sa.and_(tables.c.host.is_not(None), other(tables.c.host)))


def _without(people: Collection[str]) -> sa.ColumnElement[bool]:
    sits = seats.c.token == tables.c.token, seats.c.person.in_(people)
    return ~sa.exists().where(*sits)


def _on_turn() -> sa.ColumnElement[bool]:
    return sa.and_(seats.c.seat == tables.c.turn, seats.c.bot == "")


def _rows(
    connection: sa.Connection, found: Iterable[Any], person: str | None = None
) -> list[ListedTable]:
    unheard = unheard_by(connection, person) if person else ()
    installed = set(GAMES)
    rows = [row for row in found if row.game in installed]
    tokens = [row.token for row in rows]
    query = sa.select(seats).where(seats.c.token.in_(tokens))
    names: dict[str, list[str]] = {token: [] for token in tokens}
    taken: dict[str, list[str]] = {token: [] for token in tokens}
    others: dict[str, list[str]] = {token: [] for token in tokens}
    people: dict[str, set[str]] = {token: set() for token in tokens}
    for seat in connection.execute(query.order_by(seats.c.token, seats.c.seat)):
        name = HIDDEN_NAME if seat.person in unheard else seat.name
        names[seat.token].append(name)
        if seat.person is None or seat.person != person:
            others[seat.token].append(name)
        if seat.person is not None or seat.bot:
            taken[seat.token].append(name)
        if seat.person is not None:
            people[seat.token].add(seat.person)
    return [
        ListedTable(
            row.token,
            row.game,
            row.status,
            tuple(names[row.token]),
            row.changed,
            bool(getattr(row, "mine", False)),
            tuple(taken[row.token]),
            row.invite if getattr(row, "open_seats", 0) else "",
            tuple(others[row.token]),
            row.due if getattr(row, "mine", False) else None,
            frozenset(people[row.token]),
            getattr(row, "rated", None) != _CASUAL,
        )
        for row in rows
    ]
