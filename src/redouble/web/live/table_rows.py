"""Tables in the database: writes their rows and reads them back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa
from pydantic import TypeAdapter
from pydantic_core import to_json
from sqlalchemy.exc import IntegrityError

from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.match.record import Record
from redouble.web.errors import NotFound, Outdated, Overtaken
from redouble.web.live.lists import FREE, running
from redouble.web.people.results import save_results
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import log, seats, tables
from redouble.web.table import TABLE, Entry, Header, Pledge, Seat, Table, load
from redouble.web.table.acts import read_entry
from redouble.web.table.acts.deals import note_share
from redouble.web.table.acts.play import Close, Move
from redouble.web.table.acts.seats import Admit, Claim, Sit
from redouble.web.table.acts.undo import Undo

OUTDATED = "The table was closed: the server had other rules by then."
"""What the record of a game says whose rules aren't here any more."""
MANY = 500
"""Tables in one query, at most."""
_SEATS = TypeAdapter(list[Seat])
_OPTIONS = TypeAdapter(dict[str, Any])
_FAIR = TypeAdapter(Pledge)
"""How the seats, options and pledge of a new table are stored."""


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
    .values({name: sa.bindparam(name) for name in ("changed", "status", "turn", "due")})
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
            circle=header.circle or None,
            evening=header.evening or None,
            deals_left=header.deals_left,
            fair=None if header.fair is None else _FAIR.dump_python(header.fair, mode="json"),
            changed=header.created,
            status=table.status,
            turn=table.turn,
            due=table.due,
        )
    )
    _put_seats(connection, table)


def append(connection: sa.Connection, table: Table, entries: Sequence[Entry]) -> None:
    """Insert entries that were applied to ``table``, and update the lists.

    Raises :class:`Overtaken` when another process has written these entries, or has rewritten or
    deleted the table.
    """
    token = table.header.token
    stands = {
        "changed": table.changed,
        "status": table.status,
        "turn": table.turn,
        "due": table.due,
    }
    # First, since it locks the table's row until the end of the transaction.
    if not _UPDATE_TABLE.run(connection, [stands | {"which": token, "of": table.header.rewritten}]):
        raise Overtaken("the table was rewritten meanwhile: try again")
    try:
        _INSERT_ENTRY.run(connection, [{"token": token, **entry.row()} for entry in entries])
    except IntegrityError as error:
        raise Overtaken("someone else moved first: try again") from error
    if any(entry.event.changes_seats for entry in entries):
        connection.execute(sa.delete(seats).where(seats.c.token == token))
        _put_seats(connection, table)
    if table.over or table.undone.times:
        save_results(connection, table)


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
    return [read_entry(row) for row in found]


def _header(row: Any) -> Header:
    newest = GAMES[row.game]
    game = newest.of_version(row.rules)
    if game is None:
        raise Outdated(
            f"this table began with version {row.rules} of the rules of {newest.title}, and this "
            f"server plays version {newest.version}. Its record holds every move so far",
            row.token,
        )
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
        circle=row.circle or "",
        evening=row.evening or "",
        deals_left=row.deals_left,
        fair=_pledge(row),
        rewritten=row.rewritten,
    )


def _pledge(row: Any) -> Pledge | None:
    return None if row.fair is None else _FAIR.validate_json(to_json(row.fair))


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
    found = [read_entry(row) for row in connection.execute(entries)]
    if not any(isinstance(entry.event, Close) for entry in found):
        close = Entry(len(found), CLOCK.now(), Close(seat=TABLE, reason=OUTDATED))
        _INSERT_ENTRY.run(connection, [{"token": token, **close.row()}])
    for event in (entry.event for entry in found):
        if isinstance(event, Move):
            moves.append(event.move)
        elif isinstance(event, Undo):
            del moves[event.keep :]
        note_share(given, event)
    sitting = tuple(connection.execute(names).scalars())
    seed, fair = made.seed, None
    if pledge is not None:
        seed, fair = pledge.deal(made.game, made.rules, len(sitting), made.seed, given)
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
            gone = sa.update(tables).where(these, running())
            connection.execute(gone.values(status="closed", turn=None, due=None))
            continue
        ended = sa.exists().where(log.c.token == tables.c.token, log.c.kind == Close.kind)
        waits = sa.exists().where(seats.c.token == tables.c.token, FREE)
        back = sa.update(tables).where(these, tables.c.status == "closed", ~ended)
        connection.execute(back.values(status=sa.case((waits, "waiting"), else_="playing")))


def token_of_invite(connection: sa.Connection, invite: str) -> str:
    """Return the token of an invitation's table. Raises :class:`NotFound`."""
    found = connection.execute(sa.select(tables.c.token).where(tables.c.invite == invite)).scalar()
    if found is None:
        raise NotFound("this invitation belongs to no table: ask for a new link")
    return str(found)


def note_rewritten(connection: sa.Connection, token: str) -> None:
    """Note that a table's rows are rewritten.

    A process that is writing to the log ends first, and one that comes later is refused.
    """
    change = sa.update(tables).where(tables.c.token == token)
    connection.execute(change.values(rewritten=tables.c.rewritten + 1))


def newcomers(entries: Iterable[Entry]) -> set[str]:
    """Return the people who get a seat by these entries, or ask for one."""
    seated = (entry.event for entry in entries if isinstance(entry.event, (Admit, Claim, Sit)))
    return {event.person for event in seated if event.person}


def _put_seats(connection: sa.Connection, table: Table) -> None:
    rows = [
        {"token": table.header.token, "seat": i, **asdict(seat)}
        for i, seat in enumerate(table.seats)
    ]
    connection.execute(sa.insert(seats), rows)
