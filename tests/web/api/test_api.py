"""The HTTP interface: what it returns, does and refuses."""

import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest
from starlette.testclient import TestClient

from redouble.bots import BOTS
from redouble.contract.options import Number
from redouble.contract.registry import GAMES
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match
from redouble.match.replay import replay
from redouble.match.story import last_moments, last_move
from redouble.web.api.routes import lines
from redouble.web.errors import StoreError
from redouble.web.live import tables
from redouble.web.live.live import Live
from redouble.web.table import Event, Table
from redouble.web.table.acts.bots import Resigning
from redouble.web.table.acts.play import MOVES_LISTED, make_move
from redouble.web.table.talk import CHAT_BURST
from tests.helpers.places import ROOT
from tests.web.helpers.play import asks
from tests.web.helpers.programs import Program, check_problem
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.server import Server
from tests.web.helpers.servers import create_app, site_of
from tests.web.helpers.visitors import in_loop, live_at

TWO, ALONE = "double-down", "double-or-quits"
"""A game for two, and one for one."""


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """A program on a site shared by many tests."""
    with TestClient(create_app(tmp_path_factory.mktemp("site"), limits=ROOMY)) as client:
        yield Program(client, "Anna")


@pytest.fixture
def anna(client: TestClient) -> Program:
    return Program(client, "Anna")


@pytest.fixture
def ben(client: TestClient) -> Program:
    return Program(client, "Ben")


def plain(data: Any) -> Any:
    """Data after a round trip through JSON."""
    return json.loads(json.dumps(data))


def both(anna: Program, ben: Program, game: str = TWO, **more: Any) -> tuple[Any, Program, Program]:
    """A running table for two people, and the two, the one to move first."""
    made = anna.table(game, "me", "friend", **more)
    state = ben.post(f"/join/{made['invite']}")
    return (state, anna, ben) if state["turn"] == 0 else (state, ben, anna)


def finished(anna: Program) -> Any:
    """The state of a solitaire table where the game was given up."""
    return anna.act(anna.table(ALONE, "me"), "resign")


# Identity.


def test_a_guest_is_recognized_by_the_token(client: TestClient, anna: Program) -> None:
    assert anna.get("/me") == {"name": "Anna"}
    unnamed = client.post("/api/guests")
    assert unnamed.status_code == 201
    assert unnamed.json()["name"].startswith("Guest ")
    assert "set-cookie" not in unnamed.headers


@pytest.mark.parametrize(
    "shown", [None, "Bearer", "Bearer x", "Bearer a.b.c", "Basic QTpC", "\xff"]
)
def test_a_request_without_a_valid_token_is_anonymous(guest: Program, shown: str | None) -> None:
    headers = [] if shown is None else [(b"Authorization", shown.encode("latin-1"))]
    for method, path in (("GET", "/api/me"), ("POST", "/api/tables"), ("POST", "/api/join/x")):
        answer = guest.client.request(method, path, headers=headers)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "set-cookie" not in answer.headers
        check_problem(answer)


def test_a_wrong_token_is_refused_even_for_spectators(client: TestClient, anna: Program) -> None:
    path = f"/api/tables/{anna.table(TWO, 'me', 'bot')['table']}"
    assert client.get(path).status_code == 200
    assert client.get(path, headers={"Authorization": "Bearer x"}).status_code == 401


def test_a_browsers_cookie_also_works(client: TestClient) -> None:
    client.post(f"/play/{TWO}", follow_redirects=False)
    assert client.get("/api/me").status_code == 200


# Lists.


def test_every_game_is_listed_with_its_options(anna: Program) -> None:
    listed = anna.get("/games")
    assert [game["name"] for game in listed["games"]] == list(GAMES)
    assert listed["bots"] == list(BOTS)
    for shown, game in zip(listed["games"], GAMES.values(), strict=True):
        assert shown["seats"]["max"] == game.max_seats
        for told, option in zip(shown["options"], game.options, strict=True):
            assert told["name"] == option.name
            assert told["default"] == option.default
            if isinstance(option, Number):
                assert (told["kind"], told["low"], told["high"]) == (
                    "number", option.low, option.high
                )  # fmt: skip


