"""The edition in a browser: from a plain web host, below a folder, and then without a connection.

What it is made of comes from package registries; without one there is nothing to test.
"""

from __future__ import annotations

import contextlib
import functools
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from doctest import DocTestParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Frame,
    Page,
    Response,
    WebError,
    expect,
)

from redouble.commands.site import SiteError, make
from redouble.contract.registry import GAMES
from tests.helpers.places import ROOT

PAGES = (
    *("me", "puzzles/double-down/1", "daily", "replays", "privacy", "rules/three-up"),
    *("new/double-decker?with=here", "me/export", "api/games"),
)
ASK = """
  const ask = async (path, given) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const asked = given ? { method: "POST", headers, body: JSON.stringify(given) } : { headers };
    return (await fetch(`${base}api/${path}`, asked)).json();
  };
"""
"""Asks the interface for programs, at ``base`` with a ``token``."""
THINK = (
    """
async ([base, patience]) => {
  let token = "";
  """
    + ASK
    + """
  const until = async (path, there, given) => {
    const late = Date.now() + patience;
    let found;
    while (Date.now() < late) {
      found = await ask(path, given);
      if (there(found)) return found;
    }
    throw new Error(`${path} stays ${JSON.stringify(found)}`);
  };
  token = (await ask("guests", {})).token;
  const wrong = [];
  let most = 0;
  const { games } = await ask("games");
  for (const { name: game, seats } of games.filter((each) => each.seats.max > 1)) {
    const bots = Array(seats.min - 1).fill({ kind: "bot", level: "master" });
    let table = await ask("tables", { game, seats: [{ kind: "me" }, ...bots], pace: "instant" });
    const path = `tables/${table.table}`;
    if (table.my_turn) {
      const hint = await until(`${path}/hint`, (now) => !now.again, {});
      if (hint.quick) wrong.push(`${game}: a hint is a guess`);
    }
    while (table.my_turn) {
      const [move] = table.view.legal_moves; // after some it is one's turn again
      table = await ask(`${path}/moves`, { move, ply: table.ply });
    }
    let answers = 0;
    const { ply } = table;
    await until(path, (now) => ++answers && now.ply > ply);
    most = Math.max(most, answers);
  }
  if (most < 3) wrong.push("no page while a master thinks"); // who has no choice moves at once
  const game = games.find((each) => each.seats.min === 2).name;
  let table = await ask("tables", { game, seats: [{ kind: "me" }, { kind: "here" }] });
  const path = `tables/${table.table}`;
  while (table.status === "playing") {
    const [move] = table.view.legal_moves;
    table = await ask(`${path}/moves`, { move, ply: table.ply });
  }
  await ask(`${path}/review`, {});
  const { review, problem } = await until(`${path}/review`, (now) => now.review || now.problem);
  if (!review) wrong.push(`no review: ${problem}`);
  return wrong;
}
"""
)
"""Plays against masters, asks for hints and a review, waiting no longer than a number of
milliseconds for each; returns what went wrong."""
PLAY_ON = (
    """
([base, token, game]) => {
  """
    + ASK
    + """
  const play = async () => {
    for (;;) {
      let table = await ask("tables", { game, seats: [{ kind: "me" }, { kind: "here" }] });
      while (table.status === "playing") {
        const [move] = table.view.legal_moves;
        table = await ask(`tables/${table.table}/moves`, { move, ply: table.ply });
        console.log(`confirmed ${table.table} ${table.ply}`);
      }
    }
  };
  play();
}
"""
)
"""Plays both seats of a table, and then the next, and reports each move that is confirmed."""
PLIES = (
    """
async ([base, token, tables]) => {
  """
    + ASK
    + """
  return Promise.all(tables.map(async (table) => (await ask(`tables/${table}`)).ply));
}
"""
)
WAITS = "navigator.serviceWorker.getRegistration().then((found) => Boolean(found.waiting))"
SHELL = "document.querySelector('script').src"
KILLS = 12
BOOT = 240_000
"""Milliseconds that unpacking and starting may take on a busy machine."""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the edition."""
    folder = tmp_path_factory.mktemp("host") / "games"
    try:
        make(folder, packed=False)
    except SiteError as error:
        pytest.skip(f"the edition can't be made here: {error}")
    return folder


@pytest.fixture(scope="module")
def host(folder: Path) -> Iterator[str]:
    """Return the address of a web host that serves the edition below its own."""
    served = functools.partial(Quiet, directory=str(folder.parent))
    server = ThreadingHTTPServer(("127.0.0.1", 0), served)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_address[1]}/games/"
    server.shutdown()
    server.server_close()


@contextmanager
def context_of(browser: Browser, faults: list[str]) -> Iterator[BrowserContext]:
    def hear(error: WebError) -> None:
        faults.append(str(error.error))

    def look(got: Response) -> None:
        if got.status >= 500:
            faults.append(f"{got.status} {got.url}")

    context = browser.new_context(viewport={"width": 390, "height": 844})
    context.on("weberror", hear)
    context.on("response", look)
    yield context
    context.close()


def framed(page: Page) -> Frame:
    """Return the frame with the site's page, when it shows one."""
    shown = page.frame_locator("iframe").locator("html:not([data-copy])").locator("main, #live")
    shown.first.wait_for(timeout=BOOT)
    return page.frames[1]


