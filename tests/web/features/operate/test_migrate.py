"""Moving a server's data from one database to another."""

import sqlite3
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.web.app import create_app, open_site
from redouble.web.features.operate.migrate import MigrateError, migrate
from redouble.web.installed import FEATURES
from redouble.web.live import plan
from redouble.web.server.serve import locked
from redouble.web.store import schema
from redouble.web.store.sqlite import FILE
from tests.helpers.command import Run
from tests.web.helpers.postgresql import EMPTY, Cluster
from tests.web.helpers.programs import Program
from tests.web.helpers.roomy import ROOMY

pytestmark = pytest.mark.sqlite("it copies files of SQLite, to a PostgreSQL server of its own")
_numbers = count()


@pytest.fixture
def address(cluster: Cluster) -> str:
    return cluster.create(f"migrate_{next(_numbers)}", EMPTY)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a server at which two people have played and one has imported a game."""
    monkeypatch.setattr(plan, "new_seed", lambda seats: "migrate")  # which is long enough
    folder = tmp_path / "data"
    folder.mkdir()
    with TestClient(create_app(folder, limits=ROOMY)) as client:
        anna, ben = Program(client, "Änne 🂡"), Program(client, "Ben")
        state = anna.table("double-down", "me", "friend")
        ben.post(f"/join/{state['invite']}", {})
        for _ in range(12):
            for one in (anna, ben):
                state = one.look(state)
                if state["my_turn"]:
                    one.move(state)
        anna.act(state, "say", text="well played, „Ben“")
        alone = anna.act(anna.table("double-or-quits", "me"), "resign")
        record = client.get(f"/api/tables/{alone['table']}/record").text
        anna.post("/records", {"record": record}, 201)
        (folder / "token.txt").write_text(anna.headers["Authorization"], encoding="utf-8")
        (folder / "table.txt").write_text(state["table"], encoding="utf-8")
    return folder


def test_play_goes_on_in_the_other_database(data: Path, address: str) -> None:
    before = content(data)
    moved = migrate(str(data), address, FEATURES.tables)
    assert moved.rows["tables"] == 2
    assert moved.rows["log"] > 10
    assert moved.rows["people"] == 2
    assert moved.rows["records"] == 1
    assert content(data) == before
    site = open_site(data, limits=ROOMY, database=address)
    with TestClient(create_app(data, site)) as client:
        anna = Program(client)
        anna.headers = {"Authorization": (data / "token.txt").read_text(encoding="utf-8")}
        assert anna.get("/me")["name"] == "Änne 🂡"
        state = anna.look({"table": (data / "table.txt").read_text(encoding="utf-8")})
        assert state["chat"][-1]["text"] == "well played, „Ben“"
        ply = state["ply"]
        assert anna.act(state, "resign")["ply"] > ply


def test_the_way_back_gives_the_same_rows_and_other_targets_are_refused(
    data: Path, address: str, tmp_path: Path
) -> None:
    there = migrate(str(data), address, FEATURES.tables)
    back = migrate(address, str(tmp_path / "back"), FEATURES.tables)
    assert back == there
    assert content(tmp_path / "back") == content(data)
    with pytest.raises(MigrateError, match="isn't empty"):
        migrate(str(data), address, FEATURES.tables)
    with pytest.raises(MigrateError, match="are the same"):
        migrate(str(data), str(data / ".." / data.name), FEATURES.tables)
    with pytest.raises(MigrateError, match="no database in"):
        migrate(str(tmp_path), str(tmp_path / "new"), FEATURES.tables)
    assert not (tmp_path / "new").exists()


def test_what_the_other_database_cannot_hold_is_told_and_nothing_is_moved(
    data: Path, address: str, tmp_path: Path
) -> None:
    with sqlite3.connect(data / FILE) as database:
        database.execute("UPDATE people SET name = 'a' || char(0)")
    database.close()
    with pytest.raises(MigrateError, match="can't take the data"):
        migrate(str(data), address, FEATURES.tables)
    with pytest.raises(MigrateError, match="no database in"):
        migrate(str(tmp_path / "empty"), address, FEATURES.tables)
    engine = sa.create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        assert connection.execute(sa.select(schema.people)).all() == []
    engine.dispose()


def test_the_command_tells_what_moved_and_needs_a_free_folder(
    data: Path, address: str, run: Run
) -> None:
    command = ("migrate", "--from", str(data), "--to", address)
    with locked(data) as announce:
        announce("http://127.0.0.1:1/")
        code, _, err = run(*command)
    assert code != 0
    assert "another server is using this data folder" in err
    code, said, _ = run(*command)
    assert not code
    assert "2  tables" in said
    assert "SHA-256 of all rows" in said


def content(folder: Path) -> dict[str, list[Any]]:
    """All rows of a data folder but notices, read without our own code."""
    database = sqlite3.connect(folder / FILE)
    names = [table.name for table in FEATURES.tables if table.name != "notices"]
    rows = {name: sorted(map(repr, database.execute(f"SELECT * FROM {name}"))) for name in names}
    database.close()
    return rows
