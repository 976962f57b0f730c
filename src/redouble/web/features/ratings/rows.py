"""Ratings in the database: one row for each game that changed a person's rating.

A game is rated once, in the transaction that ends it. Rated are games of at least two people with
one seat each that nobody made casual, and whose cards nobody could know: no daily deals, and no
moves undone after something new was seen. The same two people are compared at most ``DAILY_LIMIT``
times in a day.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from redouble.web.features.ratings import ratings as model
from redouble.web.features.ratings.ratings import FEW, Rating
from redouble.web.people.mutes import apart_from
from redouble.web.people.people import existing, lock
from redouble.web.people.profiles import PICTURE
from redouble.web.store import exists, insert_first
from redouble.web.store.schema import log, metadata, owned_by, people, profiles, results
from redouble.web.table import Table
from redouble.web.table.acts.clocks import TimeOut
from redouble.web.table.verdict import LAST, UNPLAYED, verdicts

ratings = sa.Table(
    "ratings",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("token", sa.String, nullable=False),  # its table, which may be deleted before this
    sa.Column("person", owned_by("people.id"), nullable=False),
    sa.Column("game", sa.String, nullable=False),
    sa.Column("points", sa.Float, nullable=False),
    sa.Column("spread", sa.Float, nullable=False),
    sa.Column("games", sa.Integer, nullable=False),  # rated ones up to this
    sa.Column("at", sa.Float, nullable=False),
    sa.Index("ix_ratings_person", "person", "game", "number"),
    sa.Index("ix_ratings_token", "token"),
    sqlite_autoincrement=True,
)
"""Each person's rating after each game that changed it."""

