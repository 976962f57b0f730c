"""One evening of five people in six browsers, from the first link to the last rematch."""

import contextlib
import re
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from redouble.web.store import FILE
from tests.web.browser.conftest import DEAL, Visitors
from tests.web.browser.play import (
    MOVES,
    QUICK,
    asked,
    join,
    new_table,
    on_turn,
    shows_result,
    table_of,
)
from tests.web.helpers.server import Server, dealing, program

HURRIED = (
    dealing(DEAL),
    "from redouble.web.features.notices import addresses, push, reminders",
    "from redouble.web.live import live, tables",
    "from redouble.web.table import state",
    "live.AWAY_SECONDS = tables.HEARTBEAT = 0.5",
    "state.KEPT_SECONDS[False] = 0.5",
    "reminders.LOOK_SECONDS = reminders.AFTER_SECONDS = reminders.STILL_HERE_SECONDS = 0.1",
)
"""Everything is told soon, and who is away is missed soon."""
SENDING = """async def send(self, outgoing):
    with open({path!r}, "a") as file:
        file.write(f"{{self.opened(outgoing.sealed).endpoint}} {{outgoing.letter.title}}\\n")
    return addresses.Delivery.SENT
push.Push.send = send
"""
PHONE_OF = "https://fcm.googleapis.com/fcm/send/{}"
KEYS: dict[str, str | float | bool] = {"p256dh": "B" + "A" * 86, "auth": "A" * 22}
COUNTED = """SELECT people.name, count(*) FROM results JOIN people ON people.id = results.person
    WHERE results.counts GROUP BY people.name"""
SEATED = """SELECT people.name FROM seats JOIN people ON people.id = seats.person
    WHERE seats.token = ?"""


class Evening:
    """A server whose messages go to a file, and its database."""

    def __init__(self, folder: Path, serve: Callable[..., Server]) -> None:
        self._messages = folder / "messages"
        self._messages.touch()
        self.server = serve(program(*HURRIED, SENDING.format(path=f"{self._messages}")))
        self._database = folder / "data" / FILE

    def rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        with contextlib.closing(sqlite3.connect(f"file:{self._database}?mode=ro", uri=True)) as db:
            return db.execute(query, values).fetchall()

    def told(self, name: str) -> list[str]:
        """The messages on somebody's phone."""
        phone = PHONE_OF.format(name)
        lines = self._messages.read_text(encoding="utf-8").splitlines()
        return [one.removeprefix(phone).strip() for one in lines if one.startswith(phone)]


def play(people: Mapping[str, Page], table: str, until: str = "") -> str:
    """Let people move until it is the turn of one of them, or the game is over; whose it is."""
    while True:
        state = next(iter(people.values())).request.get(f"/api/tables/{table}").json()
        if state["status"] != "playing":
            return ""
        on = state["seats"][state["turn"]]
        if on["name"] == until:
            return until
        if (page := people.get(on["name"])) and on["kind"] == "person":
            now = on_turn(page, table)
            move = {"ply": now["ply"], "move": now["view"]["legal_moves"][0]}
            asked(page, f"/api/tables/{table}/moves", move)
        else:
            next(iter(people.values())).wait_for_timeout(20)


def resign(table: str, *pages: Page) -> None:
    """Let people resign, so that bots play on for them."""
    for page in pages:
        asked(page, f"/api/tables/{table}/resign", {})


def notify(page: Page, name: str) -> None:
    """Let messages go to this browser, as the page's script asks for it."""
    assert page.request.post("/push", form={"endpoint": PHONE_OF.format(name), **KEYS}).ok


def test_an_evening_of_friends(
    visit: Visitors, tmp_path: Path, serve: Callable[..., Server]
) -> None:
    evening = Evening(tmp_path, serve)
    here = evening.server.address
    anna, ben, phone, laptop, finn = (visit(address=here, phone=i in (1, 2)) for i in range(5))
    dora = visit(address=here, java_script_enabled=False)
    names = {"Ben": ben, "Dora": dora, "Eve": phone, "Finn": finn}
    new_table(anna, QUICK, ["you", *["a friend, by link"] * 4])
    expect(anna.locator(".qr svg")).to_be_visible()
    for name, page in names.items():
        assert anna.locator(".scene, .card").count() == 0, "nobody sees a card before all sit"
        join(page, anna, name)
        if page is not finn:
            expect(anna.locator(".places")).to_contain_text(name)
    expect(anna.locator("#board")).to_have_attribute("data-waiting", "0")
    table = table_of(anna)
    for name in ("Eve", "Finn"):
        notify(names[name], name)

    # Eve goes on at her laptop, and signs out the phone that she has lost.
    phone.goto("/me")
    phone.get_by_role("button", name="Link another device").click()
    code = phone.locator(".code").inner_text()
    laptop.goto("/link")
    laptop.locator("#code").fill(code)
    for name in ("Continue", "Play as Eve"):
        with laptop.expect_navigation():
            laptop.get_by_role("button", name=name).click()
    laptop.goto("/me")
    with laptop.expect_navigation():
        laptop.get_by_role("button", name="Sign out everywhere else").click()
    phone.goto(f"/t/{table}")
    expect(phone.locator("#live")).to_have_attribute("data-view", re.compile("seat=-1"))
    people = {"Hanna": anna, "Ben": ben, "Dora": dora, "Eve": laptop, "Finn": finn}

    # Players who are away get a message at their turn, not on that phone. Dora has no script.
    for page in (laptop, finn):
        page.goto("about:blank")
    assert play(people, table, "Eve") == "Eve"
    anna.wait_for_timeout(1000)
    play(people, table, "Finn")
    while not evening.told("Finn"):
        anna.wait_for_timeout(50)
    play(people, table, "Dora")
    dora.reload()
    dora.locator(MOVES).first.click()
    resign(table, ben, laptop, finn)
    play(people, table)
    assert "Your turn in Double Down" in evening.told("Finn")
    shows_result(anna)
    laptop.goto(f"/t/{table}")

    # A rematch: three join, one doesn't want to, and one never comes.
    anna.get_by_role("button", name="Rematch").click()
    anna.wait_for_url(lambda url: table not in url)
    again = table_of(anna)
    expect(anna.locator("#board")).to_have_attribute("data-waiting", "1")
    assert evening.rows(SEATED, again) == [("Hanna",)]
    laptop.get_by_role("alert").get_by_role("button", name="Later").click()
    ben.get_by_role("alert").get_by_role("button", name="Join").click()
    dora.reload()
    dora.get_by_role("button", name="Join").first.click()
    for page in (ben, dora):
        page.wait_for_url(f"**/t/{again}*")
    for left in (1, 0):
        anna.get_by_role("button", name="Add a bot").first.click()
        expect(anna.get_by_role("button", name="Add a bot")).to_have_count(left)
    expect(anna.locator("#board")).to_have_attribute("data-waiting", "0")
    assert sorted(evening.rows(SEATED, again)) == [("Ben",), ("Dora",), ("Hanna",)]
    for name in ("Dora", "Hanna"):  # now all three have moved
        play(people, again, name)
    resign(again, ben, dora)
    play(people, again)
    shows_result(ben)
    counted = {"Hanna": 2, "Ben": 2, "Dora": 2, "Eve": 1, "Finn": 1}
    assert dict(evening.rows(COUNTED)) == counted
    assert evening.told("Eve") == [], "a lost phone receives nothing"
