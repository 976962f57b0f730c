"""People who are strangers to each other: a table for both, and the next game."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.live import live as live_module
from tests.web.helpers.servers import sites_of
from tests.web.helpers.visitors import Visitor, live_at

GAME = "double-down"


def look_for_people(visitor: Visitor) -> str:
    """The table that *Play people* leads to."""
    return visitor.post(f"/people/{GAME}")


def resign(client: TestClient, here: str, *people: Visitor) -> None:
    for one in people:
        (seat,) = live_at(client, here).table.seats_of(one.person.id)
        one.post(f"{here}/do", 303, None, command="resign", seat=seat)


def test_strangers_meet_and_read_names_and_numbers_of_games(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    assert "is waiting" not in anna.get("/")
    here = look_for_people(anna)
    assert "With anyone: <small>Anna is waiting.</small>" in ben.get("/")
    assert look_for_people(ben) == here
    shown = ben.get(here)
    assert "Looking for players" in shown
    assert "Anna is new here." in shown
    assert ">Play with bots<" not in shown
    assert anna.person.id not in shown
    anna.post(f"{here}/do", 303, None, command="leave", seat=0)
    assert "Anna is new here." not in ben.get(here)
    assert not live_at(client, here).table.seats_of(anna.person.id)
    ben.post(f"{here}/do", 303, None, command="leave", seat=1)
    assert here not in anna.get("/"), "nobody waits there any more"


def test_every_game_for_several_is_played_with_people(anna: Visitor) -> None:
    page = anna.get("/")
    for game in GAMES.values():
        assert (f'action="/people/{game.name}"' in page) == (game.max_seats > 1)
        anna.post(f"/people/{game.name}", 303 if game.max_seats > 1 else 400)


def test_a_browser_alone_shows_none_of_it(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for site in sites_of(client):
        monkeypatch.setitem(site.env.globals, "in_browser", True)
        if site.env.cache is not None:
            site.env.cache.clear()
    page = anna.get("/")
    assert "Play people" not in page
    assert 'id="calls"' not in page


def test_bots_are_offered_and_people_have_their_seats_in_the_next_game(
    client: TestClient, anna: Visitor, ben: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    dan, eve = Visitor(client, "Dan"), Visitor(client, "Eve")
    here = look_for_people(anna)
    look_for_people(ben)
    monkeypatch.setattr(live_module, "BOTS_AFTER_SECONDS", 0.0)
    live_at(client, here).drawn.clear()
    assert ">Play with bots<" in anna.get(here)
    assert ">Play with bots<" not in dan.get(here)
    dan.post(f"{here}/do", 403, None, command="fill")
    anna.post(f"{here}/do", 303, None, command="fill", seat=0)
    table = live_at(client, here).table
    assert table.status == "playing"
    assert [bool(seat.bot) for seat in table.seats] == [False, False, True, True]
    ben.post(f"{here}/do", 400, None, command="want")
    assert "Play in the next game" in dan.get(here)
    for one in (dan, dan, eve):
        one.post(f"{here}/do", 303, None, command="want")
    Visitor(client, "Fay").post(f"{here}/do", 409, None, command="want")
    eve.post(f"{here}/do", 303, None, command="want-no")
    assert "You have a seat in the next game." in dan.get(here)
    assert "You have a seat" not in eve.get(here)
    resign(client, here, anna, ben)
    dan.post(f"{here}/rematch", 403)
    again = anna.post(f"{here}/rematch")
    names = [seat.name for seat in live_at(client, again).table.seats]
    assert names == ["Anna", "Ben", "Dan", "Player 4"]
    assert live_at(client, again).table.seats_of(dan.person.id) == [2]
    assert "Anna wants another game." in dan.get(here)
    assert "wants another game" not in eve.get(here)


def test_a_person_who_is_gone_gets_no_seat(client: TestClient, anna: Visitor, ben: Visitor) -> None:
    dan = Visitor(client, "Dan")
    here = look_for_people(anna)
    look_for_people(ben)
    anna.post(f"{here}/do", 303, None, command="fill", seat=0)
    dan.post(f"{here}/do", 303, None, command="want")
    gone = dan.person.id
    dan.post("/me/forget", 200, None, sure="yes")
    assert not live_at(client, here).table.wants
    resign(client, here, anna, ben)
    again = live_at(client, anna.post(f"{here}/rematch")).table
    assert gone not in str(again.seats)
    assert "Dan" not in str(again.seats)


def test_who_is_still_there_is_asked_to_join_or_not_now(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    seats = {"seat-0": "me", "seat-1": "friend"}
    here = anna.post(f"/new/{GAME}", 303, None, **seats)
    (invite,) = re.findall(r"/join/[\w-]+", anna.get(here))[:1]
    ben.post(invite, 303, None, name="Ben")
    ben.post(f"{here}/do", 409, None, command="later")
    resign(client, here, anna, ben)
    assert "wants another game" not in ben.get(here)
    again = anna.post(f"{here}/rematch")
    assert "wants another game" not in anna.get(here)
    asked = ben.get(here)
    assert "Anna wants another game." in asked
    assert f'href="{again}">Join</a>' in asked
    Visitor(client, "Eve").post(f"{here}/do", 403, None, command="later")
    ben.post(f"{here}/do", 303, None, command="later")
    later = ben.get(here)
    assert "wants another game" not in later
    assert f'href="{again}">Go to the rematch</a>' in later
    assert live_at(client, again).table.seats_of(ben.person.id) == [1]
    assert again in ben.get("/"), "it waits under Continue"


def test_nobody_without_a_name_has_to_give_one(client: TestClient) -> None:
    guest = Visitor(client)
    here = look_for_people(guest)
    assert re.search(r"Guest \d+ is new here", guest.get(here))
