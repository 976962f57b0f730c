"""Third-party games in the browser, with and without a template."""

import random
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.helpers.strangers import PACKAGES, installed
from tests.web.browser.conftest import DEAL, Visitors
from tests.web.browser.play import play_to_the_end, shows_result
from tests.web.helpers.server import Server, dealing, program

TITLES = {"highest-card": "Highest Card", "uphill": "Uphill"}


@pytest.fixture(scope="module")
def stranger(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on a machine on which the strangers' games are installed."""
    environment = installed(tmp_path_factory.mktemp("site"))
    folder = tmp_path_factory.mktemp("strangers")
    with Server(folder, program(dealing(DEAL)), environment).running() as server:
        yield server


def test_one_of_them_draws_its_own_page() -> None:
    assert [name for name in PACKAGES if list(PACKAGES[name].rglob("page.py"))] == ["uphill"]


@pytest.mark.parametrize("name", TITLES)
def test_a_strangers_game_is_offered_and_played_to_the_end(
    visit: Visitors, stranger: Server, name: str
) -> None:
    page = visit(address=stranger.address, phone=name == "uphill")
    for path in (f"/rules/{name}", f"/new/{name}"):
        page.goto(path)
        expect(page.get_by_role("heading", name=TITLES[name], level=1)).to_be_visible()
    page.goto("/")
    game = page.get_by_role("listitem").filter(has_text=TITLES[name])
    with page.expect_navigation():
        game.get_by_role("button", name="Play now").click()
    expect(page.get_by_role("heading", name=TITLES[name])).to_be_visible()
    page.get_by_text("Menu", exact=True).click()
    with page.expect_response(re.compile("/do$")):
        page.get_by_role("button", name="instant").click()
    page.reload()  # its board could pass for that of a move
    play_to_the_end(page, random.Random("strangers"))
    shows_result(page)
    page.get_by_role("link", name="Replay").click()
    expect(page.get_by_role("list", name="All moves").get_by_role("listitem")).not_to_have_count(0)


def test_a_game_for_one_or_two_offers_its_deals_to_one_player(
    visit: Visitors, stranger: Server
) -> None:
    page = visit(address=stranger.address)
    page.goto("/")
    game = page.get_by_role("listitem").filter(has_text="Uphill")
    game.get_by_role("button", name="Friends").click()
    expect(game.get_by_role("link", name="Same device")).to_be_visible()
    expect(game.get_by_label("Level of the bots")).to_contain_text("club bot")
    page.keyboard.press("Escape")
    game.get_by_role("link", name="Options").click()
    page.get_by_label("Deal number").fill("7")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Solver's hint")).to_be_visible()
