"""Every row about a person has an owner who says what becomes of it, and that is what happens.

A person gets rows in every table of the database, and is then adopted, exported, signed out,
expired and deleted. Afterwards all cells of the database are searched for their id.
"""

import json
from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.features.account import account, retention
from redouble.web.features.signin import devices
from redouble.web.features.signin.codes import codes, link_device, new_code
from redouble.web.installed import FEATURES
from redouble.web.people.people import Person
from redouble.web.personal import left_behind
from redouble.web.site import Site
from redouble.web.store.clock import CLOCK, DAY
from redouble.web.store.schema import metadata, notices, people, sessions
from tests.web.helpers.guestbook.book import lines
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import site_of
from tests.web.helpers.visitors import Visitor, execute, in_loop, stored

GAME = next(game for game in GAMES.values() if game.min_seats <= 2 <= game.max_seats)
PLAYED = {"tables", "seats", "log", "results"}
"""Tables whose rows a real game writes."""
IMPERSONAL = {
    "clock": "what time it is",
    "commitments": "what the server has bound itself to",
    "notices": "what other processes should read again, for a minute",
    "secrets": "the site's own",
}
"""Tables that no feature answers for, and what is in them."""
UNBOUND = {"person", "host", "caller", "called", "asker", "asked", "reporter", "reported", "muted"}
"""What columns are called that name a person, with a foreign key or without."""
NUMBERS = count(1000)


def names_people(column: sa.Column[Any]) -> bool:
    keys = {key.column for key in column.foreign_keys}
    return people.c.id in keys or (column.name in UNBOUND and isinstance(column.type, sa.String))


def person_columns(table: sa.Table) -> list[sa.Column[Any]]:
    return [column for column in table.columns if names_people(column)]


def session_columns(table: sa.Table) -> list[sa.Column[Any]]:
    to_sessions = [
        c for c in table.columns if any(k.column is sessions.c.id for k in c.foreign_keys)
    ]
    return to_sessions


WITH_PEOPLE = [
    table
    for table in FEATURES.tables
    if person_columns(table) and table.name not in {*PLAYED, "sessions"}
]


def value_of(column: sa.Column[Any], known: dict[sa.Column[Any], Any]) -> Any:
    """Something for a cell; a foreign key refers to a row that is ``known``."""
    for key in column.foreign_keys:
        return known.get(key.column)
    number = next(NUMBERS)
    if isinstance(column.type, sa.JSON):
        return []
    if isinstance(column.type, sa.Boolean):
        return True
    if isinstance(column.type, sa.Float):
        return None if column.nullable else CLOCK.now() + 60
    if isinstance(column.type, sa.Integer):
        return number if column.primary_key else number % 3
    return f"{number}"


def write(
    connection: sa.Connection, table: sa.Table, person: str, other: str, known: dict[Any, Any]
) -> None:
    """Write a row for each column that names a person; the other such columns name another."""
    for mine in person_columns(table):
        row = {
            column.name: (person if column is mine else other)
            if names_people(column)
            else value_of(column, known)
            for column in table.columns
            if column.server_default is None
        }
        if table.name == "letters":
            row["key"] = f"turn {next(NUMBERS)} {person}"
        if "channel" in row:
            row["channel"] = "push"
        connection.execute(sa.insert(table).values(row))


def parents(connection: sa.Connection, token: str, session: str, other: str) -> dict[Any, Any]:
    """What the rows of other tables refer to: a table, a session, a circle, an evening."""
    known: dict[Any, Any] = {metadata.tables["tables"].c.token: token, sessions.c.id: session}
    for name in ("circles", "evenings", "addresses"):
        table = metadata.tables[name]
        (key,) = table.primary_key.columns
        known[key] = f"{name}-{next(NUMBERS)}"
        row = {
            column.name: other if names_people(column) else value_of(column, known)
            for column in table.columns
            if column.server_default is None
        }
        connection.execute(sa.insert(table).values(row | {key.name: known[key]}))
    return known


def cells(connection: sa.Connection, text: str) -> Counter[str]:
    """Count the rows of each table that contain a text."""
    return Counter(
        table.name
        for table in FEATURES.tables
        for row in connection.execute(sa.select(table)).all()
        if text in json.dumps(list(row), default=str)
    )


class Crowd:
    """Somebody with rows everywhere, somebody they have to do with, and an account."""

    def __init__(self, client: TestClient) -> None:
        self.client, self.site = client, site_of(client)
        self.visitors = [Visitor(client, name) for name in ("Anna", "Ben", "Carl")]
        self.ids = [one.person.id for one in self.visitors]

    def person(self, which: int = 0) -> Person:
        return self.visitors[which].person

    def play(self, visitor: Visitor) -> str:
        seats = [{"kind": "me"}, {"kind": "bot"}]
        made = visitor.ask("/tables", {"game": GAME.name, "seats": seats}, 201)
        for act, said in (("say", {"text": "Hello"}), ("resign", {})):
            visitor.ask(f"/tables/{made['table']}/{act}", said)
        return str(made["table"])

    def fill(self, which: int = 0) -> None:
        token = self.play(self.visitors[which])
        session = self.person(which).session

        def job(connection: sa.Connection) -> None:
            known = parents(connection, token, session, self.ids[1])
            for table in WITH_PEOPLE:
                write(connection, table, self.ids[which], self.ids[1], known)

        stored(self.client, job)

    def found(self, which: int = 0) -> Counter[str]:
        return stored(self.client, lambda c: cells(c, self.ids[which]))

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return in_loop(self.client, function, *arguments)


