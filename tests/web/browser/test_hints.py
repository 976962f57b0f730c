"""A quick guess on an open page is replaced automatically by a better hint."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

from playwright.sync_api import expect

from redouble.analysis.hint import QUICK
from redouble.contract.registry import GAMES
from redouble.match.match import Match
from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import fits
from tests.web.helpers.server import Server, program

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
    expect(hint).to_contain_text(QUICK.capitalize())
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
