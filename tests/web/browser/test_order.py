"""People see first what happens, then what comes of it: cards, figures, words, their own turn."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import Page

from tests.web.browser.conftest import Visitors
from tests.web.browser.play import NAMES, choose, is_over, new_table, ply, wait

WATCH = """() => {
    const start = document.startViewTransition.bind(document), texts = one => one?.textContent;
    const all = (selector) => [...document.querySelectorAll(selector)];
    const plays = "#felt [form=play], #felt label[for]", tools = ".tools :is(a, button:enabled)";
    const shown = () => ({
        ticker: texts(document.getElementById("heard")),
        log: document.querySelector("#log li")?.id,
        headline: texts(document.querySelector(".prompt.headline")),
        ending: document.getElementById("ending") !== null,
        crowned: [...document.querySelectorAll(".best [id]")].map(one => one.id).join(),
        chips: [...document.querySelectorAll(".chips .gone")].length,
        notes: [...document.querySelectorAll(".seat [class*=state-]")].map(texts).join(),
        points: [...document.querySelectorAll(".seat .points")].map(texts).join(),
        prompt: texts(document.getElementById("prompt")),
        title: document.title,
        turn: all(".seat.turn").map(one => one.dataset.seat).join(),
        facts: all("#felt :is(.facts, .heading p, .caption, .last)").map(texts).join(),
        lanes: all(".lane").map(one => one.className + one.textContent).join(),
        plays: all(plays).length,
        dim: all(".dim").length,
        tools: all(tools).map(texts).join(),
        counting: document.getAnimations().some(one =>
            one.transitionProperty === "--total" && one.playState === "running"),
    });
    const words = (now) => JSON.stringify({...now, counting: 0});
    const asked = ["title", "plays", "dim", "tools"];
    let flying = 0, before = shown(), was = "", own = true, prompt = "";
    const asks = () => all("#prompt:not(.headline) strong")
        .filter(one => one.checkVisibility({visibilityProperty: true})).map(texts).join();
    window.early = [];
    window.stale = [];
    window.told = 0;
    document.startViewTransition = change => {
        flying++;
        own = document.getElementById("board").dataset.mine === "1";
        const transition = start(async () => {
            await change();
            prompt = asks();
        });
        const over = () => flying--;
        transition.finished.then(over, over);
        return transition;
    };
    const watch = () => {
        const now = shown();
        if (words(now) !== was) window.told++;
        for (const key of Object.keys(now))
            if (now[key] !== before[key] && (flying || now.counting) && now[key]
                && key !== "counting" && !(own && asked.includes(key))
                && !(key === "chips" && now.chips < before.chips))
                window.early.push([key, before[key], now[key], flying]);
        if (!flying && prompt && asks() && asks() !== prompt) window.stale.push([prompt, asks()]);
        if (!flying) prompt = "";
        [before, was] = [now, words(now)];
    };
    new MutationObserver(watch).observe(document.getElementById("live"),
        {attributes: true, childList: true, subtree: true, characterData: true});
}"""
TURNS = 2


@pytest.mark.parametrize("game", NAMES)
def test_words_come_when_the_cards_lie(visit: Visitors, game: str) -> None:
    page, chance = visit(still=False), random.Random(game)
    new_table(page, game, pace="fast")
    wait(page)
    page.evaluate(WATCH)
    play(page, chance, TURNS)
    assert page.evaluate("told") >= TURNS
    assert page.evaluate("early") == []
    assert page.evaluate("stale") == []


def play(page: Page, chance: random.Random, turns: int) -> None:
    for _ in range(turns):
        if is_over(page):
            return
        before = ply(page)
        choose(page, chance)
        wait(page, before)


SWEPT = """() => {
    const start = document.startViewTransition.bind(document);
    const ids = () => [...document.querySelectorAll("#board [id*=-hand-]")].map(one => one.id);
    window.swept = {};
    document.startViewTransition = change => {
        const from = document.querySelector("[data-moment]")?.dataset.moment, before = ids();
        const lay = [...document.querySelectorAll(".discard [id]")].map(one => one.id);
        const transition = start(change);
        if (from?.startsWith("pile-")) transition.ready.then(() => setTimeout(() => {
            const moving = document.getAnimations().filter(one => one.effect.getKeyframes()
                .some(frame => frame.transform?.includes("rotate(") || frame.width));
            const groups = moving.map(one =>
                one.effect.pseudoElement?.match(/^::view-transition-group\\((.*)\\)$/)?.[1]);
            const come = ids().filter(one => !before.includes(one));
            window.swept[from] = groups.filter(one =>
                from === "pile-taken" ? come.includes(one) : lay.includes(one)).length;
        }), () => {});
        return transition;
    };
}"""


@pytest.mark.thorough
def test_a_pile_is_picked_up_card_by_card_and_a_cleared_one_swept_away(visit: Visitors) -> None:
    page, chance = visit(still=False), random.Random(3)
    new_table(page, "three-up", ["you", "club bot", "club bot"], pace="fast")
    wait(page)
    page.evaluate(SWEPT)
    for _ in range(30):
        play(page, chance, 1)
        if len(page.evaluate("swept")) == 2:
            break
    swept = page.evaluate("swept")
    assert swept.get("pile-taken", 0) > 0
    assert swept.get("pile-cleared", 0) > 0
