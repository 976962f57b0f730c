"""Joining a table, and how those who are there repair what somebody absent has left."""

from __future__ import annotations

import re
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.web.live import live
from redouble.web.store import schema
from tests.web.helpers.visitors import Visitor, stored


class Clock:
    """A clock that is set on while nobody does anything."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def away(self) -> None:
        self.now += live.AWAY_SECONDS + 1


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(live, "time", clock)
    return clock


present_later = pytest.mark.one_server("a server learns a second later who is at another one")


class Waiting:
    """A table that waits, of which Anna is the host."""

    def __init__(self, client: TestClient, host: Visitor, players: int = 4) -> None:
        seats: dict[str, Any] = {f"seat-{i}": "friend" for i in range(1, players)}
        seats |= {"seat-0": "me", "players": f"{players}"}
        self.path = host.post("/new/double-decker", **seats)
        token = self.path.removeprefix("/t/")
        query = sa.select(schema.tables.c.invite).where(schema.tables.c.token == token)
        self.join = f"/join/{stored(client, lambda c: c.execute(query).scalar_one())}"
        self.api = f"/api/tables/{token}"

    def do(self, visitor: Visitor, command: str, seat: int, status: int = 303) -> None:
        visitor.post(f"{self.path}/do", status, command=command, seat=str(seat))

    def state(self, visitor: Visitor) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {visitor.cookie}"}
        found: dict[str, Any] = visitor.client.get(self.api, headers=headers).json()
        return found


def names(state: dict[str, Any]) -> list[str]:
    return [seat["name"] for seat in state["seats"]]


def test_the_host_frees_a_seat(client: TestClient, anna: Visitor, ben: Visitor) -> None:
    table = Waiting(client, anna)
    ben.post(table.join)
    assert "Free Ben’s seat" in anna.get(table.path)
    assert "Free Anna’s seat" not in ben.get(table.path)
    table.do(ben, "free", 0, 403)
    table.do(anna, "free", 0, 400)
    table.do(anna, "free", 1)
    table.do(anna, "free", 1, 409)
    assert names(table.state(anna)) == ["Anna", "Player 2", "Player 3", "Player 4"]
    assert "the host freed the seat of Ben" in anna.get(table.path)
    ben.post(table.join)
    table.do(anna, "bot", 2)
    table.do(anna, "free", 2)
    assert names(table.state(anna))[1:3] == ["Ben", "Player 3"]


def test_a_player_comes_from_another_browser(client: TestClient, anna: Visitor) -> None:
    table, app, browser = Waiting(client, anna), Visitor(client), Visitor(client)
    app.post(table.join, name="Tomas")
    page = browser.get(table.join)
    assert "I'm Tomas already" in page
    assert browser.post(table.join, claim="1") == table.join
    assert "We've asked Anna whether you are Tomas." in browser.get(table.join)
    assert "Another browser asks to play as Tomas." in anna.get(table.path)
    assert "Another browser asks" not in app.get(table.path)
    assert table.state(anna)["claims"] == [1]
    table.do(app, "admit", 1, 403)
    table.do(anna, "admit", 1)
    assert browser.post(table.join, claim="1", status=400)
    assert re.search(r"<a class=\"pill\" href=\"/me\">Tomas</a>", browser.get("/me"))
    mine = [seat["mine"] for seat in table.state(browser)["seats"]]
    assert mine == [False, True, False, False]
    assert not any(seat["mine"] for seat in table.state(app)["seats"])


def test_a_claim_that_is_denied_stays_so(client: TestClient, anna: Visitor, ben: Visitor) -> None:
    table, stranger = Waiting(client, anna), Visitor(client)
    ben.post(table.join)
    stranger.post(table.join, claim="1")
    Visitor(client).post(table.join, claim="1", status=409)
    table.do(anna, "deny", 1)
    assert "The host says that you aren" in stranger.post(table.join, claim="1", status=403)
    assert "I'm Ben already" not in stranger.get(table.join)
    stranger.post(table.join, name="Eve")
    assert names(table.state(anna))[:3] == ["Anna", "Ben", "Eve"]


def test_during_a_game_nobody_sees_cards(client: TestClient, anna: Visitor, clock: Clock) -> None:
    """The host can't look at a hand by letting another browser in."""
    table, browser = Waiting(client, anna), Visitor(client)
    for name in ("Tomas", "Ben", "Eve"):
        Visitor(client).post(table.join, name=name)
    browser.post(table.join, claim="1")
    table.do(anna, "admit", 1, 403)
    clock.away()
    table.do(anna, "admit", 1)
    assert table.state(browser)["seat"] == 1
    assert "plays from another browser now" in anna.get(table.path)


