#!/usr/bin/env python3
"""Measure the edition that runs in a browser: sizes, starts, moves and masters.

    .venv/bin/python benchmarks/site.py [--folder SITE] [--device desktop phone] [--write]

Makes the edition, or takes one that ``redouble build site`` has made in ``--folder``, and opens it
with Chromium from a host that serves the files compressed with brotli. For the phone the host sends
1.6 Mbit/s and answers after 150 ms, as Lighthouse's does, and all of the browser's processes stand
still for three quarters of the time; masters don't play there. Prints a JSON line for each
measurement, with the load of the machine; ``--write`` updates docs/performance.md.

The first card is that of a game for which one taps in the copy of the first page. A later start
opens that game's address again. A master answers a second after its turn has begun, or as late as
the longest search so far: what is measured is how long its worker works.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from playwright.sync_api import Page, sync_playwright

from redouble.contract.registry import GAMES
from redouble.web.server.edition import make
from tables import write

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the tests are no installed package: imports of them come after

from tests.web.browser.chromium import MISSING, launch  # noqa: E402
from tests.web.browser.play import MOVES  # noqa: E402

DEVICES = ("desktop", "phone")
BYTES_PER_SECOND, ROUND_TRIP = 200_000, 0.15
SLOWER = 4
PERIOD = 0.04
"""Seconds in which the browser of a phone works once."""
PATIENCE = 600_000
"""Milliseconds that each step may take."""
GAME = "double-down"
TAPS, MASTERS_MOVES = 7, 16
PARTS = {
    "Python": "pyodide.*/*",
    "the program and its packages": "site.*.bin",
}
BOARD = """
(button) => new Promise((resolve) => {
  const begun = performance.now();
  const seen = new MutationObserver(() => {
    seen.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - begun));
  });
  seen.observe(document.getElementById("board"), {childList: true, subtree: true});
  button.click();
})
"""
"""Taps a button; returns the milliseconds until the board has changed."""
ROUND = """
async ([base, game, seats, patience]) => {
  const headers = {"content-type": "application/json", authorization: `Bearer ${self.token}`};
  const ask = async (path, given) =>
    (await fetch(`${base}api/${path}`, given
      ? {method: "POST", headers, body: JSON.stringify(given)} : {headers})).json();
  if (!self.token) {
    self.token = (await ask("guests", {})).token;
    headers.authorization = `Bearer ${self.token}`;
  }
  if (self.table?.status !== "playing") {
    const bots = Array(seats - 1).fill({kind: "bot", level: "master"});
    self.table = await ask("tables", {game, seats: [{kind: "me"}, ...bots], pace: "instant"});
  }
  const path = `tables/${self.table.table}`, late = Date.now() + patience;
  while (self.table.my_turn)
    self.table = await ask(`${path}/moves`,
      {move: self.table.view.legal_moves.at(-1), ply: self.table.ply});
  const {ply} = self.table;
  while (self.table.status === "playing" && !self.table.my_turn && Date.now() < late) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    self.table = await ask(path);
  }
  return self.table.ply - ply;
}
"""
"""Moves at a table with masters, and waits for one's next turn; returns how often they moved."""
LISTEN = """
() => {
  if ("taken" in self) return;
  const work = self.onmessage;
  self.taken = 0;
  self.onmessage = (event) => {
    const begun = performance.now();
    work(event);
    self.taken += performance.now() - begun;
  };
}
"""
"""Adds up the milliseconds in which the worker for searches works."""
Row = dict[str, Any]


