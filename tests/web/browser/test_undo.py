"""Undo: to the last decision, or by one move; with a question if it costs something."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from redouble.contract.registry import GAMES
from redouble.match.match import Match
from tests.web.browser.conftest import PHONE, Visitors
from tests.web.browser.play import asked, new_table, ply, wait

SOLITAIRE = "double-or-quits"
MOVES = "() => document.querySelectorAll('#log li:not(.note)').length"
LONG = 700
"""Milliseconds of a long press."""


def after_forced_moves(page: Page) -> tuple[int, int]:
    """Open a solitaire game just after forced moves; how many moves, and those before a choice."""
    match, chosen = Match(GAMES[SOLITAIRE], 1, "1", {}), -1
    while chosen < 0 or match.ply < chosen + 4 or len(match.legal_moves) > 1:
        if len(match.legal_moves) > 1:
            chosen = match.ply
        match.push(match.legal_moves[0])
    page.request.post("/me/name", form={"name": "Anna"})
    given = {"game": SOLITAIRE, "seats": [{"kind": "me"}], "options": {}, "seed": "1"}
    table = asked(page, "/api/tables", given)["table"]
    for made, move in enumerate(match.moves):
        asked(page, f"/api/tables/{table}/moves", {"ply": made, "move": move})
    page.goto(f"/t/{table}?guide=0")
    return match.ply, chosen


def made(page: Page) -> int:
    table = page.url.split("/t/")[1].split("?")[0]
    return int(page.request.get(f"/api/tables/{table}").json()["view"]["ply"])


def test_undo_goes_to_the_last_decision_and_a_long_press_one_step(visit: Visitors) -> None:
    page = visit(viewport=PHONE)
    moves, chosen = after_forced_moves(page)
    undo = page.get_by_role("button", name="Undo")
    before = ply(page)
    undo.click(delay=LONG)
    page.wait_for_function("before => Number(board.dataset.ply) > before", arg=before)
    page.wait_for_timeout(300)
    assert made(page) == moves - 1
    before = ply(page)
    undo.click()
    page.wait_for_function("before => Number(board.dataset.ply) > before", arg=before)
    assert made(page) == chosen
    page.get_by_role("button", name="Redo").click()
    page.wait_for_function("before => Number(board.dataset.ply) > before + 1", arg=before)
    assert made(page) == moves
    before = ply(page)
    page.keyboard.press("Shift+U")
    page.wait_for_function("before => Number(board.dataset.ply) > before", arg=before)
    assert made(page) == moves - 1


def test_an_undo_that_costs_asks_in_the_place_of_the_prompt(visit: Visitors) -> None:
    page = visit(viewport=PHONE)
    new_table(page, "double-down")
    page.goto(f"{page.url}?guide=0")
    wait(page)
    before = ply(page)
    page.locator("button[form=play]:visible").first.click()
    wait(page, before)
    after = ply(page)
    undo = page.locator(".tools").get_by_role("button", name="Undo")
    undo.click()
    question = page.locator("#prompt.question")
    expect(question).to_contain_text("no longer counts")
    expect(page.locator("#notice")).to_be_hidden()
    question.get_by_role("button", name="No").click()
    expect(question).to_have_count(0)
    assert ply(page) == after
    undo.click()
    page.wait_for_timeout(700)  # sooner it could be the second half of a double click
    question.get_by_role("button", name="Undo").click()
    page.wait_for_function("after => Number(board.dataset.ply) > after", arg=after)
    expect(question).to_have_count(0)
