"""A table fits every screen: nothing is cut off or covered, and fingers hit what they aim at."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.web.browser.conftest import PHONE, Visitors
from tests.web.browser.play import QUICK, is_over, new_table, play_one_move, ply, wait
from tests.web.helpers.server import Server, dealing, program

SCREENS: dict[str, ViewportSize] = {
    "a small phone": {"width": 360, "height": 640},
    "a phone": PHONE,
    "a phone on its side": {"width": 844, "height": 390},
    "a tablet": {"width": 820, "height": 1180},
    "a desk": {"width": 1280, "height": 800},
}
TABLES = (
    ("double-down", 2),
    ("double-down", 7),
    ("double-decker", 4),
    ("double-decker", 7),
    ("double-dominoes", 4),
    ("three-up", 3),
    ("three-up", 12),
    ("double-or-quits", 1),
)
ONE_DEAL = program(dealing("screens"))
"""The command, with one deal for every table of a game: sizes depend on the cards."""
TURNS = 2
FEW = 4
"""With more seats on a phone, a table with the tutorial scrolls."""
FINGERTIP = 44
SMALLER = ".place, .waste [aria-disabled], .equal > :not(:last-child)"
"""Targets that may be smaller: the squares of the board of dominoes, for which there is a list;
cards in the fan of the waste, which only say that they can't be played; and all but the last of
equal cards, which overlap."""
FAULTS = """([fingertip, smaller]) => {
    const found = [], page = document.documentElement, felt = document.getElementById("felt");
    const name = (one) =>
        `${one.tagName} ${one.className} ${one.getAttribute("aria-label") ?? one.textContent}`
            .replace(/\\s+/g, " ").slice(0, 90);
    const shown = (selector) => [...document.querySelectorAll(selector)]
        .filter((one) => one.checkVisibility({ visibilityProperty: true }))
        .filter((one) => !one.matches(".sr, .sr *"));
    const inside = (one) => {
        const box = one.getBoundingClientRect();
        return box.left > -1 && box.top > -1
            && box.right < innerWidth + 1 && box.bottom < innerHeight + 1;
    };
    if (page.scrollHeight > page.clientHeight || page.scrollWidth > page.clientWidth)
        found.push("the page scrolls");
    if (felt.scrollHeight > felt.clientHeight + 1)
        found.push(`the felt scrolls by ${felt.scrollHeight - felt.clientHeight}`);

    const last = innerWidth > 900 && innerHeight > 500 ? "#log li" : ".ticker";
    for (const part of [".prompt", ".tools .btn", last]) {
        const first = shown(part)[0];
        if (!first || !inside(first)) found.push(`not in view: ${part}`);
    }
    for (const one of shown("#felt :is(.card, .dom, .seat, .backs i, .held i, .total)"))
        if (!inside(one)) found.push(`cut off: ${name(one)}`);
    const backs = shown(":is(.seats, .column) :is(.backs i, .held i, .held b, .held .dom)");
    if (shown(".seat").length > 1 && !backs.length) found.push("the others' backs are hidden");

    for (const text of shown(".prompt strong, .prompt small, .guide p"))
        for (const line of text.getClientRects())
            for (const x of [line.left + 2, line.right - 2]) {
                const y = (line.top + line.bottom) / 2;
                const on = text.closest(".prompt, .guide");
                if (line.width > 4 && !on.contains(document.elementFromPoint(x, y)))
                    found.push(`covered: ${name(text)}`);
            }

    const regions = shown(".seats, .centre, .mine, .ticker, .tools").map((one) =>
        [one, one.getBoundingClientRect()]).filter(([_, box]) => box.height > 2);
    for (const [one, a] of regions) for (const [other, b] of regions)
        if (one !== other && !one.contains(other) && !other.contains(one)
            && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
            && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
            found.push(`${name(one).slice(0, 30)} covers ${name(other).slice(0, 30)}`);

    // Of each target a square as large as a fingertip can be hit, whatever lies over its edges.
    const targets = ":is(#board, .bar) :is(a[href], button, select, label[for], label:has(input))";
    for (const one of shown(targets)) {
        if (one.matches(smaller) || one.matches(":disabled")) continue;
        const box = one.getBoundingClientRect();
        const hit = (x, y) => one.contains(document.elementFromPoint(x, y));
        const free = (from, to, at) => {
            let best = 0, run = 0;
            for (let along = from + 1; along < to && best < fingertip; along += 2) {
                run = at(along) ? run + 2 : 0;
                best = Math.max(best, run);
            }
            return best;
        };
        const most = (parts, at) => parts.reduce((best, part) =>
            best < fingertip ? Math.max(best, at(part)) : best, 0);
        const across = most([0.5, 0.25, 0.75], (part) =>
            free(box.left, box.right, (x) => hit(x, box.top + part * box.height)));
        const down = most([0.5, 0.15, 0.3, 0.85], (part) =>
            free(box.top, box.bottom, (y) => hit(box.left + part * box.width, y)));
        if (Math.min(across, down) < fingertip - 2)
            found.push(`${across} by ${down} pixels for a finger: ${name(one)}`);
    }
    return found;
}"""


@pytest.fixture(scope="module")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("screens"), ONE_DEAL)
    server.start()
    yield server
    server.stop()


def table_for(page: Page, game: str, seats: int) -> None:
    tutorial_for(page, game, seats)
    skip_tutorial(page)


def tutorial_for(page: Page, game: str, seats: int) -> None:
    bots = ["you", *["novice bot"] * (seats - 1)] if seats > 1 else []
    new_table(page, game, bots, deal="" if seats > 1 else "193665")
    wait(page)


def skip_tutorial(page: Page) -> None:
    skip = page.get_by_role("button", name="Skip")
    if skip.count():
        with page.expect_navigation():
            skip.click()
        expect(skip).to_have_count(0)


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_a_table_fits_every_screen(visit: Visitors, game: str, seats: int) -> None:
    page = visit()
    tutorial_for(page, game, seats)
    faults: dict[str, list[Any]] = {}
    for name in ("a phone", "a phone on its side") if seats <= FEW else ():
        page.set_viewport_size(SCREENS[name])
        if found := page.evaluate(FAULTS, [FINGERTIP, SMALLER]):
            faults[f"{name}, tutorial"] = found
    page.set_viewport_size(SCREENS["a desk"])
    skip_tutorial(page)
    chance = random.Random(game)
    for turn in range(TURNS):
        page.mouse.move(0, 0)
        for name, size in SCREENS.items():
            page.set_viewport_size(size)
            if found := page.evaluate(FAULTS, [FINGERTIP, SMALLER]):
                faults[f"{name}, turn {turn}"] = found
        page.set_viewport_size(SCREENS["a desk"])
        if is_over(page):
            break
        play_one_move(page, chance)
    assert not faults, "\n".join(
        f"{where}: {what}" for where, all in faults.items() for what in all
    )


def test_the_moves_lie_over_the_board_and_leave_the_hand(visit: Visitors) -> None:
    page = visit(phone=True)
    table_for(page, QUICK, 4)
    moves = page.get_by_role("region", name="Moves", exact=True)
    expect(moves).to_be_hidden()
    page.get_by_role("button", name="Log").click()
    expect(moves).to_be_visible()
    pane, hand = moves.bounding_box(), page.locator(".mine .hand").bounding_box()
    assert pane is not None
    assert hand is not None
    assert pane["y"] + pane["height"] <= hand["y"]
    page.keyboard.press("Escape")
    expect(moves).to_be_hidden()


def test_the_moves_open_without_scripts(visit: Visitors) -> None:
    page = visit(phone=True, java_script_enabled=False)
    new_table(page, QUICK)
    page.get_by_role("button", name="Log").click()
    expect(page.get_by_role("list", name="Moves so far")).to_be_visible()


def test_unread_messages_are_counted_on_the_chat_button(visit: Visitors) -> None:
    host, guest = visit(), visit(phone=True)
    new_table(host, QUICK, ["you", "a friend, by link"])
    guest.goto(host.get_by_label("Link", exact=True).input_value())
    guest.get_by_label("Your name").fill("Berta")
    with guest.expect_navigation():
        guest.get_by_role("button", name="Join").click()
    for text in ("Hello", "Your turn?"):
        host.get_by_label("Message to the table").fill(text)
        host.get_by_role("button", name="Send").click()
        expect(host.get_by_role("list", name="Chat").get_by_text(text)).to_be_visible()
    chat = guest.get_by_role("button", name="Chat")
    expect(chat.locator(".badge")).to_have_text("2")
    chat.click()
    expect(guest.get_by_text("Your turn?")).to_be_visible()
    expect(chat.locator(".badge")).to_be_hidden()
    guest.get_by_label("Message to the table").fill("Yes")
    guest.get_by_role("button", name="Send").click()
    expect(guest.get_by_role("list", name="Chat").get_by_text("Yes")).to_be_visible()


def test_cards_in_four_colors_and_large_print(visit: Visitors) -> None:
    page = visit(phone=True)
    table_for(page, "double-or-quits", 1)
    card = page.locator(".game-double-or-quits .suit-diamonds").first
    looks = (
        "one => [getComputedStyle(one).color, getComputedStyle(one.querySelector('b')).fontSize]"
    )
    before = card.evaluate(looks)
    page.get_by_role("button", name="Table", exact=True).click()
    page.get_by_role("button", name="Four colors").click()
    page.get_by_role("button", name="Large print").click()
    after = card.evaluate(looks)
    assert after[0] != before[0]
    assert float(after[1][:-2]) > float(before[1][:-2])
    page.reload()
    assert card.evaluate(looks) == after


def test_the_rules_open_over_the_table_where_they_are_needed(visit: Visitors) -> None:
    page = visit(phone=True)
    table_for(page, "three-up", 3)
    page.get_by_role("button", name="The rules of 3UP 3DOWN").click()
    needed = page.locator("#now")
    expect(needed).to_be_in_viewport()
    expect(needed).to_contain_text("Three of these six cards will be your 3UP.")


def test_colors_and_backs_are_as_chosen_on_every_page(visit: Visitors) -> None:
    page = visit()
    table_for(page, "double-down", 2)
    looks = """() => ["body", ".card.back"].map((one) => {
      const style = getComputedStyle(document.querySelector(one));
      return [style.backgroundColor, style.backgroundImage];
    })"""
    page.get_by_role("button", name="Table", exact=True).click()
    before = page.evaluate(looks)
    page.get_by_label("Colors").select_option("dark")
    page.get_by_label("Backs").select_option("red")
    after = page.evaluate(looks)
    assert after[1] != before[1]
    page.reload()
    assert page.evaluate(looks) == after
    page.goto("/")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(13, 31, 23)"


def test_a_tap_shows_a_domino_in_its_place_and_the_button_places_it(visit: Visitors) -> None:
    page = visit(phone=True)
    table_for(page, "double-dominoes", 2)
    before = ply(page)
    page.locator(".hand label").first.tap()
    places, sure = page.locator(".place:visible"), page.locator("[data-sure]")
    expect(page.get_by_label("Zoom in")).to_be_checked()
    sizes = places.evaluate_all("all => all.map(one => [one.offsetWidth, one.offsetHeight])")
    assert min(map(min, sizes)) >= FINGERTIP
    expect(sure).to_be_hidden()
    places.first.tap()
    expect(page.locator(".place.chosen > i").first).to_be_visible()
    expect(sure).to_contain_text("Place")
    expect(page.locator(".said")).to_contain_text("here gives you")
    turned = page.locator(".place.chosen").get_attribute("value")
    page.get_by_role("button", name="Turn").tap()
    expect(page.locator(".place.chosen")).not_to_have_attribute("value", str(turned))
    assert ply(page) == before
    sure.tap()
    wait(page, before)
    expect(page.locator(".place.chosen")).to_have_count(0)
    assert ply(page) > before


def test_two_fingers_zoom_the_board_of_dominoes(visit: Visitors) -> None:
    page = visit(phone=True)
    table_for(page, "double-dominoes", 2)
    fingers, close_up = page.context.new_cdp_session(page), page.get_by_label("Zoom in")
    width = "document.querySelector('#window .squares').offsetWidth"
    box = page.locator("#window").bounding_box()
    assert box is not None
    middle = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}

    def pinch(*gaps: int) -> None:
        for kind, gap in zip(("touchStart", "touchMove"), gaps, strict=True):
            points = [{**middle, "x": middle["x"] + side * gap} for side in (-1, 1)]
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    whole = page.evaluate(width)
    pinch(40, 80)
    expect(close_up).to_be_checked()
    assert page.evaluate(width) > 1.5 * whole
    pinch(80, 20)
    expect(close_up).not_to_be_checked()
    assert page.evaluate(width) == whole
    assert page.evaluate("visualViewport.scale") == 1
