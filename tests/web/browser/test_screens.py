"""A table fits every screen: nothing is cut off or covered, and fingers hit what they aim at."""

import contextlib
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, TimeoutError, expect

from tests.web.browser.axe import assert_clean
from tests.web.browser.boards import FINGERTIP, SCRIPT, boards, still_page
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import (
    QUICK,
    held_back,
    hold,
    middle,
    new_table,
    open_table,
    ply,
    table_of_two,
    wait,
)
from tests.web.helpers.server import Server, dealing, program

TIGHT = ((360, 640), (844, 390), (1280, 800))


@pytest.fixture(scope="module")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with another deal, in which somebody else is the dealer and dominoes turn."""
    folder = tmp_path_factory.mktemp("screens")
    with Server(folder, program(dealing("screens"))).running() as server:
        yield server


CLOCKED = """() => {
    const ends = (all) => all.flatMap((one) => one.getAnimations())
        .map((one) => one.effect.getComputedTiming());
    const rows = ends([...document.querySelectorAll(".round-sheet :is(li, .columns)")]);
    const [clock] = ends([document.querySelector(".clock")]);
    return [rows.length, Math.max(...rows.map((one) => one.endTime)), clock.delay, clock.duration];
}"""
"""How many parts of a sheet come one after the other, when the last one is there, when the clock
starts and how long it runs, in milliseconds."""


def test_the_clock_of_a_sheet_starts_when_all_rows_are_there(visit: Visitors) -> None:
    page = visit(still=False)
    for seats in (4, 7):
        still_page(page, "double-decker", {})
        board = boards("double-decker", seats)["round-over"]
        page.evaluate("board => show(board, '', '')", board)
        rows, there, starts, lasts = page.evaluate(CLOCKED)
        assert rows == seats + 1
        assert there <= starts < there + 500
        assert lasts == 1000 * (8 + seats)


def test_the_moves_lie_over_the_board_and_leave_the_hand(visit: Visitors) -> None:
    page = visit(phone=True)
    open_table(page, QUICK, 4)
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
    plain = new_table(visit(phone=True, java_script_enabled=False))
    plain.get_by_role("button", name="Log").click()
    expect(plain.get_by_role("list", name="Moves so far")).to_be_visible()


def test_unread_messages_are_counted_on_the_chat_button(visit: Visitors) -> None:
    host, guest = table_of_two(visit(), visit(phone=True))
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
    guest.get_by_role("button", name="Well played!").click()
    expect(host.get_by_role("list", name="Chat").get_by_text("Well played!")).to_be_visible()
    guest.get_by_role("button", name="Thumbs up").click()
    expect(host.locator(".seats .shown")).to_be_visible()
    expect(host.locator("#reacted")).to_contain_text("Berta gives a thumbs up.")
    expect(host.locator(".shown")).to_have_count(0)
    host.locator(".seats .seat").click(button="right")
    host.get_by_role("button", name="Mute Berta").click()
    expect(host.locator("#chat")).not_to_contain_text("Well played!")
    host.keyboard.press("Escape")
    host.locator(".seats .seat").hover()
    host.mouse.down()
    host.wait_for_timeout(700)  # longer than a click
    host.mouse.up()
    expect(host.get_by_role("link", name="Report Berta")).to_be_visible()
    host.keyboard.press("Escape")
    name = host.get_by_role("group", name="Players").get_by_role("link")
    name.focus()
    host.keyboard.press("Enter")
    expect(host.get_by_role("button", name="Unmute Berta")).to_be_focused()
    host.keyboard.press("Enter")
    expect(host.locator("#chat")).to_contain_text("Well played!")
    expect(name).to_be_focused()
    host.keyboard.press("Enter")
    assert_clean(host)
    host.get_by_role("link", name="Report Berta").click()
    expect(host.get_by_label("What happened?")).to_be_visible()


def test_a_spectator_reports_a_player(visit: Visitors) -> None:
    watcher = new_table(visit())  # reports have a sender
    watcher.goto(new_table(visit()).url)
    menu = watcher.locator("#player")
    watcher.locator(".seats .seat [data-seat], .seats .seat[data-seat]").first.click(button="right")
    expect(menu.get_by_role("link", name="Report")).to_be_focused()
    expect(menu.get_by_role("button")).to_have_count(0)
    watcher.keyboard.press("Escape")
    watcher.get_by_role("button", name="Menu", exact=True).click()
    watcher.get_by_role("group", name="Players").get_by_role("link").click()
    menu.get_by_role("link", name="Report").click()
    watcher.get_by_label("What happened?").fill("A rude name")
    watcher.get_by_role("button", name="Report").click()
    expect(watcher.get_by_text("The operator of this site will read your report")).to_be_visible()


def test_cards_and_pages_look_as_chosen(visit: Visitors) -> None:
    page = visit(phone=True)

    def looks(*parts: tuple[str, str]) -> list[str]:
        return [
            page.locator(at).first.evaluate(f"one => getComputedStyle(one).{what}")
            for at, what in parts
        ]

    diamonds = ".game-double-or-quits .suit-diamonds"
    suits = ((diamonds, "color"), (f"{diamonds} b", "fontSize"))
    open_table(page, "double-or-quits", 1)
    before = looks(*suits)
    table = page.url
    page.goto("/me")
    for name in ("Four colors", "Large print"):
        with page.expect_response("**/me/looks"):
            page.get_by_label(name).check()
    page.goto(table)
    after = looks(*suits)
    assert after[0] != before[0]
    assert float(after[1][:-2]) > float(before[1][:-2])
    page.reload()
    assert looks(*suits) == after
    grounds = (("body", "backgroundColor"), (".card.back", "backgroundImage"))
    open_table(page, QUICK, 2)
    before = looks(*grounds)
    table = page.url
    page.goto("/me")
    for name, look in (("theme", "dark"), ("backs", "red")):
        with page.expect_response("**/me/looks"):
            page.locator(f"[name={name}]").select_option(look)
    page.goto(table)
    after = looks(*grounds)
    assert after[1] != before[1]
    page.reload()
    assert looks(*grounds) == after
    page.goto("/")
    assert looks(grounds[0]) == ["rgb(13, 31, 23)"]


def test_the_rules_open_over_the_table_where_they_are_needed(visit: Visitors) -> None:
    page = visit(phone=True)
    open_table(page, "three-up", 3)
    page.get_by_role("button", name="The rules of 3UP 3DOWN").click()
    needed = page.locator("#now")
    expect(needed).to_be_in_viewport()
    expect(needed).to_contain_text("Three of these six cards will be your 3UP.")


def test_a_tap_on_a_sign_opens_what_it_means(visit: Visitors) -> None:
    page = visit(phone=True)
    open_table(page, "double-decker", 7)
    page.locator(".seat .dealer").tap()
    meant = page.locator("#signs .now")
    expect(meant).to_be_in_viewport()
    expect(meant).to_contain_text("The dealer, who leads the first trick")
    page.keyboard.press("Escape")
    held = hold(page, re.compile("/short"))
    page.get_by_role("button", name="The rules of Double Decker").click()
    page.get_by_role("link", name="What do I see?").click()
    with page.expect_response(re.compile("/short")):
        held_back(page, held).continue_()  # what comes late doesn't lead away
    page.locator("#short-rules figure").first.wait_for(state="attached")
    page.wait_for_timeout(300)  # for its style sheets
    expect(page.get_by_role("heading", name="What do I see?")).to_be_in_viewport()


def test_a_tap_shows_a_domino_in_its_place_and_the_button_places_it(visit: Visitors) -> None:
    page = visit(phone=True)
    open_table(page, "double-dominoes", 2)
    before = ply(page)
    page.locator(".hand label").first.tap()
    places, sure = page.locator(".place.mark:visible"), page.locator("[data-sure]")
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


@pytest.mark.parametrize("phone", [True, False], ids=["phone", "desktop"])
def test_each_place_is_marked_with_its_points(visit: Visitors, phone: bool) -> None:
    page = visit(phone=phone)
    open_table(page, "double-dominoes", 4, moves=4, chance=5)
    page.evaluate(f"{SCRIPT}; null")
    most = 0
    for width, height in TIGHT[:2] if phone else TIGHT[2:]:
        page.set_viewport_size({"width": width, "height": height})
        for domino in page.locator(".hand label").all():
            domino.tap() if phone else domino.click()
            for corner in ("0, 0", "0, 999", "999, 0", "999, 999"):  # in a close-up
                with contextlib.suppress(TimeoutError):  # then what is wrong is said
                    page.wait_for_function("() => !marks()[0].length")  # it hears of a scroll
                wrong, marks, _ = page.evaluate("marks()")
                assert not wrong
                most = max(most, marks)
                page.locator("#window").evaluate(f"one => one.scrollTo({corner})")
                page.evaluate("() => new Promise((done) => setTimeout(done, 50))")
        if phone:
            before = page.evaluate("marks()")[2]
            page.locator("#more").tap()
            page.wait_for_function("before => marks()[2] < before", arg=before)
    assert most > 5


def test_a_mouse_shows_a_place_and_a_key_turns_it(visit: Visitors) -> None:
    page = visit()
    open_table(page, "double-dominoes", 4)
    before = ply(page)
    page.locator(".hand label").first.click()
    mark, chosen = page.locator(".place.mark:visible").first, page.locator(".place.chosen")
    spot = middle(mark)
    page.mouse.move(*spot)
    expect(chosen.locator("i").first).to_be_visible()
    expect(page.locator(".said")).to_contain_text("here gives you")
    shown = chosen.get_attribute("value")
    page.keyboard.press("t")
    turned = chosen.get_attribute("value")
    assert turned != shown
    with page.expect_request("**/move") as request:
        page.mouse.click(*spot)
    assert str(turned).replace(" ", "+") in (request.value.post_data or "")
    wait(page, before)


def test_two_fingers_zoom_the_board_of_dominoes(visit: Visitors) -> None:
    page = visit(phone=True)
    open_table(page, "double-dominoes", 2)
    fingers, close_up = page.context.new_cdp_session(page), page.get_by_label("Zoom in")
    width = "document.querySelector('#window .squares').offsetWidth"
    x, y = middle(page.locator("#window"))

    def pinch(*gaps: int) -> None:
        for kind, gap in zip(("touchStart", "touchMove"), gaps, strict=True):
            points = [{"x": x + side * gap, "y": y} for side in (-1, 1)]
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
