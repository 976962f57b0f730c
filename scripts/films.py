#!/usr/bin/env python3
"""Film what people see in the middle of a move, frame by frame, the same every time.

scripts/films --out DIR               a contact sheet of every kind of moment on a desk and a phone
scripts/films --out DIR double-down   only sheets whose name contains one of these words
scripts/films --readme                docs/pictures/moments/*.webp, the moving pictures of README.md

Tables are stored one move before a moment, with bots' moves from fixed deals; then the move is
made. The browser's animations are stopped and put forward by 50 milliseconds for each frame, so
that a slow machine takes the same pictures as a fast one.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright
from starlette.testclient import TestClient

from redouble.bots import BOTS, own_chance
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match
from redouble.web.app import create_app
from redouble.web.live import table_rows
from redouble.web.people.people import COOKIE
from redouble.web.table import Seat

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the tests are no installed package: imports of them come after

from tests.web.browser.chromium import MISSING, PLAY_ALL, launch  # noqa: E402
from tests.web.helpers.play import Playing, header  # noqa: E402
from tests.web.helpers.roomy import ROOMY  # noqa: E402
from tests.web.helpers.server import Server  # noqa: E402
from tests.web.helpers.visitors import Visitor, stored  # noqa: E402

PICTURES = ROOT / "docs" / "pictures" / "moments"
SIZES: Mapping[str, ViewportSize] = {
    "desk": {"width": 1280, "height": 800},
    "phone": {"width": 390, "height": 844},
    "side": {"width": 844, "height": 390},
    "tablet": {"width": 820, "height": 1180},
    "film": {"width": 900, "height": 640},
}
USUAL_SIZES = ("desk", "phone")
NAMES = ("Ada", "Ben", "Cleo", "Dan")
STEP = 50
"""Milliseconds from frame to frame."""
LONGEST = 2400
"""Milliseconds after which the rest of a transition is no longer filmed."""
AFTER = 500
"""The same for the board after the move, on which confetti may fall for seconds."""
HELD = 600
"""Milliseconds for which the moving pictures show what then stands still."""
READ = 1600
"""The same for what is to be read."""
DEALS = 400
"""Deals that are looked through for a moment."""
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "three-up/reversed": {"reverse-ones": True},
    "three-up/points-counted": {"games": 2},
    "three-up/gone-out": {"play-on": True},
    "double-or-quits/redealt": {"redeals": 9},
}
"""House rules under which a kind of moment comes up."""
README = ("double-down-chip-lost", "double-or-quits-completed", "double-dominoes-placed")
"""The sheets that become moving pictures, each as another player than the mover sees it."""
README_WIDTH = 520
MAX_BYTES = 400_000
PATIENT = (
    "-c",
    "from redouble.web.table import pace; pace.MOMENTS['normal'] = 600.0;"
    " from redouble.commands.app import main; main()",
)
"""The command, with moments that last until they are filmed."""
CAMERA = """async () => {
    const wait = window.setTimeout, start = document.startViewTransition.bind(document);
    let flying = false;
    window.stopped = window.shown = 0;
    window.moving = () => document.getAnimations().filter(one => one.playState !== "finished");
    const stop = () => { for (const one of moving()) one.pause(); stopped += 1; };
    window.setTimeout = (call, time = 0, ...given) => wait(call, 50 * time, ...given);
    document.startViewTransition = change => {
        flying = true;
        const transition = start(change);
        transition.ready.then(stop, () => {}).finally(() => { flying = false; });
        return transition;
    };
    document.addEventListener("htmx:after:swap", () => { if (!flying) stop(); });
    const { href } = document.querySelector("link[href$='/beats.js']");
    const { beats } = await import(href), { show } = beats;
    beats.show = (...given) => show(...given).finally(() => { shown += 1; });
}"""
"""Stops the animations of each step of a change: cards fly, figures count, words come."""
LASTS = """() => Math.max(0, ...(window.filmed = moving())
    .map(one => one.effect.getComputedTiming().endTime).filter(Number.isFinite))"""
GO_TO = """at => { for (const one of filmed) {
    one.pause();
    if (one.effect.getComputedTiming().endTime > at) one.currentTime = at; else one.finish();
} }"""
GO_ON = """() => { for (const one of filmed)
    one.effect.getComputedTiming().endTime === Infinity ? one.play() : one.finish(); }"""


@dataclass
class Scene:
    """A table one move before a moment."""

    game: Game
    kind: str
    own: bool
    """Whether the viewer makes the move."""
    match: Match
    move: str
    mover: int
    token: str = field(default="")

    @property
    def name(self) -> str:
        return f"{self.game.name}-{self.kind}{'-own' if self.own else ''}"

    @property
    def viewer(self) -> int:
        seats = self.match.seats
        return self.mover if self.own else (self.mover + seats // 2 + seats % 2) % seats


def find(game: Game, kind: str) -> Match:
    """Return a match whose last move, made by a bot, shows this kind of moment."""
    options = OPTIONS.get(f"{game.name}/{kind}", {})
    seats = min(game.usual_seats, len(NAMES))
    bot = BOTS["greedy"]
    for number in range(DEALS):
        match = Match(game, NAMES[:seats], f"film {number}", options)
        while match.turn is not None and match.ply < DEALS:
            chance = own_chance(match.seed, match.turn, match.ply)
            match.push_action(bot.choose(match.observation(), chance))
            early = match.ply < 4 * seats and kind not in ("up-shown", "completed", "redealt")
            if not early and any(one.kind.name == kind for one in match.moments(SPECTATOR)):
                return match
    raise SystemExit(f"{game.name}: no deal of {DEALS} shows {kind}")


def scenes(wanted: Sequence[str]) -> Iterator[Scene]:
    for game in GAMES.values():
        for kind in game.words.moments:
            names = [f"{game.name}-{kind.name}{own}" for own in ("", "-own")]
            if not any(word in name for word in wanted or ("",) for name in names):
                continue
            match = find(game, kind.name)
            move = match.pop()
            assert match.turn is not None
            for own in (False, True) if match.seats > 1 else (True,):
                scene = Scene(game, kind.name, own, match, move, match.turn)
                if any(word in scene.name for word in wanted or ("",)):
                    yield scene


def store(client: TestClient, people: Sequence[Visitor], scene: Scene, number: int) -> None:
    """Store the scene's table for the people who sit there."""
    match = scene.match
    seats = [Seat(one.person.name, one.person.id) for one in people[: match.seats]]
    made = header(scene.game, seats, match.seed, **match.options)
    scene.token = f"film-{number}"
    made = replace(made, token=scene.token, invite=f"in-{number}", host=seats[0].person)
    playing = Playing(made)
    start = playing.table.copy()
    for move in match.moves:
        playing.move(move)
    stored(client, lambda c: table_rows.insert(c, start))
    stored(client, lambda c: table_rows.append(c, playing.table, playing.log))