hinted = sa.Table(
    "hinted",
    metadata,
    sa.Column("token", owned_by("tables.token"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
)
"""Seats that were given a hint in a game with other people."""

listed = sa.Table(
    "listed",
    metadata,
    sa.Column("person", owned_by("people.id"), primary_key=True),
)
"""People who asked to be on the leaderboards."""

UPSET = 200
"""Points by which a player is rated much higher than another."""
PLACES = 100
"""Rows of a leaderboard."""


@dataclass(frozen=True)
class Change:
    """What a game did to a person's rating."""

    game: str
    before: Rating
    after: Rating

    @property
    def gained(self) -> int:
        """Points, as whole ratings show them."""
        return round(self.after.points) - round(self.before.points)


@dataclass(frozen=True)
class Ranked:
    """A row of a leaderboard."""

    place: int
    name: str
    rating: Rating
    me: bool
    picture: str


def rate(connection: sa.Connection, table: Table) -> None:
    """Rate a game that has ended, if it is one that is rated and hasn't been. A job at the end."""
    header, theirs = table.header, {one.seat: one for one in verdicts(table)}
    ids, outcome = sorted({one.person for one in theirs.values()}), table.match.outcome
    if outcome is None or len(ids) < 2 or len(ids) < len(theirs):
        return
    if not table.rated or table.undone.hindsight:
        return
    for person in ids:
        lock(connection, person)
    if connection.execute(sa.select(ratings.c.token).where(_at(header.token)).limit(1)).first():
        return
    here = existing(connection, ids)
    game, now, helped = header.game.name, table.changed, _helped(connection, header.token)
    finishes: dict[int, model.Finish] = {}
    for i, seat in enumerate(table.seats):
        if one := theirs.get(i):
            known = rating_of(connection, one.person, game)
            keeps = i in helped or seat.bot or not one.counts
            finishes[i] = model.Finish(
                known,
                one.rank,
                left=one.reason in LAST,
                unplayed=one.reason == UNPLAYED,
                ceiling=known.points if keeps else _ceiling(connection, one.person, game, now),
                person=one.person,
                met=_met_often(connection, one.person, ids, now),
            )
        elif not seat.person and (bot := model.anchor(game, seat.bot)):
            finishes[i] = model.Finish(bot, outcome.ranks[i], bot=True)
    rows = [
        {
            "token": header.token,
            "person": theirs[i].person,
            "game": game,
            "points": new.points,
            "spread": new.spread,
            "games": new.games,
            "at": now,
        }
        for i, new in zip(finishes, model.rated(game, [*finishes.values()]), strict=True)
        if new is not None and theirs[i].person in here
    ]
    if rows:
        connection.execute(sa.insert(ratings), rows)


def note_hint(connection: sa.Connection, token: str, seat: int) -> None:
    """Note that a seat was given a hint in a game with other people."""
    insert_first(connection, hinted, {"token": token, "seat": seat})


def rating_of(connection: sa.Connection, person: str, game: str) -> Rating:
    """Return a person's rating now."""
    return _newest(connection, person, game) or model.first_rating(game)


def newest_points(person: sa.Column[Any], game: sa.Column[Any]) -> sa.ScalarSelect[Any]:
    """Return the points of a person in a game, for a query that has both; NULL without a rating."""
    mine = sa.and_(ratings.c.person == person, ratings.c.game == game)
    newest = sa.select(ratings.c.points).where(mine).order_by(ratings.c.number.desc())
    return newest.limit(1).scalar_subquery()


def history_of(
    connection: sa.Connection, person: str, game: str | None = None
) -> list[dict[str, Any]]:
    """Return a person's ratings after each rated game, oldest first."""
    query = sa.select(ratings).filter_by(person=person).order_by(ratings.c.number)
    if game is not None:
        query = query.where(ratings.c.game == game)
    return [dict(row._mapping) for row in connection.execute(query)]


def change_at(connection: sa.Connection, person: str, token: str) -> Change | None:
    """Return what the game at a table did to a person's rating; None if it wasn't rated."""
    mine = sa.select(ratings).filter_by(person=person)
    row = connection.execute(mine.where(_at(token))).one_or_none()
    if row is None:
        return None
    before = _newest(connection, person, row.game, row.number) or model.first_rating(row.game)
    return Change(row.game, before, _rating(row))


def best(connection: sa.Connection, game: str, person: str | None) -> list[Ranked]:
    """Return the people on a game's leaderboard, the strongest first.

    These are the people who asked to be on it and are no newcomers to the game. The places of those
    whom a person never meets are left out.
    """
    apart = apart_from(connection, person) if person else ()
    newest = (
        sa.select(sa.func.max(ratings.c.number)).filter_by(game=game).group_by(ratings.c.person)
    )
    query = (
        sa.select(ratings, people.c.name, PICTURE)
        .join(people, people.c.id == ratings.c.person)
        .join(listed, listed.c.person == ratings.c.person)
        .outerjoin(profiles, profiles.c.person == ratings.c.person)
        .where(ratings.c.number.in_(newest), ratings.c.games >= FEW)
        .order_by(ratings.c.points.desc(), ratings.c.number)
        .limit(PLACES)
    )
    return [
        Ranked(place, row.name, _rating(row), row.person == person, row.picture)
        for place, row in enumerate(connection.execute(query), 1)
        if row.person not in apart
    ]


def upset(connection: sa.Connection, person: str) -> bool:
    """Return whether a person has finished ahead of a player who was rated much higher.

    Both were no newcomers to the game.
    """
    mine, theirs = ratings.alias(), ratings.alias()
    me, them = results.alias(), results.alias()
    met = sa.and_(theirs.c.token == mine.c.token, theirs.c.points >= mine.c.points + UPSET)
    i_finished = sa.and_(me.c.token == mine.c.token, me.c.person == person)
    they_finished = sa.and_(them.c.token == mine.c.token, them.c.person == theirs.c.person)
    query = (
        sa.select(mine.c.number)
        .join(theirs, met)
        .join(me, i_finished)
        .join(them, they_finished)
        .where(mine.c.person == person, mine.c.games >= FEW, theirs.c.games >= FEW)
        .where(me.c.rank < them.c.rank)
    )
    return exists(connection, query)


def is_listed(connection: sa.Connection, person: str) -> bool:
    """Return whether a person is on the leaderboards."""
    return exists(connection, sa.select(listed).filter_by(person=person))


def list_person(connection: sa.Connection, person: str, wanted: bool) -> None:
    """Put a person on the leaderboards, or take them off."""
    if wanted:
        insert_first(connection, listed, {"person": person})
    else:
        connection.execute(sa.delete(listed).filter_by(person=person))


def adopt_ratings(connection: sa.Connection, guest: str, person: str) -> None:
    """Give a guest's ratings to a person, in the games in which they have none."""
    own = sa.select(ratings.c.game).filter_by(person=person).scalar_subquery()
    moved = sa.update(ratings).filter_by(person=guest).where(ratings.c.game.not_in(own))
    connection.execute(moved.values(person=person))


def _newest(
    connection: sa.Connection, person: str, game: str, before: int | None = None
) -> Rating | None:
    query = sa.select(ratings).filter_by(person=person, game=game)
    if before is not None:
        query = query.where(ratings.c.number < before)
    row = connection.execute(query.order_by(ratings.c.number.desc()).limit(1)).one_or_none()
    return None if row is None else _rating(row)


def _rating(row: Any) -> Rating:
    return Rating(row.points, row.spread, row.games)


def _at(token: str) -> sa.ColumnElement[bool]:
    return ratings.c.token == token


def _met_often(
    connection: sa.Connection, person: str, others: Sequence[str], now: float
) -> frozenset[str]:
    """Return those others who have been rated together with a person often within a day."""
    mine, theirs = ratings.alias(), ratings.alias()
    query = (
        sa.select(theirs.c.person)
        .join(mine, mine.c.token == theirs.c.token)
        .where(mine.c.person == person, mine.c.at > now - model.DAY)
        .where(theirs.c.person.in_(others), theirs.c.person != person)
        .group_by(theirs.c.person)
        .having(sa.func.count() >= model.DAILY_LIMIT)
    )
    return frozenset(connection.execute(query).scalars())


def _ceiling(connection: sa.Connection, person: str, game: str, now: float) -> float:
    past = [(row["at"], row["points"]) for row in history_of(connection, person, game)]
    return model.ceiling(game, past, now)


def _helped(connection: sa.Connection, token: str) -> set[int]:
    """Return the seats that were given a hint, or for which a bot moved when time ran out."""
    hints = sa.select(hinted.c.seat).filter_by(token=token)
    moved = sa.select(log.c.seat).filter_by(token=token, kind=TimeOut.kind)
    return set(connection.execute(sa.union(hints, moved)).scalars())
