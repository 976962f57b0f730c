"""The daily deal and puzzle in a browser: from the home page to the comparison."""

from __future__ import annotations

from playwright.sync_api import expect

from redouble.analysis.puzzle import puzzles_of
from redouble.contract.registry import GAMES
from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import choose_move, give_up

GAME = next(game for game in GAMES.values() if game.usual_seats > 1)
PUZZLE = puzzles_of(GAMES["double-down"])[0]
"""The puzzle of every day on the tests' server."""


def test_a_daily_deal_is_started_given_up_and_compared(visit: Visitors) -> None:
    page = visit(phone=True)
    page.goto("/")
    assert_clean(page)
    page.locator(".daily-tiles").get_by_role("link", name=GAME.title, exact=True).click()
    expect(page.get_by_text("You have one try, without undo or hints.")).to_be_visible()
    assert_clean(page)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/t/*")
    expect(page.get_by_role("link", name="Daily")).to_be_visible()
    expect(page.get_by_role("link", name="Hint")).to_have_count(0)
    give_up(page)
    page.goto("/daily")
    tile = page.locator(".daily-tiles li").filter(has_text=GAME.title)
    expect(tile).to_contain_text("Gave up")
    assert_clean(page)
    tile.get_by_role("link").click()
    expect(page.get_by_role("heading", name="Gave up")).to_be_visible()
    expect(page.locator(".daily-bars .mine")).to_have_count(1)
    expect(page.get_by_role("heading", name="Bots with your cards")).to_be_visible()
    assert_clean(page)


def test_the_daily_puzzle_asks_again_without_a_script(visit: Visitors) -> None:
    page = visit(phone=True, java_script_enabled=False)
    page.goto("/daily")
    page.locator(".daily-tiles").get_by_role("link", name="Puzzle", exact=True).click()
    expect(page.get_by_text("You have two tries.")).to_be_visible()
    choose_move(page, next(move for move in PUZZLE.shares if move != PUZZLE.answer))
    expect(page.get_by_role("status").filter(has_text="Try again.")).to_be_visible()
    page.get_by_role("button", name="Show the answer").click()
    expect(page.get_by_role("status").filter(has_text="Not quite: ")).to_be_visible()
    expect(page.get_by_role("heading", name="How everyone did")).to_be_visible()
