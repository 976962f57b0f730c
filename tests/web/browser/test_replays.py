"""A replay in a browser: steps by link, key and clock, and everything without a script."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from redouble.contract.registry import GAMES
from redouble.match.match import Match
from tests.web.browser.conftest import PHONE, Visitors
from tests.web.browser.play import NAMES, QUICK, bring, by_bots, fits, hold


def record(name: str) -> str:
    """A game of careful bots, as one line."""
    match = by_bots(name, GAMES[name].usual_seats, f"replay of {name}", "greedy")
    return str(match.record([(2, "A friend came by.")]))


def at(page: Page, ply: int) -> None:
    """The page shows this ply, and its list of moves marks it where it can be seen."""
    expect(page.locator("#stage")).to_have_attribute("data-ply", f"{ply}")
    marked = page.locator("#moves [aria-current=step]")
    expect(marked).to_have_attribute("data-ply", f"{ply}")
    expect(marked).to_be_in_viewport()
    expect(page).to_have_url(re.compile(rf"ply={ply}\b"))


@pytest.mark.parametrize("name", NAMES)
def test_the_replay_fits_a_phone_and_goes_from_ply_to_ply(
    visit: Visitors, tmp_path: Path, name: str
) -> None:
    page = visit(still=False)
    last = bring(page, record(name), tmp_path)
    page.evaluate("window.stayed = true")
    for ply in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        at(page, ply)
    page.keyboard.press("End")
    at(page, last)
    for ply in (last - 1, last - 2):
        page.get_by_role("link", name="Previous move").click()
        at(page, ply)
    page.keyboard.press("Home")
    at(page, 0)
    assert page.evaluate("window.stayed")
    page.set_viewport_size(PHONE)
    for eyes in ("all cards open", "a spectator", "Player 1"):
        with page.expect_navigation():
            page.get_by_role("link", name=eyes, exact=True).click()
        for ply in (0, last // 2, last) if eyes == "all cards open" else (last // 2,):
            page.goto(re.sub(r"ply=\d+", f"ply={ply}", page.url))
            fits(page)
            expect(page.get_by_role("link", name="Next move")).to_be_in_viewport()


SIZES = ((320, 568), (390, 664), (844, 340), (768, 1024), (1366, 657))
BOXES = """() => [".picture", ".controls"].map((one) => {
    const { top, bottom } = document.querySelector(one).getBoundingClientRect();
    return [top, bottom];
})"""


@pytest.mark.parametrize("name", NAMES)
def test_the_controls_cover_nothing(visit: Visitors, tmp_path: Path, name: str) -> None:
    """And a finger across the table makes a step."""
    page, game = visit(phone=True), GAMES[name]
    for seats in sorted({game.min_seats, min(game.max_seats, 7)}):
        options = game.needed_options(seats)
        match = Match(game, seats, f"{seats}", game.check_options(seats, options))
        for _ in range(12):
            match.push(match.legal_moves[0])
        bring(page, str(match.record()), tmp_path)
        page.keyboard.press("End")
        at_end = page.locator(f"#stage[data-ply='{match.ply}']")
        expect(at_end).to_be_visible()
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            fits(page)
            (top, bottom), (below, end) = page.evaluate(BOXES)
            assert 0 <= top < bottom <= below < end <= height, (seats, width, height)
            assert bottom - top >= 0.5 * height, (seats, width, height)
    touch = page.context.new_cdp_session(page)
    for kind, x in (("touchStart", 200), ("touchMove", 300), ("touchEnd", None)):
        points = [] if x is None else [{"x": x, "y": 60}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    expect(page.locator("#stage")).to_have_attribute("data-ply", f"{match.ply - 1}")


def test_fast_steps_end_at_the_right_ply_and_a_deleted_replay_says_so(
    visit: Visitors, tmp_path: Path
) -> None:
    visit.expect("404")
    page = visit(still=False)
    bring(page, record(QUICK), tmp_path)
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#stage")).to_have_attribute("data-ply", "8")
    page.get_by_role("slider", name="Move number").fill("21")
    at(page, 21)
    page.locator("#moves [data-ply='2']").click()
    at(page, 2)
    expect(page.get_by_role("status")).to_contain_text("A friend came by.")
    here = page.url.partition("?")[0].rpartition("/")[2]
    page.request.post(f"/me/records/{here}", max_redirects=0)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", level=1)).to_have_text("Not found")


def test_it_plays_automatically_and_stops_at_the_end(visit: Visitors, tmp_path: Path) -> None:
    page = visit()
    last = bring(page, record(QUICK), tmp_path)
    stage = page.locator("#stage")
    button = page.get_by_role("button", name="Play")
    page.get_by_role("slider", name="Move number").fill(f"{last - 1}")
    at(page, last - 1)
    button.click()
    expect(stage).to_have_attribute("data-ply", f"{last}")
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()  # from the start again: that takes a minute
    pause = page.get_by_role("button", name="Pause")
    expect(pause).to_have_attribute("aria-pressed", "true")
    assert last > 40
    expect(stage).to_have_attribute("data-ply", re.compile(r"^([1-9]|[1-3]\d)$"))
    pause.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    held = hold(page, re.compile("ply="))  # what was on its way has been asked for
    page.wait_for_timeout(1500)
    assert held == []


SLOW = """() => {
    const usual = setTimeout;
    setTimeout = (what, after, ...rest) => usual(what, window.slow && after > 2000 ? 1e9 : after,
        ...rest);
}"""
"""Lets moments last for days when the page is ``slow``."""


def test_a_step_forward_shows_what_happened_on_the_way(visit: Visitors, tmp_path: Path) -> None:
    page, match = visit(), Match(GAMES["double-down"], ["Ada", "Ben"], "r")
    page.add_init_script(f"({SLOW})()")
    while [one.kind.name for one in match.moments()] != ["chip-lost"]:
        match.push(match.legal_moves[-1])
    bring(page, str(match.record()), tmp_path)
    stage, told = page.locator("#stage"), page.get_by_role("status")
    page.keyboard.press("End")
    at(page, match.ply)
    for slow in (False, True):
        page.evaluate("slow => window.slow = slow", slow)
        page.keyboard.press("ArrowLeft")
        at(page, match.ply - 1)
        page.keyboard.press("ArrowRight")
        if slow:  # otherwise its time passes, perhaps before this page is looked at
            expect(stage).to_have_attribute("data-moment", "chip-lost")
            expect(told).to_contain_text("and loses a chip")
            page.locator(".picture").click()
        at(page, match.ply)
        expect(stage).not_to_have_attribute("data-moment", "chip-lost")
    page.keyboard.press("ArrowLeft")
    at(page, match.ply - 1)
    page.keyboard.press("ArrowRight")
    expect(stage).to_have_attribute("data-moment", "chip-lost")
    page.keyboard.press("ArrowLeft")
    expect(stage).not_to_have_attribute("data-moment", "chip-lost")
    at(page, match.ply - 1)


def test_without_a_script_every_step_is_a_link(visit: Visitors, tmp_path: Path) -> None:
    page = visit(java_script_enabled=False)
    last = bring(page, record(QUICK), tmp_path, script=False)
    expect(page.get_by_role("button", name="Play")).to_be_hidden()
    stage = page.locator("#stage")
    steps = {"Next move": 1, "To the end": last, "Previous move": last - 1, "To the start": 0}
    for link, ply in steps.items():
        page.get_by_role("link", name=link).click()
        expect(stage).to_have_attribute("data-ply", f"{ply}")
    page.get_by_role("slider", name="Move number").fill("5")
    page.get_by_role("button", name="Go").click()
    expect(stage).to_have_attribute("data-ply", "5")
    page.get_by_role("link", name="Player 2", exact=True).click()
    expect(page.get_by_role("link", name="Player 2", exact=True)).to_have_attribute(
        "aria-current", "true"
    )
    expect(stage).to_have_attribute("data-ply", "5")
    page.locator("#moves [data-ply='3']").click()
    expect(stage).to_have_attribute("data-ply", "3")
