"""Changes who a person is in all their data: another name, another person, or nobody."""

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import sqlalchemy as sa

from redouble.contract.registry import GAMES
from redouble.web.errors import Stale
from redouble.web.features.study.saved import records
from redouble.web.live.lists import GONE, known_at, running, with_others
from redouble.web.live.table_rows import note_rewritten
from redouble.web.people import sessions
from redouble.web.personal import PersonalData
from redouble.web.store import count
from redouble.web.store.schema import log, people, results, seats, tables
from redouble.web.table.acts import read_entry
from redouble.web.table.acts.seats import Sit
from redouble.web.table.seats import unique

FORGOTTEN = "Former player"
"""The name of a player whose data was deleted."""


def check_apart(connection: sa.Connection, guest: str, person: str) -> None:
    """Raise :class:`Stale` if both play at an unfinished table: one person would see two hands."""
    theirs = sa.select(seats.c.token).filter_by(person=guest)
    both = (
        sa.select(tables.c.game)
        .join(seats, seats.c.token == tables.c.token)
        .where(seats.c.person == person, tables.c.token.in_(theirs), running())
    )
    if (name := connection.execute(both.limit(1)).scalar()) is not None:
        title = GAMES[name].title if name in GAMES else name
        raise Stale(f"you are playing both sides of an unfinished game of {title}: finish it first")


def adopt(connection: sa.Connection, guest: str, person: str, data: Iterable[PersonalData]) -> None:
    """Give everything a guest owns to a person, and delete the guest.

    Raises :class:`Stale` as :func:`check_apart` does; then nothing has changed.
    """
    check_apart(connection, guest, person)
    for one in data:
        one.adopt(connection, guest, person)
    seen = sa.select(people.c.seen).filter_by(id=guest).scalar_subquery()
    here = sa.and_(people.c.id == person, people.c.seen < seen)
    connection.execute(sa.update(people).where(here).values(seen=seen))
    _delete(connection, guest)


def adopt_tables(connection: sa.Connection, guest: str, person: str) -> None:
    """Give a guest's tables and results to a person."""
    for token in known_at(connection, guest):
        _replace_person(connection, token, guest, person)


@dataclass(frozen=True)
class OwnedGames:
    """What another account takes over from a person."""

    played: dict[str, int]
    """Tables by the title of their game."""
    unfinished: int
    """How many of them go on."""
    imported: int


def games_of(connection: sa.Connection, person: str) -> OwnedGames:
    """Return what :func:`adopt` would give to another account."""
    known = known_at(connection, person)
    query = sa.select(tables.c.game, sa.func.count(), sa.func.sum(sa.case((running(), 1), else_=0)))
    rows = connection.execute(query.where(tables.c.token.in_(known)).group_by(tables.c.game)).all()
    return OwnedGames(
        {GAMES[row[0]].title if row[0] in GAMES else row[0]: row[1] for row in rows},
        sum(row[2] for row in rows),
        count(connection, records, records.c.person == person),
    )


@dataclass(frozen=True)
class Forgotten:
    """What was deleted with a person."""

    tables: int
    """Tables that were deleted."""
    seats: int
    """Tables of other people, where the name was deleted."""
    results: int
    records: int


def forget(connection: sa.Connection, person: str, data: Iterable[PersonalData]) -> Forgotten:
    """Delete all data of a person and return what was deleted."""
    played, imported = (
        count(connection, one, one.c.person == person) for one in (results, records)
    )
    known = known_at(connection, person)
    for one in data:
        one.forget(connection, person)
    _delete(connection, person)
    shared = count(connection, tables, tables.c.token.in_(known))
    return Forgotten(len(known) - shared, shared, played, imported)


def _delete(connection: sa.Connection, person: str) -> None:
    sessions.end_others(connection, person, "")
    connection.execute(sa.delete(people).filter_by(id=person))


def leave_tables(connection: sa.Connection, person: str) -> None:
    """Delete a person's results, and the tables without other people.

    At other tables the seat stays, without a name.
    """
    for token in known_at(connection, person):
        alone = sa.delete(tables).filter_by(token=token).where(~with_others(person))
        if not connection.execute(alone).rowcount:
            deleted = f"{GONE}{secrets.token_urlsafe(12)}"
            _replace_person(connection, token, person, deleted, FORGOTTEN)
    connection.execute(sa.delete(results).filter_by(person=person))


def rename(connection: sa.Connection, person: str, name: str) -> None:
    """Change a person's name, also at the tables where they have sat down.

    A person with several seats at a table, or with the name of another seat, gets a number there.
    """
    connection.execute(sa.update(people).filter_by(id=person).values(name=name))
    for token in known_at(connection, person):
        _rename_at(connection, token, person, name)


def _rename_at(connection: sa.Connection, token: str, person: str, name: str) -> None:
    sitting = connection.execute(
        sa.select(seats).filter_by(token=token).order_by(seats.c.seat)
    ).all()
    taken = {row.name for row in sitting if row.person != person}
    names: dict[int, str] = {}
    note_rewritten(connection, token)
    for row in sitting:
        if row.person == person:
            names[row.seat] = unique(name, taken)
            taken.add(names[row.seat])
            connection.execute(
                sa.update(seats).filter_by(token=token, seat=row.seat).values(name=names[row.seat])
            )
    made = connection.execute(sa.select(tables.c.seats).filter_by(token=token)).scalar()
    rewritten = [
        seat | {"name": names.get(number, name)} if seat["person"] == person else seat
        for number, seat in enumerate(made or ())
    ]
    connection.execute(sa.update(tables).filter_by(token=token).values(seats=rewritten))
    _rewrite_log(connection, token, person, lambda seat: names.get(seat, name), kind=Sit.kind)


def _replace_person(
    connection: sa.Connection, token: str, old: str, new: str, name: str | None = None
) -> None:
    """Replace a person in a table's header, log and lists, with a new name if given."""
    note_rewritten(connection, token)
    made = connection.execute(sa.select(tables.c.seats).filter_by(token=token)).scalar()
    change = {"person": new} | ({} if name is None else {"name": name})
    rewritten = [seat | change if seat["person"] == old else seat for seat in made or ()]
    here = tables.c.token == token
    connection.execute(sa.update(tables).where(here).values(seats=rewritten))
    connection.execute(sa.update(tables).filter_by(host=old).where(here).values(host=new))
    entered = sa.update(log).filter_by(token=token, person=old)
    if name is not None:
        _rewrite_log(connection, token, old, lambda seat: name)
    connection.execute(entered.values(person=new))
    connection.execute(sa.update(seats).filter_by(token=token, person=old).values(change))
    connection.execute(sa.update(results).filter_by(token=token, person=old).values(person=new))


def _rewrite_log(
    connection: sa.Connection,
    token: str,
    person: str,
    name_at: Callable[[int], str],
    **only: str,
) -> None:
    """Rewrite a person's events with another name, by the seat, and without their chat."""
    written = sa.select(log).filter_by(token=token, person=person, **only)
    for row in connection.execute(written).all():
        event = read_entry(row).event.without_person(name_at(row.seat))
        entry = sa.update(log).filter_by(token=token, ply=row.ply)
        connection.execute(entry.values(payload=event.model_dump_json()))
