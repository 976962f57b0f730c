"""The account page: results, linking devices, export and deletion."""

import json
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.match.record import Record
from redouble.match.replay import replay
from redouble.web.features.account.identity import FORGOTTEN
from redouble.web.features.signin import codes
from redouble.web.features.signin.codes import recovery_codes
from redouble.web.installed import FEATURES
from redouble.web.limits import Rate
from redouble.web.live import lists
from redouble.web.people.results import results_of, statistics
from redouble.web.store import FILE, schema
from redouble.web.store.clock import CLOCK, DAY
from redouble.web.table import Seat, Table
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import counted_later, create_app, site_of
from tests.web.helpers.visitors import (
    Place,
    Visitor,
    live_at,
    move_on,
    new_code,
    play,
    rows,
    seats_for,
    shown_code,
    stored,
)

CHOSEN = list(GAMES.values())
TWO = next(game for game in CHOSEN if game.min_seats == 2)
ALONE = next(game for game in CHOSEN if game.max_seats == 1)


def loaded(client: Place, table: Table) -> Table:
    """The table as the server holds it now."""
    return live_at(client, table.header.token).table


def here(table: Table) -> str:
    return f"/t/{table.header.token}"


def move(visitor: Visitor, table: Table, seat: int) -> None:
    """Make a move by the page, as soon as a seat is on turn."""
    while (now := loaded(visitor, table)).turn != seat:
        if now.turn is not None and now.seats[now.turn].bot:
            time.sleep(0.05)
        else:
            move_on(visitor, here(table), 1)
    visitor.post(f"{here(table)}/move", ply=now.ply, seat=seat, move=now.match.legal_moves[0])


