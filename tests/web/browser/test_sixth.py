"""A third-party game without a template, in the browser."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.test_sixth_game import PACKAGE, installed
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import play_to_the_end, ply, shows_result, wait
from tests.web.browser.server import Server


@pytest.fixture
def stranger(browser: Browser, tmp_path: Path) -> Iterator[Server]:
    """A server on a machine on which the sixth game is installed."""
    site = tmp_path / "site"
    site.mkdir()
    server = Server(tmp_path, environment=installed(site))
    server.start()
    yield server
    server.stop()


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_a_sixth_game_is_offered_and_played_to_the_end(
    visit: Visitors, stranger: Server, phone: bool
) -> None:
    assert not list(PACKAGE.rglob("*.html")), "it has a template"
    page = visit(address=stranger.address, phone=phone)
    page.goto("/")
    game = page.get_by_role("listitem").filter(has_text="Highest Card")
    game.get_by_role("button", name="Play now").click()
    expect(page.get_by_role("heading", name="Highest Card")).to_be_visible()
    before = ply(page)
    page.get_by_text("Table", exact=True).click()
    page.get_by_role("button", name="instant").click()
    wait(page, before)
    play_to_the_end(page, random.Random("sixth"))
    shows_result(page)
    page.get_by_role("link", name="Replay").click()
    expect(page.get_by_role("list", name="All moves").get_by_role("listitem")).not_to_have_count(0)


def test_a_sixth_game_has_rules_and_a_form(visit: Visitors, stranger: Server) -> None:
    page = visit(address=stranger.address)
    page.goto("/rules/highest-card")
    expect(page.get_by_role("heading", name="Highest Card", level=1)).to_be_visible()
    page.goto("/new/highest-card")
    expect(page.get_by_role("button", name="Start")).to_be_visible()
