"""Whole games by taps and without scripts, and the panel at their end."""

import random
import re

import pytest
from playwright.sync_api import Error, Page, expect

from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import DESKTOP, PHONE, Visitors
from tests.web.browser.play import (
    NAMES,
    QUICK,
    choose,
    give_up,
    middle,
    new_table,
    on_turn,
    play_to_the_end,
    ply,
    short_table,
    shows_result,
    table_of,
)

A_WHILE = 4
"""Moves that the visitor makes."""


@pytest.mark.parametrize("game", NAMES)
def test_a_whole_game_by_tapping(visit: Visitors, game: str) -> None:
    page = visit(phone=True)
    short_table(page, game, begun=True)
    assert play_to_the_end(page, random.Random(game)) > 5
    shows_result(page)


@pytest.mark.parametrize("game", NAMES)
def test_a_game_without_scripts(visit: Visitors, game: str) -> None:
    page = new_table(visit(java_script_enabled=False), game)
    chance = random.Random(f"plain {game}")
    board = page.locator("#board")
    made = 0
    while board.get_attribute("data-over") == "0":
        if board.get_attribute("data-mine") == "0":
            on_turn(page, table_of(page))
            _reload(page)
        elif made == A_WHILE:
            give_up(page)
        else:
            with page.expect_navigation():
                choose(page, chance)
            made += 1
    shows_result(page)


def _reload(page: Page) -> None:
    """Load the page again, also when it begins to load itself at this moment."""
    try:
        page.reload()
    except Error as error:
        if not re.search("interrupted|ERR_ABORTED", error.message):
            raise
        page.wait_for_load_state()


def test_without_scripts_the_page_reloads_automatically(visit: Visitors) -> None:
    page = new_table(visit(java_script_enabled=False), pace="normal")
    for _ in range(2):
        expect(page.locator("#board")).to_have_attribute("data-mine", "1")
        before = ply(page)
        with page.expect_navigation():
            choose(page, random.Random(1))
        assert ply(page) > before


def test_a_card_can_be_dragged_to_the_table(visit: Visitors) -> None:
    page = new_table(visit(), pace="slow")
    before = ply(page)
    _drag(page, back=True)
    page.get_by_role("link", name="Hint").click()  # the earlier request is answered first
    expect(page.locator(".mine > .hint")).to_be_visible()
    assert ply(page) == before
    _drag(page, back=False)
    expect(page.locator("#board")).to_have_attribute("data-mine", "0")
    assert ply(page) > before


def _drag(page: Page, back: bool) -> None:
    """Drag the first card to the middle of the table, and perhaps back to where it lay."""
    card = middle(page.locator("button.card[form=play]").first)
    page.mouse.move(*card)
    page.mouse.down()
    page.mouse.move(*middle(page.get_by_role("region", name="Table")), steps=4)
    if back:
        page.mouse.move(*card, steps=4)
    page.mouse.up()


def test_the_end_is_clean_on_every_screen_and_shows_the_table_again(visit: Visitors) -> None:
    page = visit()
    short_table(page, QUICK, begun=True)
    play_to_the_end(page, random.Random("ending"))
    shows_result(page)
    assert_clean(page)
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        for name in ("Rematch", "Review", "Replay"):
            expect(page.locator("#ending .next").get_by_text(name, exact=True)).to_be_visible()
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("heading", name="Share this result")).to_be_visible()
    expect(page.locator(".preview")).to_have_js_property("naturalWidth", 1200)
    assert_clean(page)
    with page.expect_navigation():
        page.get_by_role("link", name="Back to the table").click()
    page.get_by_text("See the table").click()
    expect(page.locator("#ending")).not_to_be_visible()
    expect(page.locator(".scene")).to_be_visible()
    page.get_by_text("See the result").click()
    expect(page.locator("#ending")).to_be_visible()
    moving = "one => one.getAnimations({ subtree: true }).length"
    assert page.locator("#ending").evaluate(moving) == 0
