"""One browser and one server for all browser tests of a worker, and pages that report errors.

The scope is the package, not the session: while Playwright runs, its event loop counts as running
in this thread, and tests elsewhere couldn't run their own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Page,
    Playwright,
    ViewportSize,
    expect,
    sync_playwright,
)

from tests.web.browser.chromium import MISSING, PLAY_ALL, launch
from tests.web.browser.firefox import launch_firefox
from tests.web.helpers.server import Server, dealing, program

DESKTOP: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}
PATIENCE = 30_000
"""Milliseconds that a page may take for one step, on a machine that is busy with other things."""
expect.set_options(timeout=PATIENCE)


DEAL = "4"
"""Of every table. In Double Down for two the first player can lose a chip at once, with a 22."""
REPEATABLE = program(
    dealing(DEAL),
    "from datetime import date",
    "from redouble.analysis.puzzle import puzzles_of",
    "from redouble.web.features.daily import deals, tries",
    "from redouble.web.table import clocks",
    "digest, puzzle = deals._digest, puzzles_of(deals.GAMES['double-down'])[0]",
    "deals._digest = lambda secret, day, what: digest('', date.min, what)",
    "deals.daily_puzzle = lambda secret, day: puzzle",
    "tries.Dailies.today = lambda self: self.first",
    "clocks.CONTROLS['30-seconds'] = clocks.TimeControl(move=4)",
    "clocks.FIRST_SECONDS = 0",
)
"""The command, with the same deals at every table and on every day: a test that passes once must
not fail because of the cards. No day ends, and the puzzle of the day is the first of Double Down.
The shortest clock has four seconds, and no more for a first move.
"""


class Visitors:
    """Opens pages, each for a new visitor, and collects the errors that occur in them."""

    def __init__(self, browser: Browser, address: str) -> None:
        self._phones = browser.browser_type.name == "chromium"
        self._browser = browser
        self._address = address
        self._pages: list[Page] = []
        self._expected = ["Service Worker registration blocked by Playwright"]
        if not self._phones:  # Firefox also reports the streams of pages that are left
            self._expected.append("establish a connection to the server at .*/stream|interrupted")
        self.errors: list[str] = []

    def __call__(
        self,
        *,
        phone: bool = False,
        still: bool = True,
        forced: bool = False,
        address: str = "",
        **options: Any,
    ) -> Page:
        """Open a page for a new visitor.

        ``still``: the visitor prefers reduced motion. ``forced``: the page plays forced moves where
        it usually does, instead of never.
        """
        options.setdefault("viewport", PHONE if phone else DESKTOP)
        options.setdefault("reduced_motion", "reduce" if still else "no-preference")
        options.setdefault("base_url", address or self._address)
        options.setdefault("service_workers", "block")  # only its own tests are about it
        if self._phones:
            options |= {"has_touch": phone, "is_mobile": phone}
        context = self._browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        if not forced:
            context.add_init_script(PLAY_ALL)
        page = context.new_page()
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._error(f"uncaught: {error}"))
        self._pages.append(page)
        return page

    def expect(self, pattern: str) -> None:
        """Ignore errors that match this pattern: for tests that provoke them."""
        self._expected.append(pattern)

    @contextmanager
    def open(self) -> Iterator[Visitors]:
        """Close all pages in the end, and fail if one of them had errors."""
        yield self
        for page in self._pages:
            page.context.close()
        assert not self.errors, "\n".join(self.errors)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._error(f"{message.type}: {message.text} ({message.location['url']})")

    def _error(self, text: str) -> None:
        if not any(re.search(pattern, text) for pattern in self._expected):
            self.errors.append(text)


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    if os.environ.get("REDOUBLE_NO_BROWSER"):
        pytest.skip("REDOUBLE_NO_BROWSER is set: browser tests are skipped")
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="package")
def browser(
    playwright: Playwright,
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Browser]:
    """A browser for most tests: Chromium's headless shell if there is one, or Firefox."""
    if request.config.option.firefox:
        yield from _open(launch_firefox(playwright, tmp_path_factory.mktemp("firefox")))
    else:
        yield from _open(launch(playwright))


@pytest.fixture(scope="package")
def whole_browser(
    browser: Browser, playwright: Playwright, request: pytest.FixtureRequest
) -> Iterator[Browser]:
    """A browser with all that people have, for what the headless shell lacks."""
    if request.config.option.firefox:
        yield browser
    else:
        yield from _open(launch(playwright, whole=True))


def _open(browser: Browser | None) -> Iterator[Browser]:
    if browser is None:
        pytest.fail(MISSING, pytrace=False)
    yield browser
    browser.close()


@pytest.fixture(scope="package")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running server. It needs the browser first: without one, no server is started."""
    with Server(tmp_path_factory.mktemp("server"), REPEATABLE).running() as server:
        yield server


@pytest.fixture
def serve(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts a server of the test's own, with the arguments of `Server` after the directory.

    It stops after the pages have closed: one that is still open would report the loss.
    """
    with ExitStack() as stack:
        yield lambda *given: stack.enter_context(Server(tmp_path, *given).running())


@pytest.fixture
def visit(browser: Browser, server: Server, serve: Callable[..., Server]) -> Iterator[Visitors]:
    """Opens pages. The test fails if one of them had errors."""
    with Visitors(browser, server.address).open() as visitors:
        yield visitors
