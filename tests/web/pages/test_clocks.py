"""Clocks on pages: chosen without a script, told in words, and the way to the next turn."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.web.pages import home
from redouble.web.store import schema
from redouble.web.store.clock import CLOCK, DAY
from redouble.web.table.clocks import CONTROLS
from tests.web.helpers.visitors import Visitor, live_at, stored

TWO, ALONE = "double-down", "double-or-quits"
FORM: dict[str, Any] = {"players": "2", "seat-0": "me", "seat-1": "friend", "name": "Anna"}


@pytest.fixture
def anna(client: TestClient) -> Visitor:
    return Visitor(client, "Anna")


@pytest.fixture
def ben(client: TestClient) -> Visitor:
    return Visitor(client, "Ben")


def both(anna: Visitor, ben: Visitor, clock: str, **more: Any) -> tuple[str, list[Visitor]]:
    """A table with a clock at which both sit, and the two by their seats."""
    address = anna.post(f"/new/{TWO}", **FORM, clock=clock, **more)
    invite = live_at(anna.client, address).table.header.invite
    ben.post(f"/join/{invite}", name="Ben", zone="Europe/Berlin")
    return address, [anna, ben]


def test_the_form_offers_every_clock(anna: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    page = anna.get(f"/new/{TWO}")
    for name, one in CONTROLS.items():
        assert f'<option value="{name}"' in page
        assert one.words in page
    assert 'id="clock"' not in anna.get(f"/new/{ALONE}")
    # In a tab nobody plays for days: nobody else comes.
    monkeypatch.setattr(home, "IN_BROWSER", True)
    assert "day" not in re.findall(r'<select id="clock".*?</select>', anna.get(f"/new/{TWO}"))[0]


def test_a_clock_is_chosen_seen_and_told(anna: Visitor, ben: Visitor) -> None:
    address, people = both(anna, ben, "1-day", then="once", nights="yes", zone="Asia/Tokyo")
    table = live_at(anna.client, address).table
    assert table.clocks.control.sentences in unescape(anna.get(address))
    assert dict(table.clocks.zones) == {0: "Asia/Tokyo", 1: "Europe/Berlin"}
    seat = table.turn or 0
    page = people[seat].get(address)
    assert re.search(r'Your turn <time class="time-left" [^>]*>\d+ (h|days)</time>', page)
    assert re.search(r"data-until=\W?\d+\W+data-total=\W?\d+\W+style=\W?--time: ?[01]\.\d+", page)
    other = people[1 - seat].get(address)
    assert re.search(r"’s turn <time", other)
    # What doesn't fit to a clock is left out, not refused: a browser sends hidden fields as well.
    quick = anna.post(f"/new/{TWO}", **FORM, clock="2-minutes", nights="yes")
    assert not live_at(anna.client, quick).table.clocks.control.rest
    assert "4 hours" not in anna.post(f"/new/{TWO}", 400, **FORM, clock="4-hours")


def test_the_invitation_tells_the_clock(anna: Visitor, ben: Visitor) -> None:
    address = anna.post(f"/new/{TWO}", **FORM, clock="30-seconds")
    header = live_at(anna.client, address).table.header
    assert "Each player has 30 seconds a move." in ben.get(f"/join/{header.invite}")


def test_a_pause_is_asked_for_agreed_to_and_ended(anna: Visitor, ben: Visitor) -> None:
    address, people = both(anna, ben, "5-minutes")
    assert "Ask for a pause" in anna.get(address)
    anna.post(f"{address}/do", command="pause", seat=0)
    assert "asks for a pause" in ben.get(address)
    assert "Never mind" in anna.get(address)
    ben.post(f"{address}/do", command="agree-to-pause", seat=1)
    for one in people:
        page = one.get(address)
        assert "The game is paused." in page
        assert "data-until" not in page
        assert "form=play" not in page
    spectator = Visitor(anna.client)
    assert "Go on" not in spectator.get(address)
    ben.post(f"{address}/do", command="end-pause", seat=1)
    assert "data-until" in anna.get(address)


def test_a_time_zone_is_exported_and_deleted_with_its_person(anna: Visitor, ben: Visitor) -> None:
    address, _ = both(anna, ben, "1-day", nights="yes", zone="Asia/Tokyo")
    (exported,) = json.loads(anna.get("/me/export"))["tables"]
    assert exported["clock"].startswith("Each player has 1 day a move. Nights don't count.")
    assert exported["zone"] == "Asia/Tokyo"
    assert "Berlin" not in anna.get("/me/export")
    anna.post("/me/forget", 200, sure="yes")
    table = live_at(ben.client, address).table
    assert table.clocks.zones == {0: "", 1: "Europe/Berlin"}
    assert table.seats[0].resigned
    text = stored(ben.client, lambda c: repr(c.execute(sa.select(schema.log)).all()))
    assert "Tokyo" not in text


def test_home_shows_my_turns_first_and_one_tap_leads_to_the_next(
    anna: Visitor, ben: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = []
    for clock in ("3-days", "1-day", "none"):
        address, people = both(anna, ben, clock)
        table = live_at(anna.client, address).table
        if table.turn != 0:  # then it is Anna's
            move = table.match.legal_moves[0]
            people[1].post(f"{address}/move", ply=table.ply, move=move, seat=1)
        tables.append(address)
    slow, day, untimed = tables
    page = anna.get("/")
    assert "<title>(3) Redouble" in page
    assert page.index(day) < page.index(slow) < page.index(untimed)
    assert re.search(r"Your turn <small>(23 h|24 h) left", page)
    token = day.removeprefix("/t/")
    assert anna.client.get(f"/turns?besides={token}", headers=anna._headers()).json() == 2
    assert "<b>2</b>" in anna.get(day)
    for here, there in ((day, slow), (slow, untimed), (untimed, day)):
        besides = here.removeprefix("/t/")
        answer = anna.client.get(
            f"/turns/next?besides={besides}", headers=anna._headers(), follow_redirects=False
        )
        assert answer.headers["location"] == there
    assert ben.client.get("/turns", headers=ben._headers()).json() == 0
    assert anna.client.get("/turns").json() == 0
    now = CLOCK.now
    monkeypatch.setattr(CLOCK, "now", lambda: now() + DAY / 2)
    assert re.search(r"1[12] h left", anna.get("/"))
