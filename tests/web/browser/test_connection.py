"""What a page does when the server or the network fails."""

import random
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import (
    MOVES,
    choose,
    held_back,
    hold,
    new_table,
    play_one_move,
    ply,
    wait,
)
from tests.web.helpers.server import Server

GONE = (
    "ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_INCOMPLETE_CHUNKED_ENCODING|htmx:error"
    "|Failed to load resource|net::ERR_FAILED"
)
"""What Chromium and htmx log to the console when a server is gone."""


def _log(page: Page) -> list[str]:
    return page.locator("#log li").all_inner_texts()


def test_a_killed_and_restarted_server_has_lost_nothing(
    visit: Visitors, serve: Callable[..., Server]
) -> None:
    """And in the meantime other pages say that there is no connection."""
    visit.expect(GONE)
    server = serve()
    page = new_table(visit(address=server.address))
    chance = random.Random("kill")
    for _ in range(3):
        play_one_move(page, chance)
    before = _log(page)
    app = visit(address=server.address, service_workers="allow")
    app.goto("/")
    app.wait_for_function("() => navigator.serviceWorker.ready.then(one => one.active !== null)")
    app.goto("/rules")
    app.wait_for_function("() => navigator.serviceWorker.controller !== null")
    server.kill()
    lost = page.get_by_role("status").filter(has_text="Connection lost")
    expect(lost).to_be_visible()
    choose(page, chance)
    expect(page.get_by_role("alert").filter(has_text="was not played")).to_be_visible()
    assert _log(page) == before
    app.goto("/puzzles")
    expect(app.get_by_role("heading", name="No connection")).to_be_visible()
    assert_clean(app)
    server.start(server.port)
    expect(lost).to_be_hidden()
    expect(app.get_by_role("heading", name="Puzzles", exact=True).first).to_be_visible()
    page.locator("#notice").evaluate("one => one.hidden = true")  # it disappears automatically
    assert _log(page) == before
    play_one_move(page, chance)
    assert _log(page)[-len(before) :] == before


def test_a_click_shows_at_once_that_it_was_taken(visit: Visitors) -> None:
    """Before the server has heard of it: the card stands out until it has answered."""
    page = new_table(visit())
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


def test_six_tables_in_tabs_leave_room_for_a_seventh_page_and_for_moves(visit: Visitors) -> None:
    """Over HTTP/1.1, where a browser has six connections to a server."""
    page = new_table(visit())
    pages = [page, *(page.context.new_page() for _ in range(5))]
    for tab in pages[1:]:
        tab.goto(page.url)
    page.wait_for_timeout(500)  # until they have agreed on who has a stream
    seventh = page.context.new_page()
    seventh.goto("/", timeout=10_000)
    expect(seventh.get_by_role("heading", name="Double Down")).to_be_visible()
    wait(page)
    before = ply(page)
    choose(pages[-1], random.Random(1))
    for tab in pages:
        wait(tab, before)
        expect(tab.locator("#connection")).to_be_hidden()
    for tab in pages[:3]:  # two of them have a stream: their places are taken over
        tab.close()
    before = ply(pages[-1])
    choose(pages[-1], random.Random(2))
    for tab in pages[3:]:
        wait(tab, before)


def test_a_stream_that_is_held_back_is_said_and_the_table_goes_on(visit: Visitors) -> None:
    page = visit()
    held = hold(page, "**/stream?*")
    new_table(page)
    expect(page.locator("#connection")).to_contain_text("delayed")
    for seed in range(2):
        before = ply(page)
        choose(page, random.Random(seed))
        wait(page, before)
    held_back(page, held).continue_()
    expect(page.locator("#connection")).to_be_hidden()
