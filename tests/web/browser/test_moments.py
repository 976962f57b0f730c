"""What a page shows in the middle of a move, and for how long."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Visitors
from tests.web.browser.play import table_of_two, wait

LASTING = """{
    const usual = setTimeout;
    setTimeout = (what, after, ...rest) => usual(what, after > 2000 ? 1e9 : after, ...rest);
}"""
"""Lets moments last for days."""
AWAY = """away => {
    Object.defineProperty(document, "hidden", {configurable: true, get: () => away});
    document.dispatchEvent(new Event("visibilitychange"));
}"""
CHIP = '#board[data-moment="chip-lost"]'


def test_a_lost_chip_is_shown_until_a_tap_and_told_to_a_page_out_of_sight(visit: Visitors) -> None:
    """Without motion, too."""
    page, guest = visit(), visit()
    for one in (page, guest):
        one.add_init_script(LASTING)
    table_of_two(page, guest, pace="normal")
    wait(page)
    page.locator("button[form=play][value='22']").first.click()
    for one in (page, guest):
        expect(one.locator(CHIP)).to_be_attached()
    prompt = guest.locator("#prompt")
    expect(prompt).to_contain_text("chip")
    expect(prompt).to_have_attribute("role", "status")
    expect(guest.locator("button[form=play]")).to_have_count(0)
    page.evaluate(AWAY, True)
    expect(page.locator(CHIP)).to_have_count(0)
    prompt.click()
    expect(guest.locator(CHIP)).to_have_count(0)
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


def play_low(page: Page) -> None:
    """Play the lowest card, which costs nothing."""
    cards = page.locator("button[form=play]")
    values = cards.evaluate_all("all => all.map(one => Number(one.value) || 100)")
    cards.nth(values.index(min(one for one in values if one > 0))).click()
