"""What axe finds on a page, in each of its looks."""

from __future__ import annotations

from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.web.browser.conftest import DESKTOP, PHONE
from tests.web.browser.play import WIDER, at_rest

AXE = Axe().axe_script
ALL: dict[str, Any] = {"resultTypes": ["violations"]}
COLORS = ALL | {"runOnly": ["color-contrast", "link-in-text-block"]}
"""What dark pages can do wrong that light ones do right: their style sheets differ in colors."""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def violations(page: Page, options: dict[str, Any]) -> list[dict[str, Any]]:
    """What axe finds. It is loaded once into each page."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    run = "options => axe.run(options).then(found => found.violations)"
    found: list[dict[str, Any]] = page.evaluate(run, options)
    return found


def assert_clean(page: Page) -> None:
    """No violation in any of the four looks."""
    at_rest(page)
    found: dict[str, object] = {}
    for name, size in (("desktop", DESKTOP), ("phone", PHONE)):
        page.set_viewport_size(size)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            at_rest(page)
            for violation in violations(page, COLORS if scheme == "dark" else ALL):
                for node in violation["nodes"]:
                    where = f"{violation['id']}: {node['html'][:200]} {node['target']}"
                    found.setdefault(where, (f"{name} {scheme}", node["failureSummary"]))
            if (wide := page.evaluate(WIDER)) > 0:
                found[f"{wide} pixels too wide"] = (name, "")
    assert not found, "\n".join(f"{k}\n    {v}" for k, v in found.items())
