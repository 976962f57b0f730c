"""Axe finds no violation on any page, light or dark, wide or narrow."""

import random
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from redouble.contract.registry import GAMES
from redouble.web.drawing.addresses import STATIC
from tests.web.browser.axe import assert_clean
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import NAMES, ask_for_table, asked, new_table, play_unseen
from tests.web.helpers.server import Server

MOVES_MADE = 4
FIXED = {
    "home": "/",
    "a new visitor's page": "/me",
    "link": "/link",
    "replays": "/replays",
    "rules": "/rules",
    "error": "/nowhere",
    "privacy": "/privacy",
    "fair deals": "/fair",
    "for programs": "/api/docs",
    **{f"new {name}": f"/new/{name}" for name in NAMES},
    **{f"rules of {name}": f"/rules/{name}" for name in NAMES},
    **{f"tutorial of {name}": f"/rules/{name}/tutorial/2" for name in NAMES},
}
"""Pages that look the same to everyone."""
FEWER = """() => document.querySelectorAll(".api article:nth-of-type(n + 3)")
    .forEach((one) => one.remove())"""
"""Leaves two operations of each kind: the page for programs draws some forty alike."""


@pytest.fixture(scope="module")
def visitors(browser: Browser, server: Server) -> Iterator[Visitors]:
    with Visitors(browser, server.address).open() as visitors:
        visitors.expect("404")  # one of the pages is that of an error
        yield visitors


@pytest.fixture(scope="module")
def player(visitors: Visitors) -> tuple[Page, dict[str, str]]:
    """The window of a person who has played every game, and the addresses of their pages."""
    page, found = visitors(), dict[str, str]()
    for game in NAMES:
        begun, over = (ask_for_table(page, game, GAMES[game].min_seats) for _ in range(2))
        for table in (begun, over):
            play_unseen(page, table, MOVES_MADE, random.Random(game))
        found[f"{game} begun"] = f"/t/{begun}"
        asked(page, f"/api/tables/{over}/resign", {})
        found[f"{game} over"] = f"/t/{over}"
        found[f"{game} replayed"] = f"/t/{over}/replay?ply=9"
    found["waiting"] = new_table(page, seats=["you", "a friend, by link"]).url
    found["invitation"] = page.get_by_label("Link", exact=True).input_value()
    two = ["you", "a player on this device"]
    found["curtain"] = new_table(page, seats=two, names={1: "Berta"}).url
    return page, found | PERSONAL


@pytest.fixture(scope="module")
def stranger(visitors: Visitors) -> Page:
    """A stranger's window, for all pages."""
    return visitors()


PERSONAL = {"my page": "/me", "results": "/me/games/double-down", "messages": "/me/messages"}


OWN = [
    *(f"{game} {state}" for game in NAMES for state in ("begun", "over", "replayed")),
    *("waiting", "curtain", *PERSONAL),
]


@pytest.mark.parametrize("kind", OWN)
def test_axe_finds_no_violation_on_a_players_page(
    player: tuple[Page, dict[str, str]], kind: str
) -> None:
    page, addresses = player
    page.goto(addresses[kind])
    assert_clean(page)


@pytest.mark.parametrize("kind", FIXED)
def test_axe_finds_no_violation_on_a_strangers_page(stranger: Page, kind: str) -> None:
    stranger.goto(FIXED[kind])
    stranger.evaluate(FEWER)
    assert_clean(stranger)


def test_axe_finds_no_violation_on_an_invitation(
    stranger: Page, player: tuple[Page, dict[str, str]]
) -> None:
    stranger.goto(player[1]["invitation"])
    assert_clean(stranger)


def test_text_on_the_felt_has_enough_contrast() -> None:
    """Axe skips text on gradients, so compare the colors of the felt and of its text here."""
    sheet = (STATIC / "table.css").read_text(encoding="utf-8")
    colors = {
        name: re.findall(r"#[0-9a-f]{6}", value)
        for name, value in re.findall(r"--((?:on-)?felt[a-z-]*):([^;]*);", sheet)
    }
    assert {"felt", "felt-glow", "felt-rim", "on-felt", "on-felt-soft"} == set(colors)
    for name, text in colors.items():
        for other, felt in colors.items():
            if name.startswith("on-") and not other.startswith("on-"):
                assert min(_contrast(text[0], one) for one in felt) >= 4.5, (name, other)


def _contrast(one: str, other: str) -> float:
    """The contrast of two colors as WCAG 2 defines it."""
    darker, lighter = sorted(_luminance(color) for color in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    channels = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (
        c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
