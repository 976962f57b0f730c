"""``redouble admin``, on a stopped server and beside a running one, and reports of chat."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from starlette.testclient import TestClient

from redouble.commands import app as command_line
from redouble.commands import errors
from redouble.web.live.exchange import Exchange
from redouble.web.people.ids import new_id
from redouble.web.store import FILE, schema
from redouble.web.store.clock import CLOCK, DAY
from redouble.web.upkeep.identity import FORGOTTEN
from tests.web.helpers.house import GAME
from tests.web.helpers.programs import Program
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app, site_of
from tests.web.helpers.visitors import FIREFOX, Visitor, rows, stored

Run = Callable[..., Any]


@pytest.fixture
def admin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], database_of: Callable[[Path], str]
) -> Run:
    """Runs ``redouble admin`` on the data of ``client``, and returns its JSON."""

    def run(*arguments: str, status: int = 0) -> Any:
        given = ["admin", *arguments, "--data", str(tmp_path)]
        given += ["--json"] if arguments[0] != "export" else []  # which is always JSON
        given += ["--database", database_of(tmp_path)]
        ended = errors.run(lambda: command_line.app(given, standalone_mode=False))
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
    tmp_path: Path, quick: None, admin: Run
) -> None:
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
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


def test_a_person_is_renamed_at_their_tables(tmp_path: Path, quick: None, admin: Run) -> None:
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
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
    admin("ban", "Ben", "--reason", "Please keep it friendly.")
    assert {one["name"]: one["banned"] for one in admin("people")} == {
        "Anna": "",
        "Ben": "Please keep it friendly.",
    }
    for path in (f"/tables/{token}/say", f"/tables/{token}/resign", "/tables", "/me/name"):
        refused = client.post(f"/api{path}", json={"text": "x"}, headers=ben.headers)
        assert (refused.status_code, refused.json()["title"]) == (403, "Banned"), path
        assert refused.json()["detail"].endswith("from playing here: Please keep it friendly.")
    assert client.get(f"/api/tables/{token}", headers=ben.headers).status_code == 200
    exported = admin("export", "Ben")
    assert exported["name"] == "Ben"
    assert [one["token"] for one in exported["tables"]] == [token]
    admin("unban", "Ben")
    assert "isn't banned" in admin("unban", "Ben", status=2)
    ben.act(table, "say", text="Sorry!")
    admin("ban", "Ben", "--reason", "Enough.")
    form = {"headers": ben.headers, "data": {"sure": "yes"}}
    assert client.post("/me/name", **form).status_code == 403
    assert client.post("/me/forget", **form).status_code == 200


def test_no_id_is_taken_for_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    made = iter(["-j4k0", "--yes", "k0-j4"])
    monkeypatch.setattr("secrets.token_urlsafe", lambda size: next(made))
    assert new_id(12) == "k0-j4"


def test_a_person_is_forgotten_and_the_others_play_on(
    tmp_path: Path, quick: None, admin: Run
) -> None:
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
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
        ended = errors.run(lambda: command_line.app(given, standalone_mode=False))
        return ended, capsys.readouterr().out

    assert run("tables") == (0, "There are none.\n")
    _, _, table = two_players(client)
    head, row = run("tables")[1].splitlines()
    assert head.split() == ["TABLE", "GAME", "STATE", "ENTRIES", "CHANGED", "PLAYERS"]
    assert row.startswith(table["table"])
    assert row.endswith("just now  Anna, Ben")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(typer, "confirm", lambda question: False)
    assert run("forget", "Ben") == (1, "Nothing has changed.\n")
    monkeypatch.setattr(typer, "confirm", lambda question: True)
    ended, said = run("forget", "Ben")
    assert ended == 0
    assert said.startswith("Ben is forgotten.")


# Reports.


def test_a_message_is_reported_once_and_listed(client: TestClient, admin: Run) -> None:
    anna, ben, table = two_players(client)
    said = ben.act(table, "say", text="You play like a fool")["chat"][0]["ply"]
    ply = anna.act(table, "report", ply=said)["ply"]
    assert anna.act(table, "report", ply=said)["ply"] == ply
    for program, other in ((anna, said + 1), (ben, said), (anna, 10**6)):
        program.act(table, "report", 400, ply=other)
    Program(client).act(table, "report", 403, ply=said)
    (found,) = admin("chat")
    assert (found["said"], found["author_name"], found["reporter_name"]) == (
        "You play like a fool",
        "Ben",
        "Anna",
    )
    assert found["table"] == table["table"]
    assert admin("chat", "--days", "1") == [found]
    admin("forget", found["author"], "--yes")
    (left,) = admin("chat")
    assert (left["said"], left["author_name"]) == ("", FORGOTTEN)


def test_a_handled_report_is_listed_no_more_until_the_message_is_reported_again(
    client: TestClient, admin: Run
) -> None:
    people = [Program(client, name) for name in ("Anna", "Ben", "Cleo")]
    anna, ben, cleo = people
    table = anna.table(GAME.name, "me", "friend", "friend", pace="slow")
    for friend in (ben, cleo):
        table = friend.post(f"/join/{table['invite']}")
    said = ben.act(table, "say", text="You play like a fool")["chat"][0]["ply"]
    anna.act(table, "report", ply=said)
    (found,) = admin("chat")
    assert (found["message"], found["handled"]) == (f"{table['table']}:{said}", None)
    assert admin("handled", found["message"]) == {"message": found["message"], "reports": 1}
    assert admin("chat") == []
    assert time.time() - 60 < admin("chat", "--all")[0]["handled"] <= time.time()
    cleo.act(table, "report", ply=said)
    assert [one["reporter_name"] for one in admin("chat")] == ["Cleo"]
    assert len(admin("chat", "--all")) == 2
    assert len(admin("chat", "--all", "--limit", "1")) == 1
    for nothing in (f"{table['table']}:{said + 1}", table["table"], "x:1", ":", f"{said}:²"):
        assert "is reported" in admin("handled", nothing, status=2)


def test_a_report_made_while_the_clock_was_ahead_can_be_handled(
    client: TestClient, admin: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, ben, table = two_players(client)
    said = ben.act(table, "say", text="You play like a fool")["chat"][0]["ply"]
    with monkeypatch.context() as patch:
        patch.setattr(CLOCK, "now", lambda: time.time() + 10 * DAY)
        anna.act(table, "report", ply=said)
    (found,) = admin("chat")
    admin("handled", found["message"])
    assert admin("chat") == []


def test_the_clock_is_shown_and_can_be_trusted(client: TestClient, admin: Run) -> None:
    before = admin("clock")
    assert before["settles"] is None
    assert before["seen"] <= admin("clock", "--trust")["seen"] <= time.time()


def test_the_page_offers_to_report_what_others_say(client: TestClient) -> None:
    anna, ben = Visitor(client, "Anna"), Visitor(client, "Ben")
    seats: dict[str, Any] = {"seat-0": "me", "seat-1": "friend"}
    path = anna.post(f"/new/{GAME.name}", **seats)
    token = path.removeprefix("/t/")
    assert client.portal is not None
    invite = client.portal.call(site_of(client).tables.get, token).table.header.invite
    ben.post(f"/join/{invite}", name="Ben")
    ben.post(f"{path}/do", command="say", seat=1, text="Rude words")
    ply = client.portal.call(site_of(client).tables.get, token).table.chat[0].ply
    label = "Report this message from Ben to the operator"
    button = f'form="report" name="ply" value="{ply}" aria-label="{label}"'
    assert button in anna.get(path)
    assert "report" not in ben.get(path).partition("Rude words")[2].partition("</li>")[0]
    anna.post(f"{path}/do", command="report", ply=ply, seat=0)
    html = anna.get(path)
    assert button not in html
    assert ">reported</small>" in html
    assert "Ply is missing." in anna.post(f"{path}/do", 422, command="report", seat=0)
