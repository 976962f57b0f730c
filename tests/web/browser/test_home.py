"""The home page on a desk and on a phone, and the form of a new table."""

import re

from playwright.sync_api import ViewportSize, expect

from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import DESKTOP, PHONE, Visitors
from tests.web.browser.play import choose_number, new_table

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
    join.get_by_role("link", name="Find people").click()
    page.get_by_role("link", name="Join").click()
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


def test_seats_follow_the_number_of_players_without_scripts(visit: Visitors) -> None:
    page = visit(java_script_enabled=False)
    page.goto("/new/three-up")
    seats = page.get_by_role("combobox", name="Player")
    assert sum(seat.is_visible() for seat in seats.all()) == 4
    expect(page.get_by_text("Decks: 2.")).to_have_count(6)
    choose_number(page, 8)
    assert sum(seat.is_visible() for seat in seats.all()) == 8
    expect(page.get_by_text("For 8 players: Decks: 2.")).to_be_visible()
    expect(page.get_by_text("For 9 players: Decks: 2.")).not_to_be_visible()
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".seat")).to_have_count(8)


def test_changed_rules_are_shown_and_the_form_is_clean(visit: Visitors) -> None:
    page = visit()
    page.goto("/new/three-up")
    name, rules = page.get_by_label("Your name"), page.locator("#changed")
    seated = page.locator("#seated")
    expect(seated).to_have_text("4 players: you and 3 club bots.")
    expect(rules).to_have_text("standard rules")
    page.get_by_text("House rules").click()
    page.get_by_role("switch", name="Swap piles").check()
    page.get_by_label("Colors").select_option("2")
    expect(rules).to_have_text(re.compile("^Colors: .*Swap piles$"))
    expect(name).not_to_have_attribute("required", "")
    page.get_by_label("Player 2", exact=True).select_option("friend")
    expect(name).to_have_attribute("required", "")
    page.get_by_label("Player 3", exact=True).select_option("bot expert")
    expect(seated).to_have_text("4 players: you, a friend by link, an expert bot and a club bot.")
    expect(page.get_by_text("Friends need to know")).to_be_visible()
    assert_clean(page)
    page.get_by_role("button", name="Start").click()
    expect(name).to_be_focused()
    name.fill("Anna")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("region", name="Invitation")).to_be_visible()