def test_a_tab_plays_all_games_and_keeps_them_without_a_connection(
    browser: Browser, host: str, tmp_path: Path
) -> None:
    faults: list[str] = []
    with context_of(browser, faults) as context:
        page = context.new_page()
        page.goto(host)
        copy = page.frame_locator("iframe").locator("html[data-copy]")
        copy.locator("form[action$='/play/double-down'] button").first.click()
        framed(page).locator("#board").wait_for(state="attached", timeout=BOOT)
        frame = framed(page)
        page.locator("html[data-prepared=yes]").wait_for(state="attached", timeout=BOOT)
        page.reload()  # from the memory that was kept
        framed(page).locator("#board").wait_for(state="attached")
        page.goto(host)
        frame = framed(page)
        assert page.title().endswith("Redouble: five games to play")  # with the turns that wait
        for words in ("Link this device", "Friends", "Get the link", "Play people"):
            assert not frame.get_by_text(words).count(), f"{words}, where nobody else comes"
        tables = []
        for name in GAMES:
            frame.goto(host)
            frame.locator(f"form[action$='/play/{name}'] button").first.click()
            frame.locator("#board").wait_for(state="attached")
            tables.append(frame.url)
            assert frame.locator("link[rel=stylesheet]").count()
        assert page.url == tables[-1], "the address bar names another page"
        context.set_offline(True)
        other = context.new_page()
        other.goto(tables[0])
        assert framed(other).url == tables[0], "a second tab shows the site of the first"
        page.close()  # with it, the worker of both
        other.reload()
        assert framed(other).url == tables[0]
        frame = framed(other)
        frame.goto(host)
        names = [*tables, *PAGES]
        answers = frame.evaluate(
            "([base, names]) => Promise.all(names.map(async (name) =>"
            " (await fetch(new URL(name, base))).status))",
            [host, names],
        )
        assert set(answers) == {200}, "a table or page is lost without its first tab"
    assert not faults


def test_a_tab_searches_and_solves_while_it_serves_pages(browser: Browser, host: str) -> None:
    faults: list[str] = []
    with context_of(browser, faults) as context:
        page = context.new_page()
        page.goto(host)
        frame = framed(page)
        context.set_offline(True)
        assert frame.evaluate(THINK, [host, BOOT]) == []
        frame.goto(f"{host}deals/double-or-quits/7?solve=true")
        frame.get_by_text("This deal").first.wait_for()
    assert not faults


def test_the_examples_of_the_documents_run_in_the_console(browser: Browser, host: str) -> None:
    faults: list[str] = []
    with context_of(browser, faults) as context:
        page = context.new_page()
        page.goto(f"{host}console.html")
        for name in ("README.md", "docs/tutorial.md"):
            text = (ROOT / name).read_text(encoding="utf-8").partition(">>> from redouble.envs")[0]
            examples = DocTestParser().get_examples(text)
            wanted = [one.want.splitlines()[-1] for one in examples if one.want]
            assert len(wanted) > 2
            page.locator("#code").fill("".join(one.source for one in examples))
            page.get_by_role("button", name="Run").click()
            for words in wanted:
                expect(page.locator("#printed")).to_contain_text(words, timeout=BOOT)
        page.locator("#code").fill("1 +")
        page.get_by_role("button", name="Run").click()
        expect(page.locator("#printed")).to_contain_text("SyntaxError: ")
    assert not faults


def start_game(frame: Frame, name: str) -> None:
    frame.locator(f"form[action$='/play/{name}'] button").first.click()


def test_killing_a_tab_loses_no_confirmed_move(browser: Browser, host: str) -> None:
    confirmed: dict[str, int] = {}

    def hear(message: ConsoleMessage) -> None:
        if message.text.startswith("confirmed "):
            _, table, ply = message.text.split()
            confirmed[table] = int(ply)

    with context_of(browser, []) as context:
        context.on("console", hear)
        page = context.new_page()
        page.goto(host)
        guest = f"(base) => {{ const token = ''; {ASK} return ask('guests', {{}}); }}"
        token = framed(page).evaluate(guest, host)["token"]
        page.locator("html[data-prepared=yes]").wait_for(state="attached", timeout=BOOT)
        game = next(game.name for game in GAMES.values() if game.min_seats == 2)
        for kill in range(KILLS):
            known = dict(confirmed)
            framed(page).evaluate(PLAY_ON, [host, token, game])
            while confirmed == known:
                page.wait_for_timeout(10)
            page.wait_for_timeout(random.uniform(0, 200))
            with contextlib.suppress(Error):  # nobody is left to answer
                page.goto("chrome://crash", timeout=5_000)
            page.close()
            page = context.new_page()
            page.goto(host)
            tables = dict(list(confirmed.items())[-5:])
            plies = framed(page).evaluate(PLIES, [host, token, list(tables)])
            for ply, least in zip(plies, tables.values(), strict=True):
                assert ply >= least, f"a move is lost with kill {kill}"


def test_an_update_waits_for_open_tabs_and_keeps_the_games(
    browser: Browser, host: str, folder: Path
) -> None:
    (scripts,) = folder.glob("tab.*")
    version = scripts.suffix.removeprefix(".")
    with context_of(browser, []) as context:
        page, other = context.new_page(), context.new_page()
        page.goto(host)
        start_game(framed(page), next(iter(GAMES)))
        page.frame_locator("iframe").locator("#board").wait_for(state="attached")
        table = page.url
        scripts = scripts.rename(scripts.with_suffix(f".{version[::-1]}"))
        for path in (*scripts.iterdir(), *folder.glob("*.html"), folder / "service-worker.js"):
            path.write_text(path.read_text().replace(version, version[::-1]))
        other.goto(host)
        framed(other)
        while not other.evaluate(WAITS):
            other.wait_for_timeout(50)
        assert version in other.evaluate(SHELL), "two versions at a time"
        page.close()
        other.close()
        page = context.new_page()
        page.goto(table)
        framed(page).locator("#board").wait_for(state="attached")
        assert version[::-1] in page.evaluate(SHELL)