def pass_time(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Advance the clock that codes use."""
    now = CLOCK.now
    monkeypatch.setattr(CLOCK, "now", lambda: now() + seconds)


def test_visiting_pages_creates_no_guest(anna: Visitor) -> None:
    stranger = anna.other()
    assert "You haven't played yet" in stranger.get("/me")
    stranger.get("/link")
    stranger.post("/link/code", 404, code="ABCDEFGH")
    stranger.get("/me/export", 404)
    assert stranger.post("/me/forget", sure="yes") == "/me"
    assert stranger.cookie == ""
    assert rows(anna, schema.people) == 1, "Anna alone"
    home, entered, code = anna.get("/"), anna.get("/link"), anna.post("/me/code", 200)
    assert 'href="/link">Sign in</a>' in home
    assert "<h1>Sign in</h1>" in entered
    assert "<i>Sign in</i>" in code


def test_a_name_can_be_changed_but_tables_keep_the_old_one(anna: Visitor, ben: Visitor) -> None:
    table = play(anna, TWO, seats_for(anna, ben), plies=2)
    assert anna.post("/me/name", name="  Anna   Lena ") == "/me"
    assert "Anna Lena" in anna.get("/me")
    assert loaded(anna, table).seats[0].name == "Anna"
    html = anna.post("/me/name", 413, name="x" * 25)
    assert "at most 24 characters" in html
    assert anna.post("/me/name", 400, name=" \u200b ")
    assert anna.person.name == "Anna Lena"


@pytest.mark.parametrize("game", CHOSEN, ids=lambda game: game.name)
def test_the_page_counts_results_and_links_to_replays(anna: Visitor, game: Game) -> None:
    played = [
        play(anna, game, seats_for(anna, bots=game.min_seats - 1), seed=seed)
        for seed in ("one", "two", "three")
    ]
    running = play(anna, game, seats_for(anna, bots=game.min_seats - 1), plies=2)
    html = anna.get("/me")
    me = anna.person.id
    tally = statistics(stored(anna, lambda c: results_of(c, me)))
    assert tally.played == 3
    shown = dict(re.findall(r"<dt>([\w ]+)</dt><dd>([^<]*?) ?<", html))
    assert shown["played"] == "3"
    assert shown["won"] == f"{tally.won}"
    assert shown["wins in a row"] == f"{tally.streak}"
    if game.max_seats > 1:
        assert shown["average place"] == f"{tally.average_rank:.1f}"
    for table in played:
        assert f'href="{here(table)}/replay"' in html
        assert f"game-{game.name}" in anna.get(f"{here(table)}/replay")
    assert f'href="{here(running)}"' in html
    assert f'href="{here(running)}/replay"' not in html


def test_a_record_can_be_deleted_by_its_importer(anna: Visitor, ben: Visitor) -> None:
    line = str(play(anna, TWO, seats_for(anna, ben)).record())
    path = anna.post("/replays", text=line)
    token = path.removeprefix("/r/")
    assert path in anna.get("/me")
    ben.post(f"/me/records/{token}", 404)
    ben.get(path)
    assert anna.post(f"/me/records/{token}") == "/me"
    anna.get(path, 404)


def test_a_linked_device_becomes_the_person_with_its_games(anna: Visitor, ben: Visitor) -> None:
    device = anna.other("Guest")
    table = play(anna, TWO, seats_for(device, ben), plies=2)
    over = play(anna, ALONE, seats_for(device))
    record = device.post("/replays", text=str(over.record()))
    old_cookie = device.cookie
    before = rows(anna, schema.people)
    assert device.post("/link", code=new_code(anna)) == "/me"
    assert device.person == anna.person
    for one in (anna, device):
        html = one.get("/me")
        for path in (here(table), f"{here(over)}/replay", record):
            assert f'"{path}"' in html
        assert "<dt>played</dt><dd>1</dd>" in html
    move(anna, table, 0)
    assert loaded(anna, table).seats[0] == Seat("Guest", anna.person.id)
    device.cookie = old_cookie
    assert "You haven't played yet" in device.get("/me")
    assert rows(anna, schema.people) == before - 1


def test_the_page_of_a_code_says_who_takes_over_what(anna: Visitor, ben: Visitor) -> None:
    device, code = anna.other("Аnna"), new_code(anna)  # noqa: RUF001 - looks like Anna
    assert "No games yet" in device.post("/link/code", 200, code=code)
    over = play(anna, ALONE, seats_for(device))
    device.post("/replays", text=str(over.record()))
    play(anna, TWO, seats_for(device, ben), plies=2)
    play(anna, TWO, seats_for(device, ben), plies=2)
    html = device.post("/link/code", 200, code=code)
    assert "signs you in as <b>Anna</b>" in html
    assert "Anna is another account than yours in this browser, Аnna." in html  # noqa: RUF001 - as above
    for said in (f"{TWO.title}: <b>2 games</b>", f"{ALONE.title}: <b>1 game</b>"):
        assert said in html
    assert "Imported: <b>1 game</b>" in html
    assert "2 are unfinished" in html
    assert "another account" not in anna.other().post("/link/code", 200, code=code)
    assert "You already play as <b>Anna</b>" in anna.post("/link/code", 200, code=code)
    play(anna, TWO, seats_for(device, anna), plies=2)
    html = device.post("/link/code", 409, code=code)
    assert "both sides" in html
    assert "Play as" not in html
    assert device.person != anna.person


def test_a_code_works_once_for_minutes(anna: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    code = new_code(anna)
    anna.other().post("/link", code=f" {code[:4].lower()}-{code[4:].lower()} ")
    html = anna.other().post("/link", 404, code=code)
    assert "wrong, used, or older than ten minutes" in html
    code = new_code(anna)
    newer = new_code(anna)  # the earlier code is invalid now
    anna.other().post("/link", 404, code=code)
    for seconds in (codes.SECONDS + 1, -DAY):  # a clock that was set back makes no code last longer
        pass_time(monkeypatch, seconds)
        anna.other().post("/link", 404, code=newer)
        monkeypatch.undo()
    anna.other().post("/link", code=newer)


def test_a_code_on_paper_works_once_on_any_day_and_is_stored_nowhere(
    anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written() -> str:
        return shown_code(anna.post("/me/recovery", 200))

    replaced, code = written(), written()
    assert "You made a code on" in anna.get("/me")
    assert json.loads(anna.get("/me/export"))["recovery_code_made"]
    tables = FEATURES.tables
    dumped = stored(anna, lambda c: [str(c.execute(sa.select(one)).all()) for one in tables])
    assert code not in "".join(dumped)
    pass_time(monkeypatch, 400 * DAY)
    anna.other().post("/link", 404, code=replaced)
    found = anna.other()
    assert "Play as Anna" in found.post("/link/code", 200, code=code)
    found.post("/link", code=f"{code[:5].lower()}-{code[5:]} ")
    assert found.person == anna.person
    assert "recovery code is wrong, used" in anna.other().post("/link", 404, code=code)
    monkeypatch.undo()
    written()
    anna.post("/me/forget", 200, sure="yes")
    assert rows(anna, recovery_codes) == 0


@counted_later
def test_codes_cannot_be_guessed(tmp_path: Path) -> None:
    with TestClient(create_app(tmp_path, limits=replace(ROOMY, wrong_codes=Rate(3, 60)))) as client:
        anna, thief = Visitor(client, "Anna"), Visitor(client)
        code = new_code(anna)
        for _ in range(3):
            thief.post("/link", 404, code="AAAAAAAA")
        assert "wait a minute" in thief.post("/link", 429, code="AAAAAAAA")
        thief.post("/link", 429, code=code)
        Visitor(client, "Ben").post("/link", 404, code="AAAAAAAA")  # a budget of his own
        rates = site_of(client).rates
        rates._clock = lambda: time.monotonic() + 61
        assert thief.post("/link", code=code) == "/me"


def test_two_opponents_in_a_running_game_cannot_be_merged(anna: Visitor) -> None:
    device = anna.other("Guest")
    table = play(anna, TWO, seats_for(anna, device), plies=2)
    code = new_code(anna)
    html = device.post("/link", 409, code=code)
    assert "both sides" in html
    assert TWO.title in html
    assert device.person.name == "Guest"
    assert loaded(anna, table).seats_of(device.person.id) == [1]
    for one in (anna, device):
        seat = loaded(anna, table).seats_of(one.person.id)[0]
        one.do(here(table), "resign", seat=seat)
    assert device.post("/link", code=code) == "/me"  # the code has not been used up
    assert loaded(anna, table).seats_of(anna.person.id) == [0, 1]


def test_the_export_holds_your_data_and_no_secret_of_others(anna: Visitor, ben: Visitor) -> None:
    over = play(anna, TWO, seats_for(anna, ben), seed="over and done")
    running = play(anna, TWO, seats_for(anna, ben), plies=5, seed="nobody may know this")
    stranger = play(anna, TWO, seats_for(ben, bots=1), plies=5)
    anna.do(here(running), "say", seat=0, text="mine to keep")
    ben.do(here(running), "say", seat=1, text="bens own words")
    ben.do(here(over), "say", seat=1, text="bens own words")
    brought = anna.post("/replays", text=str(over.record()))
    text = anna.get("/me/export")
    everything: dict[str, Any] = json.loads(text)
    assert everything["name"] == "Anna"
    tables = {one["token"]: one for one in everything["tables"]}
    assert set(tables) == {over.header.token, running.header.token}

    told = tables[over.header.token]
    assert Record.parse(json.dumps(told["record"])) == over.record()
    assert [one["move"] for one in told["log"]] == list(over.match.moves)

    told = tables[running.header.token]
    now = loaded(anna, running)
    assert len(told["heard"]) == 5
    assert {"log", "record", "moves", "seed"} & set(told) == set()
    for secret in ("nobody may know this", "bens own words", ben.person.id, anna.person.id):
        assert secret not in text
    assert now.header.invite not in text
    assert stranger.header.token not in text

    assert [one["text"] for one in everything["said"]] == ["mine to keep"]
    assert [one["token"] for one in everything["records"]] == [brought.removeprefix("/r/")]
    assert replay(json.dumps(everything["records"][0]["line"])).state == over.match.state
    (result,) = everything["results"]
    assert (result["token"], result["moves"]) == (over.header.token, over.match.ply)


def test_signing_out_ends_the_session_and_nothing_else(anna: Visitor) -> None:
    code, phone, cookie = new_code(anna), anna.other(), anna.cookie
    phone.post("/link", code=code)
    assert anna.post("/me/out") == "/me"
    assert anna.cookie == ""
    anna.cookie = cookie
    assert "You haven't played yet" in anna.get("/me")
    assert phone.person.name == "Anna"


def test_deleting_needs_confirmation(anna: Visitor) -> None:
    table = play(anna, ALONE, seats_for(anna))
    assert "Nothing was deleted" in anna.post("/me/forget", 400)
    assert "Nothing was deleted" in anna.post("/me/forget", 400, sure="no")
    assert anna.person.name == "Anna"
    assert anna.get(here(table))


def test_a_deleted_player_leaves_nothing_and_the_others_play_on(tmp_path: Path) -> None:
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        ben = Visitor(client, "Ben")
        anna = Visitor(client, "Annabella")
        over = play(client, TWO, seats_for(anna, ben))
        running = play(client, TWO, seats_for(anna, ben), plies=3)
        alone = play(client, ALONE, seats_for(anna))
        waiting = play(client, TWO, [*seats_for(anna, ben), Seat("Seat 3")], plies=0)
        record = anna.post("/replays", text=str(over.record()))
        anna.do(here(running), "say", seat=0, text="quixotic")
        anna.do(here(waiting), "say", seat=0, text="quixotic as well")
        ben.do(here(running), "say", seat=1, text="hello there")
        anna.get(f"{here(over)}/replay")
        new_code(anna)
        me = anna.person.id
        html = anna.post("/me/forget", 200, sure="yes")
        for line in ("1 game that", "3 tables with others", "2 results", "1 imported game"):
            assert line in html
        assert anna.cookie == ""
        assert stored(client, lambda c: lists.known_at(c, me)) == []
        for path in (here(alone), f"{here(alone)}/replay", record):
            ben.get(path, 404)
        html = ben.get(f"{here(over)}/replay")
        assert FORGOTTEN in html
        assert "Annabella" not in html
        html = ben.get(here(running))
        assert "hello there" in html
        assert "quixotic" not in html
        now = loaded(client, running)
        assert now.seats[0].resigned
        assert now.seats[0].name == FORGOTTEN
        assert now.seats[1].person == ben.person.id
        move(ben, running, 1)
        assert loaded(client, waiting).seats[0].open
        tables = FEATURES.tables
        everything = stored(client, lambda c: repr([c.execute(sa.select(t)).all() for t in tables]))
        for word in (me, "Annabella", "quixotic"):
            assert word not in everything
    if (tmp_path / FILE).exists():  # PostgreSQL overwrites what was deleted later, by VACUUM
        content = (tmp_path / FILE).read_bytes()
        assert b"hello there" in content
        for word in (me, "Annabella", "quixotic"):
            assert word.encode() not in content


def test_a_table_is_deleted_when_all_its_players_are(anna: Visitor, ben: Visitor) -> None:
    over = play(anna, TWO, seats_for(anna, ben))
    anna.post("/me/forget", 200, sure="yes")
    ben.get(f"{here(over)}/replay")
    html = ben.post("/me/forget", 200, sure="yes")
    assert "1 game that" in html
    for table in FEATURES.tables:
        if table not in (schema.secrets, schema.notices, schema.clock):  # the site's own
            assert rows(anna, table) == 0, table.name


def test_what_is_asked_is_shown_to_the_player_who_moves(anna: Visitor, ben: Visitor) -> None:
    for game in [game for game in CHOSEN if game.max_seats > 1]:
        seats = seats_for(anna, ben, bots=game.min_seats - 2)
        table = next(
            made
            for number in range(20)
            if (made := play(anna, game, seats, plies=0, seed=number)).turn in (0, 1)
        )
        mover, other = (anna, ben) if table.turn == 0 else (ben, anna)
        asked = table.match.view(table.turn).prompt
        assert asked
        for visitor, sees in ((mover, True), (other, False), (anna.other(), False)):
            prompt = re.search(r'<div class="prompt.*?</div>', visitor.get(here(table)))
            assert prompt is not None
            assert (asked in prompt[0]) == sees
