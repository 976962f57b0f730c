"""What a table sounds like: off until it is turned on, then a sound for what happens."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from redouble.contract.moments import SOUNDS
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import play_now, wait

LISTEN = """
globalThis.listened = [];
Object.defineProperty(globalThis, "playSounds", {
  set(play) { this.reallyPlay = play; },
  get() {
    return (names, volume) => {
      if (volume) listened.push(...names.split(" ").filter(Boolean));
      this.reallyPlay(names, volume);
    };
  },
});
"""


def heard(page: Page) -> list[str]:
    found: list[str] = page.evaluate("listened")
    return found


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
    assert heard(page) == []
    button.click()
    assert heard(page) == ["turn"]
    page.locator("button.card[form=play]").first.click()
    for _ in range(300):
        if heard(page).count("count") > 1:  # a bot has played, too
            break
        page.wait_for_timeout(100)
    assert heard(page)[:3] == ["turn", "place", "count"]
    assert heard(page).count("count") > 1
    page.reload()
    expect(button).to_have_attribute("aria-pressed", "true")


def test_every_sound_has_voices_that_end_within_a_second(visit: Visitors) -> None:
    page = visit()
    play_now(page, "double-down")
    made = page.evaluate(
        """(names) => names.map((name) => {
          let last = 0;
          const start = AudioScheduledSourceNode.prototype.start;
          const stop = AudioScheduledSourceNode.prototype.stop;
          AudioScheduledSourceNode.prototype.stop = function (when) {
            last = Math.max(last, when - this.context.currentTime);
            return stop.call(this, when);
          };
          playSounds(name, 0.1);
          AudioScheduledSourceNode.prototype.stop = stop;
          return last;
        })""",
        list(SOUNDS),
    )
    assert all(0 < seconds < 1 for seconds in made), made
