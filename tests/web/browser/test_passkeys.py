"""Passkeys in Chromium, whose own virtual authenticator keeps them, and what they lead to."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import CDPSession, Page, expect

from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import Visitors
from tests.web.helpers.server import Server

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
    anna.goto(anna.request.post("/play/double-down").url)
    expect(anna.locator(".avatar.m-star")).to_have_text("")
    anna.get_by_role("button", name="Table", exact=True).click()
    with anna.expect_response("**/me/looks"):
        anna.locator("#theme").select_option("dark")
    (credential,) = session.send("WebAuthn.getCredentials", device)["credentials"]

    other.goto("/me")
    session, device = with_authenticator(other)
    other.get_by_role("button", name="I have a passkey").click()
    expect(other.get_by_text("No passkey was chosen.")).to_be_visible()
    session.send("WebAuthn.addCredential", {**device, "credential": credential})
    other.get_by_role("button", name="I have a passkey").click()
    expect(other.get_by_role("heading", name="Anna")).to_be_visible()
    other.goto("/rules")
    assert other.evaluate("document.documentElement.style.colorScheme") == "dark"
