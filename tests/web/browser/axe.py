"""What axe finds on a page, in each of its looks."""

from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Frame, Page, ViewportSize

from tests.web.browser.conftest import DESKTOP, PHONE
from tests.web.browser.play import WIDER, at_rest

AXE = Axe().axe_script
ALL: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
"""Style sheets and media are fetched once more only for rules that are off, and for sounds."""
LOOKS: tuple[tuple[ViewportSize, Literal["light", "dark"]], ...] = (
    (DESKTOP, "light"),
    (PHONE, "dark"),
)
"""Every size and every color scheme: colors do not depend on the size."""
SIZES: tuple[ViewportSize, ...] = (
    {"width": 320, "height": 640},
    {"width": 390, "height": 664},
    {"width": 844, "height": 390},
    {"width": 1280, "height": 800},
)


def violations(page: Page | Frame) -> list[dict[str, Any]]:
    """What axe finds. It is loaded once into each page."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    run = "options => axe.run(options).then(found => found.violations)"
    found: list[dict[str, Any]] = page.evaluate(run, ALL)
    return found


def assert_clean(page: Page) -> None:
    """No violation in any of the looks."""
    found: dict[str, object] = {}
    for size, scheme in LOOKS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        at_rest(page)
        for violation in violations(page):
            for node in violation["nodes"]:
                where = f"{violation['id']}: {node['html'][:200]} {node['target']}"
                found.setdefault(where, (scheme, node["failureSummary"]))
        if (wide := page.evaluate(WIDER)) > 0:
            found[f"{wide} pixels too wide"] = (scheme, "")
    assert not found, "\n".join(f"{k}\n    {v}" for k, v in found.items())


def assert_fits(page: Page) -> None:
    """No size of screen has to be scrolled sideways, and nothing is wrong for helping programs."""
    for size in SIZES:
        page.set_viewport_size(size)
        assert page.evaluate(WIDER) == 0, size
    assert_clean(page)
