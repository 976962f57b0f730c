"""What of tables is kept in the database, and how it is read back: jobs for the store."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa
from pydantic import TypeAdapter, ValidationError

from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.web.errors import NotFound, Stale, TooMuch
from redouble.web.schema import codes, log, people, records, results, reviews, seats, tables
from redouble.web.table import Entry, Header, Seat, Table, load

GONE = "gone-"
"""What the number of somebody begins with who wanted everything forgotten."""
FORGOTTEN = "Somebody"
"""The name of a seat whose player wanted everything forgotten."""
WATCHABLE_SECONDS = 3600.0
"""A table at which nothing was done for so long is not offered to watch."""
MAX_RECORDS = 200
"""Records that a person can bring along."""
_SEATS = TypeAdapter(list[Seat])
"""How the seats of a new table are stored."""


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
            seats=_SEATS.dump_python(list(header.seats)),
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


def append(connection: sa.Connection, table: Table, entries: Sequence[Entry]) -> None:
    """Keep entries that ``table`` has taken in, and what they change in the lists.

    Raises ``sqlalchemy.exc.IntegrityError`` when somebody else has logged at their place.
    """
    token = table.header.token
    connection.execute(sa.insert(log), [{"token": token, **entry.row()} for entry in entries])
    connection.execute(
        sa.update(tables)
        .where(tables.c.token == token)
        .values(changed=table.changed, status=table.status, turn=table.turn)
    )
    if any(entry.event.changes_seats for entry in entries):
        connection.execute(sa.delete(seats).where(seats.c.token == token))
        _put_seats(connection, table)
    if table.over or table.undos:
        connection.execute(sa.delete(results).where(results.c.token == token))
        if rows := _result_rows(table):
            connection.execute(sa.insert(results), rows)


def folded(header: Header, entries: Sequence[Entry]) -> Table:
    """The table that is made of these. Raises :class:`NotFound` when the log cannot be applied."""
    try:
        return load(header, entries)
    except RedoubleError as error:
        raise NotFound(f"this table cannot be read back: {error}") from error


def stored(connection: sa.Connection, token: str) -> tuple[Header, list[Entry]]:
    """What a table is made of. Raises :class:`NotFound`."""
    row = connection.execute(sa.select(tables).where(tables.c.token == token)).one_or_none()
    if row is None:
        raise NotFound("there is no table with this link; it may have been deleted")
    entries = connection.execute(
        sa.select(log.c.ply, log.c.kind, log.c.seat, log.c.payload, log.c.at, log.c.person)
        .where(log.c.token == token)
        .order_by(log.c.ply)
    ).all()
    try:
        game = GAMES[row.game]
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
            seats=tuple(_SEATS.validate_python(row.seats)),
            host=row.host,
            public=row.public,
            created=row.created,
            before=row.before,
        )
        return header, [Entry.from_row(entry) for entry in entries]
    except ValidationError as error:
        raise NotFound("this table cannot be read back: its seats are damaged") from error
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
        sa.select(tables, sa.func.max(_on_turn()).label("mine"))
        .join(seats, seats.c.token == tables.c.token)
        .where(
            seats.c.person == person,
            seats.c.resigned.is_(False),
            _running(),
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
            _running(),
            tables.c.changed >= since,
        )
        .order_by(tables.c.changed.desc())
        .limit(most)
    ).all()
    return _rows(connection, rows)


def results_of(
    connection: sa.Connection, person: str, game: str | None = None
) -> list[dict[str, Any]]:
    """A person's results, of one game if it is given, the first first."""
    query = sa.select(results).where(results.c.person == person).order_by(results.c.at)
    if game is not None:
        query = query.where(results.c.game == game)
    return [dict(row._mapping) for row in connection.execute(query)]


def tables_of(connection: sa.Connection, person: str) -> list[str]:
    """The tokens of all tables at which a person sits."""
    query = sa.select(seats.c.token).where(seats.c.person == person).distinct()
    return [row.token for row in connection.execute(query)]


def plays_elsewhere(connection: sa.Connection, person: str, game: str, token: str) -> bool:
    """Whether a person sits at another table of a game than this one, over or not."""
    query = (
        sa.select(seats.c.token)
        .join(tables, seats.c.token == tables.c.token)
        .where(seats.c.person == person, tables.c.game == game, tables.c.token != token)
    )
    return connection.execute(query.limit(1)).first() is not None


def keep_record(connection: sa.Connection, person: str, line: str, at: float) -> str:
    """Keep a record that somebody brought along; its token. Raises :class:`TooMuch`."""
    mine = sa.select(sa.func.count()).select_from(records).where(records.c.person == person)
    if (connection.execute(mine).scalar() or 0) >= MAX_RECORDS:
        raise TooMuch(f"you have brought {MAX_RECORDS} records along already; more are not kept")
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


def drop_record(connection: sa.Connection, person: str, token: str) -> None:
    """Delete a record that a person brought along. Raises :class:`NotFound`."""
    mine = sa.delete(records).where(records.c.token == token, records.c.person == person)
    if not connection.execute(mine).rowcount:
        raise NotFound("there is no record of yours with this link")


@dataclass(frozen=True)
class ReviewKey:
    """Which review: of which game, and how it was made."""

    key: str
    """The key of the game's replay."""
    version: int
    iterations: int


def keep_review(
    connection: sa.Connection,
    which: ReviewKey,
    text: str,
    at: float,
    most: int,
    token: str | None = None,
    record: str | None = None,
) -> None:
    """Keep a review with the table or the record that it is of, and ``most`` in all: the newest.

    Raises ``sqlalchemy.exc.IntegrityError`` when that table or record is not there any more.
    """
    connection.execute(sa.delete(reviews).where(reviews.c.key == which.key))
    row = asdict(which) | {"review": text, "at": at, "token": token, "record": record}
    connection.execute(sa.insert(reviews).values(row))
    newest = sa.select(reviews.c.key).order_by(reviews.c.at.desc()).limit(most)
    connection.execute(sa.delete(reviews).where(reviews.c.key.not_in(newest)))


