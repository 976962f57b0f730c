"""The home page on a desk and on a phone."""

from __future__ import annotations

import re

from playwright.sync_api import ViewportSize, expect

from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import DESKTOP, PHONE, Visitors
from tests.web.browser.play import new_table

NARROW: ViewportSize = {"width": 320, "height": 640}


def test_everything_is_on_the_first_screen(visit: Visitors) -> None:
    host, page = visit(), visit()
    new_table(host, seats=["you", "a friend, by link"], public=True)
    new_table(page, "double-or-quits")
    page.goto("/")
    join = page.get_by_role("region", name="Join a table")
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        for button in page.get_by_role("button", name="Play now").all():
            expect(button).to_be_in_viewport(ratio=1)
    page.set_viewport_size(DESKTOP)
    expect(join).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("link", name="Your turn")).to_be_in_viewport(ratio=1)
    assert_clean(page)
    page.set_viewport_size(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    join.get_by_role("link", name="Join").click()
    page.get_by_label("Your name").fill("Gina")
    page.get_by_role("button", name="Join").click()
    expect(page).to_have_url(host.url)


def test_friends_are_invited_from_the_first_screen(visit: Visitors) -> None:
    page = visit(phone=True)
    page.set_viewport_size(NARROW)
    page.goto("/")
    page.get_by_role("listitem").filter(has_text="Dominoes").get_by_role("button").last.click()
    sheet = page.get_by_role("region", name="Double Double Dominoes")
    for button in sheet.get_by_role("button").all():
        expect(button).to_be_in_viewport(ratio=1)
    assert_clean(page)
    sheet.get_by_label("Your name").fill("Gina")
    sheet.get_by_label("Number of players").select_option("3 players")
    sheet.get_by_role("button", name="Get the link").click()
    expect(page.get_by_label("Link", exact=True)).to_have_value(re.compile("/join/"))
