"""The panel at the end of a game: readable, still where that is wanted, and easy to put aside."""

from __future__ import annotations

import random

from playwright.sync_api import expect

from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import DESKTOP, PHONE, Visitors
from tests.web.browser.play import QUICK, play_to_the_end, short_table, shows_result


def test_the_end_is_clean_on_every_screen_and_shows_the_table_again(visit: Visitors) -> None:
    page = visit()
    short_table(page, QUICK, begun=True)
    play_to_the_end(page, random.Random("ending"))
    shows_result(page)
    assert_clean(page)
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        for name in ("Rematch", "Review", "Replay"):
            expect(page.locator("#ending .next").get_by_text(name, exact=True)).to_be_visible()
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("heading", name="Share this result")).to_be_visible()
    expect(page.locator(".preview")).to_have_js_property("naturalWidth", 1200)
    assert_clean(page)
    with page.expect_navigation():
        page.get_by_role("link", name="Back to the table").click()
    page.get_by_text("See the table").click()
    expect(page.locator("#ending")).not_to_be_visible()
    expect(page.locator(".scene")).to_be_visible()
    page.get_by_text("See the result").click()
    expect(page.locator("#ending")).to_be_visible()
    moving = "one => one.getAnimations({ subtree: true }).length"
    assert page.locator("#ending").evaluate(moving) == 0
