"""A game of each kind, played to its end by ear: by roles, names and live regions."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.web.browser.conftest import Visitors
from tests.web.browser.play import MAX_MOVES, NAMES, short_table

LISTEN = """() => {
    window.heard = [];
    const spoken = "[aria-live=polite], [role=status], [role=alert]";
    new MutationObserver(changes => {
        const parts = changes.map(({target}) => target.parentElement?.closest(spoken)
            ?? (target.matches?.(spoken) ? target : null));
        for (const part of new Set(parts)) {
            if (!part?.checkVisibility()) continue;
            const read = part.cloneNode(true);
            for (const one of read.querySelectorAll("[aria-hidden=true], [hidden]")) one.remove();
            const said = read.textContent.replace(/\\s+/g, " ").trim();
            if (said) window.heard.push(said);
        }
    }).observe(document.body, {childList: true, subtree: true, characterData: true});
}"""
TO_DO = """([before, alone]) => {
    document.getElementById("go-on")?.click();
    return window.heard.slice(before).some(said => alone || said.endsWith("Your turn."))
        || board.dataset.over == 1;
}"""
LINE = re.compile(r"""^ *- '?(button|radio|checkbox|link) "(.*?)"([^"]*)$""")
TOOLS = re.compile("^(Ask to undo|Undo|Redo|Finish|Cards and points|Log|as a list)$")


def moves_in(tree: str) -> list[tuple[str, str]]:
    """What can be played or chosen, by role and name, in the order in which it is read."""
    before_tools = tree.partition('complementary "Moves and tools"')[0]
    found = [match for line in before_tools.splitlines() if (match := LINE.match(line))]
    can = [m for m in found if m[1] != "link" and not re.search("disabled|checked", m[3])]
    return [(m[1], m[2]) for m in can if not TOOLS.match(m[2])]


def best_of(can: list[tuple[str, str]]) -> tuple[str, str]:
    """A move; where none is read, a part of one. A place with many points comes first."""

    def worth(one: tuple[str, str]) -> tuple[bool, int]:
        points = re.search(r"(\d+) points?$", one[1])
        return one[0] == "button", int(points[1]) if points else 0

    return max(can, key=worth)


@pytest.mark.parametrize("game", NAMES)
def test_a_whole_game_by_ear(visit: Visitors, game: str) -> None:
    page = visit()
    seats = short_table(page, game, begun=True)
    page.evaluate(LISTEN)
    main = page.get_by_role("main")
    expect(main.get_by_text("Your turn" if seats > 1 else "of 48")).not_to_have_count(0)
    for _ in range(MAX_MOVES):
        tree = main.aria_snapshot()
        if 'link "Replay"' in tree:
            break
        can = moves_in(tree)
        assert can, f"nothing to play is read:\n{tree}"
        role: Any
        role, name = best_of(can)
        heard = page.evaluate("() => window.heard.length")
        free: dict[str, Any] = {} if role == "button" else {"checked": False}
        one = page.get_by_role(role, name=name, exact=True, **free).first
        one.press("Enter" if role == "button" else "Space")
        if role == "button":
            page.wait_for_function(TO_DO, arg=[heard, seats == 1])
    else:
        raise AssertionError(f"the game was not over after {MAX_MOVES} choices")
    said: list[str] = page.evaluate("() => window.heard")
    headline = page.get_by_role("heading", level=2).first.inner_text()
    assert any(f"{headline}." in one for one in said), (headline, said[-3:])
    players = ["Ada ", "You "] if seats > 1 else [""]
    for player in players:
        moves = [one for one in said if one.startswith(player)]
        assert len(moves) > 2, f"{player} was not heard to play: {said}"
