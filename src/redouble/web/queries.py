"""Database queries: jobs for the store."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa
from pydantic import TypeAdapter
from pydantic_core import to_json
from sqlalchemy.exc import IntegrityError

from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.match.record import Record
from redouble.web.daily import closes, parse_day
from redouble.web.errors import NotFound, Outdated, Overtaken, Stale, TooMuch
from redouble.web.schema import (
    codes,
    dailies,
    log,
    people,
    records,
    results,
    review_jobs,
    reviews,
    seats,
    shares,
    tables,
)
from redouble.web.store import insert_first
from redouble.web.table import TABLE, Entry, Header, Pledge, Seat, Table, load
from redouble.web.table.deal import fair_deal, note_share
from redouble.web.table.events import Close, Move, Redo, Sit, Undo
from redouble.web.table.seats import unique

GONE = "gone-"
"""The prefix of the id of a person whose data was deleted."""
FORGOTTEN = "Former player"
"""The name of a player whose data was deleted."""
WATCHABLE_SECONDS = 3600.0
"""A public table is listed for this time after its last event."""
ENDED = ("over", "abandoned", "closed")
"""The states of tables whose game doesn't go on."""
OUTDATED = "The table was closed: the server had other rules by then."
"""What the record of a game says whose rules aren't here any more."""
MANY = 500
"""Tables in one query, at most."""
_LISTED = (tables.c.token, tables.c.game, tables.c.status, tables.c.changed)
"""The columns of lists of tables."""
_SEATS = TypeAdapter(list[Seat])
_OPTIONS = TypeAdapter(dict[str, Any])
_FAIR = TypeAdapter(Pledge)
"""How the seats, options and pledge of a new table are stored."""


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


class _Prepared:
    """A statement that every move runs, compiled once: SQLAlchemy would take longer than SQLite."""

    def __init__(self, statement: sa.Insert | sa.Update) -> None:
        self._statement = statement
        self._compiled: dict[str, tuple[str, Sequence[str] | None]] = {}

    def run(self, connection: sa.Connection, rows: Iterable[Mapping[str, Any]]) -> int:
        """Run the statement for each row, and return how many rows of the database it changed."""
        dialect = connection.dialect
        if dialect.name not in self._compiled:
            compiled = self._statement.compile(dialect=dialect)
            self._compiled[dialect.name] = str(compiled), compiled.positiontup
        sql, order = self._compiled[dialect.name]
        values: list[Any] = list(rows)
        if order is not None:  # by place, not by name
            values = [tuple(row[name] for name in order) for row in values]
        return connection.exec_driver_sql(sql, values).rowcount


_INSERT_ENTRY = _Prepared(sa.insert(log))
_UPDATE_TABLE = _Prepared(
    sa.update(tables)
    .where(tables.c.token == sa.bindparam("which"), tables.c.rewritten == sa.bindparam("of"))
    .values({name: sa.bindparam(name) for name in ("changed", "status", "turn")})
)


def insert(connection: sa.Connection, table: Table) -> None:
    """Insert a new table."""
    header = table.header
    connection.execute(
        sa.insert(tables).values(
            token=header.token,
            invite=header.invite,
            game=header.game.name,
            rules=header.game.version,
            options=_OPTIONS.dump_python(dict(header.options)),
            seed=header.seed,
            seats=_SEATS.dump_python(list(header.seats)),
            host=header.host,
            public=header.public,
            before=header.before,
            created=header.created,
            daily=header.daily,
            fair=None if header.fair is None else _FAIR.dump_python(header.fair, mode="json"),
            changed=header.created,
            status=table.status,
            turn=table.turn,
        )
    )
    _put_seats(connection, table)


