"""Cards fly from where they lay: the elements that a browser moves, seen in its transitions."""

from __future__ import annotations

import random
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.web.browser.conftest import Visitors
from tests.web.browser.play import NAMES, SEVERAL, choose, is_over, new_table, ply, wait

WATCH = """() => {
    const cards = () => Object.fromEntries([...document.querySelectorAll("#board [id^=card-]")]
        .map(one => [one.id, {
            seat: Number(one.closest("[data-seat]")?.dataset.seat ?? -1),
            mine: one.closest(".mine") !== null,
            centre: one.closest(".centre") !== null && one.closest("[data-seat]") === null,
            back: one.matches(".back, i"),
        }]));
    const start = document.startViewTransition.bind(document);
    window.running = 0;
    document.startViewTransition = change => {
        const one = {};
        window.running++;
        const transition = start(() => {
            const turn = document.querySelector("#board .seat.turn");
            Object.assign(one, {turn: Number(turn?.dataset.seat ?? -1), before: cards()});
            return change();
        });
        transition.ready.then(() => {
            one.after = cards();
            one.moving = document.getAnimations().map(it => it.effect.pseudoElement ?? "");
            one.flashing = document.getAnimations().filter(it =>
                it.effect.getKeyframes().some(frame => frame.mixBlendMode)).length;
            window.watched.push(one);
        }, () => {});
        const over = () => window.running--;
        transition.finished.then(over, over);
        return transition;
    };
}"""
TURNS = 2
TRIES = 12
"""How often so many turns are played, until a bot's card has flown."""


def watched(page: Page, chance: random.Random) -> list[dict[str, Any]]:
    """Play some turns, and return what lay where before and after each transition."""
    page.evaluate("window.watched = []")
    for _ in range(TURNS):
        if is_over(page):
            break
        before = ply(page)
        choose(page, chance)
        wait(page, before)
        page.wait_for_function("() => window.running === 0")  # the last card has come to rest
    found: list[dict[str, Any]] = page.evaluate("watched")
    return found


@pytest.mark.parametrize("game", NAMES)
def test_cards_fly_from_where_they_lay(visit: Visitors, game: str) -> None:
    """From the plate of the bot that plays them; and meanwhile nothing leaves one's own hand."""
    page, chance = visit(still=False), random.Random(game)
    new_table(page, game, pace="fast")
    wait(page)
    page.evaluate(WATCH)
    for _ in range(TRIES):
        seen = watched(page, chance)
        assert len(seen) >= TURNS or is_over(page)
        if sum(map(flown, seen)) or game not in SEVERAL:
            break
    else:
        pytest.fail(f"no card flew in {TRIES * TURNS} turns")


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
