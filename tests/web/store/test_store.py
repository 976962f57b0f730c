"""The database: which files it accepts, migrations, and what survives a crash."""

import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.web.app import create_app
from redouble.web.errors import StoreError
from redouble.web.installed import FEATURES
from redouble.web.people.people import KEY_FILE
from redouble.web.store import FILE, HEAD, Store, open_store, sqlite
from redouble.web.store.schema import metadata
from tests.web.helpers.roomy import ROOMY

in_file = pytest.mark.sqlite("it is about the file of SQLite")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path, FEATURES.tables)
    yield opened
    opened.close()


# Migrations.


def test_a_database_is_migrated_once_and_keeps_its_content(tmp_path: Path) -> None:
    first = open_store(tmp_path, FEATURES.tables)
    insert = sa.insert(metadata.tables["people"]).values(id="1", name="Anna", created=0.0)
    first.call(lambda c: c.execute(insert) and None).result(10)
    first.close()
    second = open_store(tmp_path, FEATURES.tables)
    count = sa.select(sa.func.count()).select_from(metadata.tables["people"])
    assert second.call(lambda c: c.execute(count).scalar()).result(10) == 1
    second.close()


@in_file
def test_a_database_that_is_ready_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready, folder = tmp_path / "ready.sqlite3", tmp_path / "data"
    folder.mkdir()
    open_store(tmp_path, FEATURES.tables).close()
    (tmp_path / FILE).rename(ready)
    monkeypatch.setattr(sqlite, "READY", ready)
    monkeypatch.setattr(sqlite, "bring_up_to_date", lambda *_: None)
    open_store(folder, FEATURES.tables).close()
    assert sqlite.revision(folder / FILE) == HEAD


@in_file
def test_acknowledged_writes_are_on_the_disk(store: Store) -> None:
    def pragma(name: str) -> Any:
        return store.call(lambda c: c.exec_driver_sql(f"PRAGMA {name}").scalar()).result(10)

    assert pragma("synchronous") == 2  # FULL
    assert pragma("journal_mode") == "wal"
    assert pragma("foreign_keys") == 1


def test_a_look_up_waits_for_no_job_and_sees_what_is_committed(store: Store) -> None:
    query, row = "SELECT name FROM people WHERE id = ?", {"id": "a", "name": "Ada", "created": 0.0}
    assert store.look_up(query, "a") is None
    store.call(lambda c: c.execute(sa.insert(metadata.tables["people"]), row) and None).result(10)
    assert store.look_up(query, "a") == ("Ada",)
    begun, go_on = threading.Event(), threading.Event()

    def rename(connection: sa.Connection) -> None:
        connection.exec_driver_sql("UPDATE people SET name = 'Eva'")
        begun.set()
        assert go_on.wait(60)

    writing = store.call(rename)
    assert begun.wait(60)
    assert store.look_up(query, "a") == ("Ada",)
    go_on.set()
    writing.result(60)
    assert store.look_up(query, "a") == ("Eva",)


@pytest.mark.parametrize("error", [ValueError("no"), sa.exc.IntegrityError("", {}, Exception())])
def test_a_job_that_fails_alone_leaves_nothing_behind(store: Store, error: Exception) -> None:
    row = {"id": "a", "name": "Ada", "created": 0.0}

    def job(connection: sa.Connection) -> None:
        connection.execute(sa.insert(metadata.tables["people"]), row)
        raise error

    with pytest.raises(type(error)):
        store.call(job).result(10)
    assert store.look_up("SELECT name FROM people WHERE id = ?", "a") is None


def test_a_look_up_cannot_write(store: Store) -> None:
    with pytest.raises(StoreError, match="can't be read"):
        store.look_up("DELETE FROM people")


# Foreign files.


def garbage(path: Path) -> None:
    path.write_bytes(b"no database " * 1000)


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE users (name TEXT)")
    connection.close()


def newer(path: Path) -> None:
    open_store(path.parent, FEATURES.tables).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()


def damaged(path: Path) -> None:
    open_store(path.parent, FEATURES.tables).close()
    content = bytearray(path.read_bytes())
    content[100:3000] = Random(1).randbytes(2900)
    path.write_bytes(content)


def cut(path: Path) -> None:
    open_store(path.parent, FEATURES.tables).close()
    path.write_bytes(path.read_bytes()[:5000])


def folder(path: Path) -> None:
    path.mkdir()


def no_folder(path: Path) -> None:
    path.parent.rmdir()


@in_file
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (garbage, "file is not a database"),
        (foreign, "isn't a database of Redouble"),
        (newer, "written by a newer version of Redouble .schema 9999.: update Redouble"),
        (damaged, "malformed"),
        (cut, "malformed"),
        (folder, "unable to open database file"),
        (no_folder, "unable to open database file"),
    ],
)
def test_a_foreign_file_is_refused_in_a_sentence_and_left_unchanged(
    tmp_path: Path, make: Callable[[Path], None], said: str
) -> None:
    path = tmp_path / "data" / FILE
    path.parent.mkdir()
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreError, match=said) as refused:
        open_store(path.parent, FEATURES.tables)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert (path.read_bytes() if path.is_file() else None) == before


@in_file
def test_a_data_folder_may_have_any_name(tmp_path: Path) -> None:
    odd = tmp_path / "what? 100% #1 äöü;"
    odd.mkdir()
    open_store(odd, FEATURES.tables).close()
    assert (odd / FILE).exists()


# The server's own key.


def test_only_its_owner_can_read_the_key_and_it_persists(tmp_path: Path) -> None:
    with TestClient(create_app(tmp_path, limits=ROOMY)):
        pass
    path = tmp_path / KEY_FILE
    key = path.read_text(encoding="ascii")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(key) >= 32
    with TestClient(create_app(tmp_path, limits=ROOMY)):
        pass
    assert path.read_text(encoding="ascii") == key


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 50])
def test_an_invalid_key_file_is_refused(tmp_path: Path, content: bytes) -> None:
    """With an empty key anyone could sign as anyone."""
    (tmp_path / KEY_FILE).write_bytes(content)
    with pytest.raises(StoreError, match=KEY_FILE), TestClient(create_app(tmp_path, limits=ROOMY)):
        pass
