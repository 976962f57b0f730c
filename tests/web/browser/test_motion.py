"""Cards fly from where they lay, then people see what comes of it; and moments stay until a tap."""

import random
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Visitors
from tests.web.browser.play import (
    NAMES,
    SEVERAL,
    choose,
    is_over,
    new_table,
    ply,
    table_of_two,
    wait,
)

SCRIPT = Path(__file__).with_name("motion.js").read_text(encoding="utf-8")
TURNS = 2
TRIES = 12
"""How often so many turns are played, until a bot's card has flown."""


def play(page: Page, chance: random.Random, turns: int) -> None:
    """Play some turns, and click while cards still move."""
    for _ in range(turns):
        if is_over(page):
            return
        before = ply(page)
        choose(page, chance)
        wait(page, before)


@pytest.mark.parametrize("game", NAMES)
def test_cards_fly_from_where_they_lay_and_words_come_when_they_lie(
    visit: Visitors, game: str
) -> None:
    """From the plate of the bot that plays them; and meanwhile nothing leaves one's own hand."""
    page, chance = visit(still=False), random.Random(game)
    new_table(page, game, pace="fast")
    page.evaluate(f"{SCRIPT}; watchWords(); watchCards()")
    for _ in range(TRIES):
        page.evaluate("window.watched = []")
        play(page, chance, TURNS)
        page.wait_for_function("() => window.running === 0")  # the last card has come to rest
        seen: list[dict[str, Any]] = page.evaluate("watched")
        assert len(seen) >= TURNS or is_over(page)
        if sum(map(flown, seen)) or game not in SEVERAL:
            break
    else:
        pytest.fail(f"no card flew in {TRIES * TURNS} turns")
    assert page.evaluate("told") >= TURNS
    assert page.evaluate("early") == []
    assert page.evaluate("stale") == []


def flown(one: dict[str, Any]) -> int:
    """How many cards flew to the pile in a transition, all from where they lay."""
    assert not one["flashing"], "two pictures of a card add their light"
    before, after = one["before"], one["after"]
    if not before.keys() & after.keys():
        return 0  # all are dealt anew
    new = [card for card, at in after.items() if at["centre"] and not at["back"]]
    assert [card for card in new if card not in before] == []
    if one["turn"] in (-1, 0):
        return 0
    mine = {card for card, at in before.items() if at["mine"]}
    assert mine <= {card for card, at in after.items() if at["mine"]}
    from_plates = [card for card in new if not before[card]["centre"]]
    for card in from_plates:
        assert before[card]["seat"] == one["turn"]
        assert f"::view-transition-group({card})" in one["moving"]
    return len(from_plates)


@pytest.mark.thorough
def test_a_pile_is_picked_up_card_by_card_and_a_cleared_one_swept_away(visit: Visitors) -> None:
    page, chance = visit(still=False), random.Random(3)
    new_table(page, "three-up", ["you", "club bot", "club bot"], pace="fast")
    wait(page)
    page.evaluate(f"{SCRIPT}; watchPiles()")
    for _ in range(30):
        play(page, chance, 1)
        if len(page.evaluate("swept")) == 2:
            break
    swept = page.evaluate("swept")
    assert swept.get("pile-taken", 0) > 0
    assert swept.get("pile-cleared", 0) > 0


LASTING = """{
    const usual = setTimeout;
    setTimeout = (what, after, ...rest) => usual(what, after > 2000 ? 1e9 : after, ...rest);
}"""
"""Lets moments last for days."""
AWAY = """away => {
    Object.defineProperty(document, "hidden", {configurable: true, get: () => away});
    document.dispatchEvent(new Event("visibilitychange"));
}"""
CHIP = '#board[data-moment="chip-lost"]'


def test_a_lost_chip_is_shown_until_a_tap_and_told_to_a_page_out_of_sight(visit: Visitors) -> None:
    """Without motion, too."""
    page, guest = visit(), visit()
    for one in (page, guest):
        one.add_init_script(LASTING)
    table_of_two(page, guest, pace="normal")
    wait(page)
    page.locator("button[form=play][value='22']").first.click()
    for one in (page, guest):
        expect(one.locator(CHIP)).to_be_attached()
    prompt = guest.locator("#prompt")
    expect(prompt).to_contain_text("chip")
    expect(prompt).to_have_attribute("role", "status")
    expect(guest.locator("button[form=play]")).to_have_count(0)
    page.evaluate(AWAY, True)
    expect(page.locator(CHIP)).to_have_count(0)
    prompt.click()
    expect(guest.locator(CHIP)).to_have_count(0)
    wait(guest)
    play_low(guest)
    wait(page)  # the guest's move is there: nothing was in its way
    missed = page.locator("#missed")
    expect(missed).to_be_hidden()
    page.evaluate(AWAY, False)
    expect(missed).to_contain_text("You hit 22 and lose a chip")
    expect(missed).to_contain_text("Berta plays")
    play_low(page)
    expect(missed).to_be_hidden()


def play_low(page: Page) -> None:
    """Play the lowest card, which costs nothing."""
    cards = page.locator("button[form=play]")
    values = cards.evaluate_all("all => all.map(one => Number(one.value) || 100)")
    cards.nth(values.index(min(one for one in values if one > 0))).click()
