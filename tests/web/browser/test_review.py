"""What a search says: a better hint replaces a guess, and a review leads to the moment."""

import random
import re
from collections.abc import Callable
from itertools import count
from pathlib import Path

from playwright.sync_api import expect

from redouble.analysis.hint import QUICK as GUESSED
from redouble.contract.registry import GAMES
from redouble.match.match import Match
from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import QUICK, bring, by_bots, fits
from tests.web.helpers.server import Server, program

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


GAME = next(game for game in GAMES.values() if game.max_seats == 1)
DEAL = next(
    deal for deal in count(1) if len(Match(GAME, 1, f"{deal}", {"free-flip": True}).legal_moves) > 1
)
"""A game that begins with a choice; otherwise a hint needs no search."""
REASON = "a search has found it"
LATE = """
import asyncio, pathlib
from redouble.analysis.hint import Advice
from redouble.web.thinking import compiler, hints

async def compile_late(worker, work):
    while not pathlib.Path({ready!r}).exists():
        await asyncio.sleep(0.02)

def search(observation, names, iterations):
    last = observation.legal[-1]
    return Advice(last, observation.name(last), observation.describe(last), {reason!r})

compiler.Worker.compile, compiler.prepare, hints.advise = compile_late, print, search
hints.PATIENCE, hints.RETRY_SECONDS = 0.05, 1
"""
"""A server's search becomes ready when a file exists."""


def test_a_better_hint_replaces_a_guess(
    visit: Visitors, serve: Callable[..., Server], tmp_path: Path
) -> None:
    ready = tmp_path / "ready"
    late = serve(program(LATE.format(ready=str(ready), reason=REASON)))
    page = visit(address=late.address, phone=True)
    hint = page.get_by_role("status").filter(has_text="Hint:")
    page.goto(f"/deals/{GAME.name}/{DEAL}?free-flip=yes")
    with page.expect_navigation():
        page.get_by_role("button", name="Play this deal").click()
    page.get_by_role("link", name="Hint", exact=True).click()
    expect(hint).to_contain_text(GUESSED.capitalize())
    expect(hint).to_contain_text("Thinking further")
    assert_clean(page)
    page.evaluate("window.stayed = true")
    page.get_by_role("link", name="Close", exact=True).click()
    expect(hint).to_have_count(0)
    expect(page.locator(".hinted")).to_have_count(0)
    page.get_by_role("link", name="Hint", exact=True).click()
    ready.touch()
    expect(hint).to_contain_text(REASON.capitalize())
    expect(hint).to_have_count(1)
    expect(hint).not_to_contain_text("Thinking")
    expect(page.locator("#thinking")).to_have_count(0)
    expect(page.locator(".hinted")).to_have_count(1)
    assert page.evaluate("window.stayed")  # nothing was loaded anew
    fits(page)
