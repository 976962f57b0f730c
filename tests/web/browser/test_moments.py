"""What a page shows in the middle of a move, and for how long."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from playwright.sync_api import Page, expect

from redouble.contract.registry import GAMES
from redouble.match.match import Match
from redouble.web.table.pace import moment_seconds
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import choose, new_table, wait
from tests.web.browser.server import Server

GAME = GAMES["double-down"]
(CHIP_LOST,) = [kind for kind in GAME.moments if kind.name == "chip-lost"]
SEED = next(
    seed
    for seed in map(str, range(500))
    for match in [Match(GAME, 2, seed)]
    if match.turn == 0 and "22" in match.legal_moves
)
"""A deal that begins with a player who loses a chip with a 22."""
LASTING = (
    "-c",
    f"from redouble.web import tables; tables.new_seed = lambda seats: '{SEED}';"
    " from redouble.web.table import pace; pace.MOMENTS['slow'] = 600.0;"
    " from redouble.commands.app import main; main()",
)
"""The command, with this deal for every table and moments that last half an hour."""
AWAY = """away => {
    Object.defineProperty(document, "hidden", {configurable: true, get: () => away});
    document.dispatchEvent(new Event("visibilitychange"));
}"""
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


def test_a_page_out_of_sight_catches_up_and_tells_what_it_missed(
    visit: Visitors, serve: Callable[..., Server]
) -> None:
    server = serve(LASTING)
    page, guest = visit(address=server.address), visit(address=server.address)
    new_table(page, GAME.name, ["you", "a friend, by link"], pace="slow")
    guest.goto(page.get_by_label("Link", exact=True).input_value())
    guest.get_by_label("Your name").fill("Berta")
    guest.get_by_role("button", name="Join").click()
    guest.wait_for_load_state()
    wait(page)
    page.locator("button[form=play][value='22']").first.click()
    for one in (page, guest):
        expect(one.locator(CHIP)).to_be_attached()
    page.evaluate(AWAY, True)
    expect(page.locator(CHIP)).to_have_count(0)
    guest.locator("#prompt").click()
    wait(guest)
    play_low(guest)
    wait(page)  # the guest's move is there: nothing was in its way
    missed = page.locator("#missed")
    expect(missed).to_be_hidden()
    page.evaluate(AWAY, False)
    expect(missed).to_contain_text("You hit 22 and lose a chip")
    expect(missed).to_contain_text("Berta plays")
    play_low(page)
    expect(missed).to_be_hidden()


def test_without_a_script_the_next_page_sums_up_what_happened(
    visit: Visitors, serve: Callable[..., Server]
) -> None:
    page = visit(address=serve(LASTING).address, java_script_enabled=False)
    new_table(page, GAME.name)
    with page.expect_navigation():
        page.locator("button[form=play][value='22']").first.click()
    expect(page.locator("#board")).to_have_attribute("data-mine", "1")  # it loads again until then
    summary = page.get_by_role("group", name="Since your last move")
    expect(summary).to_contain_text("You hit 22 and lose a chip")
    expect(summary).to_contain_text("Ada plays")


def play_low(page: Page) -> None:
    """Play the lowest card, which costs nothing."""
    cards = page.locator("button[form=play]")
    values = cards.evaluate_all("all => all.map(one => Number(one.value) || 100)")
    cards.nth(values.index(min(one for one in values if one > 0))).click()


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
