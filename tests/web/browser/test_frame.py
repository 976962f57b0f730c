"""The frame of a table: it fits every screen with letters of any size, and nothing in it jumps."""

import pytest
from playwright.sync_api import Page

from redouble.contract.registry import GAMES
from redouble.match.guide import guide_of
from tests.web.browser.boards import boards, faults, film, still_page
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import NAMES

SIZES = (
    *((320, 500), (320, 568), (375, 553), (390, 664), (667, 331), (844, 340)),
    *((768, 1024), (1366, 657)),
)
TIGHTEST = ((320, 500), (667, 331), (1366, 657))
"""The screens with the least room for each of the three layouts: all states are looked at there."""
LETTERS = (16, 20, 24)
"""Sizes of letters that people choose in their browser, in pixels; the first is the usual one."""
FEWER = "guide|turn [25]$|hint 2"
"""The states that are looked at on other screens and with larger letters."""
SEATS = [
    (game.name, seats)
    for game in GAMES.values()
    for seats in sorted({game.min_seats, game.usual_seats, game.max_seats})
]
FILMED = ((390, 664), (844, 340), (1366, 657))
NOWHERE = """signs => {
    const all = Object.values(boards).map((board) => document.createRange()
        .createContextualFragment(board));
    return signs.filter((at) => !all.some((board) => board.querySelector(at)));
}"""
"""Which CSS selectors find nothing on any board."""


def choose_letters(page: Page, pixels: int) -> None:
    """Set the size of letters that a person would choose in the settings of the browser."""
    sizes = {"fontSizes": {"standard": pixels, "fixed": pixels}}
    page.context.new_cdp_session(page).send("Page.setFontSizes", sizes)


@pytest.mark.parametrize(("game", "seats"), SEATS)
def test_a_table_fits_every_screen(visit: Visitors, game: str, seats: int) -> None:
    """In every state nothing is covered, cut off, too small or out of sight; nothing scrolls."""
    page = visit()
    still_page(page, game, boards(game, seats))
    found = []
    for letters in LETTERS:
        choose_letters(page, letters)
        for width, height in SIZES:
            whole = letters == LETTERS[0] and (width, height) in TIGHTEST
            wrong = faults(page, {"width": width, "height": height}, "" if whole else FEWER)
            cell = f"{width} x {height} at {letters}"
            found += [f"{cell}, {state}: {one}" for state, said in wrong.items() for one in said]
    assert not found, "\n".join(found)
    if seats == GAMES[game].max_seats:
        signs = [sign.at for sign in guide_of(GAMES[game]).signs]
        assert signs
        assert page.evaluate(NOWHERE, signs) == []


@pytest.mark.parametrize("game", NAMES)
def test_nothing_jumps_from_board_to_board(visit: Visitors, game: str) -> None:
    """The boards of a game, laid over each other: every zone keeps its place and its size."""
    page = visit()
    still_page(page, game, film(game, GAMES[game].usual_seats))
    for width, height in FILMED:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("zones()") == {}, f"{width} x {height}"
