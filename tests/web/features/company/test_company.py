"""Good company: muting, reporting and sanctions, and nobody who takes a right that isn't theirs."""

import json
import re
from collections.abc import Iterable
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web import api
from redouble.web.features.account import identity
from redouble.web.features.company import reports, sanctions
from redouble.web.features.company.data import DATA
from redouble.web.features.company.reports import KEPT_DAYS, PER_DAY
from redouble.web.features.company.reports import reports as report_rows
from redouble.web.features.company.sanctions import sanctions as sanction_rows
from redouble.web.features.daily.tries import Dailies
from redouble.web.features.ratings import rows as rating_rows
from redouble.web.features.ratings.ratings import FEW
from redouble.web.installed import FEATURES
from redouble.web.pages import ROUTERS
from redouble.web.people import mutes
from redouble.web.store import schema
from redouble.web.store.clock import CLOCK, DAY
from tests.web.helpers.programs import Program
from tests.web.helpers.servers import cut_streams, site_of
from tests.web.helpers.visitors import (
    Visitor,
    befriend,
    circle_of,
    column,
    execute,
    live_at,
    play,
    rows,
    seats_for,
    stored,
)

GAME = next(game for game in GAMES.values() if game.min_seats == 2)


def meet(host: Visitor, *others: Visitor) -> str:
    """The address of a new table of these people."""
    seats: dict[str, Any] = {f"seat-{i + 1}": "friend" for i in range(len(others))}
    path = host.post(f"/new/{GAME.name}", **(seats | {"seat-0": "me"}))
    invite = live_at(host.client, path).table.header.invite
    for other in others:
        other.post(f"/join/{invite}", name="")
    return path


def say(visitor: Visitor, path: str, seat: int, text: str, status: int = 303) -> None:
    visitor.post(f"{path}/do", status, command="say", seat=seat, text=text)


def impose(visitor: Visitor, kind: str, reason: str, days: float | None = None) -> None:
    me = visitor.person.id
    stored(visitor.client, lambda c: sanctions.impose(c, me, kind, reason, days))


