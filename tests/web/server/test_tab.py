"""The site as it runs in a tab of a browser: its requests, and a machine without threads."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from redouble.contract.registry import GAMES
from redouble.web.server.tab import Tab
from tests.helpers.in_tab import run_in_tab
from tests.web.helpers.markup import found_in

PAGES = (
    *("/", "/me", "/daily", "/puzzles", "/replays", "/privacy", "/rules", "/fair", "/nowhere"),
    *("/puzzles/double-down/1", "/deals/double-or-quits/7"),
    *(f"/rules/{name}" for name in GAMES),
    *(f"/rules/{name}/examples/1" for name in GAMES),
    *(f"/new/{name}" for name in GAMES),
)
ON_A_SERVER = {
    *("Friends", "Play together", "a friend, by link", "Get the link", "With friends, by a link"),
    *("Sign in", "Public", "Anyone can take an open seat, and watch."),
    "They see your name, rating and number of games, the moves, and all cards when the game is"
    " over.",
    *("Casual", "The game changes no ratings.", "rated", "casual"),
    "Which games you look for people to play with, and whether you want to be notified when"
    " somebody comes; others see it while you look",
    *(
        "1 day",
        "Join a table",
        "Nobody is waiting now.",
        "Find people",
        "Ratings and leaderboard",
        "until you delete your data",
    ),
    "Your rating after each rated game, where you asked for hints in games with others, and whether"
    " you are on the leaderboards",
    *(
        "A digest of your recovery code, and when you made it",
        "until you use it, or delete your data",
    ),
    "Your moves in advance, which nobody else sees",
    "until they&#39;re made or out of date, or you delete them",
    "If you asked for messages: the address that your browser gave for them, and the one that you"
    " chose, encrypted.",
    "Which notifications you want and when, and your time zone",
    *(
        "The secret link of your calendar, if you made one",
        "until you remove it, or delete your data",
    ),
    *("Which notifications we sent (not their text), to avoid duplicates", "30 days"),
    "Those who meet you at a table see your name and picture, your ratings and how many games you"
    " have finished.",
    "Your picture, privacy choices and display settings",
    "Your passkeys: the public key, the browser in which you added it, when you added and last used"
    " it, and how often your device has used it",
    "until you remove them, or delete your data",
    "until you stop them, sign out of that browser or delete your data",
    "The circles that you are in and since when, whether you take part in the duplicate games they"
    " plan, and which games were played at a circle&#39;s tables; season tables and results are"
    " counted from these",
    "until you leave, are removed or delete your data; a circle ends with its last member",
    "Members of a circle see who else is in it, whether they are online unless they hide that, the"
    " circle's games and season table, and each other's results at daily deals that they have"
    " finished themselves.",
    *("Same deals for all.", "Everyone gets the same deals and the same puzzle."),
    *(
        "For parents",
        "Nobody is asked for an age or a real name: choose a name that says nothing about"
        " your child.",
    ),
    *(
        "No chat with strangers",
        "on",
        "Your page",
        ", in the browser of your child, only friends can write.",
    ),
    *("1 day a move", "3 days a move", "Nights off", "Weekends off"),
    "No time passes from 22 to 8 o'clock, where each player lives.",
    "No time passes on Saturdays and Sundays.",
}
"""What pages say on a server alone: a tab has no invitations, devices and results of others."""
IN_A_TAB = {
    *("More", "Your own deals, and what bots make of them.", "Everything stays on this server"),
    *("This edition runs in your browser, also without a connection.", "download them"),
    *("now and then.", "These deals and this puzzle are this browser's own; bots play them, too."),
}
"""What they say in a tab alone."""
WITHOUT_THREADS = """
import asyncio, json, sys
from pathlib import Path
from tests.helpers.in_tab import become_a_tab

async def main():
    become_a_tab(Path(sys.argv[1]))
    from redouble.web.server.tab import warm_up
    from tests.web.server.test_tab import opened, play, said_on_pages

    async with opened(Path("data")) as ask:
        said = await said_on_pages(ask)
        await play(ask)
    await warm_up()
    print(json.dumps(said))

asyncio.run(main())
"""


class Answer:
    """A response, as the worker of a tab gets it."""

    def __init__(self) -> None:
        self.status, self.headers, self.body = 0, dict[str, str](), b""

    def begin(self, status: int, headers: list[tuple[str, str]]) -> None:
        self.status, self.headers = status, dict(headers)

    def give(self, piece: bytes) -> None:
        self.body += piece


@asynccontextmanager
async def opened(folder: Path, prefix: str = "") -> Any:
    """Open a tab's site, and yield a function that asks it."""
    tab, number = Tab(folder, prefix), 0
    await tab.open()

    async def ask(
        method: str,
        address: str,
        form: Mapping[str, str] | None = None,
        seconds: float = 60,
        upload: bytes = b"",
    ) -> Answer:
        nonlocal number
        number += 1
        answer = Answer()
        headers = [["sec-fetch-site", "same-origin"]]
        body = b""
        if form is not None:
            headers.append(["content-type", "application/x-www-form-urlencoded"])
            body = "&".join(f"{name}={value}" for name, value in form.items()).encode()
        if upload:
            headers.append(["content-type", "multipart/form-data; boundary=x"])
            body = b'--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'
            body += upload + b"\r\n--x--\r\n"
        asked = tab.ask(number, method, address, headers, body, answer.begin, answer.give)
        asyncio.get_running_loop().call_later(seconds, tab.cancel, number)
        await asked
        return answer

    try:
        yield ask
    finally:
        await tab.close()


