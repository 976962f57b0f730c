"""The database of a PostgreSQL server."""

import asyncio
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from starlette.testclient import TestClient

from redouble.kernel.errors import MissingExtra
from redouble.web.app import create_app, open_site
from redouble.web.errors import NotFound, OutcomeUnknown, StoreError
from redouble.web.installed import FEATURES
from redouble.web.store import HEAD, Job, Store, open_store, postgresql, schema
from redouble.web.store.database import found_revision
from redouble.web.store.postgresql import PostgresqlDatabase
from scripts.upgrade_database import upgrade
from tests.helpers.command import Run
from tests.helpers.places import EARLIER_SCHEMAS
from tests.web.helpers.house import differences, writer_held
from tests.web.helpers.postgresql import Cluster
from tests.web.helpers.programs import Program
from tests.web.helpers.roomy import ROOMY

_numbers = count()
ANNA = "SELECT name FROM people WHERE id = ?"


@pytest.fixture
def address(cluster: Cluster) -> str:
    return cluster.create(f"redouble_{next(_numbers)}")


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    opened = open_store(address, FEATURES.tables)
    yield opened
    opened.close()


def serving(folder: Path, address: str) -> TestClient:
    site = open_site(folder, limits=ROOMY, database=address)
    return TestClient(create_app(folder, site, limits=ROOMY))


def add_anna(connection: sa.Connection) -> None:
    connection.execute(sa.insert(schema.people).values(id="a", name="Anna", created=0.0))