def test_who_is_muted_is_muted_everywhere_and_learns_nothing(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    cleo = Visitor(client, "Cleo")
    here, there = meet(anna, ben, cleo), meet(anna, ben)
    ended = f"/t/{play(client, GAME, seats_for(anna, ben)).header.token}"
    say(ben, ended, 1, "between ourselves")
    assert anna.post(f"{here}/do", command="mute", other=1).startswith(here)
    assert "between ourselves" not in anna.get(ended)
    later = meet(ben, anna)
    for path, seat in ((here, 1), (there, 1), (later, 0)):
        say(ben, path, seat, "between ourselves")
        assert "between ourselves" not in anna.get(path)
    assert "between ourselves" in cleo.get(here)
    assert "(muted)" in anna.get(later)
    for visitor in (ben, cleo):
        assert "muted" not in visitor.get(here)
    assert json.loads(anna.get("/me/export"))["muted"] == [{"name": "Ben", "blocked": False}]
    assert "mute" not in ben.get("/me/export").replace('"muted": []', "")
    (row,) = stored(client, lambda c: c.execute(sa.select(schema.mutes)).all())
    for thief in (ben, cleo):  # who isn't heard by somebody can't change that
        thief.post(f"/me/muted/{row.id}/end", 404)
    for refused in (0, 9):
        anna.post(f"{here}/do", 400, command="mute", other=refused)
    Visitor(client, "Dan").post(f"{here}/do", 403, command="mute", other=1)
    assert "Unmute Ben" in anna.get("/me")
    anna.post(f"/me/muted/{row.id}/end")
    assert all("between ourselves" in anna.get(path) for path in (here, there, later))


EVERYWHERE = [
    route.path
    for router in (*ROUTERS, *FEATURES.pages, *api.ROUTERS, *FEATURES.interface)
    for route in router.routes
    if isinstance(route, APIRoute) and "GET" in (route.methods or ())
]
LISTS = [path for path in EVERYWHERE if "stream" not in path]
"""Every page and answer."""


def block_and_mute(connection: sa.Connection, person: str, other: str) -> None:
    mutes.mute(connection, person, other, blocks=True)
    mutes.mute(connection, person, other)


SILENCES: list[tuple[Any, list[set[int]]]] = [
    (mutes.mute, [{0}, {0, 1}]),
    (partial(mutes.mute, blocks=True), [{0}, {1}]),
    (block_and_mute, [{0}, {1}]),
    (lambda c, person, other: mutes.be_wary(c, person, True), [{0}, {1}]),
]
"""What the first of two people may choose, and whose words each of them reads then."""
COPY = "/me/export"
"""The copy of one's own data, which is what was, whom one may meet or not."""


def test_no_page_shows_words_to_somebody_from_whom_they_are_kept(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    """Whenever they were written, however long the game is over, and whoever plays on for them."""
    pair, cleo = (anna, ben), Visitor(client, "Cleo")
    over = play(client, GAME, seats_for(*pair)).header.token
    tables = {"started": meet(*pair, cleo), "left": meet(*pair, cleo), "over": f"/t/{over}"}
    words = {f"Psst, {place} {seat}": seat for place in tables for seat in (0, 1)}
    for word, seat in words.items():
        say(pair[seat], tables[word.split()[1]], seat, word)
    ben.do(tables["left"], "resign", seat=1)
    for at in (schema.log.c.at, schema.tables.c.changed):
        execute(client, sa.update(at.table).values({at.name: at - 40 * DAY}))
    cut_streams(client)
    paths = [COPY]
    for path in tables.values():
        header = live_at(client, path).table.header
        names = {"token": header.token, "table": header.token, "invite": header.invite, "seat": 1}
        for one in EVERYWHERE:
            asked = {*re.findall(r"{(\w+)", one)}
            if asked and asked <= names.keys() and not one.endswith(("/hint", ".png")):  # slow
                paths.append(one.format_map(names))

    def read(reader: Visitor, paths: Iterable[str] = paths) -> dict[str, set[str]]:
        """The words on each page that has some."""
        found = {path: client.get(path, headers=reader._headers()).text for path in paths}
        shown = {path: {one for one in words if one in text} for path, text in found.items()}
        return {path: some for path, some in shown.items() if some}

    before = [read(one) for one in pair]
    for path in tables.values():
        state = f"/api{path.replace('/t/', '/tables/')}"
        for shown in (path, f"{path}/board", f"{path}/stream", state, f"{state}/stream"):
            assert all(len(found[shown]) == 2 for found in before)
    me, other = anna.id, ben.id
    for choose, heard in SILENCES:
        stored(client, partial(choose, person=me, other=other))
        for reader, earlier, seats in zip(pair, before, heard, strict=True):
            kept = {
                path: {one for one in on if words[one] in seats} for path, on in earlier.items()
            }
            assert read(reader, earlier) == {path: on for path, on in kept.items() if on}
        stored(client, lambda c: mutes.unmute(c, me, other))
        stored(client, lambda c: mutes.be_wary(c, me, False))
    assert [read(one, found) for one, found in zip(pair, before, strict=True)] == before


def test_no_page_lists_two_people_for_each_other_of_whom_one_is_blocked(
    client: TestClient, anna: Visitor
) -> None:
    """Wherever an address doesn't name a table of theirs. Their circle is somebody else's."""
    pair = wanda, yuri = [Visitor(client, name) for name in ("Wanda", "Yuri")]
    circle = circle_of(anna, *pair)
    befriend(wanda, yuri)
    day = site_of(client).service(Dailies).today().isoformat()
    ended = play(client, GAME, seats_for(*pair)).header.token
    moved = sa.update(schema.tables).filter_by(token=ended)
    execute(client, moved.values(circle=circle.rpartition("/")[2]))
    rated = {"token": "any", "game": GAME.name, "points": 1500.0, "spread": 60.0, "games": FEW}
    for one in pair:
        row = rated | {"person": one.person.id, "at": 0.0}
        execute(client, sa.insert(rating_rows.ratings).values(row))
        execute(client, sa.insert(rating_rows.listed).values(person=one.person.id))
        one.post(f"{circle}/tables", game=GAME.name)
        one.do(one.post(f"/daily/{day}/deal/{GAME.name}"), "resign", seat=0)
        one.post("/people", game=GAME.name, least=4)
    began = wanda.post(f"{circle}/evenings", game=GAME.name, players=2, deals=1)
    yuri.post(f"{began}/players", plays="yes")
    wanda.post(f"{began}/start")
    plays = sa.select(schema.tables.c.token).where(schema.tables.c.evening != "")
    for token in column(client, plays):
        for one in pair:
            for seat in live_at(client, token).table.seats_of(one.id):
                one.do(f"/t/{token}", "resign", seat=seat)
    planned = yuri.post(f"{circle}/evenings", game=GAME.name, players=2, deals=1)
    names = {"circle": circle.rpartition("/")[2], "game": GAME.name, "name": GAME.name, "day": day}
    paths = [
        path.format_map(names | {"evening": evening.rpartition("/")[2]})
        for path in LISTS
        for evening in (began, planned)
        if {*re.findall(r"{(\w+)", path)} <= {*names, "evening"} and path != COPY
    ]

    def named(reader: Visitor, other: Visitor) -> set[str]:
        """The pages that name one to another."""
        found = {path: client.get(path, headers=reader._headers()).text for path in paths}
        return {path for path, text in found.items() if other.person.name in text}

    for reader, other in (pair, pair[::-1]):
        shown = named(reader, other)
        lists = {"/people", "/me", circle, began, planned, f"/ranking/{GAME.name}"}
        assert lists | {f"/daily/{day}/deal/{GAME.name}", f"/api/ratings/{GAME.name}"} <= shown
    for who, whom in (pair, pair[::-1]):
        row = {"id": "block", "person": who.id, "muted": whom.id, "blocks": True}
        execute(client, sa.insert(schema.mutes).values(row))
        assert named(who, whom) <= {"/me"}, "where the block can be ended"
        assert not named(whom, who)
        execute(client, sa.delete(schema.mutes))


def test_who_has_no_chat_with_strangers_only_chats_with_friends(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    cleo = Visitor(client, "Cleo")
    befriend(anna, cleo)
    before, told = meet(anna, ben, cleo), ben.get("/me/news")
    assert "You can chat with everyone" in anna.get("/me")
    assert anna.post("/me/strangers", chat="no") == "/me#muted"
    people = {0: anna, 1: ben, 2: cleo}

    def heard(path: str) -> dict[int, set[int]]:
        """Who at a table reads whose lines, by seat."""
        for seat, one in people.items():
            say(one, path, seat, f"line of {seat}")
        pages = {seat: one.get(path) for seat, one in people.items()}
        return {at: {by for by in people if f"line of {by}" in pages[at]} for at in people}

    apart, all_of = {0: {0, 2}, 1: {1, 2}, 2: {0, 1, 2}}, {at: {0, 1, 2} for at in people}
    for path in (before, meet(anna, ben, cleo)):
        assert heard(path) == apart
        assert "(muted)" not in ben.get(path)
    assert ben.get("/me/news") == told
    befriend(anna, ben)
    assert heard(meet(anna, ben, cleo)) == all_of
    assert "only your friends" in anna.get("/me")
    assert json.loads(anna.get("/me/export"))["no_chat_with_strangers"]
    anna.post("/me/strangers", chat="yes")
    assert heard(before) == all_of


def test_a_report_tells_the_operator_what_was_said_and_nobody_else(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    path = meet(anna, ben)
    say(ben, path, 1, "You play like a fool")
    page = anna.get(f"{path}/players/1")
    assert "Report Ben" in page
    before = ben.get(path), ben.get("/me/export")
    for _ in range(2):
        assert "Thank you" in anna.post(f"{path}/players/1/report", 200, why="Rude")
    say(ben, path, 1, "and later")
    (found,) = stored(client, reports.reports_now)
    assert found.chat == ["Ben: You play like a fool"]
    assert (found.name, found.reporter_name, found.why) == ("Ben", "Anna", "Rude")
    assert (ben.get("/me/export").count("Anna"), "Rude" in ben.get(path)) == (
        before[1].count("Anna"), False,
    )  # fmt: skip
    assert [one["why"] for one in json.loads(anna.get("/me/export"))["reports"]] == ["Rude"]
    for seat in (0, 7):
        anna.post(f"{path}/players/{seat}/report", 400)
        anna.get(f"{path}/players/{seat}", 400)
    assert rows(client, report_rows) == 1
    assert stored(client, lambda c: reports.handle(c, found.report))
    assert stored(client, reports.reports_now) == []
    late = CLOCK.now() + (KEPT_DAYS + 1) * DAY
    stored(client, lambda c: DATA.expire(c, late))
    assert rows(client, report_rows) == 0


def test_a_spectator_reports_a_player_and_reads_no_chat(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    path = meet(anna, ben)
    say(ben, path, 1, "between ourselves")
    dan = Visitor(client, "Dan")
    watched, page = dan.get(path), dan.get(f"{path}/players/1")
    assert f'href="{path}/players/1"' in watched
    assert "Report Ben" in page
    assert "Mute" not in page
    assert "Thank you" in dan.post(f"{path}/players/1/report", 200, why="The name")
    dan.post(f"{path}/do", 403, command="mute", other=1)
    for shown in (watched, page, dan.get("/me/export")):
        assert "between ourselves" not in shown
    (found,) = stored(client, reports.reports_now)
    assert (found.name, found.reporter_name, found.why) == ("Ben", "Dan", "The name")
    assert "Dan" not in ben.get(path) + ben.get("/me/export")
    client.cookies.clear()
    nobody = client.get(path).text
    assert "/players/1" not in nobody
    assert client.get(f"{path}/players/1").status_code == 403


def test_a_report_outlives_the_data_of_the_reported_person_only(
    client: TestClient, anna: Visitor, ben: Visitor, caplog: pytest.LogCaptureFixture
) -> None:
    path = meet(anna, ben)
    say(ben, path, 1, "You play like a fool")
    ben.post(f"{path}/players/0/report", 200)
    anna.post(f"{path}/players/1/report", 200, why="Rude\n\x1b[2J\u202e\nforged")
    assert "lists 2 reports" in caplog.text
    ben.post("/me/forget", 200, sure="yes")
    assert "has deleted" in anna.post(f"{path}/players/1/report", 400)
    execute(client, sa.delete(schema.tables))
    (found,) = stored(client, reports.reports_now)
    assert (found.person, found.name, found.why) == ("", "Former player", "Rude [2J forged")
    assert found.chat == ["Former player: You play like a fool"]
    anna.post("/me/forget", 200, sure="yes")
    assert rows(client, report_rows) == 0


def test_reports_are_few_a_day(client: TestClient, anna: Visitor, ben: Visitor) -> None:
    path = meet(anna, ben)
    me, token = anna.person.id, path.removeprefix("/t/")
    made = {"created": 0.0, "name": "x"}
    ids = [f"person-{number}" for number in range(PER_DAY)]

    def job(connection: sa.Connection) -> None:
        for one in ids:
            connection.execute(sa.insert(schema.people).values(made | {"id": one}))
            reports.report(connection, me, one, token, 0, "")

    stored(client, job)
    assert "tomorrow" in anna.post(f"{path}/players/1/report", 429)


def test_a_program_reports_too(client: TestClient) -> None:
    anna, ben = Program(client, "Anna"), Program(client, "Ben")
    table = anna.table(GAME.name, "me", "friend")
    ben.post(f"/join/{table['invite']}")
    ply = anna.act(table, "report", other=1, why="Rude")["ply"]
    assert ply == ben.look(table)["ply"]  # there is nothing to see
    Program(client).act(table, "report", other=1)
    anna.act(table, "report", 422, other=1, reporter="Ben")
    assert rows(client, report_rows) == 2


def test_a_warning_is_on_every_page_until_it_is_read(anna: Visitor, ben: Visitor) -> None:
    impose(ben, sanctions.WARNING, "Please keep it friendly.")
    link = 'href="/me/operator"'
    assert link in ben.get("/")
    assert link not in anna.get("/")
    assert "Please keep it friendly." in ben.get("/me/operator")
    assert "Please keep it friendly." not in anna.get("/me/operator")
    anna.post("/me/operator/seen")
    assert link in ben.get("/")
    ben.post("/me/operator/seen")
    assert link not in ben.get("/")
    ben.post(f"/play/{GAME.name}")
    assert json.loads(ben.get("/me/export"))["operator"][0]["reason"] == "Please keep it friendly."


def test_who_is_muted_by_the_operator_writes_nothing_and_plays_on(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    path = meet(anna, ben)
    impose(ben, sanctions.MUTE, "Cool down.", 1.0)
    say(ben, path, 1, "let me", 403)
    ben.post(f"{path}/do", 403, command="react", seat=1, reaction="smile")
    say(anna, path, 0, "hello")
    ben.post(f"{path}/do", command="resign", seat=1)
    ben.post("/me/operator/appeal", kind="mute", text="I was provoked.")
    ben.post("/me/operator/appeal", 409, kind="mute", text="Once more.")
    ben.post("/me/operator/appeal", 404, kind="ban", text="What?")
    anna.post("/me/operator/appeal", 404, kind="mute", text="Mine?")
    (found,) = stored(client, sanctions.sanctions_of)
    assert (found.name, found.appeal) == ("Ben", "I was provoked.")
    over = sa.update(sanction_rows).values(until=CLOCK.now() - 1)
    stored(client, lambda c: c.execute(over) and None)
    say(ben, path, 1, "back again")
    stored(client, lambda c: sanctions.drop_old(c, CLOCK.now()))
    assert rows(client, sanction_rows) == 0


def test_a_ban_counts_in_every_tab_and_is_appealed_against_once(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    path = meet(anna, ben)
    impose(ben, sanctions.BAN, "Enough.")
    tab = Visitor(client)
    tab.cookie = ben.cookie
    for one in (ben, tab):
        assert "Enough." in one.post(f"{path}/do", 403, command="say", seat=1, text="x")
        one.post("/people", 403, game=GAME.name)
        one.post("/link", 403, code="ABCD-EFGH")
        one.post("/me/code", 403)
        assert "You can appeal once." in one.get("/me/operator")
    ben.post("/me/operator/appeal", kind="ban", text="I'm sorry.")
    tab.post("/me/operator/appeal", 409, kind="ban", text="Please.")
    ben.post("/me/operator/seen")
    assert 'href="/me/operator"' in ben.get("/")  # as long as it lasts
    ben.get("/me/export")
    ben.post("/me/forget", 200, sure="yes")
    assert rows(client, sanction_rows) == 0


@pytest.mark.parametrize("kind", [sanctions.MUTE, sanctions.BAN])
def test_nobody_sheds_a_sanction_or_a_report_by_becoming_another_person(
    client: TestClient, anna: Visitor, ben: Visitor, kind: str
) -> None:
    cleo = Visitor(client, "Cleo")
    path = meet(anna, cleo)
    anna.post(f"{path}/do", command="mute", other=1)
    anna.post(f"{path}/players/1/report", 200)
    impose(cleo, kind, "Enough.")
    guest, person, other = cleo.person.id, ben.person.id, anna.person.id
    stored(client, lambda c: identity.adopt(c, guest, person, FEATURES.data))
    (found,) = stored(client, sanctions.sanctions_of)
    assert (found.name, found.kind, found.reason) == ("Ben", kind, "Enough.")
    assert [one.name for one in stored(client, reports.reports_now)] == ["Ben"]
    silence = stored(client, lambda c: mutes.silence_among(c, [other, person]))
    assert silence == {(other, person): False}


def test_no_page_or_operation_shows_reports_and_sanctions_of_others(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    path = meet(anna, ben)
    anna.post(f"{path}/players/1/report", 200, why="told in confidence")
    impose(ben, sanctions.WARNING, "told in confidence")
    paths = ["/", "/me", path, f"{path}/players/1", "/me/operator", "/privacy", f"/api{path}"]
    paths += [f"{path}/board", "/me/news", "/me/export"]
    seen: list[str] = [anna.client.get(one, headers=anna._headers()).text for one in paths[:-1]]
    dan: Any = Visitor(client, "Dan")
    seen += [dan.client.get(one, headers=dan._headers()).text for one in paths]
    assert not any("told in confidence" in one for one in seen)
    assert site_of(client).operator == ""
