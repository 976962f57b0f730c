"""Rematches: nobody is dealt in who hasn't joined, and who didn't answer is asked again."""

import re
from functools import partial

import pytest
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.people.results import results_of
from redouble.web.store.schema import tables
from redouble.web.table.state import KEPT_SECONDS
from tests.web.helpers.visitors import Visitor, live_at, play, rows, seats_for, stored

GAME = GAMES["double-down"]


@pytest.fixture
def three(client: TestClient) -> list[Visitor]:
    return [Visitor(client, name) for name in ("Anna", "Ben", "Cleo")]


def over(client: TestClient, people: list[Visitor], at: str = "") -> str:
    """A table of these people, their own game or the one at an address, whose game has ended."""
    at = at or f"/t/{play(client, GAME, seats_for(*people)).header.token}"
    for one in people:
        if live_at(client, at).table.status == "playing":
            one.post(f"{at}/do", command="resign")
    return at


def names(client: TestClient, at: str) -> list[str]:
    table = live_at(client, at).table
    return ["bot" if seat.bot else "" if seat.open else seat.name for seat in table.seats]


def test_only_who_has_joined_is_dealt_in(client: TestClient, three: list[Visitor]) -> None:
    anna, ben, cleo = three
    before = over(client, three)
    again = ben.post(f"{before}/rematch")
    assert names(client, again) == ["", "Ben", ""]
    assert live_at(client, again).table.status == "waiting"
    assert anna.post(f"{before}/rematch") == again
    ben.post(f"{again}/do", command="fill")
    assert names(client, again) == ["Anna", "Ben", "bot"]
    assert live_at(client, again).table.status == "playing"
    over(client, [anna, ben], again)
    for one, games in ((anna, 2), (ben, 2), (cleo, 1)):
        assert len(stored(client, partial(results_of, person=one.person.id))) == games


def test_who_did_not_answer_is_asked_again(client: TestClient, three: list[Visitor]) -> None:
    """In the next game and the one after it, from the home page and from the first table."""
    anna, ben, cleo = three
    first = over(client, three)
    second = anna.post(f"{first}/rematch")
    ben.post(f"{first}/rematch")
    anna.post(f"{second}/do", command="fill")
    third = ben.post(f"{over(client, [anna, ben], second)}/rematch")
    assert names(client, third) == ["", "Ben", ""]
    invite = live_at(client, third).table.header.invite
    assert f'href="/join/{invite}"' in cleo.get("/")
    cleo.post(f"/join/{invite}", name="Cleo")
    assert names(client, third) == ["", "Ben", "Cleo"]


@pytest.mark.parametrize("place", ["table", "home page"])
def test_later_is_said_once(client: TestClient, three: list[Visitor], place: str) -> None:
    """At the table or on the home page; the other place doesn't ask any more."""
    anna, ben, _ = three
    before = over(client, [anna, ben])
    anna.post(f"{before}/rematch")
    assert 'value="later"' in ben.get(before)
    (later,) = re.findall(r'action="(/calls/[^"]+/later)"', ben.get("/"))
    if place == "table":
        ben.post(f"{before}/do", command="later")
    else:
        ben.post(later, 303)
    assert "/later" not in ben.get("/")
    assert 'value="later"' not in ben.get(before)


def test_a_seat_is_kept_for_a_minute(
    client: TestClient, three: list[Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, ben, cleo = three
    before = over(client, [anna, ben])
    again = anna.post(f"{before}/rematch")
    invite = f"/join/{live_at(client, again).table.header.invite}"
    assert "kept for the last game" in cleo.post(invite, 403, name="Cleo")
    assert names(client, again) == ["Anna", ""]
    monkeypatch.setitem(KEPT_SECONDS, False, 0.0)
    cleo.post(invite, name="Cleo")
    assert names(client, again) == ["Anna", "Cleo"]
    assert ben.post(f"{before}/rematch") == again, "where he can watch"
    assert names(client, again) == ["Anna", "Cleo"]


def test_who_is_muted_calls_nobody_to_a_rematch(client: TestClient, three: list[Visitor]) -> None:
    anna, ben, _ = three
    before = over(client, [anna, ben])
    ben.post(f"{before}/do", command="mute", other=0)
    again = anna.post(f"{before}/rematch")
    assert live_at(client, again).table.header.invite not in ben.get("/")


def test_a_rematch_of_a_table_that_was_rewritten(client: TestClient, three: list[Visitor]) -> None:
    anna, ben, cleo = three
    before = over(client, three)
    cleo.post("/me/forget", 200, sure="yes")
    again = anna.post(f"{before}/rematch")
    assert names(client, again)[0] == "Anna"
    assert "Cleo" not in str(live_at(client, again).table.kept)
    assert ben.post(f"{before}/rematch") == again
    assert rows(client, tables) == 2