def append(connection: sa.Connection, table: Table, entries: Sequence[Entry]) -> None:
    """Insert entries that were applied to ``table``, and update the lists.

    Raises :class:`Overtaken` when another process has written these entries, or has rewritten or
    deleted the table.
    """
    token = table.header.token
    stands = {"changed": table.changed, "status": table.status, "turn": table.turn}
    # First, since it locks the table's row until the end of the transaction.
    if not _UPDATE_TABLE.run(connection, [stands | {"which": token, "of": table.header.rewritten}]):
        raise Overtaken("the table was rewritten meanwhile: look again")
    try:
        _INSERT_ENTRY.run(connection, [{"token": token, **entry.row()} for entry in entries])
    except IntegrityError as error:
        raise Overtaken("another player was faster: look again before you play") from error
    if any(entry.event.changes_seats for entry in entries):
        connection.execute(sa.delete(seats).where(seats.c.token == token))
        _put_seats(connection, table)
    if table.over or table.undos:
        connection.execute(sa.delete(results).where(results.c.token == token))
        if rows := _result_rows(table):
            connection.execute(sa.insert(results), rows)
            if table.header.daily:
                _finish_daily(connection, table, rows[0])


def folded(header: Header, entries: Sequence[Entry]) -> Table:
    """Load a table. Raises :class:`NotFound` when the log doesn't apply."""
    try:
        return load(header, entries)
    except RedoubleError as error:
        raise NotFound(f"this table can't be loaded: {error}") from error


def stored(connection: sa.Connection, token: str) -> tuple[Header, list[Entry]]:
    """Return the header and the log of a table. Raises :class:`NotFound`."""
    try:
        made = connection.execute(sa.select(tables).where(tables.c.token == token)).one_or_none()
        if made is None:
            raise NotFound("there is no table at this link: it may have been deleted")
        return _header(made), _entries(connection, token, 0)
    except NotFound:
        raise
    except RedoubleError as error:
        raise NotFound(f"this table can't be loaded: {error}") from error
    except ValueError as error:  # JSON that isn't what was stored
        raise NotFound("this table can't be loaded: its seats or options are damaged") from error


def news(connection: sa.Connection, table: Table) -> list[Entry] | None:
    """Return the entries that a table in memory lacks; None if its rows were rewritten.

    Raises :class:`NotFound` if it was deleted.
    """
    token = table.header.token
    query = sa.select(tables.c.rewritten).where(tables.c.token == token)
    rewritten = connection.execute(query).scalar_one_or_none()
    if rewritten is None:
        raise NotFound("there is no table at this link: it may have been deleted")
    return _entries(connection, token, table.ply) if rewritten == table.header.rewritten else None


