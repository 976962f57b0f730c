"""What people wait for, and what the page does by itself meanwhile."""

from itertools import count
from typing import Any

from playwright.sync_api import Page, Response, expect

from redouble.analysis.finish import can_finish
from redouble.contract.registry import GAMES
from redouble.match.match import Match
from tests.web.browser.conftest import PHONE, Visitors
from tests.web.browser.play import ask_for_table, asked, new_table, played, ply, state

SOLITAIRE = GAMES["double-or-quits"]
NOTED = """() => {
    window.held = [];
    new MutationObserver(() => {
        const {moment, finishing} = document.getElementById("board").dataset;
        if (moment) window.held.push(moment);
        window.finished ||= finishing;
    }).observe(document.getElementById("live"), {attributes: true, childList: true, subtree: true});
}"""


def before_the_finish() -> Match:
    """A solitaire game that is won by moves without a choice."""
    for number in count(1):
        match = Match(SOLITAIRE, 1, str(number), {})
        while match.turn is not None and not can_finish(match):
            match.push(match.legal_moves[0])
        if match.turn is not None:
            return match
    raise AssertionError("no deal is won")


def test_a_finish_never_races_with_forced_moves(visit: Visitors) -> None:
    """Whenever it is asked for; and a tap ends it."""
    page, match = visit(viewport=PHONE, still=False, forced=True), before_the_finish()
    refused: list[Response] = []
    page.on("response", lambda one: refused.append(one) if one.status >= 400 else None)
    for delay in (0, 780):
        played(page, match)
        page.wait_for_timeout(delay)
        page.evaluate(NOTED)
        first = ply(page)
        page.get_by_role("button", name="Finish").click()
        if delay:
            with page.expect_response("**/go-on"):
                page.wait_for_function("before => Number(board.dataset.ply) > before", arg=first)
                page.locator("#felt").click(position={"x": 5, "y": 200})
        expect(page.locator("#ending")).to_be_attached()
        assert page.evaluate("finished")
    assert not refused
    expect(page.locator("#notice")).to_be_hidden()


def test_skipping_to_the_end_shows_the_result_and_offers_the_replay(visit: Visitors) -> None:
    page = visit(still=False)
    table = ask_for_table(page, "double-down", 4, pace="fast")
    while not is_out(now := page.request.get(f"/api/tables/{table}").json()):
        assert now["status"] == "playing", "the deal is another one"
        if now["my_turn"]:
            move = max(
                now["view"]["legal_moves"], key=lambda one: int(one) if one.isdecimal() else 0
            )
            asked(page, f"/api/tables/{table}/moves", {"ply": now["ply"], "move": move})
        page.wait_for_timeout(50)
    asked(page, f"/api/tables/{table}/pace", {"pace": "slow"})  # or the bots may end it first
    page.goto(f"/t/{table}?guide=0")
    page.evaluate(NOTED)
    page.get_by_role("button", name="Skip to the end").click()
    expect(page.locator("#ending")).to_be_attached()
    assert page.evaluate("held") == []
    page.get_by_role("link", name="Replay what you skipped").click()
    expect(page.locator("#stage")).not_to_have_attribute("data-ply", "0")


def is_out(now: dict[str, Any]) -> bool:
    facts = now["view"]["facts"]
    return any((one["seat"], one["value"]) == (0, "out") for one in facts)


ALONE = "double-or-quits"
"""By the rules as published, a deal begins with moves that leave no choice."""
PLAYED = "least => Number(document.getElementById('board')?.dataset.ply) >= least"


def test_forced_moves_are_played_alone_until_they_are_switched_off(visit: Visitors) -> None:
    page = visit(forced=True)
    page.clock.install()
    moves: list[str] = []
    page.on("request", lambda one: moves.append(one.url) if one.url.endswith("/move") else None)
    new_table(page, ALONE, published=True)
    page.goto(f"{page.url}?guide=0")
    page.wait_for_function(PLAYED, arg=2)
    page.get_by_role("button", name="Menu", exact=True).click()
    nothing_is_played(page, moves)
    switch(page, "true")
    page.keyboard.press("Escape")
    nothing_is_played(page, moves)
    page.get_by_role("button", name="Menu", exact=True).click()
    switch(page, "false")
    page.keyboard.press("Escape")
    page.wait_for_function(PLAYED, arg=len(moves) + 1)


def test_among_bots_players_make_their_forced_moves_themselves(visit: Visitors) -> None:
    page = visit(forced=True)
    new_table(page)
    page.get_by_role("button", name="Menu", exact=True).click()
    switch(page, "false")
    page.reload()
    page.get_by_role("button", name="Menu", exact=True).click()
    switch(page, "true")


def switch(page: Page, was: str) -> None:
    """Change the switch in the table's menu, which is open."""
    button = page.get_by_role("button", name="Play forced moves")
    expect(button).to_have_attribute("aria-pressed", was)
    button.click()


def nothing_is_played(page: Page, moves: list[str]) -> None:
    """Wait for the moves that were sent, and check that no other follows, however late."""
    page.wait_for_function(PLAYED, arg=len(moves))
    sent = len(moves)
    page.clock.fast_forward(60_000)
    assert state(page)["ply"] == sent == len(moves)
