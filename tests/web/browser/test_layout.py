"""The layout of the pages: nothing is cut off, and everything fits the screen."""

import random
from itertools import pairwise
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import Locator, ViewportSize, expect

from redouble.analysis.puzzle import puzzles_of
from redouble.contract.registry import GAMES
from redouble.lab.report import Report, new_plot
from tests.web.browser.conftest import DESKTOP, PHONE, Visitors
from tests.web.browser.play import NAMES, WIDER, at_rest, new_table, play_one_move, wait

PAGE_HEIGHT = "document.documentElement.scrollHeight"
PUZZLED = [game for game in GAMES.values() if puzzles_of(game)]
RIGHTMOST = (
    "Math.max(...[...document.querySelectorAll('figure svg')]"
    ".map(e => e.getBoundingClientRect().right))"
)
RESTS = """async ([x, y]) => {  // whether what lies under the pointer is the same for a while
    const at = () => document.elementFromPoint(x, y), first = at();
    for (const end = performance.now() + 700; performance.now() < end;) {
        await new Promise(requestAnimationFrame);
        if (at() !== first) return false;
    }
    return first.matches(":hover");
}"""
SAID_ABOVE = """element => ["::before", "::after"]
    .map(which => getComputedStyle(element, which).content.slice(1, -1))"""
CUT = "element => element.scrollWidth > element.clientWidth"


def box(element: Locator) -> dict[str, float]:
    found = element.bounding_box()
    assert found is not None
    sides = {"x": found["x"], "y": found["y"], "width": found["width"], "height": found["height"]}
    return sides | {"bottom": found["y"] + found["height"]}


def test_a_card_does_not_flee_from_the_pointer_and_the_bar_of_a_phone_is_one_line(
    visit: Visitors,
) -> None:
    """A card that rises out from under the pointer would fall back and rise again, endlessly."""
    page = visit(still=False)
    for game in NAMES:
        new_table(page, game)
        page.set_viewport_size(PHONE)
        assert box(page.locator("header.bar"))["height"] < 48, game
        title = page.locator("header h1")
        expect(title).to_have_text(GAMES[game].title)
        assert not title.evaluate(CUT), game
        page.set_viewport_size(DESKTOP)
        cards = page.locator("button.card[form=play], #felt label.dom")
        for _ in range(6):
            if cards.count():
                break
            play_one_move(page, random.Random(game))
        at_rest(page)
        card = box(cards.first)
        for up in (2, 0.05 * card["height"]):
            spot = (card["x"] + card["width"] / 4, card["bottom"] - up)
            page.mouse.move(*spot)
            assert page.evaluate(RESTS, spot), game
            page.mouse.move(0, 0)


def test_a_puzzles_verdict_leaves_the_position_visible(visit: Visitors) -> None:
    """However many moves it compares, they are visible beside the cards."""
    page = visit()
    page.goto("/")
    page.get_by_role("link", name="Random puzzle").click()
    expect(page.get_by_text("Which move is best?").first).to_be_visible()
    for game in PUZZLED:
        puzzle = max(puzzles_of(game), key=lambda one: len(one.shares))
        page.goto(f"/puzzles/{game.name}/{puzzle.number}?move={quote_plus(puzzle.answer)}")
        expect(page.locator(".verdict")).to_be_visible()
        assert page.evaluate(PAGE_HEIGHT) <= DESKTOP["height"], game.name
        assert box(page.locator("#felt"))["bottom"] <= DESKTOP["height"], game.name
    page.goto("/puzzles/double-down/1")
    cards = [box(card) for card in page.locator(".stack .card").all()]
    height = max(card["bottom"] for card in cards) - min(card["y"] for card in cards)
    assert height < 130, "the cards of its pile don't overlap"


@pytest.mark.parametrize("game", [name for name in NAMES if GAMES[name].max_seats == 1])
def test_a_card_that_cannot_be_played_says_why_above_it(visit: Visitors, game: str) -> None:
    page = new_table(visit(), game, deal="193665")
    cards = page.locator("[data-why]").all()
    assert cards
    for card in cards:
        card.focus()
        assert card.get_attribute("data-why") in card.evaluate(SAID_ABOVE)


