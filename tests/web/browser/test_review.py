"""A review in a browser: request it from a replay, read it, and follow a link to a moment."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from redouble.bots import BOTS, own_chance
from redouble.contract.registry import GAMES
from redouble.match.match import Match
from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import QUICK, bring, fits
from tests.web.helpers.server import Server, program

THOROUGH = program(
    "import functools",
    "from redouble.web.features.study import reviewer",
    "reviewer.review = functools.partial(reviewer.review, iterations=1_000_000)",
)
"""The command, with reviews that take much longer than anyone needs to stop them."""
SOLVED = next(game for game in GAMES.values() if game.solver is not None)
MAKING = 120_000
"""Milliseconds that a review may take, the compiler included."""


def careless(seed: str, game: str = QUICK) -> str:
    """A game in which one of two plays at random, as one line."""
    match = Match(GAMES[game], ["Anna", "Ben"], seed)
    while match.turn is not None:
        observation = match.observation()
        bot = BOTS["random" if observation.seat else "greedy"]
        match.push_action(
            bot.choose(observation, own_chance("careless", observation.seat, match.ply))
        )
    return str(match.record())


def reviewed(page: Page, seed: str, folder: Path, script: bool = True) -> None:
    """Import a record and have it reviewed, unless a test of the same seed has done so."""
    bring(page, careless(seed), folder, script)
    page.get_by_role("link", name="Review").click()
    if not script:
        page.get_by_role("button", name="Review this game").click()
    heading = page.get_by_role("heading", name="Luck and mistakes")
    expect(heading).to_be_visible(timeout=MAKING)
    page.wait_for_load_state()


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_a_review_shows_the_graph_and_leads_to_the_moment(
    visit: Visitors, tmp_path: Path, phone: bool
) -> None:
    page = visit(phone=phone)
    reviewed(page, "graph", tmp_path)
    graph = page.get_by_role("img", name="Each player's expected result, move by move")
    expect(graph).to_be_visible()
    fits(page)
    page.get_by_text("The graph in numbers").click()
    expect(page.get_by_role("rowheader", name="0", exact=True)).to_be_visible()
    fits(page)
    link = page.get_by_role("link", name="Show in replay").first
    ply = int(re.findall(r"ply=(\d+)", link.get_attribute("href") or "")[0])
    link.click()
    expect(page.locator("#stage")).to_have_attribute("data-ply", f"{ply}")
    marked = page.locator(f'#moves a[data-ply="{ply + 1}"]')
    expect(marked).to_contain_text("Mistake. Better: ")


def test_a_review_shows_its_progress_and_can_be_stopped(
    visit: Visitors, serve: Callable[..., Server], tmp_path: Path
) -> None:
    page = visit(address=serve(THOROUGH).address)
    bring(page, careless("stop"), tmp_path)
    page.get_by_role("link", name="Review").click()
    begin = page.get_by_role("button", name="Review this game")
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    # Not by the button: the page loads itself again every other second, perhaps just then.
    stopped = page.request.post(page.url, form={"command": "stop"})
    page.goto(stopped.url)
    expect(begin).to_be_visible(timeout=MAKING)
    assert_clean(page)


def test_axe_finds_no_violation_on_a_review(visit: Visitors, tmp_path: Path) -> None:
    page = visit()
    reviewed(page, "graph", tmp_path)
    assert_clean(page)
    page.get_by_text("The graph in numbers").click()
    assert_clean(page)
    page.get_by_role("link", name="Show in replay").first.click()
    expect(page.locator("#moves .slip").first).to_be_visible()
    assert_clean(page)


def test_a_review_works_without_a_script(visit: Visitors, tmp_path: Path) -> None:
    page = visit(java_script_enabled=False)
    reviewed(page, "plain", tmp_path, script=False)
    expect(
        page.get_by_role("img", name="Each player's expected result, move by move")
    ).to_be_visible()
    page.get_by_role("link", name="Show in replay").first.click()
    expect(page.locator("#stage")).to_be_visible()


def test_a_review_survives_a_killed_server(
    visit: Visitors, serve: Callable[..., Server], tmp_path: Path
) -> None:
    server = serve()
    page = visit(address=server.address, java_script_enabled=False)
    reviewed(page, "killed", tmp_path, script=False)
    before = page.locator("main").inner_html()
    server.kill()
    server.start(server.port)
    page.reload()
    assert page.locator("main").inner_html() == before


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
    fits(page)
    assert_clean(page)
    lost = int(re.findall(r"Move (\d+)", stock.inner_text())[0])
    stock.get_by_role("link", name="Show in replay").click()
    expect(page.locator("#stage")).to_have_attribute("data-ply", f"{lost - 1}")
