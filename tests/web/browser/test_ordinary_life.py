# ruff: noqa: RUF001 - a Cyrillic key
"""Browsers that keep nothing or lack something, two browsers of one person, and quick fingers."""

import re
from pathlib import Path

from playwright.sync_api import Page, Route, expect

from tests.web.browser.conftest import Visitors
from tests.web.browser.play import new_table, play_now

NO_STORAGE = """for (const area of ["localStorage", "sessionStorage"])
    Object.defineProperty(globalThis, area, {get() { throw new Error("forbidden"); }});
"""
NO_COOKIES = "Object.defineProperty(Document.prototype, 'cookie', {get: () => '', set() {}});"
OLD = """delete Element.prototype.checkVisibility;
delete Document.prototype.startViewTransition;
delete Navigator.prototype.clipboard;
"""
KEY = """([key, code, repeat]) => document.body.dispatchEvent(
    new KeyboardEvent("keydown", {key, code, repeat, bubbles: true}))"""


def waiting(page: Page) -> str:
    """The invitation to a table that waits."""
    new_table(page, "double-down", ["you", *["a friend, by link"] * 2])
    link = page.get_by_label("Link", exact=True).input_value()
    return re.sub(r"^https?://[^/]+", "", link)


def test_tomas_comes_from_another_browser(visit: Visitors, tmp_path: Path) -> None:
    anna, app, browser = visit(), visit(phone=True), visit(phone=True)
    invite = waiting(anna)
    app.goto(invite)
    app.get_by_label("Your name").fill("Tomas")
    app.get_by_role("button", name="Join").dblclick()
    expect(app).to_have_url(re.compile("/t/"))
    browser.goto(invite)
    browser.get_by_text("Did you join in another browser or app?").click()
    browser.screenshot(path=tmp_path / "claim.png", full_page=True)
    browser.get_by_role("button", name="I'm Tomas already").click()
    expect(browser.get_by_role("status")).to_contain_text("We've asked Hanna")
    visit.expect("403")  # a page may ask for its seat's board before it hears that it lost it
    anna.get_by_role("button", name="Let them in").click()
    expect(browser).to_have_url(re.compile("/t/"))
    expect(anna.get_by_role("button", name="Free Tomas’s seat")).to_be_visible()
    watches = re.compile("seat=-1")
    expect(app.locator("#live")).to_have_attribute("data-view", watches)  # told by its stream
    visit.expect("ERR_FAILED")
    browser.route("**/stream?*", lambda route: route.abort())
    browser.reload()
    expect(browser.locator("#live")).to_have_attribute("data-view", re.compile("seat=1"))
    anna.get_by_role("button", name="Free Tomas’s seat").click()
    expect(anna.get_by_role("button", name="Free Tomas’s seat")).to_have_count(0)
    expect(browser.locator("#live")).to_have_attribute("data-view", watches)


def test_nothing_is_kept(visit: Visitors) -> None:
    page = visit()
    page.add_init_script(NO_STORAGE)
    play_now(page, "double-down")
    sound = page.get_by_role("button", name="Sound")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "true")
    for path in ("/", "/new/double-down", "/puzzles", "/fair", "/me"):
        page.goto(path)
    waiting(page)


def test_without_cookies_nothing_begins(visit: Visitors) -> None:
    invite, page = waiting(visit()), visit(phone=True)
    page.add_init_script(NO_COOKIES)
    for path, name in ((invite, "Join"), ("/", "Play now"), ("/new/double-down", "Start")):
        page.goto(path)
        expect(page.get_by_role("alert")).to_contain_text("keeps no cookies")
        for button in page.get_by_role("button", name=name, exact=name == "Start").all():
            expect(button).to_be_disabled()


def test_an_old_browser(visit: Visitors) -> None:
    """It lacks what is newer than the floor that docs/tables.md states; the page stays readable."""
    page = visit()
    page.add_init_script(OLD)

    def older(route: Route) -> None:
        reply = route.fetch()
        route.fulfill(response=reply, body=reply.text().replace("light-dark(", "no-such("))

    page.route("**/*.css*", older)
    invite = waiting(page)
    ink, ground = page.evaluate(
        "(({color, backgroundColor}) => [color, backgroundColor])(getComputedStyle(document.body))"
    )
    assert (ink, ground) == ("rgb(29, 42, 36)", "rgb(246, 241, 227)")
    page.get_by_role("button", name="Copy").first.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    page.goto(invite)
    play_now(page, "double-down")
    page.locator("button[form=play]:visible").first.wait_for()


def test_shortcuts_of_other_keyboards(visit: Visitors) -> None:
    page = visit()
    for key in ("H", "р", "h"):
        play_now(page, "double-or-quits")
        page.evaluate(KEY, [key, "KeyH", True])  # a key that was held
        expect(page.locator(".hint b")).to_have_count(0)
        page.evaluate(KEY, [key, "KeyH", False])
        expect(page.locator(".hint b")).to_be_visible()


def test_after_an_update_an_idle_page_is_loaded_again(visit: Visitors) -> None:
    page = visit()
    page.clock.install()
    play_now(page, "double-or-quits")
    change = "document.getElementById('board').dataset.version = 'newer'"
    page.evaluate(f"{change}; globalThis.old = true")
    page.clock.run_for(10_000)
    assert page.evaluate("globalThis.old")
    with page.expect_navigation():
        page.clock.run_for(20_000)
