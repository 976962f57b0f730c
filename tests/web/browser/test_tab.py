"""The edition in a browser: from a plain web host, below a folder, and then without a connection.

What it is made of comes from package registries; without one there is nothing to test.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import random
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from doctest import DocTestParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
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
    sync_playwright,
)

from redouble.contract.registry import GAMES
from redouble.web.server.edition import SiteError, make
from tests.helpers.places import EARLIER_SCHEMAS, ROOT
from tests.helpers.programs import installed
from tests.web.browser.axe import violations
from tests.web.browser.firefox import PROGRAMS, launch_firefox
from tests.web.browser.play import MOVES, QUICK

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
FULL = """
() => {
  const { prototype } = FileSystemSyncAccessHandle;
  const { write } = prototype;
  self.makeRoom = () => { prototype.write = write; };
  prototype.write = () => { throw new DOMException("no room", "QuotaExceededError"); };
}
"""
"""Lets a worker's writes fail like those of a browser whose storage is full."""
FILES = """
async (changed) => {
  const top = await navigator.storage.getDirectory();
  const folder = await top.getDirectoryHandle("redouble");
  const put = async (file, pieces) => {
    const open = (tries) => file.createWritable().catch(async (error) => {
      if (!tries) throw error; // a closed tab's worker ends a moment later
      await new Promise((resolve) => setTimeout(resolve, 100));
      return open(tries - 1);
    });
    const stream = await open(100);
    for (const piece of pieces) await stream.write(piece);
    await stream.close();
  };
  for await (const handle of folder.values()) {
    const file = await handle.getFile();
    if (file.size < 4096) continue;
    const head = new Uint8Array(await file.slice(0, 4096).arrayBuffer());
    const length = new DataView(head.buffer).getUint16(8);
    const name = new TextDecoder().decode(head.subarray(10, 10 + length));
    if (name !== "/redouble.sqlite3") continue;
    if (!changed) return [...new Uint8Array(await file.slice(4096).arrayBuffer())];
    await put(handle, [head, new Uint8Array(changed.database)]);
    break;
  }
  const memory = await top.getFileHandle("redouble-memory", { create: true });
  await put(memory, [changed.version.padEnd(64), new Uint8Array(1000)]);
}
"""
"""Returns the database of the edition; or replaces it, and the memory by one that is broken."""
WAITS = "navigator.serviceWorker.getRegistration().then((found) => Boolean(found.waiting))"
SHELL = "document.querySelector('script').src"
KILLS = 4
BOOT = 240_000
"""Milliseconds that unpacking and starting may take on a busy machine."""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the edition, which is made once for all processes of a run."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    made, folder = shared / "edition", tmp_path_factory.mktemp("host") / "games"
    with (shared / "edition.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            if not made.exists():
                make(made, packed=False)
        except SiteError as error:
            pytest.skip(f"the edition can't be made here: {error}")
    shutil.copytree(made, folder)
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


def test_what_a_browser_lacks_is_said_and_full_storage_loses_nothing(
    browser: Browser, host: str
) -> None:
    with context_of(browser, []) as context:
        page = context.new_page()
        page.add_init_script("delete WebAssembly.Suspending")
        page.goto(f"{host}index.html#/new/{QUICK}")
        assert not violations(page), "the page around the site's has faults"
        frame = framed(page)
        assert not violations(frame), "a page in it has faults"
        frame.goto(host)
        start_game(frame, QUICK)
        expect(page.locator("#waiting")).to_be_visible()
        page.get_by_role("button", name="OK").click()
        board = frame.locator("#board")
        frame.locator(MOVES).first.wait_for()
        worker = next(one for one in page.workers if one.url.endswith("/worker.js"))
        before = board.get_attribute("data-ply") or ""
        worker.evaluate(FULL)
        frame.locator(MOVES).first.click()
        frame.get_by_text("Saving failed, and nothing has changed").first.wait_for()
        expect(board).to_have_attribute("data-ply", before)
        worker.evaluate("makeRoom()")
        frame.locator(MOVES).first.click()
        expect(board).not_to_have_attribute("data-ply", before)


def test_firefox_opens_the_edition_and_plays_a_move(
    host: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Driven like this on a busy machine, Firefox is tried once more, as in its other tests."""
    if not request.config.option.firefox:
        pytest.skip("it takes a minute and a half: run it with --firefox")
    installed(*PROGRAMS)

    def play() -> None:
        with sync_playwright() as playwright:
            firefox = launch_firefox(playwright, tmp_path)
            assert firefox is not None
            page = firefox.new_page()
            page.set_default_timeout(BOOT / 2)
            page.goto(host)
            start_game(framed(page), QUICK)
            frame = page.frame_locator("iframe")
            move, board = frame.locator(MOVES).first, frame.locator("#board")
            move.wait_for()
            before = board.get_attribute("data-ply") or ""
            move.click()
            expect(board).not_to_have_attribute("data-ply", before, timeout=BOOT / 2)
            firefox.close()

    with ThreadPoolExecutor(1) as thread:  # Playwright has one browser in each
        try:
            thread.submit(play).result()
        except (Error, AssertionError):
            thread.submit(play).result()


def of_revision(number: str, content: bytes, folder: Path) -> bytes:
    """Return a database with the rows of another one, as it was before later migrations.

    What later migrations have dropped is empty.
    """
    new, old = folder / "new.sqlite3", folder / "old.sqlite3"
    new.write_bytes(content)
    config = Config()
    config.set_main_option("script_location", str(EARLIER_SCHEMAS))
    with sa.create_engine(f"sqlite:///{old}").begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, number)
    with contextlib.closing(sqlite3.connect(old)) as database:
        database.execute("ATTACH ? AS new", [str(new)])
        found = "SELECT name FROM main.sqlite_master WHERE type = 'table' AND sql LIKE '%PRIMARY%'"
        for (table,) in database.execute(found).fetchall():
            if table != "alembic_version":
                now = {row[1] for row in database.execute(f"PRAGMA new.table_info({table})")}
                about = database.execute(f"PRAGMA main.table_info({table})")
                if names := ", ".join(row[1] for row in about if row[1] in now):
                    given = f"SELECT {names} FROM new.{table}"
                    database.execute(f"INSERT INTO main.{table} ({names}) {given}")
        database.commit()
    return old.read_bytes()


def test_an_update_waits_for_open_tabs_and_migrates_the_games(
    browser: Browser, host: str, folder: Path, tmp_path: Path
) -> None:
    """Its database is from before the newest migration, and the memory of its program is broken."""
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
        other.goto(host.removesuffix("games/"))
        found = other.evaluate(FILES)
        database = of_revision("0030", bytes(found), tmp_path)
        other.evaluate(FILES, {"database": list(database), "version": version[::-1]})
        other.close()
        page = context.new_page()
        page.goto(table)
        framed(page).locator("#board").wait_for(state="attached")
        assert version[::-1] in page.evaluate(SHELL)
