"""The tutorial at a first table: when it is shown and what it points at."""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from markupsafe import escape
from starlette.testclient import TestClient

from redouble.contract.game import Game
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


def page(guest: TestClient, address: str) -> str:
    response = guest.get(address)
    assert response.status_code == 200
    return squeezed(response.text)


def shown(html: str, name: str) -> int:
    """The step that a page shows; 0 if none."""
    found = [
        number
        for number, step in enumerate(guide_of(GAMES[name]).steps, 1)
        if f"{escape(step.say)}</p>" in html and f"Step </span>{number} of " in html
    ]
    assert len(found) == html.count('id="guide"') <= 1
    return found[0] if found else 0


def next_step(html: str) -> str:
    """The address of the next step; empty if there is none."""
    found = re.search(r'<a class="btn main" href="([^"]*)"[^>]*>Next</a>', html)
    return found[1].replace("&amp;", "&") if found else ""


def skip(guest: TestClient, address: str) -> str:
    """Skip the tutorial with the page's form; return the page that follows."""
    assert 'name="command" value="skip"' in page(guest, address)
    response = guest.post(f"{address.partition('?')[0]}/do", data={"command": "skip", "seat": "0"})
    assert response.status_code == 200
    return squeezed(response.text)


@pytest.mark.parametrize("name", GUIDED)
def test_the_first_table_leads_through_the_tutorial(guest: TestClient, name: str) -> None:
    address = first_table(guest, name)
    steps = len(guide_of(GAMES[name]).steps)
    html = page(guest, address)
    for number in range(1, steps + 1):
        assert shown(html, name) == number
        assert f'guide={number}"' in html  # boards that the stream sends show it too
        if link := next_step(html):
            html = page(guest, link)
    assert not next_step(html)
    assert "Got it" in html


@pytest.mark.parametrize("name", GUIDED)
def test_a_skipped_guide_does_not_come_back(guest: TestClient, name: str) -> None:
    address = first_table(guest, name)
    assert shown(skip(guest, address), name) == 0
    assert shown(page(guest, address), name) == 0
    assert "pointed" not in page(guest, address)


@pytest.mark.parametrize("name", GUIDED)
def test_only_the_first_table_of_a_game_shows_the_guide_unasked(
    guest: TestClient, name: str
) -> None:
    first_table(guest, name)
    second = first_table(guest, name)
    html = page(guest, second)
    assert shown(html, name) == 0
    asked = re.search(r'<a href="([^"]*)">Tutorial</a>', html)
    assert asked is not None
    assert shown(page(guest, asked[1].replace("&amp;", "&")), name) == 1


def test_a_skipped_guide_can_be_reopened(guest: TestClient) -> None:
    address = first_table(guest, GUIDED[0])
    skip(guest, address)
    assert shown(page(guest, f"{address}?guide=2"), GUIDED[0]) == 2
    assert shown(page(guest, f"{address}?guide=0"), GUIDED[0]) == 0
    assert shown(skip(guest, f"{address}?guide=2"), GUIDED[0]) == 0


def test_a_spectator_can_open_and_close_the_guide(guest: TestClient) -> None:
    address = first_table(guest, GUIDED[0])
    guest.cookies.clear()
    assert shown(page(guest, address), GUIDED[0]) == 0
    html = page(guest, f"{address}?guide=1")
    assert shown(html, GUIDED[0]) == 1
    assert f'<a class="btn" href="{address}">Skip</a>' in html


def alone() -> list[str]:
    return [name for name in GUIDED if GAMES[name].max_seats == 1]


@pytest.mark.parametrize("name", alone())
def test_a_move_without_scripts_keeps_the_step(guest: TestClient, name: str) -> None:
    address = first_table(guest, name)
    html = page(guest, f"{address}?guide=2")
    form = html.partition('<form id="play"')[2].partition("</form>")[0]
    data = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    move = re.search(r'name="move" value="([^"]*)"', html)
    assert move is not None
    moved = guest.post(f"{address}/move", data=data | {"move": move[1]})
    assert moved.url.params["guide"] == "2"
    assert shown(squeezed(moved.text), name) == 2
    taken_back = guest.post(f"{address}/do", data={"command": "undo", "seat": "0", "guide": "2"})
    assert shown(squeezed(taken_back.text), name) == 2


def playing(game: Game, seed: str) -> Playing:
    return Playing(header(game, seated(*[f"p{i}" for i in range(game.usual_seats)]), seed))


@pytest.mark.parametrize("name", GUIDED)
def test_every_step_points_at_something_on_the_board(name: str) -> None:
    steps = dict(enumerate(guide_of(GAMES[name]).steps, 1))
    for seed in ("guide", "another"):
        play, dice = playing(GAMES[name], seed), Random(seed)
        while steps and play.table.turn is not None:
            live = Live(play.table)
            for number in list(steps):
                html = squeezed(draw_board(live, Viewpoint(0, guide=number)))
                if re.search(r'class="[^"]*\bpointed\b', html):
                    del steps[number]
            play.move(dice.choice(list(play.table.match.legal_moves)))
    assert not steps, "nothing is pointed at"


def test_steps_do_not_share_cached_drawings() -> None:
    """A drawing cached for one step is not shown at another one."""
    live = Live(playing(GAMES[GUIDED[0]], "seed").table)
    drawn = {draw_board(live, Viewpoint(0, guide=number)) for number in range(3)}
    assert len(drawn) == 3
    assert draw_board(live, Viewpoint(0)) in drawn


def test_nothing_is_explained_while_players_are_missing() -> None:
    """The prompt has to say so."""
    game = GAMES[GUIDED[0]]
    waits = Playing(header(game, seated("p0", *"-" * (game.min_seats - 1))))
    assert waits.table.waiting
    assert 'id="guide"' not in draw_board(Live(waits.table), Viewpoint(0, guide=1))


def test_nothing_is_explained_at_the_end() -> None:
    play = playing(GAMES[GUIDED[0]], "seed")
    play.play_on(Random(1))
    assert play.table.over
    assert 'id="guide"' not in draw_board(Live(play.table), Viewpoint(0, guide=1))


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
        assert shown(page(client, address), GUIDED[0]) == 0
