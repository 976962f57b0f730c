"""A game of each kind by mouse, and games on a phone and without scripts, to the result.

The game by mouse is a short one, whose first moves a program makes. Games on a phone or without
scripts are resigned after a while: bots play on.
"""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import Error, Page, expect

from redouble.contract.registry import GAMES
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import (
    NAMES,
    QUICK,
    choose_without_scripts,
    give_up,
    hurry,
    is_over,
    new_table,
    on_turn,
    play_now,
    play_one_move,
    play_to_the_end,
    ply,
    short_table,
    shows_result,
    table_of,
    wait,
)

A_WHILE = 4
"""Moves that the visitor makes."""


@pytest.mark.parametrize("game", NAMES)
def test_a_whole_game_by_clicking(visit: Visitors, game: str) -> None:
    page = visit()
    short_table(page, game, begun=True)
    assert play_to_the_end(page, random.Random(game)) > 5
    shows_result(page)


@pytest.mark.parametrize("game", NAMES)
def test_a_game_on_a_phone(visit: Visitors, game: str) -> None:
    page = visit(phone=True)
    new_table(page, game)
    chance = random.Random(f"phone {game}")
    wait(page)
    for _ in range(A_WHILE):
        if not is_over(page):
            play_one_move(page, chance)
    if not is_over(page):
        give_up(page)
    shows_result(page)


@pytest.mark.parametrize("game", NAMES)
def test_a_game_without_scripts(visit: Visitors, game: str) -> None:
    page = visit(java_script_enabled=False)
    new_table(page, game)
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
            choose_without_scripts(page, chance)
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
    page = visit(java_script_enabled=False)
    new_table(page, QUICK, pace="normal")
    board = page.locator("#board")
    for _ in range(2):
        expect(board).to_have_attribute("data-mine", "1")
        before = ply(page)
        choose_without_scripts(page, random.Random(1))
        assert ply(page) > before


@pytest.mark.parametrize("game", NAMES)
def test_moving_cards_block_no_clicks(visit: Visitors, game: str) -> None:
    """With animations on, and a tutorial on the first click."""
    page = visit(still=False)
    play_now(page, game)
    if GAMES[game].max_seats > 1:
        hurry(page)
    wait(page)
    for _ in range(2):
        play_one_move(page, random.Random(game))


def test_a_card_can_be_dragged_to_the_table(visit: Visitors) -> None:
    page = visit()
    new_table(page, QUICK, pace="slow")
    wait(page)
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
    card = page.locator("button.card[form=play]").first.bounding_box()
    table = page.get_by_role("region", name="Table").bounding_box()
    assert card is not None
    assert table is not None
    middle = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in (card, table)]
    page.mouse.move(*middle[0])
    page.mouse.down()
    page.mouse.move(*middle[1], steps=4)
    if back:
        page.mouse.move(*middle[0], steps=4)
    page.mouse.up()


def test_the_title_says_whose_turn_it_is_also_after_loading(visit: Visitors) -> None:
    page = visit()
    new_table(page, QUICK)
    wait(page)
    expect(page).to_have_title(re.compile("^Your turn · "))
    page.reload()
    expect(page).to_have_title(re.compile("^Your turn · "))