def test_only_public_tables_are_listed_for_spectators(anna: Program) -> None:
    anna.table(TWO, "me", "bot")
    shown = anna.table(TWO, "me", "bot", public=True, pace="slow")
    (row,) = anna.get("/tables")["tables"]
    assert row["table"] == shown["table"]
    assert row["names"][0] == "Anna"


# What a seat learns and what it doesn't.


@pytest.mark.parametrize("name", list(GAMES))
def test_a_seat_learns_what_it_may_know_and_nothing_else(
    client: TestClient, anna: Program, ben: Program, name: str
) -> None:
    game = GAMES[name]
    kinds = ["me", *["friend"] * (game.max_seats > 1), *["here"] * (game.min_seats - 2)]
    made = anna.table(name, *kinds)
    if "friend" in kinds:
        ben.post(f"/join/{made['invite']}")
    onlooker = Program(client)
    told: dict[int, list[str]] = {seat: [] for seat in range(SPECTATOR, len(kinds))}
    for _ in range(60):
        live = live_at(client, made["table"])
        match: Match = live.table.match
        for seat in told:
            mover = anna if seat in live.table.seats_of(live.table.header.host) else ben
            asker = onlooker if seat == SPECTATOR else mover
            state = asker.look(made, None if seat == SPECTATOR else seat)
            assert state["view"] == plain(match.view(seat).to_dict())
            assert [(one["title"], one["detail"], one["view"]) for one in state["moments"]] == [
                (one.title, one.detail, plain(one.view.to_dict()))
                for one in last_moments(match, match.names, seat)
            ]
            moves = [one["text"] for one in state["log"] if one["move"]]
            assert moves == told[seat][len(told[seat]) - len(moves) :]
            assert bool(moves) == bool(told[seat])
            assert state["seat"] == (None if seat == SPECTATOR else seat)
            assert state["my_turn"] == (seat == match.turn)
            assert state["invite"] == (None if seat == SPECTATOR else made["invite"])
            fields = (
                "table invite game options status ply seat turn my_turn seats view moments log"
                " chat chat_pause reactions undo_request claims host pace clock rated fair rematch"
                " record"
            )
            assert set(state) == {*fields.split()}
        turn = match.turn
        assert turn is not None
        mover = anna if turn in live.table.seats_of(live.table.header.host) else ben
        move = list(match.legal_moves)[-1]
        mover.act(made, "moves", ply=live.table.ply, seat=turn, move=move)
        match = live_at(client, made["table"]).table.match
        for seat, heard in told.items():
            heard.append(last_move(match, match.names, seat))
        if match.turn is None:
            break


def test_no_one_can_see_through_another_seats_eyes(anna: Program, ben: Program) -> None:
    state, _, _ = both(anna, ben)
    assert anna.look(state)["seat"] == 0
    assert ben.look(state)["seat"] == 1
    for other in (1, 7):
        anna.look(state, other, status=403)
        anna.get(f"/tables/{state['table']}/stream?seat={other}", 403)


def test_the_record_of_a_running_game_is_refused(anna: Program) -> None:
    state = anna.table(ALONE, "me")
    assert state["record"] is None
    anna.get(f"/tables/{state['table']}/record", 403)


def test_a_player_with_several_seats_sees_the_one_to_move(anna: Program) -> None:
    state = anna.table(TWO, "me", "here")
    for _ in range(4):
        assert state["seat"] == state["turn"] == state["view"]["seat"]
        assert state["my_turn"]
        other = 1 - state["seat"]
        assert anna.look(state, other)["seat"] == other
        state = anna.move(state)


# Moving.


def test_a_move_sent_twice_is_made_once(anna: Program, ben: Program) -> None:
    state, mover, other = both(anna, ben)
    after = mover.move(state | {"view": mover.look(state)["view"]})
    again = mover.move(state, move=after_move(after))
    assert after["ply"] == again["ply"] == state["ply"] + 1
    other.move(state, 409, move=after_move(after))


def after_move(state: Any) -> str:
    """The last move of a state in which it is the only one."""
    found = re.match(r"plays (\w+):", state["log"][-1]["text"])
    assert found
    return found[1]


