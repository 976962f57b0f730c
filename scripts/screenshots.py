#!/usr/bin/env python3
"""Take docs/pictures/pages/*.webp: the pages as Chromium shows them, the same games every time.

scripts/screenshots            all pictures
scripts/screenshots me table   those whose name contains one of these
scripts/screenshots --tables FOLDER   instead, sheets of tables on all screens and with all letters

A server is started on a temporary folder with deals that are not left to chance; the careful bot
plays for everybody, so that the positions are the same again. The reports of a tournament and of a
study are made by the commands that their documents show.
"""

from __future__ import annotations

import base64
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

from redouble.analysis.puzzle import Puzzle, puzzle_numbered
from redouble.contract.game import Game
from redouble.contract.registry import GAMES

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the tests are no installed package: imports of them come after

from tests.web.browser import boards, chromium, test_frame  # noqa: E402
from tests.web.helpers.server import Server  # noqa: E402

PICTURES = ROOT / "docs" / "pictures" / "pages"
DEAL = "3"
PROGRAM = (
    "-c",
    f"from redouble.web.live import plan; plan.new_seed = lambda seats: '{DEAL}';"
    " from redouble.commands.app import main; main()",
)
"""The command, with one deal for every table of a game."""
SIZES: Mapping[str, ViewportSize] = {
    "desktop": {"width": 1280, "height": 800},
    "phone": {"width": 390, "height": 844},
}
QUALITY = 82
"""Of WebP: cards and figures stay sharp, felt becomes small."""
TO_THE_TOP = "element => scrollTo(0, element.getBoundingClientRect().top - 12)"
CLIP = "({x: scrollX, y: scrollY, width: innerWidth, height: innerHeight, scale: 1})"
MIDDLE = 0.3
"""The share of a game's moves after which its table is shown."""
SHOWN = "double-dominoes"
"""The game whose rules and replay are shown."""
DARK = ("double-down", "three-up")
PUZZLE = ("double-decker", 30)
"""The puzzle that is shown, with the verdict on its best move."""
REVIEWED = "double-decker"
"""The game whose review is shown."""
REPORTS = {
    "arena": ("arena", "double-down", "greedy", "club", "casual", "novice", "--games", "4000"),
    "study": ("study", "three-up", "--against", "play-on", "--games", "20000"),
}
SHOWN_FROM = {"study": "Plots"}
"""The heading at which the picture of a report begins; else with its first."""
ON_SHEETS = ("guide", "turn 5")
"""The states of a table of which there are sheets: with the tutorial and without."""
SHEET = "<body style='display: flex; flex-wrap: wrap; gap: 8px; background: gray'>"
WIDE_ONLY = ("desktop",)
"""What is looked at on a desk."""


class Photographer:
    """A person who has played some games, and a browser to look at them."""

    def __init__(self, browser: Browser, address: str, wanted: list[str]) -> None:
        self._browser = browser
        self._address = address
        self._wanted = wanted
        self._player = self._visitor()
        self._player.request.post("/me/name", form={"name": "Anna"})

    def play(self, game: Game, share: float = 1.0, moves: int = 0) -> tuple[str, int]:
        """A table where the person has made a share of ``moves``, and how many those were.

        With a share of 1 the game is played to its end.
        """
        seats = [{"kind": "me"}, *[{"kind": "bot"}] * (game.usual_seats - 1)]
        table = self._api("/api/tables", {"game": game.name, "seats": seats, "pace": "instant"})
        path = f"/api/tables/{table['table']}"
        made = 0
        while table["status"] == "playing" and (share == 1 or made < share * moves):
            if table["my_turn"]:
                move = self._api(f"{path}/hint", {})["move"]
                table = self._api(f"{path}/moves", {"move": move, "ply": table["ply"]})
                made += 1
            else:
                time.sleep(0.02)  # bots move
                table = self._player.request.get(path).json()
        while table["status"] == "playing" and not table["my_turn"]:
            time.sleep(0.02)
            table = self._player.request.get(path).json()
        return f"/t/{table['table']}", made

    def review(self, table: str) -> str:
        """Have a table reviewed, and wait for it; where it can be seen."""
        path = f"/api/tables/{table.removeprefix('/t/')}/review"
        state = self._api(path, {})
        while state["status"] == "running":
            time.sleep(0.5)
            state = self._player.request.get(path).json()
        return f"{table}/review"

    def wants(self, name: str, sizes: Sequence[str] = tuple(SIZES)) -> list[Path]:
        """The files of a page's pictures, as far as they are wanted."""
        files = [PICTURES / f"{name}-{size}.webp" for size in sizes]
        parts = self._wanted or [""]
        return [file for file in files if any(part in file.name for part in parts)]

    def shoot(
        self,
        name: str,
        path: str,
        *,
        stranger: bool = False,
        dark: bool = False,
        sizes: Sequence[str] = tuple(SIZES),
        heading: str = "",
    ) -> None:
        """Take a page's pictures, from this heading on if one is named."""
        for file in self.wants(name, sizes):
            viewport = SIZES[file.stem.rpartition("-")[2]]
            context = self._visitor(
                storage_state=None if stranger else self._player.storage_state(),
                viewport=viewport,
                color_scheme="dark" if dark else "light",
            )
            page = context.new_page()
            page.goto(path)
            choices = page.locator(".mine label:visible")
            if choices.count():  # a move is made in two steps: show the second
                choices.first.click()
            page.evaluate("document.fonts.ready.then(() => scrollTo(0, 0))")
            if heading:
                page.get_by_role("heading", name=heading, exact=True).evaluate(TO_THE_TOP)
            self._take(page, file)
            context.close()

    def _take(self, page: Page, file: Path) -> None:
        clip = page.evaluate(CLIP)
        picture = page.context.new_cdp_session(page).send(
            "Page.captureScreenshot", {"format": "webp", "quality": QUALITY, "clip": clip}
        )
        file.write_bytes(base64.b64decode(picture["data"]))
        print(f"{file.stat().st_size / 1024:6.0f} kB  {file.relative_to(ROOT)}", flush=True)

    def _visitor(self, **options: Any) -> BrowserContext:
        made = self._browser.new_context(base_url=self._address, reduced_motion="reduce", **options)
        made.add_init_script(chromium.PLAY_ALL)
        return made

    def _api(self, path: str, given: Mapping[str, Any]) -> Any:
        answer = self._player.request.post(path, data=given)
        if not answer.ok:
            raise SystemExit(f"{path}: {answer.text()}")
        return answer.json()


