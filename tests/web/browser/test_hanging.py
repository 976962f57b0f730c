"""Pages keep up when requests hang without failing, and say what they wait for."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Visitors
from tests.web.browser.play import MOVES, QUICK, choose, new_table, ply, wait
from tests.web.helpers.holding import HoldingProxy
from tests.web.helpers.server import Server

STREAM = b"/stream?"


@pytest.fixture
def proxy(server: Server) -> Iterator[HoldingProxy]:
    with HoldingProxy(server.port).running() as proxy:
        yield proxy


def table_of(proxy: HoldingProxy, visit: Visitors) -> Page:
    page = visit(address=proxy.address)
    new_table(page, QUICK)
    wait(page)
    return page


def test_six_tables_in_tabs_leave_room_for_a_seventh_page_and_for_moves(visit: Visitors) -> None:
    """Over HTTP/1.1, where a browser has six connections to a server."""
    page = visit()
    new_table(page, QUICK)
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


def test_a_stream_that_is_held_back_is_said_and_the_table_goes_on(
    proxy: HoldingProxy, visit: Visitors
) -> None:
    proxy.held = (STREAM,)
    page = table_of(proxy, visit)
    expect(page.locator("#connection")).to_contain_text("delayed")
    for seed in range(2):
        before = ply(page)
        choose(page, random.Random(seed))
        wait(page, before)
    proxy.held = ()
    expect(page.locator("#connection")).to_be_hidden()


def test_a_page_that_wakes_is_up_to_date_at_once(proxy: HoldingProxy, visit: Visitors) -> None:
    """While it slept its stream died without a word."""
    page = table_of(proxy, visit)
    other = page.context.new_page()
    other.goto(page.url)
    before = ply(page)
    proxy.held = (STREAM,)
    card = other.locator(MOVES).first
    card.click()
    wait(other, before)
    page.evaluate("dispatchEvent(new Event('online'))")
    page.wait_for_function(
        "before => document.getElementById('board').dataset.ply > before",
        arg=before,
        timeout=10_000,
    )
    proxy.held = ()
