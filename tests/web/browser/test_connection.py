"""What a page does when the server or the network fails."""

from __future__ import annotations

import random
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
