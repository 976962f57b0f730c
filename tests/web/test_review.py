"""Reviews on the pages: asked for once, made aside, and only of games that are over."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from redouble.advice import QUICK
from redouble.bots import BOTS, own_chance
from redouble.game import Game
from redouble.match import Match
from redouble.registry import games
from redouble.review import Review, review
from redouble.web import reviews, thinking
from redouble.web.app import create_app
from redouble.web.drawing import MINUS
from redouble.web.film import Film, film_of
from redouble.web.people import COOKIE

from .visitors import Visitor, play, seats_for, site_of

GAMES = list(games().values())
TWO = next(game for game in GAMES if game.least_seats == 2)
EACH = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


@pytest.fixture
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with TestClient(create_app(tmp_path_factory.mktemp("review"))) as client:
        yield client


@pytest.fixture
def anna(client: TestClient) -> Visitor:
    return Visitor(client, "Anna")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reviews that take no pains."""

    def short(game: Any, **more: Any) -> Review:
        return review(game, 20, **more)

    monkeypatch.setattr(reviews, "review", short)


def brought(anna: Visitor, game: Game, plies: int = 5000, seed: str = "page") -> str:
    """The address of the replay of a game between a careful player and a careless one."""
    match = Match(game, game.usual_seats, seed)
    while match.turn is not None and match.ply < plies:
        sight = match.sight()
        bot = BOTS["random" if sight.seat == 0 else "greedy"]
        match.push_action(bot.choose(sight, own_chance(seed, sight.seat, match.ply)))
    return anna.post("/replays", text=str(match.record()))


def film(client: TestClient, here: str) -> Film:
    assert client.portal is not None
    return client.portal.call(site_of(client).record_film, here.split("/")[2])


def wait(client: TestClient) -> None:
    """Until every review that was asked for is there."""

    async def done() -> None:
        tasks = site_of(client).reviews._tasks
        if tasks:
            await asyncio.wait(set(tasks))

    assert client.portal is not None
    client.portal.call(done)


