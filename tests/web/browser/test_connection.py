"""What a page does when the server or the network fails."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web.browser.conftest import Visitors
from tests.web.browser.play import (
    MOVES,
    QUICK,
    choose,
    held_back,
    hold,
    new_table,
    play_one_move,
    play_to_the_end,
    ply,
    shows_result,
    wait,
)
from tests.web.helpers.server import Server

LOST = "|".join(
    ("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_INCOMPLETE_CHUNKED_ENCODING")
)
"""What Chromium logs to the console when a server is gone."""
HTMX = r"htmx: htmx:error"
"""What htmx logs to the console then."""


@pytest.fixture
def fragile(serve: Callable[..., Server]) -> Server:
    """A separate server that the test can kill."""
    return serve()


def _log(page: Page) -> list[str]:
    return page.locator("#log li").all_inner_texts()


def test_a_killed_and_restarted_server_has_lost_nothing(visit: Visitors, fragile: Server) -> None:
    visit.expect(LOST)
    visit.expect(HTMX)
    page = visit(address=fragile.address)
    new_table(page, QUICK)
    chance = random.Random("kill")
    wait(page)
    for _ in range(3):
        play_one_move(page, chance)
    before = _log(page)
    fragile.kill()
    lost = page.get_by_role("status").filter(has_text="Connection lost")
    expect(lost).to_be_visible()
    choose(page, chance)
    expect(page.get_by_role("alert").filter(has_text="was not played")).to_be_visible()
    assert _log(page) == before
    fragile.start(fragile.port)
    expect(lost).to_be_hidden()
    page.locator("#notice").evaluate(
        "notice => notice.hidden = true"
    )  # it disappears automatically
    assert _log(page) == before
    play_one_move(page, chance)
    assert _log(page)[-len(before) :] == before
    play_to_the_end(page, chance)
    shows_result(page)


def test_the_page_waits_for_a_late_script(visit: Visitors) -> None:
    """The page must not start before it knows how to listen for changes."""
    page = visit()

    def late(route: Route) -> None:
        time.sleep(0.4)
        route.continue_()

    page.route("**/table/follow.js", late)
    new_table(page, QUICK)
    wait(page)
    play_one_move(page, random.Random(1))


def test_a_click_shows_at_once_that_it_was_taken(visit: Visitors) -> None:
    """Before the server has heard of it: the card stands out until it has answered."""
    page = visit()
    new_table(page, QUICK)
    wait(page)
    held = hold(page, "**/move")
    card = page.locator(MOVES).first
    chosen = card.get_attribute("value")
    card.click()
    expect(page.locator(".sent")).to_have_attribute("value", chosen or "")
    page.wait_for_timeout(800)
    expect(page.locator(".sent")).to_have_count(1)
    before = ply(page)
    held_back(page, held).continue_()
    wait(page, before)
    expect(page.locator(".sent")).to_have_count(0)


def test_a_click_that_failed_is_taken_back(visit: Visitors) -> None:
    visit.expect("ERR_FAILED")
    visit.expect(HTMX)
    page = visit()
    new_table(page, QUICK)
    wait(page)
    page.route("**/move", lambda route: route.abort())
    page.locator(MOVES).first.click()
    expect(page.get_by_role("alert").filter(has_text="was not played")).to_be_visible()
    expect(page.locator(".sent")).to_have_count(0)


def test_a_move_from_an_outdated_page_is_refused(visit: Visitors) -> None:
    visit.expect("ERR_FAILED")  # from the blocked stream
    visit.expect(HTMX)
    visit.expect("409")
    page = visit()
    for way in ("stream", "board"):
        page.route(f"**/{way}?*", lambda route: route.abort())
    new_table(page, QUICK)
    while page.locator("#board").get_attribute("data-mine") != "1":
        page.reload()
    other = page.context.new_page()
    other.goto(page.url)
    before = ply(other)
    other.locator(MOVES).first.click()
    wait(other, before)
    page.locator(MOVES).last.click()
    expect(page.get_by_role("alert")).to_contain_text("The position has changed")


@pytest.mark.thorough
def test_a_move_after_a_double_tap_is_sent(visit: Visitors) -> None:
    """Though no answer has come to the first tap, and its cards still fly."""
    page = visit(still=False)
    new_table(page, "double-or-quits")
    wait(page)
    sent = _unanswered(page)
    pile = page.locator("button[value=flip]")
    ways: tuple[Callable[[], None], ...] = (
        pile.click,
        lambda: pile.press("Enter"),
        lambda: pile.drag_to(page.locator("[data-drop]").first),
    )
    for way in ways:
        before = ply(page)
        sent.clear()
        pile.dblclick()
        wait(page, before)
        way()
        wait(page, before + 1)
        assert sent == [f"{before}", f"{before + 1}"]
        page.wait_for_timeout(600)  # else the next click would belong to this one


def test_a_move_that_is_too_late_is_not_sent(visit: Visitors) -> None:
    page = visit()
    new_table(page, QUICK)
    wait(page)
    sent = _unanswered(page)
    page.locator(MOVES).evaluate_all("all => all.slice(0, 2).forEach(one => one.click())")
    expect(page.get_by_role("alert")).to_contain_text("The position changed")
    assert len(sent) == 1
    expect(page.locator(".sent")).to_have_count(0)


def _unanswered(page: Page) -> list[str]:
    """Keep the answers to moves from the page; from which ply each move is sent."""
    sent: list[str] = []

    def keep(route: Route) -> None:
        sent.extend(parse_qs(route.request.post_data or "")["ply"])
        route.fetch()

    page.route("**/move", keep)
    return sent
