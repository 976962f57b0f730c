"""The edition in a browser: from a plain web host, below a folder, and then without a connection.

What it is made of comes from package registries; without one there is nothing to test.
"""

import contextlib
import fcntl
import functools
import os
import random
import shutil
import sqlite3
import threading
from collections.abc import Iterator
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
    Worker,
    expect,
)

from redouble.contract.registry import GAMES
from redouble.web.server.edition import SiteError, make
from tests.helpers.places import EARLIER_SCHEMAS, ROOT
from tests.web.browser.axe import violations
from tests.web.browser.conftest import PHONE
from tests.web.browser.play import MOVES, QUICK

PAGES = (
    *("me", "puzzles/double-down/1", "daily", "replays", "privacy", "rules/three-up"),
    *("new/double-decker?with=here", "me/export", "api/games"),
)
SCRIPT = Path(__file__).with_name("edition.js").read_text(encoding="utf-8")
WAITS = "navigator.serviceWorker.getRegistration().then((found) => Boolean(found.waiting))"
SHELL = "document.querySelector('script').src"
KILLS = 2
BOOT = 240_000
"""Milliseconds that unpacking and starting may take on a busy machine."""


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
    served = functools.partial(SimpleHTTPRequestHandler, directory=str(folder.parent))
    server = ThreadingHTTPServer(("127.0.0.1", 0), served)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_address[1]}/games/"
    server.shutdown()
    server.server_close()


@contextmanager
def context_of(browser: Browser, faulty: bool = False) -> Iterator[BrowserContext]:
    """Open a window, and fail in the end if it had faults, unless it is to be ``faulty``."""
    faults: list[str] = []

    def look(got: Response) -> None:
        if got.status >= 500:
            faults.append(f"{got.status} {got.url}")

    context = browser.new_context(viewport=PHONE)
    context.set_default_timeout(BOOT)
    context.on("weberror", lambda error: faults.append(str(error.error)))
    context.on("response", look)
    yield context
    context.close()
    assert faulty or not faults


def run(where: Page | Frame | Worker, call: str, *given: Any) -> Any:
    """Call a function of edition.js there."""
    return where.evaluate(f"async (given) => {{ {SCRIPT}; return {call}(...given); }}", given)


def framed(page: Page) -> Frame:
    """Return the frame with the site's page, when it shows one."""
    shown = page.frame_locator("iframe").locator("html:not([data-copy])").locator("main, #live")
    shown.first.wait_for(timeout=BOOT)
    return page.frames[1]


def start_game(frame: Frame, name: str) -> None:
    frame.locator(f"form[action$='/play/{name}'] button").first.click()


def test_a_tab_plays_all_games_and_keeps_them_without_a_connection(
    whole_browser: Browser, host: str
) -> None:
    """And it searches and solves while it serves pages."""
    with context_of(whole_browser) as context:
        page = context.new_page()
        page.goto(host)
        copy = page.frame_locator("iframe").locator("html[data-copy]")
        copy.locator("form[action$='/play/double-down'] button").first.click()
        framed(page).locator("#board").wait_for(state="attached", timeout=BOOT)
        page.locator("html[data-prepared=yes]").wait_for(state="attached", timeout=BOOT)
        page.goto(host)  # from the memory that was kept
        frame = framed(page)
        assert page.title().endswith("Redouble: five games to play")  # with the turns that wait
        for words in ("Sign in", "Friends", "Get the link", "Find people"):
            assert not frame.get_by_text(words).count(), f"{words}, where nobody else comes"
        tables = []
        for name in GAMES:
            frame.goto(host)
            start_game(frame, name)
            frame.locator("#board").wait_for(state="attached")
            tables.append(frame.url)
            assert frame.locator("link[rel=stylesheet]").count()
        page.wait_for_url(tables[-1])  # the address bar names the page in the frame
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
        assert run(frame, "think", host, BOOT) == []
        frame.goto(f"{host}deals/double-or-quits/7?solve=true")
        frame.get_by_text("This deal").first.wait_for()


def test_the_examples_of_the_documents_run_in_the_console(
    whole_browser: Browser, host: str
) -> None:
    with context_of(whole_browser) as context:
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


def test_killing_a_tab_loses_no_confirmed_move(whole_browser: Browser, host: str) -> None:
    confirmed: dict[str, int] = {}

    def hear(message: ConsoleMessage) -> None:
        if message.text.startswith("confirmed "):
            _, table, ply = message.text.split()
            confirmed[table] = int(ply)

    with context_of(whole_browser, faulty=True) as context:
        context.on("console", hear)
        page = context.new_page()
        page.goto(host)
        token = run(framed(page), "newToken", host)
        page.locator("html[data-prepared=yes]").wait_for(state="attached", timeout=BOOT)
        game = next(game.name for game in GAMES.values() if game.min_seats == 2)
        for kill in range(KILLS):
            known = dict(confirmed)
            run(framed(page), "playOn", host, token, game)
            while confirmed == known:
                page.wait_for_timeout(10)
            page.wait_for_timeout(random.uniform(0, 200))
            with contextlib.suppress(Error):  # nobody is left to answer
                page.goto("chrome://crash", timeout=5_000)
            page.close()
            page = context.new_page()
            page.goto(host)
            tables = dict(list(confirmed.items())[-5:])
            plies = run(framed(page), "plies", host, token, list(tables))
            for ply, least in zip(plies, tables.values(), strict=True):
                assert ply >= least, f"a move is lost with kill {kill}"


def test_what_a_browser_lacks_is_said_and_full_storage_loses_nothing(
    whole_browser: Browser, host: str
) -> None:
    with context_of(whole_browser, faulty=True) as context:
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
        run(worker, "fillUp")
        frame.locator(MOVES).first.click()
        frame.get_by_text("Saving failed, and nothing has changed").first.wait_for()
        expect(board).to_have_attribute("data-ply", before)
        worker.evaluate("makeRoom()")
        frame.locator(MOVES).first.click()
        expect(board).not_to_have_attribute("data-ply", before)


def test_firefox_opens_the_edition_and_plays_a_move(
    whole_browser: Browser, host: str, request: pytest.FixtureRequest
) -> None:
    if not request.config.option.firefox:
        pytest.skip("it takes a minute and a half: run it with --firefox")
    page = whole_browser.new_page()
    page.set_default_timeout(BOOT / 2)
    page.goto(host)
    start_game(framed(page), QUICK)
    frame = page.frame_locator("iframe")
    move, board = frame.locator(MOVES).first, frame.locator("#board")
    move.wait_for()
    before = board.get_attribute("data-ply") or ""
    move.click()
    expect(board).not_to_have_attribute("data-ply", before, timeout=BOOT / 2)
    page.context.close()


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
    whole_browser: Browser, host: str, folder: Path, tmp_path: Path
) -> None:
    """Its database is from before the newest migration, and the memory of its program is broken."""
    (scripts,) = folder.glob("tab.*")
    version = scripts.suffix.removeprefix(".")
    with context_of(whole_browser, faulty=True) as context:
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
        database = of_revision("0030", bytes(run(other, "database")), tmp_path)
        run(other, "database", {"database": list(database), "version": version[::-1]})
        other.close()
        page = context.new_page()
        page.goto(table)
        framed(page).locator("#board").wait_for(state="attached")
        assert version[::-1] in page.evaluate(SHELL)
