"""``redouble admin``, on a stopped server and beside a running one, and reports of chat."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import typer
from starlette.testclient import TestClient

from redouble.commands import command_line, errors
from redouble.web.features.account.identity import FORGOTTEN
from redouble.web.live.exchange import Exchange
from redouble.web.people.people import new_id
from redouble.web.store import FILE, schema
from tests.web.helpers.house import GAME
from tests.web.helpers.programs import Program
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app
from tests.web.helpers.visitors import FIREFOX, Visitor, execute, rows, stored

Run = Callable[..., Any]


@pytest.fixture
def admin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], database_of: Callable[[Path], str]
) -> Run:
    """Runs ``redouble admin`` on the data of ``client``, and returns its JSON."""

    def run(*arguments: str, status: int = 0) -> Any:
        given = ["admin", *arguments, "--data", str(tmp_path)]
        given += ["--json", "-"] if arguments[0] != "export" else []  # which is always JSON
        given += ["--database", database_of(tmp_path)]
        ended = errors.run(lambda: command_line.invoke(given))
        said = capsys.readouterr()
        assert ended == status, said.err
        return json.loads(said.out) if not status else said.err

    return run


def two_players(client: TestClient) -> tuple[Program, Program, dict[str, Any]]:
    anna, ben = Program(client, "Anna"), Program(client, "Ben")
    table = anna.table(GAME.name, "me", "friend", pace="slow")
    return anna, ben, ben.post(f"/join/{table['invite']}")


def until(client: TestClient, path: str, program: Program, wanted: Callable[[Any], bool]) -> Any:
    """What a program reads once the server has noticed; it looks every hundredth second here."""
    for _ in range(1000):
        found = client.get(f"/api{path}", headers=program.headers)
        if wanted(found):
            return found
        time.sleep(0.02)
    raise AssertionError(found.text)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Exchange.follow, "__defaults__", (0.01,))


def test_tables_and_people_are_listed(client: TestClient, admin: Run) -> None:
    client.headers["user-agent"] = FIREFOX
    anna, _, table = two_players(client)
    over = anna.act(anna.table(GAME.name, "me", "here", pace="slow"), "resign")
    listed = {one["table"]: one for one in admin("tables")}
    assert {token: one["state"] for token, one in listed.items()} == {
        table["table"]: "playing",
        over["table"]: "abandoned",
    }
    assert listed[table["table"]]["players"] == ["Anna", "Ben"]
    assert [one["table"] for one in admin("tables", "--state", "playing")] == [table["table"]]
    assert admin("tables", "--idle", "1") == admin("tables", "--game", "three-up") == []
    assert len(admin("tables", "--limit", "1")) == 1
    found = {one["name"]: one for one in admin("people")}
    assert {name: (one["tables"], one["unfinished"]) for name, one in found.items()} == {
        "Anna": (2, 1),
        "Ben": (1, 1),
    }
    assert time.time() - 60 < found["Anna"]["seen"] <= time.time()
    assert [one["name"] for one in admin("people", "--name", "BE")] == ["Ben"]
    assert admin("people", "--idle", "1") == []
    assert "choose waiting" in admin("tables", "--state", "odd", status=2)


def test_a_closed_table_ends_on_live_pages_and_keeps_its_record(
    client: TestClient, quick: None, admin: Run
) -> None:
    anna, _, table = two_players(client)
    mover = table["turn"]
    path = f"/tables/{table['table']}"
    link = f"http://example.org/t/{table['table']}?seat={mover}"
    assert "--yes" in admin("close", link, status=2)
    assert anna.get(path)["status"] == "playing"
    reason = "Please keep it friendly."
    closed = admin("close", link, "--yes", "--reason", reason)
    assert closed == {"table": table["table"], "state": "closed"}
    until(client, path, anna, lambda found: found.json()["status"] == "closed")
    assert anna.get(f"{path}/record")["notes"] == [[0, reason]]
    page = Visitor(client).get(f"/t/{table['table']}")
    assert "This table was closed" in page
    assert reason in page
    anna.act(table, "resign", 400)
    assert rows(client, schema.results) == 0
    # Without --yes too: it looks before it asks.
    assert "is over already" in admin("close", table["table"], status=2)
    assert "no table" in admin("close", "nothing", status=2)


def test_nobody_can_join_a_closed_table(client: TestClient, admin: Run, quick: None) -> None:
    anna, ben = Program(client, "Anna"), Program(client, "Ben")
    table = anna.table(GAME.name, "me", "friend")
    admin("close", table["table"], "--yes")
    path = f"/tables/{table['table']}"
    until(client, path, anna, lambda found: found.json()["status"] == "closed")
    assert "was closed" in ben.post(f"/join/{table['invite']}", status=400)["detail"]
    assert "was closed" in Visitor(client).get(f"/t/{table['table']}")


def test_a_person_is_renamed_at_their_tables(client: TestClient, quick: None, admin: Run) -> None:
    anna, ben, table = two_players(client)
    path = f"/tables/{table['table']}"
    both = ben.table(GAME.name, "me", "here")
    renamed = admin("rename", "Ben", "Anna")
    assert (renamed["before"], renamed["name"]) == ("Ben", "Anna")
    found = until(client, path, anna, lambda found: "Ben" not in found.text).json()
    assert [seat["name"] for seat in found["seats"]] == ["Anna", "Anna 2"]
    found = until(client, f"/tables/{both['table']}", ben, lambda got: "Ben" not in got.text)
    assert [seat["name"] for seat in found.json()["seats"]] == ["Anna", "Anna 2"]
    assert ben.get("/me") == {"name": "Anna"}
    token = table["table"]
    (seats,) = stored(
        client, lambda c: [one.seats for one in c.execute(schema.tables.select()).all()
                           if one.token == token]
    )  # fmt: skip
    assert [seat["name"] for seat in seats] == ["Anna", "Player 2"]
    assert "2 people are called Anna" in admin("rename", "Anna", "Eve", status=2)
    assert "no person 'Ben'" in admin("rename", "Ben", "Eve", status=2)
    assert "too long" in admin("rename", renamed["person"], "x" * 25, status=2)


def test_a_banned_person_reads_why_and_only_looks(client: TestClient, admin: Run) -> None:
    _, ben, table = two_players(client)
    token = table["table"]
    assert "give a sentence" in admin("ban", "Ben", "--reason", " ", status=2)
    assert admin("ban", "Ben", "--reason", "Please keep it friendly.")["left"] == 1
    assert {one["name"]: one["banned"] for one in admin("people")} == {
        "Anna": "",
        "Ben": "Please keep it friendly.",
    }
    for path in (f"/tables/{token}/say", f"/tables/{token}/resign", "/tables", "/me/name"):
        refused = client.post(f"/api{path}", json={"text": "x"}, headers=ben.headers)
        assert (refused.status_code, refused.json()["title"]) == (403, "Banned"), path
        assert refused.json()["detail"].endswith("from playing: Please keep it friendly.")
    assert client.get(f"/api/tables/{token}", headers=ben.headers).status_code == 200
    exported = admin("export", "Ben")
    assert exported["name"] == "Ben"
    assert [one["token"] for one in exported["tables"]] == [token]
    admin("unban", "Ben")
    assert "there is no ban of Ben" in admin("unban", "Ben", status=2)
    # So that Anna doesn't have to wait.
    until(client, f"/tables/{token}", ben, lambda found: found.json()["seats"][1]["resigned"])
    ben.act(table, "say", text="Sorry!")
    admin("ban", "Ben", "--reason", "Enough.")
    form: dict[str, Any] = {"headers": ben.headers, "data": {"sure": "yes"}}
    assert client.post("/me/name", **form).status_code == 403
    assert client.post("/me/forget", **form).status_code == 200


def test_no_id_is_taken_for_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    made = iter(["-j4k0", "--yes", "k0-j4"])
    monkeypatch.setattr("secrets.token_urlsafe", lambda size: next(made))
    assert new_id(12) == "k0-j4"


def test_a_person_is_forgotten_others_play_on(client: TestClient, quick: None, admin: Run) -> None:
    anna, ben, table = two_players(client)
    path = f"/tables/{table['table']}"
    assert "--yes" in admin("forget", "Ben", status=2)
    deleted = admin("forget", "Ben", "--yes")["deleted"]
    assert deleted == {"tables": 0, "seats": 1, "results": 0, "records": 0}
    found = until(client, path, anna, lambda found: FORGOTTEN in found.text).json()
    assert found["seats"][1]["resigned"]
    assert found["seats"][0]["name"] == "Anna"
    ben.get("/me", 401)
    assert [one["name"] for one in admin("people")] == ["Anna"]


def test_it_works_while_no_server_runs(tmp_path: Path, admin: Run) -> None:
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        _, _, table = two_players(client)
    admin("close", table["table"], "--yes")
    assert [one["state"] for one in admin("tables")] == ["closed"]
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        assert "This table was closed" in Visitor(client).get(f"/t/{table['table']}")


@pytest.mark.sqlite("it is about a folder without the file of SQLite")
def test_a_folder_without_a_database_stays_as_it_is(tmp_path: Path, admin: Run) -> None:
    assert "no database" in admin("tables", status=2)
    assert not (tmp_path / FILE).exists()


def test_lists_are_tables_of_text(
    client: TestClient,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    database_of: Callable[[Path], str],
) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        given = ["admin", *arguments, "--data", str(tmp_path)]
        given += ["--database", database_of(tmp_path)]
        ended = errors.run(lambda: command_line.invoke(given))
        return ended, capsys.readouterr().out

    assert run("tables") == (0, "There are none.\n")
    _, ben, table = two_players(client)
    head, row = run("tables")[1].splitlines()
    assert head.split() == ["TABLE", "GAME", "STATE", "ENTRIES", "CHANGED", "PLAYERS"]
    assert row.startswith(table["table"])
    assert row.endswith("just now  Anna, Ben")
    evil = "\x1b]52;c;Zm9v\x07 forged\n0  ban  Anna \x9b2J"
    for column in (schema.people.c.name, schema.seats.c.name):  # as older versions stored them
        change = sa.update(column.table).where(column == "Anna").values(name=evil)
        execute(client, change)
    run("warn", "Ben", "--reason", "Please keep it friendly.")
    client.post("/me/operator/appeal", headers=ben.headers, data={"kind": "warning", "text": evil})
    client.post(
        f"/api/tables/{table['table']}/report", json={"other": 0, "why": evil}, headers=ben.headers
    )
    for listed, number in (("sanctions", 1), ("reports", 1), ("people", 2), ("tables", 1)):
        lines = run(listed)[1].splitlines()
        assert run(listed, "--json", "-")[1].strip().isprintable()
        assert len(lines) == 1 + number, "nobody forges a row"
        assert all(line.isprintable() for line in lines), "nobody commands the terminal"
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(typer, "confirm", lambda question: False)
    assert run("forget", "Ben") == (1, "Nothing has changed.\n")
    monkeypatch.setattr(typer, "confirm", lambda question: True)
    ended, said = run("forget", "Ben")
    assert ended == 0
    assert said.startswith("Ben is forgotten.")


def test_a_report_is_listed_with_its_chat_until_handled(client: TestClient, admin: Run) -> None:
    anna, ben, table = two_players(client)
    ben.act(table, "say", text="You play like a fool")
    anna.act(table, "report", other=1, why="Rude")
    (found,) = admin("reports")
    assert (found["name"], found["reporter_name"], found["why"]) == ("Ben", "Anna", "Rude")
    assert (found["chat"], found["table"]) == (["Ben: You play like a fool"], table["table"])
    assert admin("reports", "--days", "1") == [found]
    assert admin("handled", found["report"]) == {"report": found["report"]}
    assert admin("reports") == []
    assert time.time() - 60 < admin("reports", "--all")[0]["handled"] <= time.time()
    assert "there is no report" in admin("handled", "x", status=2)


def test_the_operator_warns_mutes_and_reads_appeals(client: TestClient, admin: Run) -> None:
    _, ben, table = two_players(client)
    admin("warn", "Ben", "--reason", "Please keep it friendly.")
    admin("mute", "Ben", "--reason", "Cool down.", "--days", "2")
    assert "write no chat: Cool down." in ben.act(table, "say", 403, text="x")["detail"]
    client.post(
        "/me/operator/appeal", headers=ben.headers, data={"kind": "mute", "text": "It was Anna."}
    )
    first, second = admin("sanctions")
    assert (first["kind"], first["appeal"], second["kind"]) == ("mute", "It was Anna.", "warning")
    admin("unmute", "Ben")
    assert "there is no mute" in admin("unmute", "Ben", status=2)
    ben.act(table, "say", text="Thank you")


def test_the_clock_is_shown_and_can_be_trusted(client: TestClient, admin: Run) -> None:
    before = admin("clock")
    assert before["settles"] is None
    assert before["seen"] <= admin("clock", "--trust")["seen"] <= time.time()
