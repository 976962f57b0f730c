"""The site as it runs in a tab of a browser: its requests, and a machine without threads."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from redouble.contract.registry import GAMES
from redouble.web.server.tab import Tab
from tests.helpers.in_tab import run_in_tab

WITHOUT_THREADS = """
import asyncio, sys
from pathlib import Path
from tests.helpers.in_tab import become_a_tab

async def main():
    become_a_tab(Path(sys.argv[1]))
    from redouble.web.server.tab import warm_up
    from tests.web.server.test_tab import opened, play

    async with opened(Path("data")) as ask:
        await play(ask)
    await warm_up()

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
        method: str, address: str, form: Mapping[str, str] | None = None, seconds: float = 60
    ) -> Answer:
        nonlocal number
        number += 1
        answer = Answer()
        headers = [["sec-fetch-site", "same-origin"]]
        body = b""
        if form is not None:
            headers.append(["content-type", "application/x-www-form-urlencoded"])
            body = "&".join(f"{name}={value}" for name, value in form.items()).encode()
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
    state = await ask("GET", f"/api{table.replace('/t/', '/tables/')}")
    assert state.status == 200
    return str(table)


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
            stream = await ask("GET", f"{table}/stream?seat=0&version=x", seconds=0.5)
            assert stream.status == 200, "the stream has not begun"

    asyncio.run(visit())


def test_a_site_works_without_threads_and_processes(tmp_path: Path) -> None:
    """Whatever begins a thread would end a tab; a process for it all, since modules ask once."""
    run_in_tab(GAMES["double-down"], tmp_path, "-c", WITHOUT_THREADS)
