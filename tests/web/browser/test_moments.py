"""What a page shows in the middle of a move, and for how long."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from redouble.contract.registry import GAMES
from redouble.match.match import Match
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import new_table, wait
from tests.web.helpers.server import Server, dealing, program

GAME = GAMES["double-down"]
SEED = next(
    seed
    for seed in map(str, range(500))
    for match in [Match(GAME, 2, seed)]
    if match.turn == 0 and "22" in match.legal_moves
)
"""A deal that begins with a player who loses a chip with a 22."""
LASTING = program(
    dealing(SEED), "from redouble.web.table import pace", "pace.MOMENTS['slow'] = 600.0"
)
"""The command, with this deal for every table and moments that last half an hour."""
AWAY = """away => {
    Object.defineProperty(document, "hidden", {configurable: true, get: () => away});
    document.dispatchEvent(new Event("visibilitychange"));
}"""
CHIP = '#board[data-moment="chip-lost"]'


@pytest.fixture(scope="module")
def lasting(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("moments"), LASTING)
    server.start()
    yield server
    server.stop()


def test_a_lost_chip_is_shown_until_a_tap(visit: Visitors, lasting: Server) -> None:
    """Without motion, too."""
    page = visit(address=lasting.address)
    new_table(page, GAME.name, pace="slow")
    lose_a_chip(page)
    expect(page.locator(CHIP)).to_be_attached()
    expect(page.locator("#prompt")).to_contain_text("chip")
    expect(page.locator("#prompt")).to_have_attribute("role", "status")
    expect(page.locator("button[form=play]")).to_have_count(0)
    page.locator("#prompt").click()
    expect(page.locator(CHIP)).to_have_count(0)


def test_a_page_out_of_sight_catches_up_and_tells_what_it_missed(
    visit: Visitors, lasting: Server
) -> None:
    page, guest = visit(address=lasting.address), visit(address=lasting.address)
    new_table(page, GAME.name, ["you", "a friend, by link"], pace="slow")
    guest.goto(page.get_by_label("Link", exact=True).input_value())
    guest.get_by_label("Your name").fill("Berta")
    with guest.expect_navigation():
        guest.get_by_role("button", name="Join").click()
    wait(page)
    lose_a_chip(page)
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
    visit: Visitors, lasting: Server
) -> None:
    page = visit(address=lasting.address, java_script_enabled=False)
    new_table(page, GAME.name)
    with page.expect_navigation():
        lose_a_chip(page)
    expect(page.locator("#board")).to_have_attribute("data-mine", "1")  # it loads again until then
    summary = page.get_by_role("group", name="Since your last move")
    expect(summary).to_contain_text("You hit 22 and lose a chip")
    expect(summary).to_contain_text("Ada plays")


def lose_a_chip(page: Page) -> None:
    page.locator("button[form=play][value='22']").first.click()


def play_low(page: Page) -> None:
    """Play the lowest card, which costs nothing."""
    cards = page.locator("button[form=play]")
    values = cards.evaluate_all("all => all.map(one => Number(one.value) || 100)")
    cards.nth(values.index(min(one for one in values if one > 0))).click()
