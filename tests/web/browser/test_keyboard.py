"""Playing with the keyboard alone: every move can be reached, and the focus keeps its place."""

import re

import pytest
from playwright.sync_api import Page, expect

import redouble
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import NAMES, held_back, hold, new_table, ply, wait

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
    fields.set("move", move ?? document.activeElement.value);
    return fetch(form.action, { method: "POST", body: new URLSearchParams(fields) });
}"""
"""Makes a move as the form would, that of the focus if none is given, and leaves the focus alone.
"""
MAX_TABS = 60


@pytest.mark.parametrize("game", NAMES)
def test_moves_are_made_with_tab_and_the_focus_survives_them(visit: Visitors, game: str) -> None:
    """The card that has the focus is played, so that the change of the board removes it."""
    page = new_table(visit(), game)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the table")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#main$"))
    page.keyboard.press("Tab")
    expect(page.locator("main :focus")).to_have_count(1)
    for turn in range(4):
        _tab_to_a_move(page)
        before = ply(page)
        if turn % 2:
            _play_what_has_the_focus(page)
        else:
            page.keyboard.press("Enter")
        wait(page, before)
        expect(page.locator("button[form=play]:focus, .mine input:focus")).to_have_count(1)


def _play_what_has_the_focus(page: Page) -> None:
    """Play it behind the page's back, and check that the focus stays on the board."""
    before = ply(page)
    page.evaluate(PLAY)
    page.wait_for_function("ply => Number(board.dataset.ply) > ply", arg=before)
    assert page.evaluate("board.contains(document.activeElement)"), "the focus fell off the board"


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
    _play_what_has_the_focus(page)


def test_the_focus_leaves_a_stock_that_must_not_be_flipped_again(visit: Visitors) -> None:
    """The stock keeps its place, but the card just flipped has to be played: it gets the focus."""
    deal = _deal_whose_first_flip_has_to_be_played()
    page = new_table(visit(), "double-or-quits", deal=deal, published=True)
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
    """And where it is outside the board, it stays there."""
    page = new_table(visit(), pace="slow")
    _tab_to_a_move(page)
    before = ply(page)
    page.keyboard.press("Enter")
    expect(page.locator("#prompt")).to_be_focused()
    expect(page.locator("#prompt")).to_contain_text("is thinking")
    wait(page, before)
    expect(page.locator("button[form=play]:focus")).to_have_count(1)
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
