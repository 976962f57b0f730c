"""A whole game of each kind, by mouse, on a phone and without scripts, to the shown result."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Visitors
from tests.web.browser.play import (
    MOST_MOVES,
    NAMES,
    QUICK,
    choose,
    new_table,
    play_now,
    play_one_move,
    play_to_the_end,
    ply,
    shows_result,
    wait,
)


@pytest.mark.parametrize("game", NAMES)
def test_a_whole_game_by_clicking(visit: Visitors, game: str) -> None:
    page = visit()
    new_table(page, game)
    assert play_to_the_end(page, random.Random(game)) > 5
    shows_result(page)


@pytest.mark.parametrize("game", NAMES)
def test_a_whole_game_on_a_phone(visit: Visitors, game: str) -> None:
    page = visit(phone=True)
    new_table(page, game)
    play_to_the_end(page, random.Random(f"phone {game}"))
    shows_result(page)


@pytest.mark.parametrize("game", NAMES)
def test_a_whole_game_without_scripts(visit: Visitors, game: str) -> None:
    page = visit(java_script_enabled=False)
    new_table(page, game)
    chance = random.Random(f"plain {game}")
    board = page.locator("#board")
    for _ in range(MOST_MOVES):
        if board.get_attribute("data-over") == "1":
            break
        if board.get_attribute("data-mine") == "1":
            choose(page, chance)  # the answer is the page anew
        else:
            page.reload()
    shows_result(page)


def test_without_scripts_the_page_looks_again_by_itself(visit: Visitors) -> None:
    page = visit(java_script_enabled=False)
    new_table(page, QUICK, pace="normal")
    board = page.locator("#board")
    for _ in range(2):
        expect(board).to_have_attribute("data-mine", "1")
        before = ply(page)
        choose(page, random.Random(1))
        assert ply(page) > before


@pytest.mark.parametrize("game", NAMES)
def test_cards_that_move_are_in_nobodys_way(visit: Visitors, game: str) -> None:
    """With the motion that most people have, and a guide on the first click."""
    page = visit(still=False)
    play_now(page, game)
    wait(page)
    for _ in range(3):
        play_one_move(page, random.Random(game))


def test_a_card_can_be_dragged_to_the_table(visit: Visitors) -> None:
    page = visit()
    new_table(page, QUICK, pace="slow")
    wait(page)
    _drag(page, 0, 0, 5)
    assert page.locator("#board").get_attribute("data-mine") == "1"  # a wobble is no move
    _drag(page, 30, -200, 0)
    expect(page.locator("#board")).to_have_attribute("data-mine", "0")


def _drag(page: Page, right: float, down: float, wobble: float) -> None:
    card = page.locator("button.card[form=play]").first.bounding_box()
    assert card is not None
    x, y = card["x"] + card["width"] / 2, card["y"] + card["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + wobble, y + wobble)
    page.mouse.move(x + right, y + down, steps=4)
    page.mouse.up()
