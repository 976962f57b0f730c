"""Puzzles and daily deals: a move is chosen and judged, and what becomes of it."""

from urllib.parse import quote_plus

import pytest
from playwright.sync_api import expect

from redouble.analysis.puzzle import puzzles_of
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import choose_move, fits, give_up

CHOSEN = [game for game in GAMES.values() if puzzles_of(game)]
JUDGED = [
    *((game, "phone") for game in CHOSEN),
    *((game, "no script") for game in CHOSEN if game.name in ("double-dominoes", "three-up")),
]
"""Each game where room is scarce, and without scripts those in which parts are chosen."""


@pytest.mark.parametrize(("game", "way"), JUDGED, ids=[f"{g.name}-{way}" for g, way in JUDGED])
def test_a_move_is_chosen_and_judged(visit: Visitors, game: Game, way: str) -> None:
    puzzle = min(puzzles_of(game), key=lambda one: len(one.answer.split()))  # a single click
    page = visit(phone=way == "phone", java_script_enabled=way != "no script")
    clean = assert_clean if way == "phone" else fits
    page.goto(f"/puzzles/{puzzle.record.game}/{puzzle.number}")
    expect(page.get_by_role("heading", name=f"Puzzle {puzzle.number}")).to_be_visible()
    clean(page)
    choose_move(page, puzzle.answer)
    expect(page.get_by_role("status")).to_contain_text("Right: ")
    expect(page.locator("tr.best")).to_have_count(1)
    clean(page)
    page.get_by_role("link", name="Next puzzle").click()
    expect(page.get_by_text("Which move is best?").first).to_be_visible()


FEWER = "document.querySelectorAll('.shelf li:nth-of-type(n + 6)').forEach(it => it.remove())"
"""Leaves five puzzles of each game and difficulty: there are some nine hundred."""


def test_the_browser_remembers_the_first_try(visit: Visitors) -> None:
    page = visit()
    one, two = puzzles_of(CHOSEN[0])[:2]
    here = f"/puzzles/{one.record.game}"
    wrong = next(move for move in two.shares if move != two.answer)
    page.goto(f"{here}/1?move={quote_plus(one.answer)}")
    page.goto(f"{here}/2?move={quote_plus(wrong)}")
    page.goto(f"{here}/2?move={quote_plus(two.answer)}")  # a second try counts no more
    page.goto("/puzzles")
    expect(page.locator(f'a[data-puzzle="{one.record.game}/1"]')).to_have_class("solved")
    expect(page.locator(f'a[data-puzzle="{one.record.game}/2"]')).to_have_class("missed")
    expect(page.get_by_text(f"1 of {len(puzzles_of(CHOSEN[0]))} solved")).to_be_visible()
    page.evaluate(FEWER)
    assert_clean(page)


def test_a_key_turns_what_is_placed_as_at_a_table(visit: Visitors) -> None:
    page = visit()
    page.goto("/puzzles/double-dominoes/2")
    chosen, turn = page.locator(".place.chosen"), page.get_by_role("button", name="Turn")
    page.locator(".hand label").first.click()
    for place in page.locator(".place.mark:visible").all():
        place.hover()
        if turn.is_visible():
            break
    before = chosen.get_attribute("value")
    page.keyboard.press("t")
    expect(chosen).not_to_have_attribute("value", str(before))


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
