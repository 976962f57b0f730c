"""What of tables is kept in the database, and how it is read back: jobs for the store."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from redouble.errors import RedoubleError
from redouble.registry import game_named
from redouble.web.errors import NotFound
from redouble.web.schema import codes, log, people, records, results, seats, tables
from redouble.web.table import Entry, Header, Seat, Table

FORGOTTEN = "Somebody"
"""The name of a seat whose player wanted everything forgotten."""


@dataclass(frozen=True)
class Row:
    """A table in a list."""

    token: str
    game: str
    status: str
    names: tuple[str, ...]
    changed: float
    mine: bool = False
    """Whether it waits for the person who looks at the list."""


def insert(connection: sa.Connection, table: Table) -> None:
    """Keep a new table."""
    header = table.header
    connection.execute(
        sa.insert(tables).values(
            token=header.token,
            invite=header.invite,
            game=header.game.name,
            rules=header.game.version,
            options=dict(header.options),
            seed=header.seed,
            seats=[asdict(seat) for seat in header.seats],
            host=header.host,
            public=header.public,
            before=header.before,
            created=header.created,
            changed=header.created,
            status=table.status,
            turn=table.turn,
        )
    )
    _put_seats(connection, table)


def append(connection: sa.Connection, table: Table, entries: Sequence[Entry], seated: bool) -> None:
    """Keep entries that ``table`` has taken in, and what they change in the lists.

    Raises ``sqlalchemy.exc.IntegrityError`` when somebody else has logged at their place.
    """
    token = table.header.token
    connection.execute(sa.insert(log), [{"token": token, **asdict(entry)} for entry in entries])
    connection.execute(
        sa.update(tables)
        .where(tables.c.token == token)
        .values(changed=table.changed, status=table.status, turn=table.turn)
    )
    if seated:
        connection.execute(sa.delete(seats).where(seats.c.token == token))
        _put_seats(connection, table)
    if table.over or table.undos:
        connection.execute(sa.delete(results).where(results.c.token == token))
        if rows := _result_rows(table):
            connection.execute(sa.insert(results), rows)


def load(connection: sa.Connection, token: str) -> Table:
    """The table of this token. Raises :class:`NotFound`."""
    row = connection.execute(sa.select(tables).where(tables.c.token == token)).one_or_none()
    if row is None:
        raise NotFound("there is no table with this link; it may have been deleted")
    entries = connection.execute(
        sa.select(log.c.ply, log.c.kind, log.c.seat, log.c.text, log.c.at, log.c.person)
        .where(log.c.token == token)
        .order_by(log.c.ply)
    ).all()
    try:
        game = game_named(row.game)
        if game.version != row.rules:
            raise NotFound(
                f"this table was begun by version {row.rules} of {game.title}'s rules; "
                f"here version {game.version} is played"
            )
        header = Header(
            token=row.token,
            invite=row.invite,
            game=game,
            options=row.options,
            seed=row.seed,
            seats=tuple(Seat(**seat) for seat in row.seats),
            host=row.host,
            public=row.public,
            created=row.created,
            before=row.before,
        )
        return Table.load(header, [Entry(*entry) for entry in entries])
    except RedoubleError as error:
        raise NotFound(f"this table cannot be read back: {error}") from error


def token_of_invite(connection: sa.Connection, invite: str) -> str:
    """The table that an invitation is for. Raises :class:`NotFound`."""
    found = connection.execute(sa.select(tables.c.token).where(tables.c.invite == invite)).scalar()
    if found is None:
        raise NotFound("this invitation is for no table that is here")
    return str(found)


def unfinished(connection: sa.Connection, person: str, most: int = 30) -> list[Row]:
    """The tables a person plays at, those that wait for them first."""
    rows = connection.execute(
        sa.select(tables, sa.func.max(seats.c.seat == tables.c.turn).label("mine"))
        .join(seats, seats.c.token == tables.c.token)
        .where(
            seats.c.person == person,
            seats.c.resigned.is_(False),
            tables.c.status.in_(("waiting", "playing")),
        )
        .group_by(tables.c.token)
        .order_by(sa.desc("mine"), tables.c.changed.desc())
        .limit(most)
    ).all()
    return _rows(connection, rows)


def finished(connection: sa.Connection, person: str, most: int = 50) -> list[Row]:
    """The tables at which a person has played to the end, the last first."""
    mine = sa.select(seats.c.token).where(seats.c.person == person)
    rows = connection.execute(
        sa.select(tables)
        .where(tables.c.token.in_(mine), tables.c.status.in_(("over", "abandoned")))
        .order_by(tables.c.changed.desc())
        .limit(most)
    ).all()
    return _rows(connection, rows)


def watchable(connection: sa.Connection, since: float, most: int = 12) -> list[Row]:
    """Tables that anybody may watch, at which something was done since."""
    rows = connection.execute(
        sa.select(tables)
        .where(
            tables.c.public.is_(True),
            tables.c.status.in_(("waiting", "playing")),
            tables.c.changed >= since,
        )
        .order_by(tables.c.changed.desc())
        .limit(most)
    ).all()
    return _rows(connection, rows)


def results_of(connection: sa.Connection, person: str) -> list[dict[str, Any]]:
    """A person's results, the first first."""
    query = sa.select(results).where(results.c.person == person).order_by(results.c.at)
    return [dict(row._mapping) for row in connection.execute(query)]


def tables_of(connection: sa.Connection, person: str) -> list[str]:
    """The tokens of all tables at which a person sits or sat."""
    query = sa.select(seats.c.token).where(seats.c.person == person).distinct()
    return [row.token for row in connection.execute(query)]


