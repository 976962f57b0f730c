"""Events: each is stored as JSON, validated when read, and declares what it means."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from redouble.web.table import Entry, Event, events, fold
from redouble.web.table.events import EVENTS, BrokenLog
from tests.helpers.cases import case

PAYLOADS: dict[type[Event], dict[str, Any]] = {
    events.Move: {"move": "7 x2"},
    events.Redo: {"move": "7"},
    events.Undo: {"keep": 3, "hindsight": True},
    events.AskUndo: {"keep": 0},
    events.AgreeToUndo: {},
    events.RefuseUndo: {},
    events.Resign: {"level": "club"},
    events.Leave: {},
    events.Free: {},
    events.Claim: {},
    events.Admit: {},
    events.Deny: {},
    events.Sit: {"name": "Anna"},
    events.HandOver: {"level": "club"},
    events.PromiseShare: {"promise": "0a" * 32},
    events.GiveShare: {"share": "1b" * 32},
    events.Deal: {},
    events.AskSolver: {},
    events.PlayOut: {},
    events.Return: {},
    events.Say: {"text": 'hello, "Ben"'},
    events.React: {"reaction": "smile"},
    events.SetChat: {"chat": "off"},
    events.Mute: {"other": 1},
    events.Unmute: {"other": 1},
    events.ReportChat: {"said": 3},
    events.Close: {"reason": "The operator has closed this table."},
    events.SkipGuide: {},
    events.SetPace: {"pace": "slow"},
    events.SetClock: {
        **{"move": 0, "bank": 300, "increment": 10, "then": "once", "level": "club"},
        **{"nights": False, "weekends": False},
    },
    events.SetZone: {"zone": "Europe/Berlin"},
    events.TimeOut: {"then": "once", "level": "club"},
    events.AskPause: {},
    events.AgreeToPause: {},
    events.EndPause: {},
    events.Rematch: {"token": "next"},
    events.Later: {},
    events.WantSeat: {"name": "Dan"},
    events.WantNoSeat: {},
}
BY_PEOPLE: dict[type[Event], str] = {
    events.Sit: "name",
    events.Say: "text",
    events.WantSeat: "name",
    events.SetZone: "zone",
}
"""The texts that people write, or that say where they are."""
BY_PROGRAMS: set[tuple[type[Event], str]] = {
    (events.Move, "move"),
    (events.Redo, "move"),
    (events.Resign, "level"),
    (events.HandOver, "level"),
    (events.PromiseShare, "promise"),
    (events.GiveShare, "share"),
    (events.Close, "reason"),
    (events.SetPace, "pace"),
    (events.React, "reaction"),
    (events.SetChat, "chat"),
    (events.SetClock, "then"),
    (events.SetClock, "level"),
    (events.TimeOut, "then"),
    (events.TimeOut, "level"),
    (events.Rematch, "token"),
}
"""The other texts, which say nothing of a person."""
DAMAGED = ("", "{", "[]", "7", "null", '{"more": 1}', '{"keep": "x"}')


def test_every_class_of_events_is_registered_and_folded() -> None:
    assert set(EVENTS.values()) == set(Event.__subclasses__()) == set(PAYLOADS)
    assert len({event.kind for event in PAYLOADS}) == len(PAYLOADS)
    assert {object, *PAYLOADS} == set(fold.take_in.registry)


def test_an_event_reads_back_as_it_was_stored() -> None:
    for event, payload in PAYLOADS.items():
        happened = event(seat=2, person="p", **payload)
        row = Entry(5, 1.5, happened).row()
        assert json.loads(row["payload"]) == payload
        assert (row["kind"], row["seat"], row["person"]) == (event.kind, 2, "p")
        assert Entry.from_row(SimpleNamespace(**row)) == Entry(5, 1.5, happened)


def test_a_damaged_payload_is_named() -> None:
    for event in PAYLOADS:
        for payload in DAMAGED:
            row = Entry(5, 1.5, event(seat=2, **PAYLOADS[event])).row() | {"payload": payload}
            with (
                case(f"{event.kind} {payload}"),
                pytest.raises(BrokenLog, match=f"entry 5: .* {event.kind!r}"),
            ):
                Entry.from_row(SimpleNamespace(**row))


def test_an_unknown_kind_is_named() -> None:
    row = SimpleNamespace(ply=3, kind="castle", seat=0, payload="{}", at=0.0, person=None)
    with pytest.raises(BrokenLog, match="entry 3 is of an unknown kind, 'castle'"):
        Entry.from_row(row)


def test_a_deleted_person_leaves_no_words_in_the_log() -> None:
    texts = {
        (event, name)
        for event, payload in PAYLOADS.items()
        for name, value in payload.items()
        if isinstance(value, str)
    }
    assert texts == BY_PROGRAMS | set(BY_PEOPLE.items())
    for event, name in BY_PEOPLE.items():
        happened = event(seat=0, person="p", **PAYLOADS[event])
        left = json.loads(happened.without_person("Nobody").model_dump_json())
        assert left == PAYLOADS[event] | {name: "Nobody" if event is events.Sit else ""}
