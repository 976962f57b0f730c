"""A review in a browser: request it from a replay, read it, and follow a link to a moment."""

from __future__ import annotations

import random
import re
from pathlib import Path

from playwright.sync_api import expect

from redouble.contract.registry import GAMES
from redouble.match.match import Match
from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import QUICK, bring, by_bots

SOLVED = next(game for game in GAMES.values() if game.solver is not None)
MAKING = 120_000
"""Milliseconds that a review may take, the compiler included."""


def test_a_review_shows_the_graph_and_leads_to_the_moment(visit: Visitors, tmp_path: Path) -> None:
    page = visit()
    careless = by_bots(QUICK, ["Anna", "Ben"], "graph", "greedy", "random")
    bring(page, str(careless.record()), tmp_path)
    page.get_by_role("link", name="Review").click()
    heading = page.get_by_role("heading", name="Luck and mistakes")
    expect(heading).to_be_visible(timeout=MAKING)
    page.wait_for_load_state()
    graph = page.get_by_role("img", name="Each player's expected result, move by move")
    expect(graph).to_be_visible()
    assert_clean(page)
    page.get_by_text("The graph in numbers").click()
    expect(page.get_by_role("rowheader", name="0", exact=True)).to_be_visible()
    assert_clean(page)
    link = page.get_by_role("link", name="Show in replay").first
    ply = int(re.findall(r"ply=(\d+)", link.get_attribute("href") or "")[0])
    link.click()
    expect(page.locator("#stage")).to_have_attribute("data-ply", f"{ply}")
    marked = page.locator(f'#moves a[data-ply="{ply + 1}"]')
    expect(marked).to_contain_text("Mistake. Better: ")
    expect(page.locator("#moves .slip").first).to_be_visible()
    assert_clean(page)


def test_the_solitaires_review_shows_what_would_have_won(visit: Visitors, tmp_path: Path) -> None:
    match, dice = Match(SOLVED, 1, "5", {"free-flip": True}), random.Random(3)
    while match.turn is not None:
        match.push(dice.choice(list(match.legal_moves)))
    page = visit(phone=True)
    bring(page, str(match.record()), tmp_path)
    page.get_by_role("link", name="Review").click()
    stock = page.get_by_role("region", name="With nothing hidden")
    expect(stock).to_contain_text("until then it could be won", timeout=2 * MAKING)
    expect(stock).to_contain_text("The player couldn't know this")
    stock.get_by_text("moves would have won").click()
    expect(stock.locator("details p")).to_contain_text(", ")
    expect(stock.locator("details p")).to_be_visible()
    assert_clean(page)
    lost = int(re.findall(r"Move (\d+)", stock.inner_text())[0])
    stock.get_by_role("link", name="Show in replay").click()
    expect(page.locator("#stage")).to_have_attribute("data-ply", f"{lost - 1}")
