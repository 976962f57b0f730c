"""The form of a new table in a browser, with and without scripts."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import choose_number


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
    expect(page.get_by_role("heading", name="Invite friends")).to_be_visible()
