"""Clocks in a browser: they count down, warn, stand in a pause and run out; and the next turn."""

import re

from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Visitors
from tests.web.browser.play import QUICK, asked, new_table, table_of, wait


def timed_table(page: Page, clock: str, *then: str) -> None:
    page.goto(f"/new/{QUICK}")
    page.locator("fieldset.players label").first.click()
    page.get_by_label("Time to think").select_option(clock)
    for one in then:
        page.get_by_label("When it runs out").select_option(one)
    with page.expect_navigation():
        page.get_by_role("button", name="Start").click()
    asked(page, f"/api/tables/{table_of(page)}/pace", {"pace": "instant"})
    wait(page)


def test_a_clock_counts_stands_in_a_pause_and_leads_to_the_next_turn(visit: Visitors) -> None:
    page = new_table(visit(phone=True))
    untimed = page.url.split("?")[0]
    expect(page.locator("#next-turn")).to_have_count(0)
    timed_table(page, "2-minutes")
    assert page.evaluate("document.querySelector('[name=zone]')") is None
    left = page.locator(".time-left")
    expect(left).to_have_text(re.compile(r"1:[0-5]\d"))
    before = left.text_content()
    expect(left).not_to_have_text(before or "")
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    page.get_by_role("button", name="Menu", exact=True).click()
    page.get_by_role("button", name="Ask for a pause").click()
    expect(page.get_by_text("The game is paused.")).to_be_attached()
    page.keyboard.press("Escape")
    expect(left).to_have_count(0)
    page.get_by_role("button", name="Go on").click()
    expect(left).to_have_text(re.compile(r"[12]:[0-5]\d"))
    page.get_by_role("link", name="Go to the next table").click()
    expect(page).to_have_url(re.compile(re.escape(untimed)))


def test_when_time_runs_out_a_bot_moves_and_the_log_says_so(visit: Visitors) -> None:
    page = visit()
    timed_table(page, "30-seconds", "once")
    expect(page.locator("#time-said")).to_have_text("You have ten seconds left.")
    expect(page.locator("#board")).to_have_class(re.compile("soon"))
    said = re.compile("run out of time; a bot .* makes this move")
    expect(page.locator("#log").get_by_text(said).first).to_be_attached(timeout=30_000)
    page.get_by_role("button", name="Play on").click()  # until then nobody plays any more
    wait(page)  # it is the player's turn again
