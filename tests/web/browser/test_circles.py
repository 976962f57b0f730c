"""A circle on a phone: joined by its link, a table in a tap, its season, an evening."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.web.browser.axe import assert_fits
from tests.web.browser.conftest import Visitors


def test_a_circle_is_made_joined_and_plays(visit: Visitors) -> None:
    anna, ben = visit(phone=True), visit(phone=True)
    anna.goto("/")
    anna.get_by_role("link", name="Circles").click()
    anna.get_by_label("Name of the circle").fill("Friday club")
    anna.get_by_label("Your name").fill("Anna")
    anna.get_by_role("button", name="Make a circle").click()
    link = anna.get_by_label("Anyone with this link can join the circle.").input_value()
    ben.goto(link)
    assert_fits(ben)
    ben.get_by_label("Your name").fill("Ben")
    ben.get_by_role("button", name="Join").click()
    expect(ben.get_by_role("heading", name="Friday club")).to_be_visible()
    here = ben.url
    anna.goto("/")
    anna.get_by_role("link", name="Friday club").click()
    expect(anna.get_by_role("region", name="Members")).to_contain_text("online")
    assert_fits(anna)
    anna.get_by_label("Game", exact=True).select_option(label="Double Down")
    anna.get_by_label("Level of the bots", exact=True).select_option(label="novice bots")
    anna.get_by_role("button", name="Next table").click()
    call = ben.locator("#calls")
    expect(call).to_contain_text("Anna invites you to Double Down.")
    call.get_by_role("link", name="Join").click()
    ben.get_by_role("button", name="Join").click()
    expect(ben).to_have_url(anna.url)
    expect(anna.locator("#board")).to_have_attribute("data-waiting", "0")
    anna.request.post(f"{anna.url}/do", form={"command": "pace", "pace": "instant"})
    for seat, page in enumerate((anna, ben)):
        address = f"{anna.url}/do"
        page.request.post(address, form={"command": "bot", "seat": seat, "level": "random"})
    expect(anna.locator("#board")).to_have_attribute("data-over", "1")
    ben.goto(here)
    season = ben.get_by_role("region", name="Season")
    expect(season).to_contain_text("Anna")
    expect(season.get_by_role("row")).to_have_count(3)
    assert_fits(ben)
    ben.get_by_text("Announce an evening").click()
    ben.get_by_label("Game of the evening").select_option(label="Double Down")
    ben.get_by_label("Deals").fill("2")
    ben.get_by_role("button", name="Announce").click()
    anna.goto(ben.url)
    anna.get_by_role("button", name="I'm in").click()
    assert_fits(anna)
    ben.get_by_role("button", name="Start").click()
    for page in (anna, ben):  # hers hears of it
        expect(page.get_by_role("link", name="To your table")).to_be_visible()
    assert_fits(ben)
