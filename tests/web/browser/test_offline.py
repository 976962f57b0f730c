"""Without connection a page of the app's own is shown, until the server answers again."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import Visitors
from tests.web.helpers.server import Server


def test_without_connection_a_page_says_so_and_comes_back(
    visit: Visitors, serve: Callable[..., Server]
) -> None:
    visit.expect("ERR_CONNECTION_REFUSED|Failed to load resource|net::ERR_FAILED")
    server = serve()
    page = visit(address=server.address, service_workers="allow")
    page.goto("/")
    page.wait_for_function("() => navigator.serviceWorker.ready.then(one => one.active !== null)")
    page.goto("/rules")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    server.stop()
    page.goto("/puzzles")
    expect(page.get_by_role("heading", name="No connection")).to_be_visible()
    assert_clean(page)
    server.start(server.port)
    expect(page.get_by_role("heading", name="Puzzles", exact=True).first).to_be_visible()
