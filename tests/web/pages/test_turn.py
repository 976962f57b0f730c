"""A table's page says by its title and its icon whose turn it is."""

from __future__ import annotations

import re

from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from tests.web.helpers.visitors import Visitor, play, seats_for

GAME = GAMES["double-down"]


def signs(page: str) -> tuple[bool, bool, bool]:
    """Whether title, icon and the icon that a script sets say that it is the viewer's turn."""
    page = " ".join(page.split())
    title = re.search(r"<title>(.*?)</title>", page)
    icon = re.search(r'<link rel="icon" href="([^"]*)"', page)
    live = re.search(r'data-icon="([^"]*)"', page)
    assert title is not None
    assert icon is not None
    assert live is not None
    return "Your turn" in title[1], "icon-turn" in icon[1], "icon-turn" in live[1]


def test_title_and_icon_tell_the_player_on_turn_alone(client: TestClient) -> None:
    people = [Visitor(client, name) for name in ("Anna", "Ben", "Carla")]
    watcher = Visitor(client, "Dan")
    for plies in (0, 1, 2):
        table = play(client, GAME, seats_for(*people), plies=plies)
        here = f"/t/{table.header.token}"
        for seat, one in enumerate(people):
            assert signs(one.get(here)) == (table.turn == seat,) * 3
        assert signs(watcher.get(here)) == (False,) * 3


def test_nobody_is_on_turn_when_the_game_is_over(client: TestClient) -> None:
    anna = Visitor(client, "Anna")
    table = play(client, GAME, seats_for(anna, bots=1))
    assert table.over
    assert signs(anna.get(f"/t/{table.header.token}")) == (False,) * 3
