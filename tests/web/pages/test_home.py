"""The home page: what waits for a person, all games, and the tables that anyone can join."""

from __future__ import annotations

import re
from typing import Any

from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.drawing.options import house_rules
from redouble.web.pages.home import MAX_IN_STRIP
from tests.web.helpers.visitors import Visitor, live_at

FRIENDS: dict[str, Any] = {"with": "friends"}


def waiting(visitor: Visitor, *kinds: str, **more: str) -> str:
    seats = {f"seat-{number}": kind for number, kind in enumerate(("me", *kinds))}
    return visitor.post("/new/double-down", 303, None, **seats, **more)


def strip(page: str, name: str) -> str:
    """A section of the home page, in one line; empty if it isn't there."""
    found = re.search(rf'aria-labelledby="{name}".*?</section>', " ".join(page.split()))
    return found[0] if found else ""


def test_every_game_can_be_played_at_once_or_set_up(anna: Visitor) -> None:
    page = anna.get("/")
    for name in GAMES:
        assert f'action="/play/{name}"' in page
        assert f'href="/new/{name}"' in page
    assert not strip(page, "continue")
    assert not strip(page, "join")


def test_play_now_deals_decisions_and_the_published_rules_are_one_tap_away(anna: Visitor) -> None:
    page = " ".join(anna.get("/").split())
    dealing = [game for game in GAMES.values() if game.setups.usual]
    assert dealing
    for game in dealing:
        labels = {option.name: option.label for option in game.options}
        for name in game.setups.usual:
            assert f">{labels[name]}</span>" in page
        ((label, value),) = house_rules(game, game.check_options(1, game.setups.usual))
        shown = rf"<dt>{label}</dt>\s*<dd>{value}</dd>"
        dealt = anna.get(anna.post(f"/play/{game.name}"))
        assert re.search(shown, dealt)
        assert 'name="rules" value="published"' in " ".join(dealt.split())
        published = anna.get(anna.post(f"/play/{game.name}", rules="published"))
        assert not re.search(shown, published)
        form = anna.get(f"/new/{game.name}")
        assert re.search(rf'name="{next(iter(game.setups.usual))}"[^>]*checked', form)


def test_a_table_for_friends_is_made_from_the_home_page(client: TestClient, anna: Visitor) -> None:
    for game in GAMES.values():
        if game.max_seats == 1:
            continue
        for players in (game.min_seats, game.max_seats):
            here = anna.post(f"/play/{game.name}", players=players, **FRIENDS)
            seats = live_at(client, here).table.seats
            assert [seat.open for seat in seats] == [False, *[True] * (players - 1)]
            assert "/join/" in anna.get(here)
    for number in (0, 1, 8):
        anna.post("/play/double-down", 400, None, **FRIENDS, players=number)
    guest = Visitor(client)
    assert 'placeholder="Your name"' in guest.get("/")
    refused = guest.post("/play/double-down", 400, None, **FRIENDS)
    assert "Your friends see who invites them: enter your name" in refused
    assert "invite" in guest.get(guest.post("/play/double-down", 303, None, **FRIENDS, name="Gina"))


def test_a_public_table_with_open_seats_can_be_joined_by_anyone(
    anna: Visitor, ben: Visitor
) -> None:
    here = waiting(anna, "friend", "friend", public="yes")
    shown = strip(ben.get("/"), "join")
    assert "Anna (new here) is waiting. 2 seats are open." in shown
    invite = re.search(r'href="(/join/[\w-]+)"', shown)
    assert invite is not None
    assert ben.post(invite[1], name="Ben") == here
    carla = Visitor(ben.client, "Carla")
    assert "Anna (new here) and Ben (new here) are waiting. One seat is open." in strip(
        carla.get("/"), "join"
    )
    assert not strip(ben.get("/"), "join"), "it waits for him under Continue"
    assert carla.post(invite[1], name="Carla") == here
    late = strip(Visitor(ben.client, "Dan").get("/"), "join")
    assert f'href="{here}"' in late
    assert "Watch" in late
    assert invite[1] not in late


def test_other_tables_are_not_listed(anna: Visitor, ben: Visitor) -> None:
    here = waiting(anna, "friend", "bot club")
    page = ben.get("/")
    assert not strip(page, "join")
    assert here not in page


def test_the_tables_of_a_person_stand_first_those_to_move_in_front(
    anna: Visitor, ben: Visitor
) -> None:
    for _ in range(MAX_IN_STRIP):
        anna.post("/play/double-or-quits")
    waiting(anna, "friend", "bot club")
    shown = strip(anna.get("/"), "continue")
    assert shown.count('class="table-card mine"') == MAX_IN_STRIP
    assert f"All {MAX_IN_STRIP + 1} tables" in shown
    assert "Waiting" not in shown
    waiting(ben, "friend", "bot club")
    shown = strip(ben.get("/"), "continue")
    assert "with Player 2" in shown
    assert "Waiting" in shown
    assert "All" not in shown
