"""What calls a player back: titles and icons, sounds, and messages to a closed browser."""

import json
import random
import re
from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browser.conftest import Visitors
from tests.web.browser.play import new_table, play_now, play_one_move, ply, wait
from tests.web.helpers.server import Server

ELSEWHERE = """
    Object.defineProperty(document, "hidden", { get: () => true });
    window.sent = [];
    window.Notification = class {
        static permission = "default";
        static async requestPermission() { this.permission = "granted"; }
        constructor(title) { sent.push(title); }
    };
"""


@pytest.fixture
def visit(whole_browser: Browser, server: Server) -> Iterator[Visitors]:
    with Visitors(whole_browser, server.address).open() as visitors:
        yield visitors


def test_a_player_who_asks_for_it_is_notified(visit: Visitors) -> None:
    page = visit()
    page.add_init_script(ELSEWHERE)
    new_table(page, pace="normal")  # the page sees that it is the bot's turn
    chance = random.Random("notify")
    play_one_move(page, chance)
    assert page.evaluate("sent") == [], "nobody is notified who hasn't asked for it"
    table = page.url
    page.get_by_role("button", name="Menu", exact=True).click()
    page.get_by_role("link", name="Looks, sound and notifications").click()
    page.get_by_role("button", name="Notify me").click()
    expect(page.get_by_role("button", name="Notify me")).to_have_attribute("aria-pressed", "true")
    page.goto(table)
    page.evaluate("Notification.permission = 'granted'")
    play_one_move(page, chance)
    page.wait_for_function('sent.includes("Your turn · Double Down")')
    expect(page).to_have_title(re.compile("^Your turn · "))
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", re.compile("icon-turn"))


@pytest.mark.parametrize("state", ["denied", "dismissed", "no service", "iPhone"])
def test_the_switch_shows_what_is_so(visit: Visitors, state: str) -> None:
    page = visit(service_workers="allow")
    permission = {"denied": "denied", "no service": "granted"}.get(state, "default")
    page.add_init_script(
        """
        delete window.Notification;
        navigator.standalone = false;
        """
        if state == "iPhone"
        else f"""
        localStorage.setItem("notify", "on");
        window.Notification = class {{
            static permission = "{permission}";
            static requestPermission = async () => this.permission;
        }};
        PushManager.prototype.subscribe = async () => {{ throw new Error("no push service"); }};
        """
    )
    new_table(page)
    page.goto("/me")
    notify = page.get_by_role("button", name="Notify me")
    said = {
        "denied": "Notifications are blocked",
        "no service": "only while a table's page is open",
        "iPhone": "add this site to the home screen",
    }
    if state == "iPhone":
        expect(notify).to_be_hidden()
    else:
        on = str(state == "no service").lower()
        expect(notify).to_have_attribute("aria-pressed", on)
        if on == "false":
            notify.click()
            expect(notify).to_have_attribute("aria-pressed", on)
    expect(page.locator("[data-notify]:visible")).to_have_text(
        [re.compile(said[state])] if state in said else []
    )


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


SUBSCRIBED = """
    PushManager.prototype.subscribe = async (how) => ({
        endpoint: "https://fcm.googleapis.com/a-browser",
        getKey: (name) => new Uint8Array(name === "auth" ? 16 : 65).fill(4).buffer,
    });
    PushManager.prototype.getSubscription = PushManager.prototype.subscribe;
"""
"""A browser that gives an address without asking its maker's service."""
SHOWN = """navigator.serviceWorker.ready.then((worker) => worker.getNotifications()).then((all) =>
    all.map(({ title, body, tag, renotify }) => [title, body, tag, renotify]))"""


def deliver(page: Page, message: str) -> None:
    """Let the browser's service worker hear a message, as a push service delivers it."""
    session = page.context.new_cdp_session(page)
    found: list[str] = []
    session.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: found.extend(one["registrationId"] for one in event["registrations"]),
    )
    session.send("ServiceWorker.enable")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    for _ in range(200):
        if found:
            break
        page.wait_for_timeout(50)
    assert found, "there is no service worker"
    origin = page.evaluate("location.origin")
    session.send(
        "ServiceWorker.deliverPushMessage",
        {"origin": origin, "registrationId": found[-1], "data": message},
    )


def test_messages_are_asked_for_shown_and_stopped(visit: Visitors) -> None:
    page = visit(service_workers="allow")
    page.context.grant_permissions(["notifications"])
    page.add_init_script(SUBSCRIBED)
    new_table(page)
    table = page.evaluate("location.pathname")
    page.goto("/me")
    with page.expect_request("**/push") as asked:
        page.get_by_role("button", name="Notify me").click()
    sent = parse_qs(asked.value.post_data or "")
    assert sent["endpoint"] == ["https://fcm.googleapis.com/a-browser"]
    assert sent["zone"][0]
    assert asked.value.response() is not None
    page.goto("/me/messages")
    expect(page.get_by_text("1 of your browsers gets messages")).to_be_visible()
    turn = {"title": "Your turn in 3UP 3DOWN", "body": "With Ben.", "stop": "/stop/x"}
    for url in ("/t/x", table):
        deliver(page, json.dumps(turn | {"url": url}))
    page.wait_for_function(f"({SHOWN}).then((all) => all.length === 2)")
    shown = page.evaluate(SHOWN)
    others = ["Your turn in 3UP 3DOWN", "With Ben.", "/t/x", True]
    assert sorted(shown) == sorted([others, [*others[:2], table, True]])
    deliver(
        page, '{"title": "Your turn", "body": "", "url": "/me/messages"}'
    )  # the page can be seen
    page.get_by_role("button", name="Stop these messages").click()
    expect(page.get_by_text("gets messages")).to_have_count(0)
    page.goto("/me")
    notify = page.get_by_role("button", name="Notify me")
    expect(notify).to_have_attribute("aria-pressed", "false")  # they were stopped elsewhere
    page.goto(table)
    page.wait_for_function(f"({SHOWN}).then((all) => all.length === 1)")
    assert page.evaluate(SHOWN) == [others], "what is opened needs no message any more"
