"""Undo: to the last decision, or by one move; with a question if it costs something."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from redouble.contract.registry import GAMES
from redouble.match.match import Match
from tests.web.browser.conftest import PHONE, Visitors
from tests.web.browser.play import new_table, played, ply, table_of, wait

LONG = 700
"""Milliseconds of a long press."""


def after_forced_moves() -> tuple[Match, int]:
    """A solitaire game just after forced moves; and how many moves came before its last choice."""
    match, chosen = Match(GAMES["double-or-quits"], 1, "1", {}), -1
    while chosen < 0 or match.ply < chosen + 4 or len(match.legal_moves) > 1:
        if len(match.legal_moves) > 1:
            chosen = match.ply
        match.push(match.legal_moves[0])
    return match, chosen


def made(page: Page) -> int:
    return int(page.request.get(f"/api/tables/{table_of(page)}").json()["view"]["ply"])


def test_undo_goes_to_the_last_decision_and_a_long_press_one_step(visit: Visitors) -> None:
    page = visit(viewport=PHONE)
    match, chosen = after_forced_moves()
    played(page, match)
    undo, redo = (page.get_by_role("button", name=name) for name in ("Undo", "Redo"))
    presses: list[tuple[Callable[[], object], int, int]] = [
        (lambda: undo.click(delay=LONG), 0, match.ply - 1),
        (undo.click, 0, chosen),
        (redo.click, 1, match.ply),
        (lambda: page.keyboard.press("Shift+U"), 0, match.ply - 1),
    ]
    for press, more, moves in presses:
        before = ply(page)
        press()
        page.wait_for_function("least => board.dataset.ply > least", arg=before + more)
        page.wait_for_timeout(300)  # for a click that came of a long press
        assert made(page) == moves


def test_an_undo_that_costs_asks_in_the_place_of_the_prompt(visit: Visitors) -> None:
    page = new_table(visit(viewport=PHONE))
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
