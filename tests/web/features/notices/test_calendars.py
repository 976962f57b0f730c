"""A calendar of deadlines: valid, private, and without a card."""

from __future__ import annotations

import re
from typing import Any

from starlette.testclient import TestClient

from redouble.web.features.notices.calendars import CalendarEntry, written
from redouble.web.store import schema
from tests.web.helpers.visitors import Visitor, live_at, rows


def read(text: str) -> list[dict[str, str]]:
    """The entries of a calendar, as a program reads them."""
    assert text.endswith("\r\n")
    assert max(len(line.encode()) for line in text.split("\r\n")) <= 75
    lines = re.sub("\r\n[ \t]", "", text).split("\r\n")[:-1]
    assert (lines[0], lines[-1]) == ("BEGIN:VCALENDAR", "END:VCALENDAR")
    entries: list[dict[str, str]] = []
    for line in lines:
        name, colon, value = line.partition(":")
        assert colon, line
        if line == "BEGIN:VEVENT":
            entries.append({})
        elif entries and name != "END":
            plain = re.sub(r"\\(.)", lambda found: found[1].replace("n", "\n"), value)
            entries[-1][name.partition(";")[0]] = plain
    for entry in entries:
        assert {"UID", "DTSTAMP", "DTSTART", "DTEND", "SUMMARY", "URL"} <= set(entry)
    assert len({entry["UID"] for entry in entries}) == len(entries)
    return entries


def test_any_text_can_be_read_again() -> None:
    for title in ("a,b;c\\d", "\\n is no line", "line\nline", "ä€🂡" * 40, "x" * 300):
        entry = CalendarEntry("one", title, "https://example.org/t/x", 1_800_014_400.0, 0.0)
        [found] = read(written([entry]))
        assert found["SUMMARY"] == title
        assert found["DTEND"] == "20270115T120000Z"
        assert found["DTSTAMP"] == "19700101T000000Z"


def test_a_calendar_has_deadlines_and_is_private(client: TestClient) -> None:
    anna, ben = Visitor(client, "Anna"), Visitor(client, "Ben")
    seats: dict[str, Any] = {"seat-0": "me", "seat-1": "friend"}
    links = {}
    for clock in ("1-day", "2-minutes"):
        at = anna.post("/new/double-down", players=2, clock=clock, **seats)
        ben.post(f"/join/{live_at(client, at).table.header.invite}")
        links[clock] = at
    for one in (anna, ben):
        one.post("/me/calendar", do="renew")
    table = live_at(client, links["1-day"]).table
    first, second = (
        (anna, ben) if table.thinking == table.seats_of(anna.person.id)[0] else (ben, anna)
    )

    def calendar(one: Visitor) -> str:
        found = re.search(r'value="http://[^/"]*(/calendar/[^"]+\.ics)"', one.get("/me/messages"))
        assert found
        return found[1]

    client.cookies.clear()
    [entry] = read(client.get(calendar(first)).text)
    assert entry["SUMMARY"] == f"Your move in Double Down, with {second.person.name}"
    assert entry["URL"].endswith(links["1-day"])
    assert read(client.get(calendar(second)).text) == []
    second.post("/me/calendar", do="save", daily="yes")
    client.cookies.clear()
    answer = client.get(calendar(second))
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    assert [one["SUMMARY"] for one in read(answer.text)] == ["The daily deals wait for you"]
    before = calendar(first)
    first.post("/me/calendar", do="renew")
    client.cookies.clear()
    kept = calendar(first)
    for wrong in (before, kept.replace(".ics", "0.ics"), f"{kept[:-8]}0000.ics", "/calendar/x.ics"):
        assert client.get(wrong).status_code == 404
    assert client.get(kept).status_code == 200
    first.post("/me/calendar", do="remove")
    assert client.get(kept).status_code == 404
    second.post("/me/forget", 200, sure="yes")
    assert rows(client, schema.calendars) == 0