def test_an_illegal_move_is_refused(client: TestClient, anna: Program, ben: Program) -> None:
    waiting = anna.table(TWO, "me", "friend")
    assert waiting["status"] == "waiting"
    assert not waiting["my_turn"]
    anna.move(waiting, 409, move="1")
    state, mover, other = both(anna, ben)
    said = mover.move(state, 400, move="nonsense")["detail"]
    texts = ", ".join(mover.look(state)["view"]["legal_moves"][:MOVES_LISTED])
    assert f"'nonsense' isn't a legal move: play one of {texts}" in said
    other.move(state, 403, move="1")
    mover.move(state, 403, move="1", seat=1 - state["turn"])
    ply = state["ply"]
    said = mover.move(state, 409, ply=ply + 1, move="1")["detail"]
    assert said == (
        f"ply {ply + 1} is too high: the table is at {ply}. Get /api/tables/{state['table']} and"
        " use its ply"
    )
    Program(client).move(state, 403, move="1")
    assert mover.look(state)["ply"] == state["ply"]


def test_only_the_player_to_move_gets_a_hint(anna: Program, ben: Program) -> None:
    state, mover, other = both(anna, ben)
    assert mover.act(state, "hint")["move"]
    other.act(state, "hint", 409)


# Everything else you can do at a table.


def test_moves_are_undone_when_the_others_agree(anna: Program, ben: Program) -> None:
    state, mover, other = both(anna, ben)
    state = mover.look(state)
    after = mover.move(state)
    mover.act(state, "undo")
    asked = other.look(state)["undo_request"]
    assert asked == {"seat": state["seat"], "moves": 1, "agreed": False}
    other.act(state, "refuse")
    assert other.look(state)["undo_request"] is None
    mover.act(state, "undo", 400)
    other.act(state, "undo", 400)
    other.move(other.look(state))
    after = mover.move(mover.look(state))
    mover.act(state, "undo")
    back = other.act(state, "agree")
    assert back["view"]["ply"] == after["view"]["ply"] - 1
    other.act(state, "agree", 409)


def test_a_solo_player_can_undo_and_redo(anna: Program) -> None:
    state = anna.table(ALONE, "me", seed="7")
    moved = anna.move(state)
    assert anna.act(state, "undo")["view"] == state["view"]
    assert anna.act(state, "redo")["view"] == moved["view"]
    anna.act(state, "redo", 400)


def test_only_a_game_for_one_takes_a_chosen_deal(anna: Program) -> None:
    views = [anna.table(ALONE, "me", seed="42")["view"] for _ in range(2)]
    assert views[0] == views[1]
    anna.table(TWO, "me", "bot", seed="42", status=400)


def test_joining_and_leaving(client: TestClient, anna: Program, ben: Program) -> None:
    made = anna.table(TWO, "me", "friend", "friend")
    ben.post(f"/join/{made['invite']}", {"seat": 0}, 409)
    state = ben.post(f"/join/{made['invite']}", {"name": "Benno", "seat": 2})
    assert [seat["name"] for seat in state["seats"]] == ["Anna", "Player 2", "Benno"]
    assert [seat["kind"] for seat in state["seats"]] == ["person", "open", "person"]
    assert [seat["mine"] for seat in state["seats"]] == [False, False, True]
    assert ben.get("/me") == {"name": "Benno"}
    assert ben.post(f"/join/{made['invite']}") == state
    assert ben.act(made, "leave")["seat"] is None
    ben.act(made, "leave", 403)
    for _ in range(2):
        Program(client).post(f"/join/{made['invite']}")
    ben.post(f"/join/{made['invite']}", None, 409)
    ben.post("/join/nowhere", None, 404)
    assert ben.get("/me") == {"name": "Benno"}


def test_a_table_can_be_made_without_playing(anna: Program, ben: Program) -> None:
    made = anna.table(TWO, "friend", "bot")
    assert made["seat"] is None
    assert anna.look(made)["invite"] == made["invite"]
    assert ben.look(made)["invite"] is None
    assert anna.act(made, "bot", seat=0)["status"] == "playing"
    ben.post(f"/join/{made['invite']}", None, 409)


