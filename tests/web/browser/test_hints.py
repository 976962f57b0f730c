"""A quick guess on an open page is replaced automatically by a better hint."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from redouble.analysis.hint import QUICK
from redouble.contract.registry import GAMES
from redouble.match.match import Match
from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import PATIENCE, Visitors
from tests.web.browser.play import MOVES, fits
from tests.web.helpers.server import Server

GAME = next(game for game in GAMES.values() if game.max_seats == 1)
DEAL = next(
    deal for deal in count(1) if len(Match(GAME, 1, f"{deal}", {"free-flip": True}).legal_moves) > 1
)
"""A game that begins with a choice; otherwise a hint needs no search."""
REASON = "a search has found it"
LATE = """
import asyncio, pathlib
from redouble.analysis.hint import Advice
from redouble.commands.app import main
from redouble.web.thinking import compiler, hints

async def compile_late(worker, work):
    while not pathlib.Path({ready!r}).exists():
        await asyncio.sleep(0.02)

def search(observation, names, iterations):
    last = observation.legal[-1]
    return Advice(last, observation.name(last), observation.describe(last), {reason!r})

compiler.Worker.compile, compiler.prepare, hints.advise = compile_late, print, search
hints.PATIENCE, hints.RETRY_SECONDS = 0.05, 1
main()
"""
"""The command, with a search that becomes ready when a file exists."""


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """The file whose existence makes the search ready."""
    return tmp_path / "ready"


@pytest.fixture
def late(serve: Callable[..., Server], ready: Path) -> Iterator[Server]:
    yield serve(("-c", LATE.format(ready=str(ready), reason=REASON)))
    ready.touch()


def asked(page: Page) -> None:
    """Open a table and ask for a hint, which is a guess."""
    page.goto(f"/deals/{GAME.name}/{DEAL}?free-flip=yes")
    with page.expect_navigation():
        page.get_by_role("button", name="Play this deal").click()
    page.get_by_role("link", name="Hint", exact=True).click()
    expect(hint(page)).to_contain_text(QUICK.capitalize())
    expect(hint(page)).to_contain_text("Thinking further")
    page.wait_for_load_state()


def hint(page: Page) -> Locator:
    return page.get_by_role("status").filter(has_text="Hint:")


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_a_better_hint_replaces_a_guess(
    visit: Visitors, late: Server, ready: Path, phone: bool
) -> None:
    page = visit(address=late.address, phone=phone)
    asked(page)
    if phone:  # axe looks at both sizes
        assert_clean(page)
    page.evaluate("window.stayed = true")
    page.get_by_role("link", name="Close", exact=True).click()
    expect(hint(page)).to_have_count(0)
    expect(page.locator(".hinted")).to_have_count(0)
    page.get_by_role("link", name="Hint", exact=True).click()
    ready.touch()
    expect(hint(page)).to_contain_text(REASON.capitalize())
    expect(hint(page)).to_have_count(1)
    expect(hint(page)).not_to_contain_text("Thinking")
    expect(page.locator("#thinking")).to_have_count(0)
    expect(page.locator(".hinted")).to_have_count(1)
    assert page.evaluate("window.stayed")  # nothing was loaded anew
    fits(page)


def test_no_hint_arrives_when_the_game_has_moved_on(
    visit: Visitors, late: Server, ready: Path
) -> None:
    page = visit(address=late.address)
    asked(page)
    page.locator(MOVES).first.click()
    expect(hint(page)).to_have_count(0)
    ready.touch()
    page.wait_for_timeout(2500)  # two polls, had they gone on
    expect(hint(page)).to_have_count(0)
    page.get_by_role("link", name="Hint", exact=True).click()
    expect(hint(page)).to_contain_text("Hint:")


def test_without_a_script_reloading_shows_the_better_hint(
    visit: Visitors, late: Server, ready: Path
) -> None:
    page = visit(address=late.address, java_script_enabled=False)
    asked(page)
    assert "<noscript> Reload the page for a better one.</noscript>" in page.content()
    page.reload()
    expect(hint(page)).to_contain_text(QUICK.capitalize())
    ready.touch()
    until = time.monotonic() + PATIENCE / 1000
    while REASON.capitalize() not in hint(page).inner_text():
        assert time.monotonic() < until, "the hint stayed a guess"
        page.wait_for_timeout(100)
        page.reload()