def review_text(connection: sa.Connection, which: ReviewKey) -> bytes | None:
    """A review that is kept, as it lies on the disk; None where there is none."""
    wanted = [reviews.c[name] == value for name, value in asdict(which).items()]
    as_it_lies = sa.cast(reviews.c.review, sa.LargeBinary)  # damaged text may be none at all
    found: bytes | None = connection.execute(sa.select(as_it_lies).where(*wanted)).scalar()
    return found


def adopt(connection: sa.Connection, guest: str, person: str) -> list[str]:
    """Give what a guest has played to a person; the tokens of tables that have changed.

    The guest is nobody then. Raises :class:`Stale`, and changes nothing, when both sit at a table
    that still runs: one would see two hands.
    """
    theirs = sa.select(seats.c.token).where(seats.c.person == guest)
    both = (
        sa.select(tables.c.game)
        .join(seats, seats.c.token == tables.c.token)
        .where(seats.c.person == person, tables.c.token.in_(theirs), _running())
    )
    if (name := connection.execute(both.limit(1)).scalar()) is not None:
        title = GAMES[name].title if name in GAMES else name
        raise Stale(f"you sit on two sides of a game of {title} that still runs: finish it first")
    found = known_at(connection, guest)
    for token in found:
        _replace_person(connection, token, guest, person)
    connection.execute(sa.update(records).where(records.c.person == guest).values(person=person))
    connection.execute(sa.delete(people).where(people.c.id == guest))
    return found


@dataclass(frozen=True)
class Forgotten:
    """What was deleted of a person."""

    tables: int
    """Deleted as a whole."""
    seats: int
    """Tables of other people, at which the name was deleted."""
    results: int
    records: int


def forget(connection: sa.Connection, person: str) -> Forgotten:
    """Delete all that is kept of a person; tells what that was.

    A table that is nobody else's is deleted. At the others the seat stays, without a name.
    """
    mine = sa.select(sa.func.count()).where
    counted = [mine(kept.c.person == person) for kept in (results, records)]
    played, brought = (connection.execute(count).scalar() or 0 for count in counted)
    gone = 0
    found = known_at(connection, person)
    for token in found:
        alone = sa.delete(tables).where(tables.c.token == token, ~_others(person))
        if connection.execute(alone).rowcount:
            gone += 1
            continue
        nobody = f"{GONE}{secrets.token_urlsafe(12)}"
        _replace_person(connection, token, person, nobody, FORGOTTEN)
    connection.execute(sa.delete(records).where(records.c.person == person))
    connection.execute(sa.delete(results).where(results.c.person == person))
    connection.execute(sa.delete(codes).where(codes.c.person == person))
    connection.execute(sa.delete(people).where(people.c.id == person))
    return Forgotten(gone, len(found) - gone, played, brought)


def running_with_others(connection: sa.Connection, person: str) -> list[str]:
    """The tokens of tables that a person would leave to others in the middle of a game."""
    mine = sa.select(seats.c.token).where(seats.c.person == person, seats.c.resigned.is_(False))
    found = sa.select(tables.c.token).where(tables.c.token.in_(mine), _running(), _others(person))
    return [row.token for row in connection.execute(found)]


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
    entered = sa.update(log).where(log.c.token == token, log.c.person == old)
    if name is not None:
        _erase(connection, token, old, name)
        connection.execute(sa.delete(reviews).where(reviews.c.token == token))
    connection.execute(entered.values(person=new))
    connection.execute(
        sa.update(seats).where(seats.c.token == token, seats.c.person == old).values(change)
    )
    connection.execute(
        sa.update(results)
        .where(results.c.token == token, results.c.person == old)
        .values(person=new)
    )


def _erase(connection: sa.Connection, token: str, person: str, name: str) -> None:
    """Rewrite the events of a person, with another name and without their words."""
    written = sa.and_(log.c.token == token, log.c.person == person)
    for row in connection.execute(sa.select(log).where(written)).all():
        event = Entry.from_row(row).event.without_person(name)
        entry = sa.update(log).where(log.c.token == token, log.c.ply == row.ply)
        connection.execute(entry.values(payload=event.model_dump_json()))


def _running() -> sa.ColumnElement[bool]:
    return tables.c.status.in_(("waiting", "playing"))


def _others(person: str) -> sa.ColumnElement[bool]:
    """Whether a table is somebody else's as well."""

    def other(column: sa.ColumnElement[Any]) -> sa.ColumnElement[bool]:
        return sa.and_(column != person, ~column.startswith(GONE, autoescape=True))

    sits = sa.exists().where(seats.c.token == tables.c.token, other(seats.c.person))
    return sa.or_(sits, sa.and_(tables.c.host.is_not(None), other(tables.c.host)))


def _on_turn() -> sa.ColumnElement[bool]:
    return sa.and_(seats.c.seat == tables.c.turn, seats.c.bot == "")


def known_at(connection: sa.Connection, person: str) -> list[str]:
    """The tokens of the tables that a person made, or where they sit, sat or spoke."""
    found = connection.execute(
        sa.union(
            sa.select(tables.c.token).where(tables.c.host == person),
            sa.select(seats.c.token).where(seats.c.person == person),
            sa.select(log.c.token).where(log.c.person == person),
        )
    )
    return [row.token for row in found]


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
        won = outcome is not None and not seat.resigned and outcome.won[i]
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
    installed = set(GAMES)
    rows = [row for row in found if row.game in installed]
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
