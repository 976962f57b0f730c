"""What calls a player back who looks elsewhere."""

from __future__ import annotations

import random
import re

from playwright.sync_api import expect

from tests.web.browser.conftest import Visitors
from tests.web.browser.play import new_table, play_one_move

ELSEWHERE = """
    Object.defineProperty(document, "hidden", { get: () => true });
    window.sent = [];
    window.Notification = class {
        static permission = "default";
        static async requestPermission() { this.permission = "granted"; }
        constructor(title) { sent.push(title); }
    };
"""


def test_a_player_who_asks_for_it_is_notified(visit: Visitors) -> None:
    page = visit()
    page.add_init_script(ELSEWHERE)
    new_table(page, pace="normal")  # the page sees that it is the bot's turn
    chance = random.Random("notify")
    play_one_move(page, chance)
    assert page.evaluate("sent") == [], "nobody is notified who hasn't asked for it"
    page.get_by_role("button", name="Table", exact=True).click()
    page.get_by_role("button", name="Notify me").click()
    expect(page.get_by_role("button", name="Notify me")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    play_one_move(page, chance)
    page.wait_for_function('sent.includes("Your turn · Double Down")')
    expect(page).to_have_title(re.compile("^Your turn · "))
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", re.compile("icon-turn"))