class Host(SimpleHTTPRequestHandler):
    """Serves files compressed with brotli, to a phone slowly."""

    slow = False
    _line = threading.Lock()

    def send_head(self) -> BytesIO | IO[bytes] | None:  # type: ignore[override] # it's any file
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        packed = path.with_name(f"{path.name}.br")
        if self.slow:
            time.sleep(ROUND_TRIP)
        if not packed.exists():
            return super().send_head()
        content = packed.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "br")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return BytesIO(content)

    def copyfile(self, source: Any, outputfile: Any) -> None:
        piece = BYTES_PER_SECOND // 20
        while content := source.read(piece):
            if self.slow:
                with self._line:
                    time.sleep(len(content) / BYTES_PER_SECOND)
            outputfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def hosted(folder: Path, slow: bool) -> Iterator[str]:
    handler = type("OneHost", (Host,), {"slow": slow})
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(handler, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def browsers() -> set[int]:
    """Return the numbers of Chromium's processes that this one has started."""
    parents, found = dict[int, int](), {os.getpid()}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return {one for one in found if "chrom" in Path(f"/proc/{one}/comm").read_text()}


@contextmanager
def slowed(wanted: bool) -> Iterator[None]:
    """Let the browsers that this process has started work a quarter of the time."""
    done = threading.Event()

    def each(what: signal.Signals) -> None:
        for number in browsers():
            with suppress(ProcessLookupError):
                os.kill(number, what)

    def stop_and_go() -> None:
        while not done.is_set():
            each(signal.SIGSTOP)
            time.sleep(PERIOD * (SLOWER - 1) / SLOWER)
            each(signal.SIGCONT)
            done.wait(PERIOD / SLOWER)

    thread = threading.Thread(target=stop_and_go)
    if wanted:
        thread.start()
    try:
        yield
    finally:
        done.set()
        if wanted:
            thread.join()


def sizes(folder: Path) -> Iterator[Row]:
    """Yield a row for each part of the edition, and one for all of it."""
    whole = {path for path in folder.rglob("*") if path.is_file()}
    files = {path for path in whole if path.with_name(f"{path.name}.br") in whole}
    left = files
    for name, pattern in PARTS.items():
        found = files.intersection(folder.glob(pattern))
        left = left - found
        yield weighed(name, found)
    yield weighed("styles, scripts and workers", left)
    yield weighed("a first visit", files)


def weighed(name: str, files: set[Path]) -> Row:
    forms = {"raw": "", "gzip": ".gz", "brotli": ".br"}
    return {
        "part": name,
        "files": len(files),
        **{
            form: sum(path.with_name(path.name + end).stat().st_size for path in files)
            for form, end in forms.items()
        },
    }


def times(folder: Path, device: str) -> Iterator[Row]:
    """Yield a row for each thing that a device is measured at."""
    phone = device == "phone"

    def row(what: str, seconds: list[float]) -> Row:
        load = round(os.getloadavg()[0], 1)
        middle, worst = statistics.median(seconds), max(seconds)
        return {"device": device, "what": what, "s": middle, "most": worst, "load": load}

    with sync_playwright() as playwright, hosted(folder, phone) as address:
        browser = launch(playwright)
        if browser is None:
            raise SystemExit(MISSING)
        with slowed(phone):
            context = browser.new_context(viewport={"width": 390, "height": 844})
            context.set_default_timeout(PATIENCE)
            page = context.new_page()
            begun = time.perf_counter()
            page.goto(address)
            start = f"form[action$='/play/{GAME}'] button"
            page.frame_locator("iframe").locator(f"html[data-copy] {start}").first.click()
            yield row("first page drawn", [time.perf_counter() - begun])
            wait_for_cards(page)
            yield row("first card", [time.perf_counter() - begun])
            game = page.url
            page.locator("html[data-prepared]").wait_for(state="attached")
            later = []
            for _ in range(3):
                page.goto("about:blank")
                begun = time.perf_counter()
                page.goto(game)
                wait_for_cards(page)
                later.append(time.perf_counter() - begun)
            yield row("first card, later starts", later)
            yield row("board after a tap", list(taps(page)))
            for name in [game.name for game in GAMES.values() if game.max_seats > 1 and not phone]:
                yield row(f"a master's search, {name}", list(searches(page, address, name)))
        browser.close()


def wait_for_cards(page: Page) -> None:
    shown = page.frame_locator("iframe").locator("html:not([data-copy])")
    shown.locator(MOVES).first.wait_for()


def taps(page: Page) -> Iterator[float]:
    """Yield the seconds that boards take to change after taps."""
    for _ in range(TAPS):
        wait_for_cards(page)
        button = page.frames[1].locator(MOVES).first
        yield button.evaluate(BOARD) / 1000


def searches(page: Page, address: str, name: str) -> Iterator[float]:
    """Yield the seconds that a master searches for a move, averaged over each round."""
    (thinker,) = (worker for worker in page.workers if worker.url.endswith("/thinker.js"))
    thinker.evaluate(LISTEN)
    moves = 0
    page.frames[1].evaluate("delete self.table")
    while moves < MASTERS_MOVES:
        before = thinker.evaluate("taken")
        given = [address, name, GAMES[name].usual_seats, PATIENCE]
        made = page.frames[1].evaluate(ROUND, given)
        if made:
            yield (thinker.evaluate("taken") - before) / made / 1000
        moves += max(made, 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="an edition that has been made")
    parser.add_argument("--device", nargs="+", choices=DEVICES, default=DEVICES)
    parser.add_argument("--write", action="store_true", help="update docs/performance.md")
    given = parser.parse_args()
    weights: list[Row] = []
    measured: list[Row] = []
    with tempfile.TemporaryDirectory() as made:
        folder = given.folder or Path(made)
        if given.folder is None:
            make(folder)
        for row in sizes(folder):
            weights.append(row)
            print(json.dumps(row), flush=True)
        for device in given.device:
            for row in times(folder, device):
                measured.append(row)
                print(json.dumps(row), flush=True)
    if given.write:
        cells = [
            [row["part"], row["files"], *(f"{row[form] / 1e6:.2f} MB" for form in list(row)[2:])]
            for row in weights
        ]
        write("site-sizes", list(weights[0]), cells)
        heads = ["device", "what", "median", "at most", "load of the machine"]
        cells = [
            [row["device"], row["what"], f"{row['s']:.2f} s", f"{row['most']:.2f} s", row["load"]]
            for row in measured
        ]
        write("site-times", heads, cells)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
