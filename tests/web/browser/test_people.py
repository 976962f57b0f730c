"""People who find each other and meet again: by name, in a circle, and by a passkey."""

import random
from typing import Any

from playwright.sync_api import CDPSession, Page, expect

from tests.web.browser.axe import SIZES, assert_clean, assert_fits
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import choose, play_to_the_end, ply, whose_turn
from tests.web.helpers.server import Server


def look_for_people(page: Page) -> None:
    page.goto("/people?game=double-down")
    assert_fits(page)
    page.get_by_role("button", name="Find people").click()


def test_two_strangers_play_become_friends_and_meet_again(visit: Visitors) -> None:
    pages = anna, ben = visit(), visit()
    for page, name in ((anna, "Anna"), (ben, "Ben")):
        page.goto("/")
        page.request.post("/me/name", form={"name": name})
        look_for_people(page)
    ben.wait_for_url("**/t/**")
    expect(anna).to_have_url(ben.url)
    here = anna.url
    anna.set_viewport_size(SIZES[-1])
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


def test_a_circle_is_made_joined_and_plays(visit: Visitors) -> None:
    anna, ben = visit(phone=True), visit(phone=True)
    anna.goto("/circles")
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
    anna.get_by_role("button", name="Next table").click()
    call = ben.locator("#calls")
    expect(call).to_contain_text("Anna invites you to Double Down.")
    call.get_by_role("link", name="Join").click()
    ben.get_by_role("button", name="Join").click()
    expect(ben).to_have_url(anna.url)
    expect(anna.locator("#board")).to_have_attribute("data-waiting", "0")
    before, moved = -1, set[Page]()
    while len(moved) < 2:  # a game counts for those who have played
        mover = whose_turn([anna, ben], before)
        assert mover is not None
        before = ply(mover)
        choose(mover, random.Random(1))
        moved.add(mover)
    anna.request.post(f"{anna.url}/do", form={"command": "pace", "pace": "instant"})
    ben.request.post(f"{anna.url}/do", form={"command": "resign", "seat": "1"})
    play_to_the_end(anna, random.Random(1))
    expect(anna.locator("#board")).to_have_attribute("data-over", "1")
    ben.goto(here)
    season = ben.get_by_role("region", name="Season")
    expect(season).to_contain_text("Anna")
    expect(season.get_by_role("row")).to_have_count(3)
    assert_fits(ben)
    ben.get_by_text("Plan a duplicate game").click()
    ben.get_by_label("Game for all tables").select_option(label="Double Down")
    ben.get_by_label("Deals").fill("2")
    at = ben.evaluate("new Date(Date.now() + 4e6 - 6e4 * new Date().getTimezoneOffset())")
    ben.get_by_label("When, or empty for now").fill(f"{at:%Y-%m-%dT%H:%M}")
    ben.get_by_role("button", name="Plan it").click()
    expect(ben.locator("time.local")).to_contain_text(f"{at:%H:%M}")
    expect(ben.locator("time.local")).not_to_contain_text("UTC")
    anna.goto(ben.url)
    anna.get_by_role("button", name="I'm in").click()
    assert_fits(anna)
    ben.get_by_role("button", name="Start").click()
    for page in (anna, ben):  # hers hears of it
        expect(page.get_by_role("link", name="To your table")).to_be_visible()
    assert_fits(ben)


OPTIONS = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
CHOSEN = {"motif": "star", "results": "nobody"}


def with_authenticator(page: Page) -> tuple[CDPSession, dict[str, Any]]:
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    return session, session.send("WebAuthn.addVirtualAuthenticator", {"options": OPTIONS})


def test_a_passkey_finds_a_guest_again_and_how_pages_look_to_them(
    visit: Visitors, server: Server
) -> None:
    here = server.address.replace("127.0.0.1", "localhost")
    anna, other = visit(address=here), visit(address=here, phone=True)
    anna.goto("/")
    anna.request.post("/me/name", form={"name": "Anna"})
    anna.goto("/me")
    session, device = with_authenticator(anna)
    anna.get_by_role("button", name="Keep my games with a passkey").click()
    expect(anna.get_by_role("button", name="Remove the passkey")).to_be_visible()
    anna.get_by_role("button", name="Keep my games with a passkey").click()
    expect(anna.get_by_text("This device has a passkey for you already.")).to_be_visible()
    assert_clean(anna)
    anna.request.post("/me/profile", form={**CHOSEN})
    anna.goto("/me")
    anna.get_by_text("Picture, and what others see").click()
    assert_clean(anna)
    with anna.expect_response("**/me/looks"):
        anna.locator("[name=theme]").select_option("dark")
    anna.goto(anna.request.post("/play/double-down").url)
    expect(anna.locator(".avatar.m-star")).to_have_text("")
    (credential,) = session.send("WebAuthn.getCredentials", device)["credentials"]

    other.goto("/link")
    session, device = with_authenticator(other)
    other.get_by_role("button", name="I have a passkey").click()
    expect(other.get_by_text("No passkey was chosen.")).to_be_visible()
    session.send("WebAuthn.addCredential", {**device, "credential": credential})
    other.get_by_role("button", name="I have a passkey").click()
    expect(other.get_by_role("heading", name="Anna")).to_be_visible()
    other.goto("/rules")
    assert other.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
