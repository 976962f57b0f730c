"""Measure what an installation with each extra takes, and how much faster the compiler is.

    .venv/bin/python benchmarks/installs.py [EXTRA...] [--python PYTHON...] [--write]

``base`` stands for no extra; by default every extra but ``test`` is measured. Each is installed
into an empty environment, with the versions of constraints.txt, from packages that were downloaded
before; the base also for each further PYTHON. Prints a JSON line for each, and one for each game
with the speed of base and ``fast``. ``--write`` updates results/installs.csv and compiler.csv.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tables import ROOT, write, written

BASE, FAST = "base", "fast"
MEGABYTE = 1_000_000
PLAY = ("play", "double-down", "--seed", "install", "--plain")
SPEED = """
import json, time
from redouble.bots import own_chance
from redouble.bots.policy import BEST, Policy
from redouble.bots.search import Search
from redouble.contract.registry import GAMES
from redouble.kernel.cores import INTERPRETED
from redouble.lab import bench
from redouble.match.match import Match

def search_of(game):
    match = Match(game, game.usual_seats, "install")
    while match.ply < 6 or len(match.legal_moves) < 2:
        match.push(match.legal_moves[0])
    return Search(match.observation(), own_chance("", 0, 0), Policy(iterations=1000, method=BEST))

def thinking(game):
    search, done = search_of(game), 0
    search.run(64)
    start = time.process_time()
    while time.process_time() < start + 2:
        search.run(64)
        done += 64
    return done / (time.process_time() - start)

def moves(game):
    if INTERPRETED:
        return bench.interpreted_speed(game, game.usual_seats, 1)
    from redouble.lab.simulate import Simulator
    return bench.compiled_speed(Simulator(game, game.usual_seats), 1)

for game in GAMES.values():
    speeds = [max(moves(game).moves_a_second for _ in range(2)), thinking(game)]
    print(json.dumps([game.title, *speeds]))
"""
"""Prints the moves of random games and the iterations of a search per second, for each game."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    extras: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    everything = [BASE, *(name for name in extras if name != "test")]
    parser.add_argument("extras", nargs="*", metavar="EXTRA", default=everything)
    parser.add_argument("--python", nargs="*", default=[], help="other Pythons for the base")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wheel = built(folder)
        print(json.dumps({"wheel": wheel.stat().st_size}), flush=True)
        wanted = [(extra, sys.executable) for extra in given.extras]
        wanted += [(BASE, python) for python in given.python]
        rows = []
        for extra, python in wanted:
            rows.append(measured(folder, wheel, extra, python))
            print(json.dumps(rows[-1]), flush=True)
        games = []
        if {BASE, FAST} <= set(given.extras):
            slow, fast = (list(speeds(folder / extra)) for extra in (BASE, FAST))
            for (game, *before), (_, *after) in zip(slow, fast, strict=True):
                games.append([game, *(f"{b / a:.0f}" for a, b in zip(before, after, strict=True))])
                print(json.dumps(games[-1]), flush=True)
    if given.write:
        new = {row[0] for row in rows}
        kept = [row for row in written("installs") if row[0] not in new]
        write("installs", ("extra", "downloaded", "on disk", "processor time"), [*kept, *rows])
        if games:
            write("compiler", ("game", "random games", "searches"), games)


def built(folder: Path) -> Path:
    """Return a wheel of this repository."""
    pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", folder / "dist", ROOT)
    (wheel,) = (folder / "dist").glob("redouble-*.whl")
    return wheel


def measured(folder: Path, wheel: Path, extra: str, python: str) -> list[str]:
    """Install into an empty environment, and return what that took; check that it plays."""
    version = said(python, "-c", "import sys; print(*sys.version_info[:2], sep='.')").strip()
    usual = python == sys.executable
    name = extra if usual else f"{extra} on Python {version}"
    packages, environment = folder / f"{name} packages", folder / name
    subprocess.run([python, "-m", "venv", environment], check=True)
    inside = environment / "bin" / "python"
    before = size(environment)
    wanted = f"{wheel}[{extra}]" if extra != BASE else wheel
    constraints = ("--constraint", ROOT / "constraints.txt")
    pip(inside, "wheel", "--wheel-dir", packages, *constraints, wanted)
    began = os.times()
    pip(inside, "install", "--no-index", "--find-links", packages, wanted)
    ended = os.times()
    seconds = sum(ended[2:4]) - sum(began[2:4])
    played = said(str(environment / "bin" / "redouble"), *PLAY)
    assert "seed install" in played, played
    downloaded, installed = size(packages), size(environment) - before
    return [name, *(f"{n / MEGABYTE:.0f} MB" for n in (downloaded, installed)), f"{seconds:.0f} s"]


def size(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if not file.is_dir())


def speeds(environment: Path) -> Iterator[list[Any]]:
    """Yield the speeds of each game, as this environment plays it."""
    for line in said(str(environment / "bin" / "python"), "-c", SPEED).splitlines():
        yield json.loads(line)


def pip(python: str | Path, *arguments: str | Path) -> None:
    command = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(list(map(str, command)), check=True)


def said(*command: str) -> str:
    """Return what a command prints."""
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


if __name__ == "__main__":
    main()
