"""Measure batches of games for learning; print a JSON line for each.

    .venv/bin/python benchmarks/envs.py [--seconds 2] [--peers PYTHON [PYTHON ...]] [--write]

A step is a random legal move with the observation and the mask after it, in 1,024 games at once,
per second of CPU time of one core. ``bare`` is without observations and masks. Two threads are
compared with one on an idle machine only, because that needs elapsed time. With ``--peers``,
Pythons that have other libraries measure these in the same run::

    python -m venv peers
    peers/bin/pip install envpool pgx "jax[cpu]" "pettingzoo[classic]" rlcard
    python -m venv puffer && puffer/bin/pip install torch pufferlib==3.0.0

``--write`` updates results/envs.csv.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

from redouble.contract.registry import GAMES
from redouble.envs.arrays.batch import Batch
from tables import millions, write

N = 1024
LARGE = 16_384
"""Games at once when two threads are compared with one."""
PEERS = Path(__file__).parent / "peers" / "learning.py"
ELAPSED = time.perf_counter
HEADS = ("game", "library", "seats", "observation", "steps/s, one core", "bare", "2 threads")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--peers", metavar="PYTHON", nargs="+", default=[])
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    rows: dict[tuple[str, str, int], dict[str, Any]] = {}
    idle = os.getloadavg()[0] < 1 < (os.cpu_count() or 1)
    for name, game in GAMES.items():
        for seats in sorted({game.min_seats, game.usual_seats}):
            row = ours(name, seats, wanted.seconds, idle)
            rows["Redouble", name, seats] = row
            print(json.dumps(row), flush=True)
    for python in wanted.peers:
        run = subprocess.run(
            [python, str(PEERS), str(wanted.seconds)],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        for line in run.stdout.splitlines():
            row = json.loads(line)
            rows[row["library"], row["game"], 0] = row  # the last Python that has it counts
            print(line, flush=True)
    if wanted.write:
        write("envs", HEADS, map(cells, rows.values()))


def ours(name: str, seats: int, seconds: float, idle: bool) -> dict[str, Any]:
    """Measure one game: with everything, bare, and on two threads against one."""
    batch = Batch(name, seats, N, seed="speed", threads=1)
    bare = Batch(name, seats, N, seed="speed", threads=1, mask=False, observations=False)
    return {
        "library": "Redouble",
        "game": name,
        "seats": seats,
        "size": batch.size,
        "steps": speed(batch, seconds, time.process_time),
        "bare": speed(bare, seconds, time.process_time),
        "two_threads": two_threads(name, seats, batch.actions < LARGE, seconds) if idle else None,
    }


def two_threads(name: str, seats: int, mask: bool, seconds: float) -> float:
    """Return how many times as fast two threads are as one.

    Masks of dominoes may not fit into memory.
    """
    one, two = (
        speed(Batch(name, seats, LARGE, seed="speed", threads=k, mask=mask), seconds, ELAPSED)
        for k in (1, 2)
    )
    return two / one


def speed(batch: Batch, seconds: float, clock: Any) -> float:
    """Return the steps of all games per second by a clock: the best of several portions."""
    batch.reset()
    batch.step(batch.sample())
    times = max(1, 20_000 // batch.n)
    begun, best = time.perf_counter(), 0.0
    while time.perf_counter() - begun < seconds:
        before = clock()
        for _ in range(times):
            batch.step(batch.sample())
        best = max(best, times * batch.n / (clock() - before))
    return best


def cells(row: dict[str, Any]) -> list[object]:
    if "error" in row:
        return [row["game"], row["library"], "", "", row["error"], "", ""]
    ratio = row.get("two_threads")
    return [
        row["game"],
        row["library"],
        row.get("seats", ""),
        row.get("size", ""),
        millions(row["steps"]),
        millions(row["bare"]) if "bare" in row else "",
        f"{ratio:.2f} x" if ratio else "",
    ]


if __name__ == "__main__":
    main()
