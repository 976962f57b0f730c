#!/usr/bin/env python3
"""Score the home page and a table with Lighthouse, on a desktop and a phone.

python benchmarks/lighthouse.py            the scores, and what costs points
python benchmarks/lighthouse.py --runs 5   the median of five runs instead of three
python benchmarks/lighthouse.py --write    and update results/lighthouse.csv

Needs npm and Chromium. Lighthouse is installed once, at the version below, into the user's cache
folder. It throttles the network and, for the phone, the processor by itself; measure on an idle
machine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2

from tables import write

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the tests are no installed package: imports of them come after

from tests.web.browser.chromium import MISSING, PROGRAMS  # noqa: E402
from tests.web.helpers.server import Server  # noqa: E402

VERSION = "12.8.2"
CATEGORIES = ("performance", "accessibility", "best-practices")
DEVICES: dict[str, Sequence[str]] = {"desktop": ("--preset=desktop",), "phone": ()}
GAME = "double-down"
TRIES = 4
"""Runs in which Chromium gave Lighthouse no trace are repeated so often."""


def installed() -> Path:
    """Return Lighthouse's program, installed first if it is missing."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "redouble" / f"lighthouse-{VERSION}"
    program = folder / "node_modules" / ".bin" / "lighthouse"
    if not program.exists():
        npm = shutil.which("npm")
        if npm is None:
            raise SystemExit("npm was not found: install Node.js 20 or newer")
        folder.mkdir(parents=True, exist_ok=True)
        command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder)]
        subprocess.run([*command, f"lighthouse@{VERSION}"], check=True, stdout=subprocess.DEVNULL)
    return program


def report(program: Path, url: str, cookie: str, device: str) -> Any:
    """Return Lighthouse's report about a page."""
    chromium = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if chromium is None:
        raise SystemExit(MISSING)
    flags = "--headless=new --disable-gpu" + (" --no-sandbox" if os.geteuid() == 0 else "")
    command = [str(program), url, "--quiet", "--output=json", *DEVICES[device]]
    command += [f"--only-categories={','.join(CATEGORIES)}", f"--chrome-flags={flags}"]
    command += ["--max-wait-for-load=15000"]  # a table's stream of changes never ends
    if cookie:
        command += [f"--extra-headers={json.dumps({'Cookie': cookie})}"]
    environment = os.environ | {"CHROME_PATH": chromium}
    for _ in range(TRIES):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return json.loads(done.stdout)
    raise SystemExit(f"lighthouse failed {TRIES} times: {done.stderr[-2000:]}")


def new_table(address: str) -> tuple[str, str]:
    """Return a new table's path and the cookie of its player."""
    with httpx2.Client(base_url=address) as client:
        client.post("/me/name", data={"name": "Ada"})
        seats = [{"kind": "me"}, *[{"kind": "bot"}] * 3]
        made = client.post("/api/tables", json={"game": GAME, "seats": seats, "pace": "instant"})
        made.raise_for_status()
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        return f"t/{made.json()['table']}", cookie


def lost(audits: Any, category: Any) -> list[str]:
    """Return the audits that cost points, the heaviest first."""
    costs = []
    for ref in category["auditRefs"]:
        score = audits[ref["id"]]["score"]
        if ref["weight"] and score is not None and score < 1:
            said = audits[ref["id"]].get("displayValue", "")
            costs.append((-ref["weight"] * (1 - score), f"{ref['id']} {said}".strip()))
    return [text for _, text in sorted(costs)]


def main() -> int:
    parser = argparse.ArgumentParser(description="Score pages with Lighthouse.")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="update results/lighthouse.csv")
    given = parser.parse_args()
    program = installed()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        server.start()
        try:
            path, cookie = new_table(server.address)
            for page, where in (("home page", ""), ("table", path)):
                for device in DEVICES:
                    url = server.address + where
                    found = [report(program, url, cookie, device) for _ in range(given.runs)]
                    scores = [
                        statistics.median(100 * one["categories"][name]["score"] for one in found)
                        for name in CATEGORIES
                    ]
                    rows.append([page, device, *(f"{score:.0f}" for score in scores)])
                    print(*rows[-1], sep="\t", flush=True)
                    last = found[-1]
                    for name in CATEGORIES:
                        for text in lost(last["audits"], last["categories"][name]):
                            print(f"    {name}: {text}", flush=True)
        finally:
            server.stop()
    if given.write:
        heads = ["page", "device", *(name.replace("-", " ") for name in CATEGORIES)]
        write("lighthouse", heads, rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
