"""Tutorials, step by step, and the offer of one at a person's first table of a game."""

import html as entities
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from redouble.contract.game import Game
from redouble.contract.page.html import minus
from redouble.contract.registry import GAMES
from redouble.match.guide import guide_of
from redouble.web.drawing.board import Viewpoint
from redouble.web.drawing.markup.board import draw_board
from redouble.web.live.live import Live
from redouble.web.table.acts.play import SkipGuide
from tests.web.helpers.markup import squeezed
from tests.web.helpers.play import Playing, header, seated
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app

GUIDED = [name for name, game in GAMES.items() if guide_of(game).steps]
SAFE = {"Sec-Fetch-Site": "same-origin"}
OFFER = 'id="guide"'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    app = create_app(tmp_path_factory.mktemp("data"), limits=ROOMY)
    with TestClient(app, base_url="http://localhost", headers=SAFE) as client:
        yield client


@pytest.fixture
def guest(site: TestClient) -> TestClient:
    """A new visitor."""
    site.cookies.clear()
    return site


def first_table(guest: TestClient, name: str) -> str:
    """The address of a new table with bots that wait for nothing to do with this test."""
    response = guest.post(f"/play/{name}", follow_redirects=False)
    assert response.status_code == 303
    return str(response.headers["location"])


def page(guest: TestClient, address: str, status: int = 200) -> str:
    response = guest.get(address)
    assert response.status_code == status
    return squeezed(response.text)


def skip(guest: TestClient, address: str) -> str:
    """Skip the tutorial with the page's form; return the page that follows."""
    assert 'name="command" value="skip"' in page(guest, address)
    response = guest.post(f"{address.partition('?')[0]}/do", data={"command": "skip", "seat": "0"})
    assert response.status_code == 200
    return squeezed(response.text)


@pytest.mark.parametrize("name", GUIDED)
def test_every_step_is_a_move_and_shows_its_effect(guest: TestClient, name: str) -> None:
    """Only that move can be made, and a script or a name isn't needed."""
    steps = guide_of(GAMES[name]).steps
    for number, step in enumerate(steps, 1):
        at = f"/rules/{name}/tutorial/{number}?table=abc"
        asked = entities.unescape(page(guest, at))
        assert minus(step.do) in asked
        assert step.say not in asked
        assert set(re.findall(r'name="move" value="([^"]*)"', asked)) == {step.move}
        assert entities.unescape(page(guest, f"{at}&move=else")) == asked
        made = entities.unescape(page(guest, f"{at}&move={quote(step.move)}"))
        assert step.say in made
        assert step.do not in made
        assert 'name="move"' not in made
        assert re.search(r'class="[^"]*\bpointed\b', made), step
        following = f'href="/rules/{name}/tutorial/{number + 1}?table=abc"'
        assert (following in made) == (number < len(steps))
        assert ('action="/t/abc/do"' in made) == (number == len(steps))
    for missing in ("0", f"{len(steps) + 1}", "x", "01"):
        page(guest, f"/rules/{name}/tutorial/{missing}", 404)


@pytest.mark.parametrize("name", GUIDED)
def test_only_the_first_table_of_a_game_offers_the_tutorial(guest: TestClient, name: str) -> None:
    address = first_table(guest, name)
    html = page(guest, address)
    tutorial = f"/rules/{name}/tutorial/1?table={address.rpartition('/')[2]}"
    assert OFFER in html
    assert html.count(f'href="{tutorial}"') == 2, "the offer, and the menu"
    assert 'guide=1"' in html  # boards that the stream sends offer it too
    assert 'name="command" value="skip"' in page(guest, f"{tutorial}")
    assert OFFER not in page(guest, f"{address}?guide=0")
    assert OFFER not in skip(guest, address)
    assert OFFER not in page(guest, address)
    second = page(guest, first_table(guest, name))
    assert OFFER not in second
    assert ">Tutorial</a>" in second


def test_a_spectator_is_offered_none(guest: TestClient) -> None:
    address = first_table(guest, GUIDED[0])
    guest.cookies.clear()
    assert OFFER not in page(guest, address)


def alone() -> list[str]:
    return [name for name in GUIDED if GAMES[name].max_seats == 1]


@pytest.mark.parametrize("name", alone())
def test_a_move_without_scripts_keeps_the_offer(guest: TestClient, name: str) -> None:
    address = first_table(guest, name)
    html = page(guest, address)
    form = html.partition('<form id="play"')[2].partition("</form>")[0]
    data = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    move = re.search(r'name="move" value="([^"]*)"', html)
    assert move is not None
    moved = guest.post(f"{address}/move", data=data | {"move": move[1]})
    assert moved.url.params["guide"] == "1"
    assert OFFER in moved.text


def playing(game: Game, seed: str) -> Playing:
    return Playing(header(game, seated(*[f"p{i}" for i in range(game.usual_seats)]), seed))


def test_nothing_is_offered_while_players_are_missing_and_at_the_end() -> None:
    """The prompt has to say so."""
    game = GAMES[GUIDED[0]]
    waits = Playing(header(game, seated("p0", *"-" * (game.min_seats - 1))))
    assert waits.table.waiting
    assert OFFER not in draw_board(Live(waits.table), Viewpoint(0, guide=1))
    play = playing(game, "seed")
    assert OFFER in draw_board(Live(play.table), Viewpoint(0, guide=1))
    play.play_on(Random(1))
    assert play.table.over
    assert OFFER not in draw_board(Live(play.table), Viewpoint(0, guide=1))


def test_skipping_the_guide_is_logged_once() -> None:
    play = playing(GAMES[GUIDED[0]], "seed")
    assert len(play.ask(0, SkipGuide())) == 1
    assert play.ask(0, SkipGuide()) == []
    assert play.table.unguided == play.again().unguided == {0}


def test_a_skipped_guide_survives_a_restart(tmp_path: Path) -> None:
    with TestClient(
        create_app(tmp_path, limits=ROOMY), base_url="http://localhost", headers=SAFE
    ) as client:
        address = first_table(client, GUIDED[0])
        skip(client, address)
        cookies = dict(client.cookies)
    with TestClient(
        create_app(tmp_path, limits=ROOMY), base_url="http://localhost", cookies=cookies
    ) as client:
        assert OFFER not in page(client, address)
