"""What becomes of people's data: the answers that every feature gives for its tables.

The data of a person lie in the tables of many features. Each says in its ``data.py`` what becomes
of its rows when a guest signs in to an account, when a person deletes their data, downloads it,
stays away or signs out. :mod:`redouble.web.installed` lists all of them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ParamSpec

import sqlalchemy as sa

from redouble.web.store.database import insert_first
from redouble.web.store.schema import SPINE, metadata, people

P = ParamSpec("P")


@dataclass(frozen=True)
class Owner:
    """The person whose data is exported."""

    id: str
    unseal: Callable[[str], str | None] = lambda sealed: sealed
    """Reads what is stored with the server's key."""


@dataclass(frozen=True)
class OneByOne:
    """An export that is read part by part, because all of it could be large."""

    tokens: Callable[[sa.Connection, str], Iterable[str]]
    """Return the parts of a person's data."""
    read: Callable[[sa.Connection, str], Any]
    """Read a part."""
    written: Callable[[Any, str], Sequence[object]]
    """Return what a part says to its person; it may take long, and needs no database."""


@dataclass(frozen=True)
class Stored:
    """A line of the privacy page: what is stored, and for how long."""

    what: str
    kept: str
    """It may name limits, such as ``{guest_days}``, which read as "90 days"."""
    on_servers: bool = False
    """Whether the edition in a browser doesn't have it."""


@dataclass(frozen=True, kw_only=True)
class PersonalData:
    """The answers about tables whose rows refer to a person or a session.

    None has a default, so that no table's data is lost, or kept, because an answer was forgotten.
    ``tests/web/features/test_personal_data.py`` checks them for every column of the database.
    """

    tables: tuple[sa.Table, ...]
    adopt: Callable[[sa.Connection, str, str], None]
    """Give a guest's rows to the person who signs in; what is left is deleted with the guest."""
    forget: Callable[[sa.Connection, str], None]
    """Delete the rows of a person, as far as foreign keys don't."""
    export: Mapping[str, Callable[[sa.Connection, Owner], object] | OneByOne]
    """What a person can download, by its name in the file."""
    expire: Callable[[sa.Connection, float], None]
    """Delete what is too old at a time in seconds since 1970."""
    keeps: tuple[sa.Select[Any], ...]
    """Selects the people who aren't deleted as passing guests because of such a row."""
    privacy: tuple[Stored, ...]
    """What the privacy page says of it."""
    sessions: tuple[sa.Column[Any], ...]
    """The columns that refer to the session that made a row: it is deleted with it."""


def by_foreign_key(connection: sa.Connection, person: str) -> None:
    """Forget a person whose rows a foreign key deletes: an answer of :class:`PersonalData`."""


def never(connection: sa.Connection, now: float) -> None:
    """Expire nothing before its person: an answer of :class:`PersonalData`."""


def left_behind(connection: sa.Connection, guest: str, person: str) -> None:
    """Let a guest's rows go with the guest: an answer of :class:`PersonalData`."""


def moved(*columns: sa.Column[Any]) -> Callable[[sa.Connection, str, str], None]:
    """Return the answer that all rows of a guest become the person's."""

    def adopt(connection: sa.Connection, guest: str, person: str) -> None:
        for column in columns:
            change = sa.update(column.table).where(column == guest)
            connection.execute(change.values({column.name: person}))

    return adopt


def moved_if_none(column: sa.Column[Any]) -> Callable[[sa.Connection, str, str], None]:
    """Return the answer that a guest's rows become those of a person who has none."""

    def adopt(connection: sa.Connection, guest: str, person: str) -> None:
        own = sa.exists().where(column == person)
        if not connection.execute(sa.select(own)).scalar():
            moved(column)(connection, guest, person)

    return adopt


def moved_once(*columns: sa.Column[Any]) -> Callable[[sa.Connection, str, str], None]:
    """Return the answer for rows of two people, one of whom is the guest.

    A row goes if the person has the same with the other one already, or would be both.
    """
    table = columns[0].table
    keys = table.primary_key.columns

    def adopt(connection: sa.Connection, guest: str, person: str) -> None:
        theirs = sa.or_(*(column == guest for column in columns))
        for found in connection.execute(sa.select(table).where(theirs)).mappings().all():
            row = dict(found)
            connection.execute(sa.delete(table).where(*(key == row[key.name] for key in keys)))
            for column in columns:
                row[column.name] = person if row[column.name] == guest else row[column.name]
            if len({row[column.name] for column in columns}) == len(columns):
                insert_first(connection, table, row)

    return adopt


def deleted(*columns: sa.Column[Any]) -> Callable[[sa.Connection, str], None]:
    """Return the answer that the rows of a person are deleted where no foreign key does it."""

    def forget(connection: sa.Connection, person: str) -> None:
        for column in columns:
            connection.execute(sa.delete(column.table).where(column == person))

    return forget


def older_than(column: sa.Column[Any], seconds: float) -> Callable[[sa.Connection, float], None]:
    """Return the answer that rows expire some seconds after the time in a column."""

    def expire(connection: sa.Connection, now: float) -> None:
        connection.execute(sa.delete(column.table).where(column < now - seconds))

    return expire


def in_turn(*answers: Callable[P, None]) -> Callable[P, None]:
    """Return the answer that gives several ones, one after the other."""

    def all_of(*args: P.args, **more: P.kwargs) -> None:
        for answer in answers:
            answer(*args, **more)

    return all_of


def listed(
    read: Callable[[sa.Connection, str], Iterable[Any]],
    *times: str,
    without: Iterable[str] = ("person",),
) -> Callable[[sa.Connection, Owner], object]:
    """Return the answer that exports rows of a person, with ``times`` as texts."""

    def export(connection: sa.Connection, owner: Owner) -> list[dict[str, Any]]:
        return [
            {
                key: as_time(value) if key in times and value else value
                for key, value in getattr(row, "_mapping", row).items()
                if key not in without
            }
            for row in read(connection, owner.id)
        ]

    return export


def found_by(
    query: sa.Select[Any], person: sa.Column[Any]
) -> Callable[[sa.Connection, str], Iterable[sa.Row[Any]]]:
    """Return what reads the rows of a query that a column says are a person's."""
    return lambda connection, owner: connection.execute(query.where(person == owner))


UNTIL_DELETED = "until you delete your data"


def as_time(seconds: float) -> str:
    """Return a time as people and programs read it in exported files."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def move_session(
    connection: sa.Connection, data: Iterable[PersonalData], old: str, new: str
) -> None:
    """Let what a session has made belong to the one that follows it in the same browser."""
    for one in data:
        for column in one.sessions:
            change = sa.update(column.table).where(column == old)
            connection.execute(change.values({column.name: new}))


def all_tables(data: Iterable[PersonalData]) -> list[sa.Table]:
    """Return the tables of a database with this data, each after those that it refers to."""
    known = {*SPINE, *(table for one in data for table in one.tables)}
    return [table for table in metadata.sorted_tables if table in known]


def kept_by(data: Iterable[PersonalData]) -> Iterator[sa.ColumnElement[bool]]:
    """Yield the conditions by which a row of ``people`` isn't a passing guest's."""
    for one in data:
        for query in one.keeps:
            (person,) = query.selected_columns
            yield query.where(person == people.c.id).correlate(people).exists()
