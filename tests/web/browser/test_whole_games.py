"""A game of each kind by taps, and games without scripts, to the result.

The game by taps is a short one, whose first moves a program makes. Games without scripts are
resigned after a while: bots play on.
"""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import Error, Page, expect

from tests.web.browser.conftest import Visitors
from tests.web.browser.play import (
    NAMES,
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