def marks(page: bytes) -> dict[str, str]:
    """Return the hidden fields of a page's first form."""
    form = page.decode().partition("<form")[2].partition("</form>")[0]
    return dict(re.findall(r'name="(\w+)"\s+value="([^"]*)"', form))


async def play(ask: Any) -> str:
    """Begin a game against bots, ask for a hint and play a card; return the table's address."""
    home = await ask("GET", "/")
    assert home.status == 200
    begun = await ask("POST", "/play/double-down", marks(home.body))
    assert begun.status == 303, begun.body
    table = begun.headers["location"]
    page = await ask("GET", table)
    assert b"Your turn" in page.body or b"data-mine" in page.body
    hint = await ask("GET", f"{table}/hint")
    assert hint.status == 200
    sent = await ask("POST", "/replays", upload=b" " * 1_100_000 + b"{}")
    assert sent.status == 400, sent.body
    state = await ask("GET", f"/api{table.replace('/t/', '/tables/')}")
    assert state.status == 200
    return str(table)


async def said_on_pages(ask: Any) -> dict[str, list[str]]:
    """Return the texts and tags of each page, without what is drawn by lot or is for messages."""
    said = {}
    for address in PAGES:
        page = (await ask("GET", address)).body.decode()
        page = re.sub(r'(value|data-commitment)="[^"]{16,}"|data-known="/push/known"', "", page)
        said[address] = [" ".join(part.split()) for part in re.split(r"(<[^>]*>)", page)]
    return said


def test_a_site_keeps_its_visitor_and_moves_its_links_below_a_prefix(tmp_path: Path) -> None:
    async def visit() -> None:
        async with opened(tmp_path, "/games") as ask:
            home = await ask("GET", "/")
            assert b'href="/games/rules/double-down"' in home.body
            assert not re.search(rb'\s(href|src|action)="/(?!games/)', home.body)
            assert "frame-ancestors 'self'" in home.headers["content-security-policy"]
            assert "set-cookie" not in home.headers
            begun = await ask("POST", "/play/double-or-quits", marks(home.body))
            assert begun.headers["location"].startswith("/games/t/")
        async with opened(tmp_path, "/games") as ask:  # after a reload
            home = await ask("GET", "/")
            assert begun.headers["location"].encode() in home.body, "the game is forgotten"
            table = begun.headers["location"].removeprefix("/games")
            page = (await ask("GET", f"{table}?seat=0")).body.decode()
            known = [found_in(rf' data-{one}="(.+?)"', page) for one in ("version", "ply")]
            for version, sent in ((known[0], b"event: still"), ("old", b'id="board"')):
                query = f"seat=0&seen={known[1]}&version={version}"
                stream = await ask("GET", f"{table}/stream?{query}", seconds=0.5)
                assert stream.status == 200, "the stream has not begun"
                assert sent in stream.body, "a page with old scripts hears of it at once"
                board = await ask("GET", f"{table}/board?{query}")
                assert board.status == (204 if version == known[0] else 200)

    asyncio.run(visit())


@pytest.mark.one_server("several say what they tell each other")
def test_a_site_works_without_threads_and_says_what_a_server_says(tmp_path: Path) -> None:
    """Whatever begins a thread would end a tab; a process for it all, since modules ask once."""
    printed = run_in_tab(GAMES["double-down"], tmp_path, "-c", WITHOUT_THREADS)

    async def visit() -> dict[str, list[str]]:
        async with opened(tmp_path / "server") as ask:
            return await said_on_pages(ask)

    server, tab = asyncio.run(visit()), json.loads(printed)
    told, here = set[str](), set[str]()
    for address in PAGES:
        fewer = Counter(server[address]) - Counter(tab[address])
        more = Counter(tab[address]) - Counter(server[address])
        gone, new = sentences(fewer), sentences(more)
        told |= gone
        here |= new
        assert gone or new or not (fewer or more), (address, fewer, more)
    differs = told ^ ON_A_SERVER, here ^ IN_A_TAB
    assert differs == (set(), set())


def sentences(parts: Counter[str]) -> set[str]:
    """Return the first sentence of each text."""
    texts = (part for part in parts if not re.match(r"<|$|·$|\d+ players$", part))
    return {re.split(r"(?<=[.]) ", text)[0] for text in texts}
