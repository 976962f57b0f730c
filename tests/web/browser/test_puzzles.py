"""Puzzles in a browser: choosing a move, the verdict on it, and what the browser remembers."""

from __future__ import annotations

from urllib.parse import quote_plus

import pytest
from playwright.sync_api import expect

from redouble.analysis.puzzle import puzzles_of
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import choose_move, fits

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
