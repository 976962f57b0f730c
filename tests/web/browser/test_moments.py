"""What a page shows in the middle of a move, and for how long."""

from __future__ import annotations

import random
import time

from playwright.sync_api import Page, expect

from redouble.contract.registry import GAMES
from redouble.web.table.pace import moment_seconds
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import choose, new_table

GAME = GAMES["double-down"]
(CHIP_LOST,) = [kind for kind in GAME.moments if kind.name == "chip-lost"]
CHIP = '#board[data-moment="chip-lost"]'
LOST = "() => document.querySelector('#board').dataset.moment === 'chip-lost'"
HAPPENS = f"() => ({LOST})() || ['mine', 'over'].some((k) => board.dataset[k] === '1')"


def test_a_lost_chip_stays_for_its_time_and_a_tap_goes_on(visit: Visitors) -> None:
    page, chance = visit(), random.Random("chips")
    new_table(page, GAME.name, pace="normal")
    _until_a_chip_is_lost(page, chance)
    began = time.monotonic()
    expect(page.locator("#prompt")).to_contain_text("chip")
    expect(page.locator("button[form=play]")).to_have_count(0)
    page.wait_for_function(f"() => !({LOST})()")
    assert time.monotonic() - began > 0.6 * moment_seconds("normal", CHIP_LOST)
    _until_a_chip_is_lost(page, chance)
    began = time.monotonic()
    page.locator("#prompt").click()
    page.wait_for_function(f"() => !({LOST})()")
    assert time.monotonic() - began < 0.6 * moment_seconds("normal", CHIP_LOST)


def test_moments_are_shown_without_motion(visit: Visitors) -> None:
    page, chance = visit(), random.Random("still")
    page.emulate_media(reduced_motion="reduce")
    new_table(page, GAME.name, pace="normal")
    _until_a_chip_is_lost(page, chance)
    expect(page.locator("#prompt")).to_contain_text("chip")
    expect(page.locator("#prompt")).to_have_attribute("role", "status")


def _until_a_chip_is_lost(page: Page, chance: random.Random) -> None:
    """Play until a chip is lost; the page is in this moment then."""
    for _ in range(200):
        page.wait_for_function(HAPPENS)
        if page.locator(CHIP).count():
            return
        assert page.evaluate("() => board.dataset.over") == "0", "the game ended without a loss"
        ply = page.evaluate("() => board.dataset.ply")
        choose(page, chance)
        page.wait_for_function(f"(ply) => board.dataset.ply !== ply || ({LOST})()", arg=ply)
    raise AssertionError("no chip was lost in 200 moves")