def stands(connection: sa.Connection, tokens: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return how often tables were rewritten and the lengths of their logs."""
    last = sa.select(sa.func.max(log.c.ply)).where(log.c.token == tables.c.token).scalar_subquery()
    length = sa.func.coalesce(last + 1, 0).label("length")  # by the index, without counting
    columns = (tables.c.token, tables.c.rewritten, length)
    found: dict[str, tuple[int, int]] = {}
    for i in range(0, len(tokens), MANY):
        here = tables.c.token.in_(tokens[i : i + MANY])
        for row in connection.execute(sa.select(*columns).where(here)):
            found[row.token] = (row.rewritten, row.length)
    return found


def _entries(connection: sa.Connection, token: str, first: int) -> list[Entry]:
    found = connection.execute(
        sa.select(log.c.ply, log.c.kind, log.c.seat, log.c.payload, log.c.at, log.c.person)
        .where(log.c.token == token, log.c.ply >= first)
        .order_by(log.c.ply)
    )
    return [Entry.from_row(row) for row in found]


def _header(row: Any) -> Header:
    newest = GAMES[row.game]
    game = newest.of_version(row.rules)
    if game is None:
        raise Outdated(_outdated(newest, row.rules), row.token)
    return Header(
        token=row.token,
        invite=row.invite,
        game=game,
        options=_OPTIONS.validate_python(row.options),
        seed=row.seed,
        seats=tuple(_SEATS.validate_python(row.seats)),
        host=row.host,
        public=row.public,
        created=row.created,
        before=row.before,
        daily=row.daily,
        fair=_pledge(row),
        rewritten=row.rewritten,
    )


def _pledge(row: Any) -> Pledge | None:
    return None if row.fair is None else _FAIR.validate_json(to_json(row.fair))


def _outdated(newest: Game, rules: int) -> str:
    return (
        f"this table began with version {rules} of the rules of {newest.title}, and this server "
        f"plays version {newest.version}. Its record holds every move so far"
    )


def outdated_record(connection: sa.Connection, token: str) -> Record:
    """Return the game of a table whose rules aren't here, as its log tells it.

    This closes the table for good, since the record shows every card. Raises :class:`NotFound`.
    """
    made = connection.execute(sa.select(tables).where(tables.c.token == token)).one_or_none()
    if made is None:
        raise NotFound("there is no table at this link: it may have been deleted")
    names = sa.select(seats.c.name).where(seats.c.token == token).order_by(seats.c.seat)
    entries = sa.select(log).where(log.c.token == token).order_by(log.c.ply)
    moves: list[str] = []
    pledge = _pledge(made)
    given = {one.seat: one for one in pledge.shares} if pledge else {}
    found = [Entry.from_row(row) for row in connection.execute(entries)]
    if not any(isinstance(entry.event, Close) for entry in found):
        close = Entry(len(found), time.time(), Close(seat=TABLE, reason=OUTDATED))
        _INSERT_ENTRY.run(connection, [{"token": token, **close.row()}])
    for event in (entry.event for entry in found):
        if isinstance(event, (Move, Redo)):
            moves.append(event.move)
        elif isinstance(event, Undo):
            del moves[event.keep :]
        note_share(given, event)
    sitting = tuple(connection.execute(names).scalars())
    seed, fair = made.seed, None
    if pledge is not None:
        seed, fair = fair_deal(made.game, made.rules, len(sitting), made.seed, pledge, given)
    return Record(
        game=made.game,
        rules=made.rules,
        seats=sitting,
        seed=seed,
        fair=fair,
        moves=tuple(moves),
        options={k: v for k, v in _OPTIONS.validate_python(made.options).items() if v is not None},
        notes=((len(moves), OUTDATED),),
    )


def settle_versions(connection: sa.Connection) -> None:
    """List unfinished tables as closed whose rules aren't here, and as open those that are again.

    Nothing is written to their logs, so they go on where another version of Redouble knows them.
    """
    found = connection.execute(sa.select(tables.c.game, tables.c.rules).distinct()).all()
    for game, rules in found:
        if game not in GAMES:
            continue
        these = sa.and_(tables.c.game == game, tables.c.rules == rules)
        if GAMES[game].of_version(rules) is None:
            gone = sa.update(tables).where(these, _running())
            connection.execute(gone.values(status="closed", turn=None))
            continue
        ended = sa.exists().where(log.c.token == tables.c.token, log.c.kind == Close.kind)
        free = sa.and_(seats.c.person.is_(None), seats.c.bot == "")
        waits = sa.exists().where(seats.c.token == tables.c.token, free)
        back = sa.update(tables).where(these, tables.c.status == "closed", ~ended)
        connection.execute(back.values(status=sa.case((waits, "waiting"), else_="playing")))


def token_of_invite(connection: sa.Connection, invite: str) -> str:
    """Return the token of an invitation's table. Raises :class:`NotFound`."""
    found = connection.execute(sa.select(tables.c.token).where(tables.c.invite == invite)).scalar()
    if found is None:
        raise NotFound("this invitation belongs to no table here: ask for a new link")
    return str(found)


def unfinished(connection: sa.Connection, person: str, limit: int = 30) -> list[ListedTable]:
    """Return a person's unfinished tables, those where it is their turn first."""
    mine = sa.func.coalesce(sa.func.max(sa.cast(_on_turn(), sa.Integer)), 0)
    rows = connection.execute(
        sa.select(*_LISTED, mine.label("mine"))
        .join(seats, seats.c.token == tables.c.token)
        .where(
            seats.c.person == person,
            seats.c.resigned.is_(False),
            _running(),
        )
        .group_by(tables.c.token)
        .order_by(sa.desc("mine"), tables.c.changed.desc())
        .limit(limit)
    ).all()
    return _rows(connection, rows)


def hosted(connection: sa.Connection, person: str) -> tuple[int, int]:
    """Return how many unfinished tables a person plays at, or hosts without having sat down.

    The second number is that of tables that they host for bots alone.
    """
    sat = sa.select(seats.c.token).where(seats.c.person == person)
    hosting = sa.and_(tables.c.host == person, tables.c.token.not_in(sat))
    theirs = sa.or_(tables.c.token.in_(sat.where(seats.c.resigned.is_(False))), hosting)
    count = sa.select(sa.func.count()).select_from(tables).where(_running())
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
    return _rows(connection, rows)


def public_tables(connection: sa.Connection, since: float, limit: int = 12) -> list[ListedTable]:
    """Return the public tables that changed since then: first those with open seats, then others.

    Of each kind the last changed comes first. Anyone with the list can join and watch.
    """
    free = sa.and_(seats.c.person.is_(None), seats.c.bot == "")
    left = sa.select(sa.func.count()).where(seats.c.token == tables.c.token, free).scalar_subquery()
    rows = connection.execute(
        sa.select(*_LISTED, tables.c.invite, left.label("open_seats"))
        .where(
            tables.c.public.is_(True),
            _running(),
            tables.c.changed >= since,
        )
        .order_by(sa.desc(left > 0), tables.c.changed.desc())
        .limit(limit)
    ).all()
    return _rows(connection, rows)


def results_of(
    connection: sa.Connection, person: str, game: str | None = None
) -> list[dict[str, Any]]:
    """Return a person's results, oldest first; only those of ``game`` if it is given."""
    query = sa.select(results).where(results.c.person == person).order_by(results.c.at)
    if game is not None:
        query = query.where(results.c.game == game)
    return [dict(row._mapping) for row in connection.execute(query)]


def results_in_detail(connection: sa.Connection, person: str, game: str) -> list[dict[str, Any]]:
    """Return a person's results in a game, oldest first, with the tables' options and other seats.

    ``others`` lists each of these with its ``bot``, a level or nothing, and its ``person``.
    """
    rows = results_of(connection, person, game)
    mine = sa.and_(results.c.person == person, results.c.game == game)
    chosen = sa.select(tables.c.token, tables.c.options).join(results).where(mine)
    options = {row.token: row.options for row in connection.execute(chosen)}
    sitting = sa.select(seats).join(results, seats.c.token == results.c.token).where(mine)
    others: dict[tuple[str, int], dict[str, Any]] = {
        (row.token, row.seat): {"bot": row.bot, "person": row.person}
        for row in connection.execute(sitting)
    }
    for row in rows:
        row["options"] = options[row["token"]]
        row["others"] = [
            other
            for (token, seat), other in others.items()
            if token == row["token"] and seat != row["seat"]
        ]
    return rows


def dailies_of(connection: sa.Connection, person: str) -> list[dict[str, Any]]:
    """Return a person's tries at daily deals and puzzles, oldest first."""
    mine = sa.select(dailies).where(dailies.c.person == person)
    ordered = mine.order_by(dailies.c.day, dailies.c.game)
    return [dict(row._mapping) for row in connection.execute(ordered)]


def tables_of(connection: sa.Connection, person: str) -> list[str]:
    """Return the tokens of all tables where a person has a seat."""
    query = sa.select(seats.c.token).where(seats.c.person == person).distinct()
    return [row.token for row in connection.execute(query)]


def plays_elsewhere(connection: sa.Connection, person: str, game: str, token: str) -> bool:
    """Return whether a person has a seat at another table of this game, finished or not."""
    query = (
        sa.select(seats.c.token)
        .join(tables, seats.c.token == tables.c.token)
        .where(seats.c.person == person, tables.c.game == game, tables.c.token != token)
    )
    return connection.execute(query.limit(1)).first() is not None


def save_record(connection: sa.Connection, person: str, line: str, at: float, limit: int) -> str:
    """Save a record that a person imports and return its token.

    Raises :class:`TooMuch` if they have as many as the ``limit``.
    """
    mine = sa.select(sa.func.count()).select_from(records).where(records.c.person == person)
    if (connection.execute(mine).scalar() or 0) >= limit:
        raise TooMuch(f"you have {limit} imported games: delete some first")
    token = secrets.token_urlsafe(16)
    connection.execute(sa.insert(records).values(token=token, person=person, line=line, at=at))
    return token


def record_line(connection: sa.Connection, token: str) -> str:
    """Return the line of an imported record. Raises :class:`NotFound`."""
    found = connection.execute(sa.select(records.c.line).where(records.c.token == token)).scalar()
    if found is None:
        raise NotFound("there is no saved game at this link: it may have been deleted")
    return str(found)


def records_of(connection: sa.Connection, person: str) -> list[tuple[str, str, float]]:
    """Return token, line and time of a person's imported records, oldest first."""
    query = sa.select(records.c.token, records.c.line, records.c.at)
    rows = connection.execute(query.where(records.c.person == person).order_by(records.c.at))
    return [(row.token, row.line, row.at) for row in rows]


def record_times(connection: sa.Connection, person: str) -> list[tuple[str, float]]:
    """Return token and time of a person's imported records, oldest first."""
    query = sa.select(records.c.token, records.c.at)
    rows = connection.execute(query.where(records.c.person == person).order_by(records.c.at))
    return [(row.token, row.at) for row in rows]


def delete_record(connection: sa.Connection, person: str, token: str) -> None:
    """Delete a person's imported record. Raises :class:`NotFound`."""
    mine = sa.delete(records).where(records.c.token == token, records.c.person == person)
    if not connection.execute(mine).rowcount:
        raise NotFound("you have no saved game at this link: you may have deleted it")


@dataclass(frozen=True)
class ReviewKey:
    """Identifies a review by its game and by how it was made."""

    key: str
    """The key of the game's replay."""
    version: int
    iterations: int


def save_review(
    connection: sa.Connection,
    which: ReviewKey,
    text: str,
    at: float,
    limit: int,
    token: str | None = None,
    record: str | None = None,
) -> None:
    """Save the review of a table or record, and delete all reviews but the newest ``limit``.

    Raises ``sqlalchemy.exc.IntegrityError`` when the table or record was deleted.
    """
    connection.execute(sa.delete(reviews).where(reviews.c.key == which.key))
    row = asdict(which) | {"review": text, "at": at, "token": token, "record": record}
    connection.execute(sa.insert(reviews).values(row))
    newest = sa.select(reviews.c.key).order_by(reviews.c.at.desc()).limit(limit)
    connection.execute(sa.delete(reviews).where(reviews.c.key.not_in(newest)))


def review_text(connection: sa.Connection, which: ReviewKey) -> bytes | None:
    """Return the bytes of a saved review; None if there is none."""
    wanted = [reviews.c[name] == value for name, value in asdict(which).items()]
    as_it_lies = sa.cast(reviews.c.review, sa.LargeBinary)  # damaged text may not be UTF-8
    found: bytes | None = connection.execute(sa.select(as_it_lies).where(*wanted)).scalar()
    return found


def share(connection: sa.Connection, token: str, at: float) -> str:
    """Return the id under which a table's result is shared, a new one if it wasn't yet."""
    query = sa.select(shares.c.id).where(shares.c.token == token)
    found = connection.execute(query).scalar()
    if found is None:
        found = secrets.token_urlsafe(12)
        if not insert_first(connection, shares, {"id": found, "token": token, "at": at}):
            found = connection.execute(query).scalar_one()
    return str(found)


def token_of_share(connection: sa.Connection, shared: str) -> str:
    """Return the token of a shared result's table. Raises :class:`NotFound`."""
    found = connection.execute(sa.select(shares.c.token).where(shares.c.id == shared)).scalar()
    if found is None:
        raise NotFound("there is no result at this link: it is no longer shared")
    return str(found)


def stop_sharing(connection: sa.Connection, token: str) -> None:
    """Delete the link to a table's result, if there is one."""
    connection.execute(sa.delete(shares).where(shares.c.token == token))


def adopt(connection: sa.Connection, guest: str, person: str) -> list[str]:
    """Give everything a guest owns to a person, delete the guest, and return the changed tables.

    Raises :class:`Stale`, and changes nothing, if both play at an unfinished table: one person
    would see two hands.
    """
    theirs = sa.select(seats.c.token).where(seats.c.person == guest)
    both = (
        sa.select(tables.c.game)
        .join(seats, seats.c.token == tables.c.token)
        .where(seats.c.person == person, tables.c.token.in_(theirs), _running())
    )
    if (name := connection.execute(both.limit(1)).scalar()) is not None:
        title = GAMES[name].title if name in GAMES else name
        raise Stale(f"you are playing both sides of an unfinished game of {title}: finish it first")
    found = known_at(connection, guest)
    for token in found:
        _replace_person(connection, token, guest, person)
    connection.execute(sa.update(records).where(records.c.person == guest).values(person=person))
    _adopt_dailies(connection, guest, person)
    connection.execute(sa.delete(people).where(people.c.id == guest))
    return found


def _adopt_dailies(connection: sa.Connection, guest: str, person: str) -> None:
    """Give a guest's daily tries to a person; of two at one deal, the first finished one counts."""
    theirs = connection.execute(sa.select(dailies).where(dailies.c.person == guest)).all()
    for row in theirs:
        same = sa.and_(dailies.c.day == row.day, dailies.c.game == row.game)
        query = sa.select(dailies).where(same, dailies.c.person == person)
        own = connection.execute(query).one_or_none()
        if own is not None:
            first, second = (own.finished, own.begun), (row.finished, row.begun)
            keep_own = _order_of_tries(*first) <= _order_of_tries(*second)
            dropped = guest if keep_own else person
            connection.execute(sa.delete(dailies).where(same, dailies.c.person == dropped))
        moved = sa.update(dailies).where(same, dailies.c.person == guest)
        connection.execute(moved.values(person=person))


def _order_of_tries(finished: float | None, begun: float) -> tuple[bool, float]:
    return finished is None, begun if finished is None else finished


@dataclass(frozen=True)
class Forgotten:
    """What was deleted with a person."""

    tables: int
    """Tables that were deleted."""
    seats: int
    """Tables of other people, where the name was deleted."""
    results: int
    records: int


def forget(connection: sa.Connection, person: str) -> Forgotten:
    """Delete all data of a person and return what was deleted.

    A table without other people is deleted. At other tables the seat stays, without a name.
    """
    mine = sa.select(sa.func.count()).where
    counted = [mine(table.c.person == person) for table in (results, records)]
    played, imported = (connection.execute(count).scalar() or 0 for count in counted)
    gone = 0
    found = known_at(connection, person)
    for token in found:
        alone = sa.delete(tables).where(tables.c.token == token, ~_others(person))
        if connection.execute(alone).rowcount:
            gone += 1
            continue
        deleted = f"{GONE}{secrets.token_urlsafe(12)}"
        _replace_person(connection, token, person, deleted, FORGOTTEN)
    connection.execute(sa.delete(records).where(records.c.person == person))
    connection.execute(sa.delete(results).where(results.c.person == person))
    connection.execute(sa.delete(dailies).where(dailies.c.person == person))
    connection.execute(sa.delete(codes).where(codes.c.person == person))
    connection.execute(sa.delete(review_jobs).where(review_jobs.c.person == person))
    connection.execute(sa.delete(people).where(people.c.id == person))
    return Forgotten(gone, len(found) - gone, played, imported)


def rename(connection: sa.Connection, person: str, name: str) -> None:
    """Change a person's name, also at the tables where they have sat down.

    A person with several seats at a table, or with the name of another seat, gets a number there.
    """
    connection.execute(sa.update(people).where(people.c.id == person).values(name=name))
    for token in known_at(connection, person):
        _rename_at(connection, token, person, name)


def _rename_at(connection: sa.Connection, token: str, person: str, name: str) -> None:
    sitting = connection.execute(
        sa.select(seats).where(seats.c.token == token).order_by(seats.c.seat)
    ).all()
    taken = {row.name for row in sitting if row.person != person}
    names: dict[int, str] = {}
    note_rewritten(connection, token)
    for row in sitting:
        if row.person == person:
            names[row.seat] = unique(name, taken)
            taken.add(names[row.seat])
            here = sa.and_(seats.c.token == token, seats.c.seat == row.seat)
            connection.execute(sa.update(seats).where(here).values(name=names[row.seat]))
    made = connection.execute(sa.select(tables.c.seats).where(tables.c.token == token)).scalar()
    rewritten = [
        seat | {"name": names.get(number, name)} if seat["person"] == person else seat
        for number, seat in enumerate(made or ())
    ]
    change = sa.update(tables).where(tables.c.token == token).values(seats=rewritten)
    connection.execute(change)
    sat = sa.and_(log.c.token == token, log.c.person == person, log.c.kind == Sit.kind)
    for row in connection.execute(sa.select(log).where(sat)).all():
        event = Entry.from_row(row).event.without_person(names.get(row.seat, name))
        entry = sa.update(log).where(log.c.token == token, log.c.ply == row.ply)
        connection.execute(entry.values(payload=event.model_dump_json()))


def running_with_others(connection: sa.Connection, person: str) -> list[str]:
    """Return the tokens of a person's unfinished tables with other people."""
    mine = sa.select(seats.c.token).where(seats.c.person == person, seats.c.resigned.is_(False))
    found = sa.select(tables.c.token).where(tables.c.token.in_(mine), _running(), _others(person))
    return [row.token for row in connection.execute(found)]


def _replace_person(
    connection: sa.Connection, token: str, old: str, new: str, name: str | None = None
) -> None:
    """Replace a person in a table's header, log and lists, with a new name if given."""
    note_rewritten(connection, token)
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
        connection.execute(sa.delete(shares).where(shares.c.token == token))
    connection.execute(entered.values(person=new))
    connection.execute(
        sa.update(seats).where(seats.c.token == token, seats.c.person == old).values(change)
    )
    connection.execute(
        sa.update(results)
        .where(results.c.token == token, results.c.person == old)
        .values(person=new)
    )


def note_rewritten(connection: sa.Connection, token: str) -> None:
    """Note that a table's rows are rewritten.

    A process that is writing to the log ends first, and one that comes later is refused.
    """
    change = sa.update(tables).where(tables.c.token == token)
    connection.execute(change.values(rewritten=tables.c.rewritten + 1))


def _erase(connection: sa.Connection, token: str, person: str, name: str) -> None:
    """Rewrite a person's events with another name and without their chat."""
    written = sa.and_(log.c.token == token, log.c.person == person)
    for row in connection.execute(sa.select(log).where(written)).all():
        event = Entry.from_row(row).event.without_person(name)
        entry = sa.update(log).where(log.c.token == token, log.c.ply == row.ply)
        connection.execute(entry.values(payload=event.model_dump_json()))


def _running() -> sa.ColumnElement[bool]:
    return tables.c.status.in_(("waiting", "playing"))


def _others(person: str) -> sa.ColumnElement[bool]:
    """Return whether a table has another person as its host or at a seat."""

    def other(column: sa.ColumnElement[Any]) -> sa.ColumnElement[bool]:
        return sa.and_(column != person, ~column.startswith(GONE, autoescape=True))

    sits = sa.exists().where(seats.c.token == tables.c.token, other(seats.c.person))
    return sa.or_(sits, sa.and_(tables.c.host.is_not(None), other(tables.c.host)))


def _on_turn() -> sa.ColumnElement[bool]:
    return sa.and_(seats.c.seat == tables.c.turn, seats.c.bot == "")


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


def _put_seats(connection: sa.Connection, table: Table) -> None:
    rows = [
        {"token": table.header.token, "seat": i, **asdict(seat)}
        for i, seat in enumerate(table.seats)
    ]
    connection.execute(sa.insert(seats), rows)


def _result_rows(table: Table) -> list[dict[str, Any]]:
    """Return the results of the people at a table; none while the game runs."""
    if not table.over or table.closed:
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


def _finish_daily(connection: sa.Connection, table: Table, result: dict[str, Any]) -> None:
    """Note the result of a daily deal, if it ends in time."""
    if table.changed >= closes(parse_day(table.header.daily)):
        return
    resigned = table.seats[result["seat"]].resigned
    ended = {key: result[key] for key in ("rank", "score", "won")}
    connection.execute(
        sa.update(dailies)
        .where(dailies.c.token == table.header.token, dailies.c.finished.is_(None))
        .values(ended | {"resigned": resigned, "finished": table.changed})
    )


def _rows(connection: sa.Connection, found: Iterable[Any]) -> list[ListedTable]:
    installed = set(GAMES)
    rows = [row for row in found if row.game in installed]
    tokens = [row.token for row in rows]
    query = sa.select(seats).where(seats.c.token.in_(tokens))
    names: dict[str, list[str]] = {token: [] for token in tokens}
    taken: dict[str, list[str]] = {token: [] for token in tokens}
    for seat in connection.execute(query.order_by(seats.c.token, seats.c.seat)):
        names[seat.token].append(seat.name)
        if seat.person is not None or seat.bot:
            taken[seat.token].append(seat.name)
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
        )
        for row in rows
    ]