def test_a_bot_stands_in_until_the_player_returns(anna: Program, ben: Program) -> None:
    state, mover, other = both(anna, ben, pace="slow")
    seat = state["turn"]
    away = mover.act(state, "bot", seat=seat, level="random")
    assert away["seats"][seat] | {"name": ""} == {
        "seat": seat, "name": "", "kind": "bot", "level": "random", "stand_in": True,
        "away": False, "resigned": False, "mine": True,
    }  # fmt: skip
    assert not away["my_turn"]
    assert mover.act(state, "back")["my_turn"]
    mover.act(state, "back", 409)
    other.act(state, "bot", 400, seat=seat, level="clever")
    other.act(state, "bot", 403, seat=seat)  # the player is present
    other.act(state, "bot", 400, seat=50)


def test_a_bot_plays_on_for_a_player_who_resigns(anna: Program, ben: Program) -> None:
    state, mover, _ = both(anna, ben, pace="slow")
    gone = mover.act(state, "resign", level="random")
    assert gone["seats"][state["turn"]]["resigned"]
    assert gone["status"] == "playing"
    mover.act(state, "resign", 403)


def test_a_move_is_confirmed_and_no_words_are_shown_while_mutes_cannot_be_read(
    client: TestClient, anna: Program, ben: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, mover, other = both(anna, ben)
    assert anna.act(state, "say", text="Good luck!")["chat"]
    house = site_of(client).tables

    async def lost(live: Live) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(house._store, "find", AsyncMock(side_effect=StoreError("it is lost")))
            await note_silence(live)

    note_silence = house.note_silence
    monkeypatch.setattr(house, "note_silence", lost)
    made = mover.move(mover.look(state))
    assert (made["chat"], made["ply"] > state["ply"]) == ([], True)
    monkeypatch.undo()
    assert other.look(state)["chat"]


def test_only_players_can_chat(client: TestClient, anna: Program, ben: Program) -> None:
    state, _, _ = both(anna, ben)
    anna.act(state, "say", text="  Good\u202eluck\x00!\n")
    heard = ben.look(state)["chat"]
    assert [(line["seat"], line["text"]) for line in heard] == [(0, "Good luck !")]
    assert Program(client).look(state)["chat"] == []
    Program(client).act(state, "say", 403, text="Hello")
    anna.act(state, "say", 403, text="Hello", seat=1)
    anna.act(state, "say", 400, text=" \n ")
    for _ in range(CHAT_BURST - 1):
        anna.act(state, "say", text="again")
    anna.act(state, "say", 429, text="and again")


def test_the_pace_of_bots(client: TestClient, anna: Program) -> None:
    state = anna.table(TWO, "me", "bot", pace="slow")
    assert anna.act(state, "pace", pace="fast")["pace"] == "fast"
    anna.act(state, "pace", 400, pace="warp")
    Program(client).act(state, "pace", 403, pace="slow")


def test_a_table_with_a_clock(anna: Program, ben: Program) -> None:
    """Its deadline is in the state, its pause needs both, and the rematch has it, too."""
    clock = {"control": "1-day", "then": "for-good", "nights": True}
    made = anna.table(TWO, "me", "friend", clock=clock, zone="Asia/Tokyo")
    assert made["clock"]["seat"] is None
    state = ben.post(f"/join/{made['invite']}", {"zone": "Europe/Berlin"})["clock"]
    assert {key: state[key] for key in ("move", "then", "nights", "weekends")} == {
        **{"move": 86400, "then": "for-good", "nights": True, "weekends": False},
    }
    assert state["until"] - state["since"] > 86400 + 10 * 3600  # with a night in between
    asked = anna.act(made, "pause")
    assert asked["clock"]["pause_request"] == {"seat": 0, "agreed": False}
    paused = ben.act(made, "agree-to-pause")
    assert paused["clock"]["paused"]
    assert (paused["turn"], paused["clock"]["until"]) == (None, None)
    mover = (anna, ben)[paused["view"]["turn"]]
    mover.act(made, "moves", 409, ply=paused["ply"], move="any")
    assert ben.act(made, "end-pause")["clock"]["until"] >= state["until"]
    for one in (anna, ben):
        over = one.act(made, "resign")
    assert anna.act(made, "rematch")["clock"]["since"] is None, "it begins when both are there"
    again = ben.act(made, "rematch")["clock"]
    assert over["status"] == "abandoned"
    assert (again["move"], again["nights"], again["since"] is None) == (86400, True, False)
    anna.table(TWO, "me", "bot", status=400, clock={"control": "1-hour"})
    anna.table(ALONE, "me", status=400, clock={"control": "2-minutes"})


def test_a_rematch_is_one_table_for_all(anna: Program, ben: Program) -> None:
    state, _, _ = both(anna, ben)
    anna.act(state, "rematch", 409)
    anna.act(state, "resign")
    over = ben.act(state, "resign")
    assert over["status"] == "abandoned"
    again = anna.act(state, "rematch")
    assert again["table"] != state["table"]
    assert ben.act(state, "rematch")["table"] == again["table"]
    assert ben.look(state)["rematch"] == again["table"]


# The end.


def test_everything_is_shown_when_the_rules_end_the_game(client: TestClient, anna: Program) -> None:
    state = anna.table(TWO, "friend", "bot random")
    anna.act(state, "bot", seat=0)
    onlooker = Program(client)
    while (state := onlooker.look(state))["status"] == "playing":
        assert state["record"] is None
    assert state["status"] == "over"
    assert state["turn"] is None
    assert state["view"]["seat"] is None
    assert state["view"]["outcome"]["ranks"]
    line = client.get(state["record"]).text
    match = replay(line)
    assert plain(match.view(None).to_dict()) == state["view"]


def test_records_can_be_exported_and_imported(client: TestClient, anna: Program) -> None:
    over = finished(anna)
    record = client.get(over["record"])
    kept = anna.post("/records", {"record": record.text}, 201)
    assert client.get(f"/api/records/{kept['token']}").json() == record.json()
    assert client.get(kept["url"]).status_code == 200
    anna.get("/records/nowhere", 404)


def test_only_a_valid_record_is_accepted(client: TestClient, anna: Program) -> None:
    good = client.get(finished(anna)["record"]).json()
    for wrong in ("", "[]", "{}", "[" * 100_000, json.dumps(good | {"moves": "x"})):
        anna.post("/records", {"record": wrong}, 400)
    half = json.dumps(good | {"seats": ["\ud800"]})
    assert "not JSON" in anna.post("/records", {"record": half}, 400)["detail"]


def test_a_stream_ends_when_the_game_is_over(client: TestClient, anna: Program) -> None:
    over = finished(anna)
    headers = anna.headers | {"Accept-Encoding": "gzip"}
    answer = client.get(f"/api/tables/{over['table']}/stream", headers=headers)
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert answer.headers["content-encoding"] == "identity"  # compression would hold lines back
    assert [json.loads(line) for line in answer.text.splitlines()] == [over]


def test_a_stream_reports_each_change(
    client: TestClient, anna: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "HEARTBEAT", 0.02)
    site = site_of(client)
    state = anna.table(ALONE, "me")

    def first_move(table: Table) -> list[Event]:
        return make_move(table, 0, table.match.legal_moves[0], table.ply)

    async def follow() -> list[dict[str, Any]]:
        live = await site.tables.get(state["table"])
        person = await site.people.known(anna.headers["Authorization"].split()[1])
        assert person is not None
        heard: list[dict[str, Any]] = []
        stream: AsyncIterator[str] = lines(site, live, person, None)
        async for line in stream:
            assert line.endswith("\n")
            heard.append(json.loads(line))
            if len(heard) == 1:
                await site.tables.act(live, first_move)
            elif "heartbeat" in heard[-1] and live.table.status == "playing":
                await site.tables.act(live, asks(person.id, Resigning(level="random")))
        assert not live.watched
        return heard

    heard = in_loop(client, follow)
    first = state["ply"]
    told = [line.get("ply", "heartbeat") for line in heard]
    assert [one for i, one in enumerate(told) if one not in told[:i]] == [
        first, first + 1, "heartbeat", first + 2
    ]  # fmt: skip
    assert heard[-1]["status"] == "abandoned"


def test_the_example_program_plays_a_whole_game(tmp_path: Path) -> None:
    import urllib.request

    def post(path: str, body: Any, token: str = "") -> Any:
        request = urllib.request.Request(
            server.address + path,
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {token}"},
        )
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    server = Server(tmp_path)
    server.start()
    try:
        token = post("api/guests", {})["token"]
        seats = [{"kind": "friend"}, {"kind": "bot", "level": "random"}]
        made = post("api/tables", {"game": TWO, "seats": seats, "pace": "instant"}, token)
        link = f"{server.address}join/{made['invite']}"
        program = [sys.executable, str(ROOT / "examples" / "http_bot.py"), link]
        result = subprocess.run(program, capture_output=True, text=True, timeout=60)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.startswith("over: {'ranks': [")
        with urllib.request.urlopen(f"{server.address}api/tables/{made['table']}/record") as answer:
            match = replay(answer.read().decode())
        assert match.turn is None
        assert match.names[0] == "Random"
    finally:
        server.stop()


# Bad requests.


def new(**more: Any) -> dict[str, Any]:
    return {"json": {"game": TWO, "seats": [{"kind": "me"}, {"kind": "bot"}]} | more}


def raw(content: bytes, kind: str = "application/json", **headers: str) -> dict[str, Any]:
    return {"content": content, "headers": {"Content-Type": kind, **headers}}


HOSTILE: dict[str, tuple[str, dict[str, Any], int]] = {
    "a long name": ("/guests", {"json": {"name": "a" * 25}}, 422),
    "a name of nothing": ("/guests", {"json": {"name": "\0\u202e\u200b"}}, 400),
    "half a character": ("/guests", raw(b'{"name": "\\ud800"}'), 422),
    "half a key": ("/guests", raw(b'{"\\ud800": 1}'), 422),
    "wrong type": ("/guests", {"json": {"name": 5}}, 422),
    "no UTF-8": ("/guests", raw(b'{"name": "\xff"}'), 400),
    "deep JSON": ("/guests", raw(b"[" * 60_000), 400),
    "deep options": ("/tables", raw(b'{"options":' + b'{"a":' * 9000 + b"1" + b"}" * 9001), 400),
    "long digits": ("/tables", raw(b'{"game": ' + b"9" * 5000 + b"}"), 400),
    "another type of content": ("/tables", raw(b"{}", "text/plain"), 422),
    "a long body": ("/tables", raw(b" " * 65_537), 413),
    "a long record": ("/records", {"json": {"record": "a" * 1_000_001}}, 400),
    "a page of another site": ("/tables", raw(b"{}", **{"Sec-Fetch-Site": "cross-site"}), 403),
    "no game": ("/tables", new(game="chess\0"), 404),
    "no seats": ("/tables", new(seats=[]), 422),
    "too many seats": ("/tables", new(seats=[{"kind": "bot"}] * 99), 400),
    "twice me": ("/tables", new(seats=[{"kind": "me"}] * 2), 400),
    "an odd seat": ("/tables", new(seats=[{"kind": "ghost"}, {"kind": "me"}]), 422),
    "no such option": ("/tables", new(options={"gravity\0": 1}), 400),
    "an option that cannot be": ("/tables", new(options={"forgetful": 10**400}), 400),
    "many options": ("/tables", new(options={f"{i}": 1 for i in range(60)}), 422),
    "an endless deck": ("/tables", new(options={"cards": ["5 x999999999999"]}), 400),
    "a long seed": ("/tables", new(seed="s" * 41), 422),
    "a long move": ("/tables/TABLE/moves", {"json": {"ply": 0, "move": "m" * 201}}, 422),
    "a huge ply": ("/tables/TABLE/moves", {"json": {"ply": 10**30, "move": "m"}}, 422),
    "a huge seat": ("/tables/TABLE/bot", {"json": {"seat": 2**63}}, 422),
    "no table": ("/tables/x%00y/undo", {}, 404),
    "a long link": (f"/join/{'x' * 65}", {}, 422),
    "a seat that is a word": ("/tables/TABLE/hint?seat=first", {}, 422),
    "nothing": ("/nothing", {}, 404),
    "to be read only": ("/me", {}, 405),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_every_bad_request_gets_a_clear_problem(guest: Program, what: str) -> None:
    path, given, status = HOSTILE[what]
    headers = guest.headers | given.get("headers", {})
    path = path.replace("TABLE", guest.table(TWO, "me", "here")["table"])
    answer = guest.client.post(f"/api{path}", **(given | {"headers": headers}))
    assert answer.status_code == status, answer.text
    check_problem(answer)
    assert guest.get("/me") == {"name": "Anna"}


def test_a_refusal_names_each_wrong_field_and_what_is_right(guest: Program) -> None:
    ghost = {"game": TWO, "seats": [{"kind": "ghost"}], "public": "?", "colour": 1}
    table = guest.table(TWO, "me", "here")["table"]
    for path, body, said in (
        ("/guests", {"name": 5}, "name has to be text, not 5: see /api/docs#new_guest"),
        (
            "/tables",
            ghost,
            "seats.0.kind has to be 'me', 'here', 'friend' or 'bot', not \"ghost\";"
            ' public has to be true or false, not "?"; colour isn\'t a field of this request:'
            " see /api/docs#new_table",
        ),
        (
            f"/tables/{table}/moves",
            {"ply": -1},
            "ply has to be at least 0, not -1; move is missing: see /api/docs#move",
        ),
    ):
        assert guest.post(path, body, 422)["detail"] == said
    assert guest.post("/tables", ghost, 422)["fields"] == [
        {
            "name": "seats.0.kind",
            "where": "body",
            "message": "has to be 'me', 'here', 'friend' or 'bot', not \"ghost\"",
        },
        {"name": "public", "where": "body", "message": 'has to be true or false, not "?"'},
        {"name": "colour", "where": "body", "message": "isn't a field of this request"},
    ]
    [in_address] = guest.post(f"/tables/{table}/hint?seat=first", {}, 422)["fields"]
    assert (in_address["name"], in_address["where"]) == ("seat", "query")


def test_a_refused_request_leaves_nothing_behind(client: TestClient, anna: Program) -> None:
    anna.table(TWO, "me", "bot", status=400, pace="warp", public=True)
    assert anna.get("/tables") == {"tables": []}


# Its own description.


def test_every_operation_is_described(client: TestClient) -> None:
    schema = client.get("/api/openapi.json").json()
    tags = {tag["name"] for tag in schema["tags"]}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], path
            assert set(operation["tags"]) <= tags
            assert operation["operationId"].isidentifier()
            for status, answer in operation["responses"].items():
                assert answer["description"] != "Successful Response", (method, path)
                assert "429" in operation["responses"], (method, path)
                if int(status) >= 400:
                    assert list(answer["content"]) == ["application/problem+json"]
    assert "HTTPValidationError" not in schema["components"]["schemas"]


def test_the_html_page_lists_all_operations(client: TestClient) -> None:
    page = client.get("/api/docs")
    assert page.status_code == 200
    schema = client.get("/api/openapi.json").json()
    for path, methods in schema["paths"].items():
        for method in methods:
            assert f'aria-label="{method.upper()} {path}"' in page.text
    for anchor in re.findall(r'href="#([^"]+)"', page.text):
        assert f'id="{anchor}"' in page.text, anchor
    assert not re.search(r'<script(?! src="/static/)', page.text)
    assert not re.search(r'(?:src|href)="https?:', page.text)


def test_every_example_on_the_page_works(client: TestClient, anna: Program) -> None:
    schema = client.get("/api/openapi.json").json()
    for example in schema["components"]["schemas"]["NewTable"]["examples"]:
        assert anna.post("/tables", example, 201)["status"] == "playing"


def test_the_guide_mentions_every_operation(client: TestClient) -> None:
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    schema = client.get("/api/openapi.json").json()
    named = set(re.findall(r"`(GET|POST) (/api/[^`?]*)", text))
    assert named == {
        (method.upper(), path) for path, methods in schema["paths"].items() for method in methods
    }
    for path in re.findall(r"curl[^\n]*?\$SITE(/api/[\w/$-]+)", text):
        pattern = re.sub(r"\$(\w+)", lambda found: f"{{{found[1].lower()}}}", path)
        assert pattern in schema["paths"], path
    shapes = schema["components"]["schemas"]
    for shape, body in re.findall(r"<!-- (\w+) -->\n```json\n(.*?)```", text, re.DOTALL):
        assert set(json.loads(body)) <= set(shapes[shape]["properties"]), shape