@pytest.fixture
def crowd(client: TestClient) -> Crowd:
    return Crowd(client)


def test_each_column_that_refers_to_people_or_sessions_has_one_owner() -> None:
    owners = Counter(table.name for one in FEATURES.data for table in one.tables)
    assert set(owners.values()) == {1}
    declared = {table.name for table in metadata.sorted_tables} - {lines.name}
    assert declared == {*owners, *IMPERSONAL}
    for name in IMPERSONAL:
        table = metadata.tables[name]
        assert not person_columns(table) + session_columns(table), name


def test_what_a_session_has_made_ends_with_it() -> None:
    answered = {column for one in FEATURES.data for column in one.sessions}
    found = {column for table in FEATURES.tables for column in session_columns(table)}
    assert answered == found
    for column in found:
        assert {key.ondelete for key in column.foreign_keys} == {"CASCADE"}, column


def test_a_person_can_be_written_everywhere(crowd: Crowd) -> None:
    """Else the tests below would search empty tables."""
    crowd.fill()
    assert set(crowd.found()) >= {table.name for table in WITH_PEOPLE} | {"people", "sessions"}
    assert {"tables", "seats", "log", "results"} <= set(crowd.found())


@pytest.mark.parametrize("rows_of_their_own", [False, True])
def test_an_adopted_guest_is_found_nowhere(crowd: Crowd, rows_of_their_own: bool) -> None:
    crowd.fill()
    if rows_of_their_own:
        crowd.fill(2)
    before = crowd.found()
    code = stored(crowd.client, lambda c: new_code(c, crowd.ids[2]))
    crowd.call(link_device, crowd.site, code, crowd.person(), "anywhere", "a browser")
    assert not crowd.found()
    if not rows_of_their_own:
        after = crowd.found(2)
        left = {
            table.name for one in FEATURES.data if one.adopt is left_behind for table in one.tables
        }
        lost = {name for name in before if not after[name]} - left - {codes.name}
        assert not lost, lost


def test_everything_of_a_person_is_exported(crowd: Crowd) -> None:
    crowd.fill()
    person = crowd.person()

    async def export(site: Site) -> str:
        parts = account.export(site.store, person, FEATURES.data)
        return "".join([part async for part in parts])

    exported = json.loads(crowd.call(export, crowd.site))
    assert set(exported) == {"name"} | {name for one in FEATURES.data for name in one.export}
    assert [name for name, value in exported.items() if not value] == []


def test_a_deleted_person_is_found_nowhere(crowd: Crowd) -> None:
    crowd.fill()
    crowd.call(account.forget, crowd.site.store, crowd.site.tables, crowd.person(), FEATURES.data)
    assert not crowd.found()


@pytest.mark.parametrize("way", ["here", "everywhere else", "on a list"])
def test_a_session_that_ends_takes_what_it_has_made(crowd: Crowd, way: str) -> None:
    crowd.fill()
    me = crowd.person()
    lost = me.session
    if way == "everywhere else":
        other = Visitor(crowd.client, "Anna's phone")
        query = sa.update(sessions).where(sessions.c.person == other.person.id)
        execute(crowd.client, query.values(person=me.id))
        crowd.client.post("/me/devices/others", headers=other._headers())
        mine = Person(me.id, "", "")
        crowd.call(devices.end_other_sessions, crowd.site, mine)
    else:
        crowd.call(devices.end_session, crowd.site, me, lost)
    told = {notices.name}  # the other processes
    assert not set(stored(crowd.client, lambda c: cells(c, lost))) - told


def test_a_person_who_stays_away_is_told_and_then_found_nowhere(crowd: Crowd) -> None:
    crowd.fill()
    now = CLOCK.now()
    soon = now + (ROOMY.account_days - retention.NOTICE_DAYS + 1) * DAY
    crowd.call(retention.prune, crowd.site, soon)
    assert crowd.found()["people"] == 1
    told = sa.select(people.c.warned).where(people.c.id == crowd.ids[0])
    assert stored(crowd.client, lambda c: c.execute(told).scalar()) == soon
    crowd.call(retention.prune, crowd.site, soon + (retention.NOTICE_DAYS - 2) * DAY)
    assert crowd.found()["people"] == 1
    crowd.call(retention.prune, crowd.site, soon + (retention.NOTICE_DAYS + 1) * DAY)
    assert not crowd.found()


def test_a_person_who_is_here_is_kept(crowd: Crowd) -> None:
    later = CLOCK.now() + 5 * ROOMY.account_days * DAY
    here = sa.update(people).where(people.c.id == crowd.ids[0]).values(seen=later - DAY, warned=1.0)
    execute(crowd.client, here)
    crowd.call(retention.prune, crowd.site, later)
    assert crowd.found()["people"] == 1
    assert not crowd.found(1)


KEEPING = {query.selected_columns[0].table.name for one in FEATURES.data for query in one.keeps}


@pytest.mark.parametrize("table", WITH_PEOPLE, ids=lambda table: table.name)
def test_a_guest_is_kept_by_what_says_so(crowd: Crowd, table: sa.Table) -> None:
    token = crowd.play(crowd.visitors[1])
    guest, other, _ = crowd.ids

    def job(connection: sa.Connection) -> None:
        known = parents(connection, token, crowd.person(1).session, other)
        write(connection, table, guest, other, known)

    stored(crowd.client, job)
    crowd.call(retention.prune, crowd.site, CLOCK.now() + (ROOMY.guest_days + 1) * DAY)
    expires = {codes.name}  # and then it is no reason any more
    assert (crowd.found()["people"] == 1) == (table.name in KEEPING - expires)