def keep_record(connection: sa.Connection, person: str, line: str, at: float) -> str:
    """Keep a record that somebody brought along; its token."""
    token = secrets.token_urlsafe(16)
    connection.execute(sa.insert(records).values(token=token, person=person, line=line, at=at))
    return token


def record_line(connection: sa.Connection, token: str) -> str:
    """The line of a record that somebody brought along. Raises :class:`NotFound`."""
    found = connection.execute(sa.select(records.c.line).where(records.c.token == token)).scalar()
    if found is None:
        raise NotFound("there is no record with this link")
    return str(found)


def records_of(connection: sa.Connection, person: str) -> list[tuple[str, str, float]]:
    """Token, line and time of the records a person brought along."""
    query = sa.select(records.c.token, records.c.line, records.c.at)
    rows = connection.execute(query.where(records.c.person == person).order_by(records.c.at))
    return [(row.token, row.line, row.at) for row in rows]


def adopt(connection: sa.Connection, guest: str, person: str) -> list[str]:
    """Give what a guest has played to a person; the tokens of tables that have changed.

    Tables at which both sit stay two people's: else one would see two hands.
    """
    both = set(tables_of(connection, person))
    found = [token for token in tables_of(connection, guest) if token not in both]
    for token in found:
        _replace_person(connection, token, guest, person)
    change = sa.update(records).where(records.c.person == guest).values(person=person)
    connection.execute(change)
    return found


def forget(connection: sa.Connection, person: str) -> list[str]:
    """Delete all that is kept of a person; the tokens of tables that have changed or gone.

    A table at which nobody else sat is deleted. At the others the seat stays, without a name.
    """
    found = tables_of(connection, person)
    for token in found:
        others = connection.execute(
            sa.select(sa.func.count())
            .select_from(seats)
            .where(seats.c.token == token, seats.c.person.is_not(None), seats.c.person != person)
        ).scalar()
        if not others:
            connection.execute(sa.delete(tables).where(tables.c.token == token))
            continue
        mine = sa.select(seats.c.seat).where(seats.c.token == token, seats.c.person == person)
        connection.execute(
            sa.update(log)
            .where(log.c.token == token, log.c.kind == "say", log.c.seat.in_(mine))
            .values(text="")
        )
        _replace_person(connection, token, person, f"gone-{secrets.token_urlsafe(12)}", FORGOTTEN)
    connection.execute(sa.delete(tables).where(tables.c.host == person, _nobody_sits()))
    connection.execute(sa.delete(records).where(records.c.person == person))
    connection.execute(sa.delete(results).where(results.c.person == person))
    connection.execute(sa.delete(codes).where(codes.c.person == person))
    connection.execute(sa.delete(people).where(people.c.id == person))
    return found


def _replace_person(
    connection: sa.Connection, token: str, old: str, new: str, name: str | None = None
) -> None:
    """Rewrite who sat where in a table's header, log and lists; with a new name when given."""
    made = connection.execute(sa.select(tables.c.seats).where(tables.c.token == token)).scalar()
    change = {"person": new} | ({} if name is None else {"name": name})
    rewritten = [seat | change if seat["person"] == old else seat for seat in made or ()]
    here = tables.c.token == token
    connection.execute(sa.update(tables).where(here).values(seats=rewritten))
    hosted = sa.update(tables).where(here, tables.c.host == old).values(host=new)
    connection.execute(hosted)
    connection.execute(
        sa.update(log)
        .where(log.c.token == token, log.c.person == old)
        .values({"person": new} | ({} if name is None else {"text": name}))
    )
    connection.execute(
        sa.update(seats).where(seats.c.token == token, seats.c.person == old).values(change)
    )
    connection.execute(
        sa.update(results)
        .where(results.c.token == token, results.c.person == old)
        .values(person=new)
    )


def _nobody_sits() -> sa.ColumnElement[bool]:
    return ~sa.exists().where(seats.c.token == tables.c.token, seats.c.person.is_not(None))


def _put_seats(connection: sa.Connection, table: Table) -> None:
    rows = [
        {"token": table.header.token, "seat": i, **asdict(seat)}
        for i, seat in enumerate(table.seats)
    ]
    connection.execute(sa.insert(seats), rows)


def _result_rows(table: Table) -> list[dict[str, Any]]:
    """What the people at a table have reached; nothing while it runs."""
    if not table.over:
        return []
    outcome = table.match.outcome
    rows = []
    for i, seat in enumerate(table.seats):
        if seat.person is None:
            continue
        rank = table.match.seats if outcome is None or seat.resigned else outcome.ranks[i]
        if outcome is None or seat.resigned:
            won = False
        elif table.alone:
            won = outcome.reason == "won"
        else:
            won = rank == 1
        rows.append(
            {
                "token": table.header.token,
                "seat": i,
                "person": seat.person,
                "game": table.game.name,
                "seats": table.match.seats,
                "rank": rank,
                "score": outcome.scores[i] if outcome and outcome.scores else None,
                "won": won,
                "counts": table.hindsight == 0,
                "undos": table.undos,
                "moves": table.match.ply,
                "reason": "resigned" if seat.resigned or outcome is None else outcome.reason,
                "at": table.changed,
            }
        )
    return rows


def _rows(connection: sa.Connection, found: Iterable[Any]) -> list[Row]:
    rows = list(found)
    tokens = [row.token for row in rows]
    query = sa.select(seats.c.token, seats.c.name).where(seats.c.token.in_(tokens))
    names: dict[str, list[str]] = {token: [] for token in tokens}
    for seat in connection.execute(query.order_by(seats.c.token, seats.c.seat)):
        names[seat.token].append(seat.name)
    return [
        Row(
            row.token,
            row.game,
            row.status,
            tuple(names[row.token]),
            row.changed,
            bool(getattr(row, "mine", False)),
        )
        for row in rows
    ]
