"""What a table sounds like: off until it is turned on, then a sound for what happens."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.web.browser.conftest import Visitors
from tests.web.browser.play import play_now, ply, wait

LISTEN = """
globalThis.voices = 0;
const { start } = AudioScheduledSourceNode.prototype;
AudioScheduledSourceNode.prototype.start = function (when) {
  voices += 1;
  return start.call(this, when);
};
"""


def test_sounds_are_offered_once_and_heard_when_something_happens(visit: Visitors) -> None:
    page = visit()
    page.add_init_script(LISTEN)
    play_now(page, "double-down")
    wait(page)  # bots that begin would be heard
    button = page.get_by_role("button", name="Sound")
    expect(button).to_have_text("♪ Sound?")
    page.reload()
    expect(button).to_have_text("♪")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert page.evaluate("voices") == 0
    button.click()
    assert (before := page.evaluate("voices")) > 0
    shown = ply(page)
    page.locator("button.card[form=play]").first.click()
    wait(page, shown)  # a page that is loaded again plays nothing before it is touched
    assert page.evaluate("voices") > before
    page.reload()
    expect(button).to_have_attribute("aria-pressed", "true")