def sheets(browser: Browser, address: str, folder: Path) -> None:
    """Write a picture of each game's table for all screens and letters, to be looked at."""
    folder.mkdir(parents=True, exist_ok=True)
    for game, seats in test_frame.SEATS:
        context = browser.new_context(base_url=address, reduced_motion="reduce")
        page, sheet = context.new_page(), context.new_page()
        sheet.set_viewport_size({"width": 2800, "height": 800})
        drawn = boards.boards(game, seats)
        boards.still_page(page, game, {})
        for state in filter(drawn.get, ON_SHEETS):
            page.evaluate("board => show(board, '', '')", drawn[state])
            taken = []
            for letters, (width, height) in product(test_frame.LETTERS, test_frame.SIZES):
                test_frame.choose_letters(page, letters)
                page.set_viewport_size({"width": width, "height": height})
                picture = base64.b64encode(page.screenshot()).decode()
                taken.append(f"<img src='data:image/png;base64,{picture}'>")
            sheet.set_content(SHEET + "".join(taken))
            sheet.screenshot(path=folder / f"{game}-{seats}-{state}.png", full_page=True)
        context.close()


def main(wanted: list[str]) -> int:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        if browser is None:
            raise SystemExit(chromium.MISSING)
        server = Server(Path(folder), PROGRAM)
        server.start()
        try:
            if wanted[:1] == ["--tables"]:
                sheets(browser, server.address, Path(wanted[1]))
            else:
                _all(Photographer(browser, server.address, wanted), Path(folder))
        finally:
            server.stop()
    return 0


def _all(at: Photographer, folder: Path) -> None:
    at.shoot("home", "/", stranger=True)
    at.shoot("rules", f"/rules/{SHOWN}", stranger=True)
    for name, game in GAMES.items():
        shown = [f"table-{name}", *["replay"] * (name == SHOWN), *["review"] * (name == REVIEWED)]
        if not any(at.wants(one) for one in (*shown, f"table-{name}-dark")):
            continue
        over, moves = at.play(game)
        table, _ = at.play(game, MIDDLE, moves)
        at.shoot(f"table-{name}", table)
        if name in DARK:
            at.shoot(f"table-{name}-dark", table, dark=True)
        if name == SHOWN:
            at.shoot("replay", f"{over}/replay?ply={moves * 2}")
        if name == REVIEWED and at.wants("review", WIDE_ONLY):
            at.shoot("review", at.review(over), sizes=WIDE_ONLY)
    at.shoot("me", "/me")
    puzzle: Puzzle = puzzle_numbered(GAMES[PUZZLE[0]], PUZZLE[1])
    here = f"/puzzles/{PUZZLE[0]}/{PUZZLE[1]}"
    at.shoot("puzzle", f"{here}?move={quote_plus(puzzle.answer)}", stranger=True, sizes=WIDE_ONLY)
    for name, words in REPORTS.items():
        if at.wants(name, WIDE_ONLY):
            page = folder / f"{name}.html"
            command = [sys.executable, "-m", "redouble", *words, "--seed", DEAL]
            subprocess.run([*command, "--report", str(page)], check=True, stdout=subprocess.DEVNULL)
            heading = SHOWN_FROM.get(name, "")
            at.shoot(name, page.as_uri(), stranger=True, sizes=WIDE_ONLY, heading=heading)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