@present_later
def test_the_longest_present_player_inherits(
    client: TestClient, anna: Visitor, ben: Visitor, clock: Clock
) -> None:
    table, eve = Waiting(client, anna), Visitor(client, "Eve")
    ben.post(table.join)
    eve.post(table.join)
    clock.now += 20
    eve.get(table.path)
    clock.now += 20  # Anna and Ben are away
    ben.get(table.path)
    state = table.state(eve)
    assert state["host"] == 2
    table.do(ben, "free", 0, 403)
    table.do(eve, "free", 0)
    anna.get(table.path)
    assert table.state(eve)["host"] == 2, "who has no seat any more doesn't come back as the host"


@present_later
def test_a_host_who_comes_back_is_the_host(
    client: TestClient, anna: Visitor, ben: Visitor, clock: Clock
) -> None:
    table = Waiting(client, anna)
    ben.post(table.join)
    clock.away()
    ben.get(table.path)
    assert "Free Anna’s seat" in ben.get(table.path)
    anna.get(table.path)
    assert "Free Anna’s seat" not in ben.get(table.path)
    table.do(anna, "leave", 0)
    assert table.state(ben)["host"] == 1


def test_programs_repair_too(client: TestClient, anna: Visitor, ben: Visitor) -> None:
    table = Waiting(client, anna)
    ben.post(table.join)

    def act(visitor: Visitor, name: str, seat: int, status: int = 200, **more: str) -> None:
        headers = {"Authorization": f"Bearer {visitor.cookie}"}
        client.cookies.clear()
        answer = client.post(f"{table.api}/{name}", json={"seat": seat, **more}, headers=headers)
        assert answer.status_code == status, answer.text

    other = Visitor(client, "Ben 2")
    invite = table.join.removeprefix("/join/")
    act(other, "claim", 1, invite=invite)
    act(other, "claim", 1, invite=invite)
    act(other, "claim", 1, 403, invite="guessed")
    act(anna, "deny", 1)
    act(Visitor(client, "Ben 3"), "claim", 1, invite=invite)
    act(anna, "admit", 1)
    act(ben, "admit", 1, 403)
    act(anna, "free", 1)
    assert names(table.state(anna))[1] == "Player 2"


@pytest.mark.parametrize("after", [".", ",", ")", ">", "\u200b", ").", "%E2%80%8B", "!\u201d"])
def test_links_survive_what_stands_behind_them(
    client: TestClient, anna: Visitor, ben: Visitor, after: str
) -> None:
    table = Waiting(client, anna)
    for link, of in ((table.join, ben), (table.path, ben), (f"{table.path}?seat=0", anna)):
        answer = client.get(f"{link}{after}", headers=of._headers(), follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, link)
    assert client.get(f"/t/nowhere{after}").status_code == 404


def test_anothers_seat_can_be_watched(client: TestClient, anna: Visitor, ben: Visitor) -> None:
    table = Waiting(client, anna)
    page = ben.get(f"{table.path}?seat=0", 403)
    assert f'<a class="btn main" href="{table.path}">Watch the game</a>' in page
    ben.get(table.path)


def test_a_link_that_works_only_here_says_so(client: TestClient, anna: Visitor) -> None:
    table, said = Waiting(client, anna), "works only on this computer"
    for host in ("localhost:8765", "127.0.0.1:8765", "[::1]:8765", "192.168.1.20", "games.example"):
        page = client.get(table.path, headers={**anna._headers(), "host": host}).text
        assert (said in page) == host.startswith(("localhost", "127", "["))
