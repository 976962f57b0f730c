"""The devices in which a person is signed in: listed, ended, and ended for other processes."""

import asyncio
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.web.features.account.retention import prune
from redouble.web.gate.journal import request_number
from redouble.web.live import table_rows
from redouble.web.live.exchange import Exchange
from redouble.web.people import people, sessions
from redouble.web.people.sessions import MAX_SESSIONS, SESSION_SECONDS, UNKNOWN, device_name
from redouble.web.store import schema
from redouble.web.store.clock import CLOCK, DAY
from redouble.web.store.notices import SESSION, NoticeBoard, post
from tests.web.helpers.house import HERE, ME, House, in_house
from tests.web.helpers.programs import Program
from tests.web.helpers.servers import ALSO_ON_TWO, create_app, site_of, sites_of
from tests.web.helpers.visitors import FIREFOX, Visitor, in_loop, new_code, rows, stored

pytestmark = ALSO_ON_TWO
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like"
    " Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
)


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox on Windows"),
        (IPHONE, "Safari on iPhone"),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko)"
            " Chrome/137.0.0.0 Safari/537.36 Edg/137.0.0.0",
            "Edge on Mac",
        ),
        (
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)"
            " Chrome/137.0.0.0 Mobile Safari/537.36",
            "Chrome on Android",
        ),
        ("python-httpx/0.28.1", "python-httpx"),
        ("curl", "curl"),
        ("<b>bold</b>", UNKNOWN),
        ("Mozilla/5.0", UNKNOWN),
        ("x" * 500, UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_a_device_has_a_plain_name(agent: str, name: str) -> None:
    assert device_name(agent) == name


@pytest.fixture
def phone(client: TestClient, anna: Visitor) -> Visitor:
    """A second device of Anna's."""
    code, phone = new_code(anna), Visitor(client)
    client.headers["user-agent"] = IPHONE
    phone.post("/link", code=code)
    return phone


def test_devices_are_listed_and_can_be_ended(
    client: TestClient, anna: Visitor, phone: Visitor
) -> None:
    html = anna.get("/me")
    assert "Safari on iPhone" in html
    assert html.count("<em>this device</em>") == 1
    here, there = anna.person.session, phone.person.session
    assert f"/me/devices/{there}/end" in html
    assert f"/me/devices/{here}/end" not in html
    Visitor(client, "Ben").post(f"/me/devices/{there}/end", 404)
    assert anna.post(f"/me/devices/{there}/end") == "/me#devices"
    assert "You haven't played yet" in phone.get("/me")
    assert "Sign out everywhere else" not in anna.get("/me")
    anna.post(f"/me/devices/{there}/end", 404)


def test_all_other_devices_can_be_ended_at_once(
    client: TestClient, anna: Visitor, phone: Visitor
) -> None:
    third, code = Visitor(client), new_code(anna)
    third.post("/link", code=code)
    assert phone.post("/me/devices/end") == "/me#devices"
    assert phone.person.name == "Anna"
    for device in (anna, third):
        assert "You haven't played yet" in device.get("/me")


def test_programs_and_the_export_list_devices(client: TestClient) -> None:
    client.headers["user-agent"] = "robot/2.1"
    one = Program(client, "Robot")
    (me,) = one.get("/me/devices")["devices"]
    assert (me["device"], me["this"]) == ("robot", True)
    assert time.time() - 60 < me["first"] <= me["last"] <= time.time()
    site = site_of(client)
    person = stored(client, lambda c: c.execute(sa.select(schema.people.c.id)).scalar())
    other = stored(client, lambda c: sessions.begin(c, str(person), "Firefox on Mac"))
    token = site.people.token(people.Person(str(person), "", other))
    theirs = {"Authorization": f"Bearer {token}"}
    assert client.get("/api/me", headers=theirs).status_code == 200
    exported = client.get("/me/export", headers=one.headers).json()
    assert {row["device"] for row in exported["devices"]} == {"Firefox on Mac", "robot"}
    assert other not in json.dumps(exported)
    left = one.post(f"/me/devices/{other}/end")
    assert [row["id"] for row in left["devices"]] == [me["id"]]
    assert client.get("/api/me", headers=theirs).status_code == 401
    one.post(f"/me/devices/{other}/end", status=404)
    (only,) = one.post("/me/devices/end")["devices"]
    assert only["id"] == me["id"]


def in_no_request(call: Callable[..., Any], *arguments: Any) -> Any:
    """Call the database, which servers that share it do by themselves, too."""
    assert not request_number()
    return call(*arguments)


def test_when_a_device_was_seen_costs_no_write_per_request(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = anna.person.session
    seen = sa.select(schema.sessions.c.seen).where(schema.sessions.c.id == session)
    stored(client, lambda c: c.execute(sa.update(schema.sessions).values(seen=0.0)) and None)
    with monkeypatch.context() as patch:
        for one in sites_of(client):
            patch.setattr(one.store, "call", partial(in_no_request, one.store.call))
        for _ in range(3):
            anna.get("/rules")
            anna.get("/api/me")
    assert stored(client, lambda c: c.execute(seen).scalar()) == 0
    assert "last used just now" in anna.get("/me")
    for one in sites_of(client):
        in_loop(client, one.people.keep_seen)
    last = stored(client, lambda c: c.execute(seen).scalar())
    assert time.time() - 60 < float(last or 0) <= time.time()


def test_sessions_end_when_nobody_uses_them(client: TestClient, anna: Visitor) -> None:
    me = anna.person.id

    def many(connection: sa.Connection) -> None:
        for number in range(MAX_SESSIONS + 2):
            sessions.begin(connection, me, f"{number}")

    stored(client, many)
    found = stored(client, lambda c: sessions.sessions_of(c, me))
    assert len(found) == MAX_SESSIONS
    assert {one.device for one in found} >= {f"{MAX_SESSIONS + 1}", "2"}
    in_loop(client, prune, site_of(client), time.time() + SESSION_SECONDS + DAY)
    assert rows(client, schema.sessions) == 0


# Cookies and keys.


def renewed(client: TestClient, visitor: Visitor) -> str:
    """What a page sets the visitor's cookie to; empty if it stays."""
    answer = client.get("/", headers={"cookie": f"{people.COOKIE}={visitor.cookie}"})
    assert answer.status_code == 200
    said = answer.headers.get("set-cookie", "")
    assert not said or f"Max-Age={people.COOKIE_SECONDS}" in said
    return str(said.removeprefix(f"{people.COOKIE}=").partition(";")[0].strip('"'))


def test_a_cookie_in_use_is_set_again_every_week(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    me, now = anna.person, CLOCK.now
    assert renewed(client, anna) == ""
    for days in (6, people.RENEWED_DAYS + 1, 3 * 365, -900):  # in both directions: clocks are set
        monkeypatch.setattr(CLOCK, "now", lambda days=days: now() + days * DAY)
        token = renewed(client, anna)
        assert bool(token) == (abs(days) >= people.RENEWED_DAYS)
        anna.cookie = token or anna.cookie
        assert renewed(client, anna) == ""
        assert (anna.person, anna.person.session) == (me, me.session)


def test_a_new_key_loses_nobody(tmp_path: Path) -> None:
    key = tmp_path / people.KEY_FILE
    with TestClient(create_app(tmp_path)) as client:
        anna, away = Visitor(client, "Anna"), Visitor(client, "Ben")
        program = Program(client, "Robot")
    old, new = key.read_text(), "n" * 43
    key.write_text(f"{new}\n{old}")
    with TestClient(create_app(tmp_path)) as client:
        token = renewed(client, anna)
        assert token
        anna.cookie = token
        assert renewed(client, anna) == ""
        said = client.get("/api/me", headers=program.headers)
        assert said.json()["name"] == "Robot"
        assert "set-cookie" not in said.headers  # a program keeps its token, which stays valid
    key.write_text(new)
    with TestClient(create_app(tmp_path)) as client:
        assert (
            "Anna" in client.get("/me", headers={"cookie": f"{people.COOKIE}={anna.cookie}"}).text
        )
        gone = client.get("/me", headers={"cookie": f"{people.COOKIE}={away.cookie}"}).text
        assert "You haven't played yet" in gone
        assert client.get("/api/me", headers=program.headers).status_code == 401


# Streams.


@in_house
async def test_the_streams_of_an_ended_session_end_and_others_stay(h: House) -> None:
    anna = await h.people.new("Anna")
    live = await h.table(anna, ME, HERE)
    phone = await signed_in(h, anna)
    here, there = h.tables.changes(live, anna), h.tables.changes(live, phone)
    assert await anext(here)
    assert await anext(there)
    waits = asyncio.ensure_future(anext(there, None))
    await asyncio.sleep(0)
    h.tables.memory.end_streams([phone.session])
    assert await waits is None
    live.touch()
    assert await anext(here)
    await here.aclose()


@in_house
async def test_a_session_that_ended_meanwhile_gets_no_stream(h: House) -> None:
    anna = await h.people.new("Anna")
    live = await h.table(anna, ME, HERE)
    await h.store.run(sessions.end, anna.id, anna.session)
    assert [one async for one in h.tables.changes(live, anna)] == []


@pytest.mark.shared
@in_house
async def test_another_process_ends_streams_and_reloads_tables(one: House, other: House) -> None:
    anna = await one.people.new("Anna")
    live = await one.table(anna, ME, HERE)
    token = live.table.header.token
    watching = asyncio.ensure_future(
        Exchange(other.store, other.tables.memory, other.tables.neighbors).follow(0.01)
    )
    seen = await other.tables.get(token)
    stream = other.tables.changes(seen, anna)
    assert await anext(stream)
    board = NoticeBoard(one.store)
    assert await board.new() == []

    def public(connection: sa.Connection) -> None:
        connection.execute(sa.update(schema.tables).values(public=True))
        table_rows.note_rewritten(connection, token)

    await one.tables.rewrite([token], public)
    assert await anext(stream)
    assert seen.table.header.public
    ended = [anna.session]
    await one.store.run(post, one.store.id, SESSION, ended)
    assert await anext(stream, None) is None
    assert not [one for one in await board.new() if one.kind == SESSION]  # its own
    watching.cancel()


async def signed_in(h: House, person: people.Person) -> people.Person:
    """The person on another device."""
    session = await h.store.run(sessions.begin, person.id, "Phone")
    return people.Person(person.id, person.name, session)