def test_many_moves_do_not_lengthen_the_page(visit: Visitors) -> None:
    low: ViewportSize = {"width": DESKTOP["width"], "height": 600}
    page = new_table(visit(viewport=low), seats=["you", "novice bot"])
    log = page.locator("#log")
    for step in range(40):
        wait(page)
        if page.locator('[data-over="1"]').count():
            break
        play_one_move(page, random.Random(step))
    assert log.evaluate("element => element.scrollHeight > element.clientHeight")
    assert page.evaluate(PAGE_HEIGHT) <= low["height"]
    assert box(log)["bottom"] > low["height"] - 120  # no empty space is left below it


def test_the_form_offers_every_number_of_players_at_once(visit: Visitors) -> None:
    """And on a phone it asks for no needless names."""
    page = visit(phone=True, viewport={"width": 320, "height": 640})
    for game in GAMES.values():
        page.goto(f"/new/{game.name}")
        numbers = page.locator(".players label:visible").all_inner_texts()
        offered = range(game.min_seats, game.max_seats + 1) if game.max_seats > 1 else ()
        assert numbers == [str(number) for number in offered]
        assert page.evaluate(WIDER) <= 0, game.name
        usual = [one.label for one in game.options if one.name in dict(game.setups.usual)]
        if game.options:
            expect(page.locator("#changed")).to_have_text("".join(usual) or "standard rules")
    page.set_viewport_size(PHONE)
    page.goto("/new/double-down")
    shown = [seat for seat in page.locator(".seat-list li").all() if seat.is_visible()]
    assert len(shown) == 4
    assert all(44 <= box(seat)["height"] < 72 for seat in shown)
    page.get_by_label("Player 2", exact=True).select_option("here")
    expect(page.get_by_label("Name of player 2")).to_be_visible()


COVERED = """() => [...document.querySelectorAll("#setup :is(input, select, summary)")]
    .filter((one) => one.checkVisibility() && one.type !== "hidden")
    .filter((one) => {
        one.scrollIntoView({ block: "nearest" });
        const start = document.querySelector(".start").getBoundingClientRect(),
            { top, bottom } = one.getBoundingClientRect();
        return bottom > start.top + 1 || top < 0;
    }).map((one) => one.id || one.name)"""


@pytest.mark.parametrize("size", [(320, 500), (390, 664), (844, 340), (768, 1024), (1366, 657)])
def test_the_start_button_covers_no_choice(visit: Visitors, size: tuple[int, int]) -> None:
    """And links of the navigation are as high as a thumb."""
    page = visit(viewport={"width": size[0], "height": size[1]})
    for game in ("three-up", "double-or-quits"):
        page.goto(f"/new/{game}")
        assert page.evaluate(COVERED) == []
        expect(page.get_by_role("button", name="Start")).to_be_in_viewport(ratio=1)
    for path in ("/", "/daily"):
        page.goto(path)
        links = page.locator(":is(header, footer, .foot, .today-head) a:visible").all()
        assert all(box(link)["height"] >= 44 for link in links)


def test_buttons_and_fields_on_a_phone_do_not_touch(visit: Visitors) -> None:
    """Where they don't fit beside each other, there is room between the rows."""
    page, host = visit(phone=True), visit()
    new_table(host, seats=["you", "a friend, by link"])
    invitation = host.locator("input[value*='/join/']").first.input_value()
    for address in ("/me", invitation):
        page.goto(address)
        parts = page.locator("main :is(.btn, input, .rows li):visible").all()
        boxes = sorted((box(part) for part in parts), key=lambda one: (one["y"], one["x"]))
        assert len(boxes) > 1
        for upper, lower in pairwise(boxes):
            beside = lower["x"] > upper["x"] + upper["width"]
            assert beside or lower["y"] - upper["bottom"] > 4


def test_a_report_fits_a_phone(visit: Visitors) -> None:
    page = visit(phone=True)
    report = Report("A report", "With plots and a wide table.")
    report.table(["which", *"ABCDEF"], [["a name of several words", *["12.34% ± 0.56"] * 6]])
    for _ in range(2):
        figure = new_plot(2)
        figure.subplots().plot([1, 2, 3])
        report.plot(figure, "A plot")
    page.set_content(report.html())
    assert page.evaluate(WIDER) <= 0
    assert page.evaluate(RIGHTMOST) <= PHONE["width"]
    head = page.locator("tbody th")
    page.locator(".scroll").evaluate("element => element.scrollLeft = 300")
    assert 0 <= box(head)["x"] < 60  # the row's name stays in place while its figures scroll