@dataclass
class Frame:
    picture: Image.Image
    label: str
    lasts: int
    """Milliseconds that it stays in a moving picture."""


class Camera:
    """A page of one player, filmed while another makes a move."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._taken = 0

    def film(self, move: Callable[[], None]) -> list[Frame]:
        """Film a move from its first step to the board after its moments."""
        frames = [self._frame("before", HELD)]
        self._page.evaluate(CAMERA)
        move()
        longest, shown = LONGEST, 0
        while True:
            self._page.wait_for_function(
                "([stops, shows]) => stopped > stops || shown > shows", arg=[self._taken, shown]
            )
            stops, shows, moment = self._page.evaluate(
                "() => [stopped, shown, board.dataset.moment ?? '']"
            )
            if stops > self._taken:
                self._taken = stops
                self._step(frames, moment or "after", longest)
                continue
            shown = shows
            frames.append(self._frame(f"{moment or 'after'} end", READ if moment else HELD))
            if not moment:
                return frames
            longest = AFTER
            self._page.locator("#felt").dispatch_event("click")

    def _step(self, frames: list[Frame], name: str, longest: int) -> None:
        lasts = min(longest, self._page.evaluate(LASTS))
        for at in range(0, round(lasts) + STEP, STEP):
            self._page.evaluate(GO_TO, at)
            frames.append(self._frame(f"{name} {at}", STEP))
        self._page.evaluate(GO_ON)

    def _frame(self, label: str, lasts: int) -> Frame:
        felt: Any = self._page.locator("#felt").bounding_box()
        shot = self._page.screenshot(type="jpeg", quality=90, animations="allow", clip=felt)
        return Frame(Image.open(io.BytesIO(shot)), label, lasts)


def sheet(frames: Sequence[Frame]) -> Image.Image:
    """Return the frames side by side, each with its time."""
    first = frames[0].picture
    width = 320 if first.width > first.height else 200
    height = round(width * first.height / first.width)
    across = 6 if first.width > first.height else 10
    down = -(-len(frames) // across)
    image = Image.new("RGB", (across * width, down * (height + 14)), "white")
    draw = ImageDraw.Draw(image)
    for i, frame in enumerate(frames):
        x, y = i % across * width, i // across * (height + 14)
        image.paste(frame.picture.resize((width, height)), (x, y + 14))
        draw.text((x + 4, y + 1), frame.label, fill="black")
    return image


def moving_picture(frames: Sequence[Frame], file: Path) -> None:
    """Write the frames as an animated WebP, as good as ``MAX_BYTES`` allow."""
    first = frames[0].picture
    size = (README_WIDTH, round(README_WIDTH * first.height / first.width))
    pictures = [frame.picture.resize(size, Image.Resampling.LANCZOS) for frame in frames]
    for quality in range(70, 10, -20):
        data = io.BytesIO()
        lasts = [frame.lasts for frame in frames]
        options: dict[str, Any] = {"duration": lasts, "loop": 0, "quality": quality, "method": 4}
        pictures[0].save(data, "webp", save_all=True, append_images=pictures[1:], **options)
        if data.tell() <= MAX_BYTES:
            break
    file.write_bytes(data.getvalue())
    print(f"{data.tell() / 1024:6.0f} kB  {file}", flush=True)


def shoot(
    browser: Browser, server: Server, people: Sequence[Visitor], scene: Scene, size: str
) -> list[Frame]:
    """Return the frames of a scene, as its viewer sees it."""

    def visitor(seat: int, **options: Any) -> BrowserContext:
        context = browser.new_context(base_url=server.address, **options)
        context.add_init_script(PLAY_ALL)
        cookie = {"name": COOKIE, "value": people[seat].cookie, "url": server.address}
        context.add_cookies([cookie])  # type: ignore[list-item]
        return context

    context = visitor(scene.viewer, viewport=SIZES[size], reduced_motion="no-preference")
    mover = visitor(scene.mover)
    page = context.new_page()
    with page.expect_response(lambda reply: "/stream" in reply.url):
        page.goto(f"/t/{scene.token}?guide=0")
    page.wait_for_load_state()
    page.evaluate("document.fonts.ready.then(() => 0)")

    def move() -> None:
        path = f"/api/tables/{scene.token}"
        ply = mover.request.get(path).json()["ply"]
        reply = mover.request.post(f"{path}/moves", data={"move": scene.move, "ply": ply})
        if not reply.ok:
            raise SystemExit(f"{scene.name}: {reply.text()}")

    frames = Camera(page).film(move)
    context.close()
    mover.close()
    return frames


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("wanted", nargs="*", help="words in the names of sheets")
    parser.add_argument("--out", type=Path, help="folder for contact sheets")
    parser.add_argument("--size", action="append", choices=SIZES, help="desk and phone if none")
    parser.add_argument("--readme", action="store_true", help="make the README's pictures")
    given = parser.parse_args(words)
    if given.readme == (given.out is not None):
        parser.error("give either --out DIR or --readme")
    folder = PICTURES if given.readme else given.out
    folder.mkdir(parents=True, exist_ok=True)
    found = list(scenes(given.wanted or (README if given.readme else ())))
    if not found:
        every = ", ".join(scene.name for scene in scenes(()))
        parser.error(f"no sheet has {' or '.join(given.wanted)} in its name: there are {every}")
    if given.readme:
        found = [scene for scene in found if not scene.own or scene.match.seats == 1]
    sizes = ("film",) if given.readme else given.size or USUAL_SIZES
    takes = [(replace(scene), size) for scene in found for size in sizes]
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        (Path(data) / "data").mkdir()
        with TestClient(create_app(Path(data) / "data", limits=ROOMY)) as client:
            people = [Visitor(client, name) for name in NAMES]
            for number, (scene, _) in enumerate(takes):
                store(client, people, scene, number)
        browser = launch(playwright)
        if browser is None:
            raise SystemExit(MISSING)
        server = Server(Path(data), PATIENT)
        server.start()
        try:
            for scene, size in takes:
                frames = shoot(browser, server, people, scene, size)
                if given.readme:
                    moving_picture(frames, folder / f"{scene.game.name}.webp")
                else:
                    sheet(frames).save(folder / f"{scene.name}-{size}.png")
                    print(folder / f"{scene.name}-{size}.png", flush=True)
        finally:
            browser.close()
            server.stop()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