class Slow:
    """In place of a review: it lasts until it is let go, or stopped."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go, self.begun = threading.Event(), threading.Event()
        self.made = 0
        monkeypatch.setattr(reviews, "review", self.review)

    def review(self, game: Any, watch: Any, threads: int) -> Review:
        self.begun.set()
        while not self.go.wait(0.01):
            if not watch(3, 10):
                break
        self.made += 1
        return review(game, 10, watch)


@EACH
def test_a_game_that_is_over_is_reviewed_and_its_replay_marks_mistakes(
    client: TestClient, anna: Visitor, quick: None, game: Game
) -> None:
    here = brought(anna, game)
    assert f'href="{here}/review"' in anna.get(here)
    offer = anna.get(f"{here}/review")
    assert "Review this game" in offer
    assert "http-equiv" not in offer
    assert anna.post(f"{here}/review") == f"{here}/review"
    wait(client)
    page = anna.get(f"{here}/review")
    found = site_of(client).reviews.found(film(client, here))
    assert found is not None
    assert "<script" not in page.split("<main")[1]
    assert page.count('<polyline class="line') == game.usual_seats
    assert page.count('class="mark ink') == len(found.mistakes)
    rows = re.findall(r"<tr>.*?</tr>", page.split('class="account"')[1], re.S)
    assert len(rows) == game.usual_seats + 1
    for moment in found.moments():
        assert f'href="{here}?ply={moment.ply}&amp;eyes={moment.seat}"' in page
        better = moment.better.replace("-", MINUS)
        assert f'<b class="better">{better}</b>' in page
    replayed = anna.get(here)
    marked = re.findall(r'data-ply="(\d+)"(?:(?!</li>).)*class="slip"', replayed, re.S)
    assert marked == [str(one.ply + 1) for one in found.mistakes]


def test_a_running_table_reveals_nothing(client: TestClient, anna: Visitor) -> None:
    table = play(client, TWO, seats_for(anna, bots=1), plies=6)
    assert not table.over
    here = f"/t/{table.header.token}/review"
    for answer in (anna.get(here, 403), anna.post(here, 403)):
        assert "when the game is over" in answer
    headers = {"authorization": f"Bearer {anna.cookie}"}
    at = f"/api/tables/{table.header.token}/review"
    assert client.get(at, headers=headers).status_code == 403
    assert client.post(at, headers=headers).status_code == 403


def test_a_table_that_is_over_offers_its_review(
    client: TestClient, anna: Visitor, quick: None
) -> None:
    table = play(client, TWO, seats_for(anna, bots=1))
    here = f"/t/{table.header.token}"
    assert f'href="{here}/review"' in anna.get(here)
    anna.post(f"{here}/review")
    wait(client)
    page = anna.get(f"{here}/review")
    assert f'href="{here}/replay"' in page
    assert f'href="{here}"' in page
    assert "Luck and mistakes" in Visitor(client).get(f"{here}/review")  # as anybody sees it


def test_a_game_without_an_end_is_not_reviewed(client: TestClient, anna: Visitor) -> None:
    here = brought(anna, TWO, plies=6)
    assert f'href="{here}/review"' not in anna.get(here)
    assert "played to its end" in anna.get(f"{here}/review")
    anna.post(f"{here}/review", 409)


def test_whoever_waits_sees_how_far_it_is(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(monkeypatch)
    here = brought(anna, TWO)
    anna.post(f"{here}/review")
    assert slow.begun.wait(60)
    while "30% done" not in (page := anna.get(f"{here}/review")):
        pass
    assert '<meta http-equiv="refresh" content="2">' in page
    assert "Stop it" in page
    assert "Stop it" not in Visitor(client, "Ben").get(f"{here}/review")
    slow.go.set()
    wait(client)
    assert "Luck and mistakes" in anna.get(f"{here}/review")
    anna.post(f"{here}/review")  # it is there: nothing is made again
    wait(client)
    assert slow.made == 1


def test_only_who_asked_for_it_stops_it(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(monkeypatch)
    here = brought(anna, TWO)
    anna.post(f"{here}/review")
    assert slow.begun.wait(60)
    Visitor(client, "Ben").post(f"{here}/review", deed="stop")
    assert "Stop it" in anna.get(f"{here}/review")
    anna.post(f"{here}/review", deed="stop")
    wait(client)
    assert "Review this game" in anna.get(f"{here}/review")


def test_nobody_can_queue_endless_work(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, most = Slow(monkeypatch), 3
    monkeypatch.setattr(reviews, "MOST_WAITING", most)
    here, other = brought(anna, TWO), brought(anna, TWO, seed="other")
    anna.post(f"{here}/review")
    anna.post(f"{here}/review")  # the same again is no more work
    assert "still being made" in anna.post(f"{other}/review", 429)
    people = [Visitor(client, f"Guest {number}") for number in range(most)]
    for number, one in enumerate(people[:-1]):
        one.post(f"{brought(one, TWO, seed=f'queue {number}')}/review")
    at = f"{brought(people[-1], TWO, seed='last')}/review"
    assert "try again later" in people[-1].post(at, 429)
    page = people[1].get(f"{brought(people[1], TWO, seed='queue 1')}/review")
    assert "2 other reviews are made before this one" in page
    slow.go.set()
    wait(client)
    people[-1].post(at)
    wait(client)


def test_few_reviews_are_kept(
    client: TestClient, anna: Visitor, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "KEPT", 1)
    first, second = brought(anna, TWO), brought(anna, TWO, seed="second")
    for here in (first, second):
        anna.post(f"{here}/review")
        wait(client)
    assert "Luck and mistakes" in anna.get(f"{second}/review")
    assert "Review this game" in anna.get(f"{first}/review")


def test_what_cannot_be_reviewed_is_said(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redouble.review.MAX_DECISIONS", 1)
    here = brought(anna, TWO)
    anna.post(f"{here}/review")
    wait(client)
    assert "are too many to review" in anna.get(f"{here}/review")


def test_a_server_that_stops_waits_for_no_review(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(monkeypatch)
    with TestClient(create_app(tmp_path_factory.mktemp("stop"))) as client:
        anna = Visitor(client, "Anna")
        anna.post(f"{brought(anna, TWO)}/review")
        assert slow.begun.wait(60)
    assert not slow.go.is_set()


def test_programs_have_games_reviewed(client: TestClient, anna: Visitor, quick: None) -> None:
    here = brought(anna, TWO)
    at = f"/api/records/{here.split('/')[2]}/review"
    headers = {"authorization": f"Bearer {anna.cookie}"}
    assert client.get(at).json()["status"] == "none"
    assert client.post(at).status_code == 401
    client.cookies.delete(COOKIE)
    assert client.post(at, headers=headers).json()["status"] in ("being made", "ready")
    wait(client)
    state = client.get(at).json()
    assert (state["status"], state["percent"]) == ("ready", 100)
    line = str(film(client, here).record)
    assert state["review"] == review(film_of(line).record, 20).to_dict()
    unfinished = brought(anna, TWO, plies=4)
    at = f"/api/records/{unfinished.split('/')[2]}/review"
    assert client.get(at).json()["status"] == "impossible"


# Hints, which think the same way.


def test_a_hint_says_why(client: TestClient, anna: Visitor) -> None:
    table = play(client, TWO, seats_for(anna, bots=1), plies=0)
    here = f"/t/{table.header.token}"
    assert client.portal is not None
    live = client.portal.call(site_of(client).tables.get, table.header.token)
    while live.table.turn != 0:  # the bot begins
        pass
    page = anna.get(f"{here}?hint=1")
    assert re.search(r"Hint: <b>[^<]+</b>: you win about \d+ of 100 games like this", page)
    assert anna.part(f"{here}/hint?seat=0").count('class="hint"') == 1


def test_while_code_is_compiled_a_hint_is_a_guess_and_says_so(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiling = asyncio.Event()

    async def compile_slowly(game: Game) -> None:
        await compiling.wait()

    monkeypatch.setattr(thinking, "_compile_aside", compile_slowly)
    monkeypatch.setattr(thinking, "PATIENCE", 0.01)
    monkeypatch.setattr(thinking, "prepared", set())
    game = next(game for game in GAMES if game.most_seats == 1)
    table = play(client, game, seats_for(anna), plies=0)
    here = f"/t/{table.header.token}"
    first = anna.get(f"{here}?hint=1")
    assert QUICK in first
    assert "ask again in a moment" in first
    monkeypatch.setattr(thinking, "PATIENCE", 300.0)
    assert client.portal is not None
    client.portal.call(compiling.set)
    assert QUICK not in anna.get(f"{here}?hint=1")
