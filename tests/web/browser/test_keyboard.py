"""Playing with the keyboard alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

import redouble
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import NAMES, QUICK, held_back, hold, new_table, ply, wait

FOCUS = """() => {
    const it = document.activeElement;
    const style = getComputedStyle(it.matches(".sr") ? it.closest("label") ?? it : it);
    return {
        move: it.matches("button[form=play]"),
        part: it.matches("#felt input") && !it.checked,
        outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0,
        name: it.getAttribute("aria-label") ?? it.textContent,
    };
}"""
PLAY = """move => {
    const form = document.getElementById("play"), fields = new FormData(form);
    fields.set("move", move);
    return fetch(form.action, { method: "POST", body: new URLSearchParams(fields) });
}"""
"""Makes a move as the form would, and leaves the focus alone."""
PLAY_WHAT_HAS_THE_FOCUS = f"() => ({PLAY})(document.activeElement.value)"
HAS_FOCUS = "() => document.getElementById('board').contains(document.activeElement)"
MAX_TABS = 60


@pytest.mark.parametrize("game", NAMES)
def test_moves_are_made_with_tab_and_enter(visit: Visitors, game: str) -> None:
    page = visit()
    new_table(page, game)
    wait(page)
    for _ in range(3):
        before = ply(page)
        _tab_to_a_move(page)
        page.keyboard.press("Enter")
        wait(page, before)


def test_after_a_move_the_next_one_has_the_focus(visit: Visitors) -> None:
    """On your turn the focus is on something you can play."""
    page = visit()
    new_table(page, QUICK)
    wait(page)
    _tab_to_a_move(page)
    for _ in range(4):
        before = ply(page)
        page.keyboard.press("Enter")
        wait(page, before)
        expect(page.locator("button[form=play]:focus")).to_have_count(1)


def test_the_first_tab_stop_skips_the_header(visit: Visitors) -> None:
    page = visit()
    new_table(page, QUICK)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the table")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#main$"))
    page.keyboard.press("Tab")
    expect(page.locator("main :focus")).to_have_count(1)


@pytest.mark.parametrize("game", NAMES)
def test_the_focus_survives_a_board_update(visit: Visitors, game: str) -> None:
    """The card that has the focus is played, so that the change of the board removes it."""
    page = visit()
    new_table(page, game)
    wait(page)
    _tab_to_a_move(page)
    for _ in range(3):
        before = ply(page)
        page.evaluate(PLAY_WHAT_HAS_THE_FOCUS)
        page.wait_for_function("ply => Number(board.dataset.ply) > ply", arg=before)
        assert page.evaluate(HAS_FOCUS), "the focus fell off the board"
        wait(page, before)
        expect(page.locator("button[form=play]:focus, .mine input:focus")).to_have_count(1)
        _tab_to_a_move(page)


def test_the_focus_survives_that_came_before_the_script(visit: Visitors) -> None:
    page = visit()
    late = hold(page, "**/table/main.js")
    page.goto("/new/double-or-quits")
    page.get_by_role("button", name="Start").click(no_wait_after=True)
    page.wait_for_url("**/t/*", wait_until="commit")
    wait(page)
    _tab_to_a_move(page)
    held_back(page, late).continue_()
    page.wait_for_load_state()
    before = ply(page)
    page.evaluate(PLAY_WHAT_HAS_THE_FOCUS)
    page.wait_for_function("ply => Number(board.dataset.ply) > ply", arg=before)
    assert page.evaluate(HAS_FOCUS), "the focus fell off the board"


def test_the_focus_leaves_a_stock_that_must_not_be_flipped_again(visit: Visitors) -> None:
    """The stock keeps its place, but the card just flipped has to be played: it gets the focus."""
    page = visit()
    deal = _deal_whose_first_flip_has_to_be_played()
    new_table(page, "double-or-quits", deal=deal, published=True)
    wait(page)
    _tab_to_a_move(page)
    assert page.evaluate("() => document.activeElement.value") == "flip"
    before = ply(page)
    page.keyboard.press("Enter")
    wait(page, before)
    expect(page.locator("button[form=play]:focus")).to_have_count(1)


def _deal_whose_first_flip_has_to_be_played() -> str:
    for number in range(1, 2000):
        match = redouble.new("double-or-quits", seed=str(number))
        if match.legal_moves == ["flip"]:
            match.push("flip")
            if match.legal_moves == ["waste"]:
                return str(number)
    raise AssertionError("no deal begins like this")


def test_the_focus_rests_on_the_prompt_while_others_think(visit: Visitors) -> None:
    page = visit()
    new_table(page, QUICK, pace="slow")
    wait(page)
    _tab_to_a_move(page)
    before = ply(page)
    page.keyboard.press("Enter")
    expect(page.locator("#prompt")).to_be_focused()
    expect(page.locator("#prompt")).to_contain_text("is thinking")
    wait(page, before)
    expect(page.locator("button[form=play]:focus")).to_have_count(1)


def test_a_board_update_leaves_the_focus_where_it_was(visit: Visitors) -> None:
    page = visit()
    new_table(page, QUICK)
    wait(page)
    _tab_to_a_move(page)
    move = page.locator("button[form=play]:focus").get_attribute("value")
    page.locator("#log").focus()
    before = ply(page)
    page.evaluate(PLAY, move)
    wait(page, before)
    expect(page.locator("#log")).to_be_focused()


def _tab_to_a_move(page: Page) -> None:
    """Tab on, ticking what has to be chosen first, until a move has the focus."""
    for _ in range(MAX_TABS):
        focus = page.evaluate(FOCUS)
        if focus["move"] or focus["part"]:
            assert focus["outlined"], f"nothing shows that {focus['name']!r} has the focus"
        if focus["move"]:
            return
        if focus["part"] and not page.locator("button[form=play]:visible").count():
            page.keyboard.press("Space")
        page.keyboard.press("Tab")
    raise AssertionError(f"no move within {MAX_TABS} stops")
