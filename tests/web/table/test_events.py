"""Events: each is stored as JSON, validated when read, and declares what it means."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from redouble.web.table.acts import ACTS, EVENTS, BrokenLog, Entry, base, read_entry
from tests.helpers.cases import case

PAYLOADS: dict[str, dict[str, Any]] = {
    "move": {"move": "7 x2"},
    "redo": {"move": "7"},
    "undo": {"keep": 3, "hindsight": True},
    "ask": {"keep": 0, "hindsight": False},
    "agree": {},
    "abandon": {},
    "refuse": {},
    "resign": {"level": "club"},
    "leave": {},
    "free": {},
    "claim": {},
    "admit": {},
    "deny": {},
    "sit": {"name": "Anna"},
    "bot": {"level": "club"},
    "promise": {"promise": "0a" * 32},
    "share": {"share": "1b" * 32},
    "deal": {},
    "ask-solver": {},
    "play-out": {},
    "play-on": {},
    "back": {},
    "say": {"text": 'hello, "Ben"'},
    "react": {"reaction": "smile"},
    "chat": {"chat": "off"},
    "mute": {"other": 1, "both": True},
    "unmute": {"other": 1, "both": False},
    "report": {"said": 3},
    "close": {"reason": "The operator has closed this table."},
    "unguided": {},
    "pace": {"pace": "slow"},
    "clock": {
        **{"move": 0, "bank": 300, "increment": 10, "then": "once", "level": "club"},
        **{"nights": False, "weekends": False},
    },
    "zone": {"zone": "Europe/Berlin"},
    "time-out": {"then": "once", "level": "club"},
    "restart-turn": {},
    "ask-pause": {},
    "agree-pause": {},
    "end-pause": {},
    "rematch": {"token": "next"},
    "keep": {"name": "Ben"},
    "later": {},
    "want": {"name": "Dan"},
    "want-no": {},
    "want-bots": {},
    "rated": {"rated": False},
}
"""By kind, as logs of earlier versions have them."""
BY_PEOPLE = {
    *(("sit", "name"), ("keep", "name")),
    *(("say", "text"), ("want", "name"), ("zone", "zone")),
}
"""The texts that people write, or that say where they are."""
BY_PROGRAMS = {
    *(("move", "move"), ("redo", "move"), ("resign", "level"), ("bot", "level")),
    *(("promise", "promise"), ("share", "share"), ("close", "reason"), ("pace", "pace")),
    *(("react", "reaction"), ("chat", "chat"), ("clock", "then"), ("clock", "level")),
    *(("time-out", "then"), ("time-out", "level"), ("rematch", "token")),
}
"""The other texts, which say nothing of a person."""
DAMAGED = ("", "{", "[]", "7", "null", '{"more": 1}', '{"keep": "x"}')


def classes(kind: type) -> set[type[Any]]:
    """The classes derived from one, without those that are bases of others."""
    found: list[type[Any]] = kind.__subclasses__()
    own = {one for one in found if one.__module__ != base.__name__}
    return own.union(*map(classes, found))


def test_every_class_of_acts_and_events_is_registered() -> None:
    assert set(EVENTS.values()) == classes(base.Event)
    assert set(EVENTS) == set(PAYLOADS)
    assert set(ACTS.values()) == classes(base.Act)


def test_an_event_reads_back_as_it_was_stored() -> None:
    for kind, payload in PAYLOADS.items():
        happened = EVENTS[kind](seat=2, person="p", **payload)
        row = Entry(5, 1.5, happened).row()
        assert json.loads(row["payload"]) == payload
        assert (row["kind"], row["seat"], row["person"]) == (kind, 2, "p")
        assert read_entry(SimpleNamespace(**row)) == Entry(5, 1.5, happened)


def test_a_damaged_payload_is_named() -> None:
    for kind in PAYLOADS:
        for payload in DAMAGED:
            row = Entry(5, 1.5, EVENTS[kind](seat=2, **PAYLOADS[kind])).row() | {"payload": payload}
            with (
                case(f"{kind} {payload}"),
                pytest.raises(BrokenLog, match=f"entry 5: .* {kind!r}"),
            ):
                read_entry(SimpleNamespace(**row))


def test_an_unknown_kind_is_named() -> None:
    row = SimpleNamespace(ply=3, kind="castle", seat=0, payload="{}", at=0.0, person=None)
    with pytest.raises(BrokenLog, match="entry 3 is of an unknown kind, 'castle'"):
        read_entry(row)


def test_a_deleted_person_leaves_no_words_in_the_log() -> None:
    texts = {
        (kind, name)
        for kind, payload in PAYLOADS.items()
        for name, value in payload.items()
        if isinstance(value, str)
    }
    assert texts == BY_PROGRAMS | BY_PEOPLE
    for kind, name in BY_PEOPLE:
        happened = EVENTS[kind](seat=0, person="p", **PAYLOADS[kind])
        left = json.loads(happened.without_person("Nobody").model_dump_json())
        assert left == PAYLOADS[kind] | {name: "Nobody" if kind == "sit" else ""}
