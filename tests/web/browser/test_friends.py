"""Friends in a browser: added after a game, online on the home page, invited with a tap."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.web.browser.axe import SIZES, assert_fits
from tests.web.browser.conftest import Visitors


def look_for_people(page: Page) -> None:
    page.goto("/")
    card = page.get_by_role("listitem").filter(has_text="Double Down")
    card.get_by_role("button", name="Friends").click()
    page.get_by_role("button", name="Play people").click()


def test_two_strangers_play_become_friends_and_meet_again(visit: Visitors) -> None:
    pages = anna, ben = visit(), visit()
    for page, name in ((anna, "Anna"), (ben, "Ben")):
        page.goto("/")
        page.request.post("/me/name", form={"name": name})
        look_for_people(page)
    assert anna.url == ben.url
    here = anna.url
    expect(anna.get_by_role("complementary")).to_contain_text("Ben is new here.")
    assert_fits(anna)
    anna.set_viewport_size(SIZES[-1])
    anna.request.post(f"{here}/do", form={"command": "fill"})
    expect(anna.locator("#board")).to_have_attribute("data-waiting", "0")
    for seat, page in enumerate(pages):
        page.request.post(f"{here}/do", form={"command": "resign", "seat": f"{seat}"})
    anna.get_by_role("button", name="Add Ben").click()
    expect(anna.get_by_text("You've asked Ben to be friends.")).to_be_visible()
    ben.get_by_role("button", name="Add Anna").click()
    expect(ben.get_by_role("button", name="Add Anna")).to_be_hidden()
    assert_fits(ben)
    anna.goto("/")
    friend = anna.get_by_role("region", name="Friends").get_by_role("listitem")
    expect(friend).to_contain_text("Ben")
    assert_fits(anna)
    ben.goto("/")
    expect(friend).to_contain_text("online")
    anna.get_by_role("button", name="Invite Ben").click()
    expect(anna.get_by_text("You've invited Ben.")).to_be_visible()
    call = ben.locator("#calls")
    expect(call).to_contain_text("Anna invites you to Double Down.")
    assert_fits(ben)
    ben.goto("/rules")
    expect(call).to_contain_text("Anna invites you to Double Down.")
    call.get_by_role("link", name="Join").click()
    ben.get_by_role("button", name="Join").click()
    expect(ben).to_have_url(anna.url)
