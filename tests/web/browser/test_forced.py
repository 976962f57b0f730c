"""Pages play forced moves for who wants that."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Visitors
from tests.web.browser.play import new_table, state

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
    page.get_by_role("button", name="Table", exact=True).click()
    nothing_is_played(page, moves)
    switch(page, "true")
    page.keyboard.press("Escape")
    nothing_is_played(page, moves)
    page.get_by_role("button", name="Table", exact=True).click()
    switch(page, "false")
    page.keyboard.press("Escape")
    page.wait_for_function(PLAYED, arg=len(moves) + 1)


def test_among_bots_players_make_their_forced_moves_themselves(visit: Visitors) -> None:
    page = visit(forced=True)
    new_table(page)
    page.get_by_role("button", name="Table", exact=True).click()
    switch(page, "false")
    page.reload()
    page.get_by_role("button", name="Table", exact=True).click()
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
