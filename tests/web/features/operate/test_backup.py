"""Copies of the data folder, made while the server runs, and put back."""

import contextlib
import os
import sqlite3
import stat
import threading
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.app import create_app
from redouble.web.errors import StoreError
from redouble.web.features.operate.backup import BackupError, back_up, restore
from redouble.web.installed import FEATURES
from redouble.web.people.people import COOKIE, KEY_FILE
from redouble.web.server.serve import locked
from redouble.web.store import FILE, open_store
from redouble.web.store.schema import people
from tests.helpers.command import Run
from tests.web.helpers.roomy import ROOMY

pytestmark = pytest.mark.sqlite("backups are of data folders; pg_dump copies PostgreSQL's")

GAME = next(iter(GAMES))


def test_a_backup_of_a_running_server_is_a_data_folder(data: Path, tmp_path: Path) -> None:
    copy, again = tmp_path / "copy", tmp_path / "again"
    with TestClient(create_app(data, limits=ROOMY)) as client:
        client.post("/me/name", data={"name": "Anna"})
        made = client.post(f"/play/{GAME}", follow_redirects=False)
        token, cookie = made.headers["location"].removeprefix("/t/"), client.cookies[COOKIE]
        back_up(data, copy)
        client.post("/me/name", data={"name": "Berta"})
    assert sorted(path.name for path in copy.iterdir()) == [FILE, KEY_FILE]
    assert {stat.S_IMODE(path.stat().st_mode) for path in copy.iterdir()} == {0o600}
    again.mkdir()
    assert restore(copy, again) is None
    with TestClient(create_app(again, limits=ROOMY)) as client:
        client.cookies.set(COOKIE, cookie)
        assert client.get("/api/me").json() == {"name": "Anna"}
        assert client.get(f"/api/tables/{token}").json()["seat"] == 0


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data folder of a new site."""
    folder = tmp_path / "data"
    folder.mkdir()
    open_store(folder, FEATURES.tables).close()
    return folder


def _insert(person: str, connection: sa.Connection) -> None:
    row = {"id": person, "name": "x" * 2000, "created": 0.0}
    connection.execute(sa.insert(people).values(row))


def test_a_backup_has_all_that_was_confirmed_while_others_write(tmp_path: Path) -> None:
    store, stopped, confirmed = open_store(tmp_path, FEATURES.tables), threading.Event(), 0

    def write() -> None:
        nonlocal confirmed
        while not stopped.is_set():
            store.call(partial(_insert, f"{confirmed}")).result(60)
            confirmed += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(3):
            before = confirmed
            back_up(tmp_path, tmp_path / f"{number}")
            with sqlite3.connect(tmp_path / f"{number}" / FILE) as copy:
                found = [int(row[0]) for row in copy.execute("SELECT id FROM people")]
            copy.close()
            assert sorted(found) == list(range(len(found)))
            assert len(found) >= before
    finally:
        stopped.set()
        writer.join()
        store.close()


def test_what_is_replaced_is_kept_beside_it(data: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    (data / KEY_FILE).write_text("k" * 40)
    back_up(data, copy)
    (data / KEY_FILE).write_text("n" * 40)
    before = (data / FILE).read_bytes()
    with pytest.raises(BackupError, match="has a database already"):
        restore(copy, data)
    aside = restore(copy, data, replace=True)
    assert aside is not None
    assert (aside / FILE).read_bytes() == before
    assert (aside / KEY_FILE).read_text() == "n" * 40
    assert (data / KEY_FILE).read_text() == "k" * 40
    open_store(data, FEATURES.tables).close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_what_root_puts_back_stays_its_owners(data: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    (data / KEY_FILE).write_text("k" * 40)
    back_up(data, copy)
    os.chown(data / FILE, 10_001, 10_002)
    (data / FILE).chmod(0o640)
    for folder in (data, tmp_path / "new"):
        folder.mkdir(exist_ok=True)
        os.chown(folder, 10_001, 10_002)
        with locked(folder):
            aside = restore(copy, folder, replace=True)
        made = [
            folder / FILE,
            folder / KEY_FILE,
            folder / "server.lock",
            *([aside] if aside else []),
        ]
        assert {(path.stat().st_uid, path.stat().st_gid) for path in made} == {(10_001, 10_002)}
    assert stat.S_IMODE((data / FILE).stat().st_mode) == 0o640


def test_a_damaged_database_names_its_table(data: Path, tmp_path: Path) -> None:
    store = open_store(data, FEATURES.tables)
    for number in range(20):
        store.call(partial(_insert, f"{number}")).result(60)
    store.close()
    with contextlib.closing(sqlite3.connect(data / FILE)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        found = "SELECT rootpage, page_size FROM sqlite_master, pragma_page_size() WHERE name = ?"
        root, size = database.execute(found, ("people",)).fetchone()
    with open(data / FILE, "r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    with pytest.raises(BackupError, match="damaged: table people: "):
        back_up(data, tmp_path / "copy")


def test_what_cannot_be_copied_leaves_nothing_behind(data: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for file in data.iterdir():
        file.unlink()
    with pytest.raises(BackupError, match="no database"):
        back_up(data, copy)
    (data / FILE).touch()
    with pytest.raises(StoreError, match="is empty, so its content is lost"):
        back_up(data, copy)
    with pytest.raises(StoreError, match="is empty, so its content is lost"):
        open_store(data, FEATURES.tables)
    (data / FILE).write_text("no database " * 1000)
    with pytest.raises(BackupError, match="not a database"):
        back_up(data, copy)
    (data / FILE).unlink()
    sqlite3.connect(data / FILE).execute("CREATE TABLE other (one)").connection.close()
    with pytest.raises(BackupError, match="isn't a database of Redouble"):
        back_up(data, copy)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
    copy.mkdir()
    with pytest.raises(BackupError, match="exists already"):
        back_up(data, copy)
    with pytest.raises(BackupError, match="no backup"):
        restore(copy, data)


def test_the_commands_copy_and_put_back_but_not_under_a_running_server(
    data: Path, tmp_path: Path, run: Run
) -> None:
    copy = tmp_path / "copy"
    there = ("--data", str(data))
    with locked(data) as announce:
        announce("http://127.0.0.1:2/")
        assert run("backup", str(copy), *there).code == 0
        refused = run("restore", str(copy), *there, "--replace")
        assert refused.code != 0
        assert "another server is using this data folder" in " ".join(refused.err.split())
    refused = run("restore", str(copy), *there)
    assert (refused.code, "--replace" in refused.err) == (2, True)
    done = run("restore", str(copy), *there, "--replace")
    assert (done.code, "The data that was there is in" in done.out) == (0, True)