# Opening.


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_hold_every_name_is_refused(
    cluster: Cluster, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--encoding", encoding, "--locale", "C")
    address = cluster.create(f"redouble_{next(_numbers)}", "template0", *options)
    for beside in (False, True):
        with pytest.raises(StoreError, match=f"has the encoding {encoding}, which"):
            open_store(address, FEATURES.tables, beside=beside)
    monkeypatch.setenv("PGCLIENTENCODING", encoding)  # what counts is the database
    other = cluster.create(f"redouble_{next(_numbers)}").replace("postgresql://", "postgres://")
    store = open_store(other, FEATURES.tables)
    store.call(
        lambda c: c.execute(sa.insert(schema.people).values(id="a", name="Łucja 8♥", created=0))
    )
    assert (
        store.call(lambda c: c.execute(sa.select(schema.people.c.name)).scalar()).result(60)
        == "Łucja 8♥"
    )
    store.close()


def test_a_password_can_be_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "password"
    monkeypatch.setenv(postgresql.PASSWORD_FILE, str(file))
    with pytest.raises(StoreError, match="can't be read: No such file"):
        postgresql.parsed_address("postgres://redouble@host/name")
    file.write_text("\n")
    with pytest.raises(StoreError, match="has no password"):
        postgresql.parsed_address("postgres://redouble@host/name")
    file.write_text("open/sesame@1\n")
    assert postgresql.parsed_address("postgres://redouble@host/name").password == "open/sesame@1"
    assert postgresql.parsed_address("postgres://redouble:mine@host/name").password == "mine"


def test_an_older_database_is_migrated_and_keeps_its_content(address: str) -> None:
    """From the first schema that a PostgreSQL database can have."""
    config = Config()
    config.set_main_option("script_location", str(EARLIER_SCHEMAS))
    engine = sa.create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0009")
        connection.exec_driver_sql("INSERT INTO people VALUES ('a', 'Anna', 0)")
    engine.dispose()
    with pytest.raises(StoreError, match="has schema 0009"):
        open_store(address, FEATURES.tables, beside=True)
    with pytest.raises(StoreError, match=r"schema 0009.: bring it up to date"):
        open_store(address, FEATURES.tables)
    upgrade(address)
    store = open_store(address, FEATURES.tables)
    assert store.call(differences).result(60) == []
    assert store.call(found_revision).result(60) == HEAD
    assert store.look_up(ANNA, "a") == ("Anna",)
    store.close()


def test_one_server_at_a_time_uses_a_database(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = open_store(address, FEATURES.tables)
    monkeypatch.setattr(postgresql, "LOCK_SECONDS", 0.0)
    with pytest.raises(StoreError, match="another server uses"):
        open_store(address, FEATURES.tables)
    beside = open_store(address, FEATURES.tables, beside=True)
    beside.call(add_anna).result(10)
    assert first.look_up(ANNA, "a") == ("Anna",)
    beside.close()
    first.close()
    monkeypatch.undo()
    open_store(address, FEATURES.tables).close()


def test_a_missing_database_is_told_at_once_and_without_the_password(cluster: Cluster) -> None:
    nowhere = cluster.address("nowhere")
    with pytest.raises(StoreError, match='"nowhere" does not exist') as raised:
        PostgresqlDatabase(nowhere, FEATURES.tables)
    assert "sesame" in nowhere
    assert "sesame" not in str(raised.value)


def test_a_missing_server_is_named_without_the_password(tmp_path: Path) -> None:
    nowhere = f"postgresql://redouble:sesame@/name?host={tmp_path}"
    with pytest.raises(StoreError, match="can't be used") as raised:
        PostgresqlDatabase(nowhere, FEATURES.tables, wait=0.0)
    assert "sesame" not in str(raised.value)


@pytest.mark.thorough
def test_a_server_that_comes_later_is_used(
    cluster: Cluster, address: str, caplog: pytest.LogCaptureFixture
) -> None:
    cluster.stop()
    with ThreadPoolExecutor() as pool:
        opening = pool.submit(PostgresqlDatabase, address, (), wait=300.0)
        while "waiting for" not in caplog.text:
            assert not opening.done()
            time.sleep(0.05)
        cluster.start()
        opening.result().close()
    assert "sesame" not in caplog.text


@pytest.mark.parametrize(
    "wrong",
    ["postgresql://[", "mysql://host/name", "postgres", "postgresql://h:port/name", "/tmp/file"],
)
def test_a_wrong_address_is_refused(wrong: str, tmp_path: Path, run: Run) -> None:
    code, _, said = run("serve", "--port", "0", "--data", str(tmp_path), "--database", wrong)
    assert code != 0
    assert "give postgresql://user:password@host/name" in said
    assert said.count("\n") == 1


def test_without_psycopg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"psycopg.*'redouble\[server\]"):
        PostgresqlDatabase("postgresql://localhost/redouble", FEATURES.tables)


def test_a_database_that_is_not_ours_is_left_alone(address: str) -> None:
    with psycopg.connect(address) as connection:
        connection.execute("CREATE TABLE theirs (id int)")
    with pytest.raises(StoreError, match="isn't a database of Redouble"):
        open_store(address, FEATURES.tables)


@pytest.mark.parametrize("command", [["backup", "copy"], ["restore", "copy"]])
def test_a_backup_says_how_to_copy_it(
    command: list[str], monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setenv("REDOUBLE_DATABASE", "postgresql://host/name")
    code, _, err = run(*command)
    assert code != 0
    assert "pg_dump" in err


# Playing.


def test_a_game_is_played_and_goes_on_after_a_restart(
    tmp_path: Path, address: str, run: Run
) -> None:
    with serving(tmp_path, address) as client:
        anna = Program(client, "Anna")
        state = anna.table("double-down", "me", "here")
        token = state["table"]
        while state["turn"] is not None:
            state = anna.move(anna.look(state, state["turn"]), seat=state["turn"])
        before = anna.look(state, 0)
        assert before["status"] == "over"
        assert token in run("admin", "tables", "--database", address).out
    with serving(tmp_path, address) as client:
        anna.client = client
        assert anna.look(state, 0) == before
    assert not list(tmp_path.glob("*.sqlite3*"))


def test_text_that_no_database_holds_is_refused(tmp_path: Path, address: str) -> None:
    with serving(tmp_path, address) as client:
        for path in ("/t/a%00b", "/join/a%00b", "/results/a%00b"):
            assert client.get(path).status_code == 404


# What fails.


def test_jobs_of_a_transaction_fail_alone(store: Store) -> None:
    person = sa.insert(schema.people)

    def add(number: str, name: str) -> Job[Any]:
        return lambda c: c.execute(person.values(id=number, name=name, created=0.0))

    with writer_held(store):
        first = store.call(add("a", "Anna"))
        twice = store.call(add("a", "Ben"))
        wrong = store.call(lambda c: c.exec_driver_sql("SELECT nothing FROM nowhere") and None)
        empty = store.call(add("\0", "Dan"))
        last = store.call(add("c", "Cleo"))
    first.result()
    with pytest.raises(sa.exc.IntegrityError):
        twice.result()
    with pytest.raises(StoreError):
        wrong.result()
    with pytest.raises(NotFound, match="an invalid character"):
        empty.result()
    last.result()
    names = store.call(lambda c: sorted(c.execute(sa.select(schema.people.c.name)).scalars()))
    assert names.result() == ["Anna", "Cleo"]


def test_while_it_is_gone_nothing_is_saved_and_afterwards_it_goes_on(
    cluster: Cluster, store: Store
) -> None:
    cluster.stop()
    try:
        with pytest.raises(StoreError, match="nothing has changed") as refused:
            store.call(add_anna).result()
        with pytest.raises(StoreError, match="can't be read") as unread:
            asyncio.run(store.find(ANNA, "a"))
        for said in (refused, unread):
            assert str(cluster.folder) not in str(said.value)
            assert not isinstance(said.value, OutcomeUnknown)
    finally:
        cluster.start()
    assert store.look_up(ANNA, "a") is None
    store.call(add_anna).result()
    assert store.look_up(ANNA, "a") == ("Anna",)


@pytest.mark.parametrize("together", [False, True], ids=["alone", "in a batch"])
def test_a_job_whose_connection_ends_before_the_commit_runs_again(
    store: Store, together: bool
) -> None:
    """All that it did was undone. Statements of many rows don't hear why the connection ended."""
    cuts = iter([True])

    def cut(connection: sa.Connection) -> None:
        add_anna(connection)
        if next(cuts, False):
            connection.exec_driver_sql("SELECT pg_terminate_backend(pg_backend_pid())")
        rows = [{"id": id, "name": "Ben", "created": 0.0} for id in "bc"]
        connection.execute(sa.insert(schema.people), rows)

    with writer_held(store):
        jobs = [store.call(cut), *[store.call(lambda c: None) for _ in range(together)]]
    for job in jobs:
        job.result()
    assert store.look_up("SELECT count(*) FROM people") == (3,)


def test_a_job_whose_connection_always_ends_changes_nothing(store: Store) -> None:
    def cut(connection: sa.Connection) -> None:
        add_anna(connection)
        connection.exec_driver_sql("SELECT pg_terminate_backend(pg_backend_pid())")

    with writer_held(store):
        broken, other = store.call(cut), store.call(lambda c: None)
    with pytest.raises(StoreError, match="nothing has changed"):
        broken.result()
    other.result()
    assert store.look_up(ANNA, "a") is None
    store.call(add_anna).result()


@pytest.fixture(params=[True, False], ids=["saved", "lost"])
def cut_off(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Lose the connection in the first commit of a change, after or before it takes effect."""
    commit = psycopg.Connection.commit

    def lose(connection: Any) -> None:
        changed = connection.execute("SELECT txid_current_if_assigned()").fetchone()[0]
        if changed is None:
            return commit(connection)
        monkeypatch.setattr(psycopg.Connection, "commit", commit)
        if request.param:
            commit(connection)
        connection.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    def begin() -> None:
        monkeypatch.setattr(psycopg.Connection, "commit", lose)

    request.node.cut_off = begin
    return bool(request.param)


def test_the_outcome_of_a_commit_that_is_cut_off_is_unknown(
    request: pytest.FixtureRequest, store: Store, cut_off: bool
) -> None:
    request.node.cut_off()
    with pytest.raises(OutcomeUnknown, match="isn't known whether this was saved"):
        store.call(add_anna).result()
    assert store.look_up(ANNA, "a") == (("Anna",) if cut_off else None)


def test_commitments_are_listed(tmp_path: Path, address: str) -> None:
    with serving(tmp_path, address) as client:
        Program(client, "Anna").table("double-down", "me", "here")
        assert client.get("/fair").status_code == 200
        assert client.get("/fair/commitments").json()["number"] == 1
        assert client.get("/fair/commitments?before=1").text == ""


def test_a_move_whose_commit_is_cut_off_is_looked_up(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    address: str,
    cut_off: bool,
) -> None:
    with serving(tmp_path, address) as client:
        anna = Program(client, "Anna")
        state = anna.table("double-down", "me", "here")
        state = anna.look(state, state["turn"])
        request.node.cut_off()
        anna.move(state, seat=state["turn"], status=200 if cut_off else 503)
        after = anna.look(state, state["turn"])
        assert after["ply"] == state["ply"] + cut_off
