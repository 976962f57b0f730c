"""Joining a table, and how those who are there repair what somebody absent has left."""

import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from redouble.web.live import live
from tests.web.helpers.servers import present_later
from tests.web.helpers.visitors import Visitor, invitation, new_code


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


class Waiting:
    """A table that waits, of which Anna is the host."""

    def __init__(self, host: Visitor, players: int = 4) -> None:
        self.path = host.table("double-decker", *["friend"] * (players - 1))
        self.join = invitation(host, self.path)
        self.api = f"/tables/{self.path.removeprefix('/t/')}"

    def do(self, visitor: Visitor, command: str, seat: int, status: int = 303) -> None:
        visitor.do(self.path, command, status, seat=str(seat))

    def state(self, visitor: Visitor) -> dict[str, Any]:
        found: dict[str, Any] = visitor.ask(self.api)
        return found


def names(state: dict[str, Any]) -> list[str]:
    return [seat["name"] for seat in state["seats"]]


def test_the_host_frees_a_seat(anna: Visitor, ben: Visitor) -> None:
    table = Waiting(anna)
    ben.post(table.join)
    assert "Free Ben’s seat" in anna.get(table.path)
    assert "Free Anna’s seat" not in ben.get(table.path)
    table.do(ben, "free", 0, 403)
    table.do(anna, "free", 0, 400)
    table.do(anna, "free", 1)
    table.do(anna, "free", 1, 409)
    assert names(table.state(anna)) == ["Anna", "Player 2", "Player 3", "Player 4"]
    assert "loses the seat: the host has freed it" in anna.get(table.path)
    ben.post(table.join)
    table.do(anna, "bot", 2)
    table.do(anna, "free", 2)
    assert names(table.state(anna))[1:3] == ["Ben", "Player 3"]


def test_a_player_comes_from_another_browser(anna: Visitor) -> None:
    table, app, browser = Waiting(anna), anna.other(), anna.other()
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


def test_a_claim_that_is_denied_stays_so(anna: Visitor, ben: Visitor) -> None:
    table, stranger = Waiting(anna), anna.other()
    ben.post(table.join)
    stranger.post(table.join, claim="1")
    anna.other().post(table.join, claim="1", status=409)
    table.do(anna, "deny", 1)
    assert "The host says that you aren" in stranger.post(table.join, claim="1", status=403)
    assert "I'm Ben already" not in stranger.get(table.join)
    stranger.post(table.join, name="Eve")
    assert names(table.state(anna))[:3] == ["Anna", "Ben", "Eve"]


def test_a_seat_stays_with_its_player_once_the_game_begins(anna: Visitor, clock: Clock) -> None:
    """Nobody looks at the hand of somebody absent by a claim, not even by one made before."""
    table, tomas, browser = Waiting(anna), anna.other("Tomas"), anna.other()
    tomas.post(table.join)
    table.do(anna, "bot", 3)
    browser.post(table.join, claim="1")
    anna.other("Eve").post(table.join)
    clock.away()
    table.do(anna, "admit", 1, 403)
    assert "Another browser asks" not in anna.get(table.path)
    assert table.state(anna)["claims"] == []
    page = browser.get(table.join)
    assert "We've asked" not in page
    assert "I'm Tomas already" not in page
    assert "no longer change hands" in browser.post(table.join, claim="1", status=403)
    browser.post("/link", code=new_code(tomas))
    assert table.state(browser)["seat"] == 1, "it is one of their own devices now"


@present_later
def test_the_longest_present_player_inherits(anna: Visitor, ben: Visitor, clock: Clock) -> None:
    table, eve = Waiting(anna), anna.other("Eve")
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
def test_a_host_who_comes_back_is_the_host(anna: Visitor, ben: Visitor, clock: Clock) -> None:
    table = Waiting(anna)
    ben.post(table.join)
    clock.away()
    ben.get(table.path)
    assert "Free Anna’s seat" in ben.get(table.path)
    anna.get(table.path)
    assert "Free Anna’s seat" not in ben.get(table.path)
    table.do(anna, "leave", 0)
    assert table.state(ben)["host"] == 1


def test_programs_repair_too(anna: Visitor, ben: Visitor) -> None:
    table = Waiting(anna)
    ben.post(table.join)

    def act(visitor: Visitor, name: str, seat: int, status: int = 200, **more: str) -> None:
        visitor.ask(f"{table.api}/{name}", {"seat": seat, **more}, status)

    other = anna.other("Ben 2")
    invite = table.join.removeprefix("/join/")
    act(other, "claim", 1, invite=invite)
    act(other, "claim", 1, invite=invite)
    act(other, "claim", 1, 403, invite="guessed")
    act(anna, "deny", 1)
    act(anna.other("Ben 3"), "claim", 1, invite=invite)
    act(anna, "admit", 1)
    act(ben, "admit", 1, 403)
    act(anna, "free", 1)
    assert names(table.state(anna))[1] == "Player 2"


def test_links_survive_what_follows_them(client: TestClient, anna: Visitor, ben: Visitor) -> None:
    table = Waiting(anna)
    assert client.get(f"{table.join}%0A", follow_redirects=False).headers["location"] == table.join
    added = ("%3Ffbclid=x", ".%3Ffbclid=x")
    for after in (".", ",", ")", ">", "\u200b", ").", "%E2%80%8B", "!\u201d", *added):
        for link, of in ((table.join, ben), (table.path, ben), (f"{table.path}?seat=0", anna)):
            answer = client.get(f"{link}{after}", headers=of._headers(), follow_redirects=False)
            assert (answer.status_code, answer.headers["location"]) == (303, link), after
        assert client.get(f"/t/nowhere{after}").status_code == 404


def test_anothers_seat_can_be_watched(anna: Visitor, ben: Visitor) -> None:
    table = Waiting(anna)
    page = ben.get(f"{table.path}?seat=0", 403)
    assert f'<a class="btn main" href="{table.path}">Watch the game</a>' in page
    ben.get(table.path)


def test_a_link_that_works_only_here_says_so(client: TestClient, anna: Visitor) -> None:
    table, said = Waiting(anna), "works only on this computer"
    for host in ("localhost:8765", "127.0.0.1:8765", "[::1]:8765", "192.168.1.20", "games.example"):
        page = client.get(table.path, headers={**anna._headers(), "host": host}).text
        assert (said in page) == host.startswith(("localhost", "127", "["))
