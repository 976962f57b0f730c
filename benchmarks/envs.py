"""Measure batches of games for learning; print a JSON line for each.

    .venv/bin/python benchmarks/envs.py [--seconds 2] [--peers PYTHON] [--write]

A step is a random legal move with the observation and the mask after it, in 1,024 games at once,
per second of CPU time of one core. ``bare`` is without observations and masks. With ``--peers``,
a Python that has Pgx, PettingZoo and RLCard measures these in the same run::

    python -m venv peers && peers/bin/pip install pgx "jax[cpu]" "pettingzoo[classic]" rlcard

``--write`` updates the table in docs/reports/batches.md.
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
from tables import millions, table, write

N = 1024
LARGE = 16_384
"""Games at once when two threads are compared with one."""
PEERS = Path(__file__).parent / "peers" / "learning.py"
HEADS = ("game", "library", "seats", "observation", "steps/s, one core", "bare", "2 threads")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--peers", metavar="PYTHON")
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    rows = []
    for name, game in GAMES.items():
        for seats in sorted({game.min_seats, game.usual_seats}):
            rows.append(ours(name, seats, wanted.seconds))
            print(json.dumps(rows[-1]), flush=True)
    if wanted.peers:
        run = subprocess.run(
            [wanted.peers, str(PEERS), str(wanted.seconds)],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        for line in run.stdout.splitlines():
            rows.append(json.loads(line))
            print(line, flush=True)
    if wanted.write:
        write("reports/batches.md", "envs", table(HEADS, map(cells, rows)))


def ours(name: str, seats: int, seconds: float) -> dict[str, Any]:
    """Measure one game: with everything, bare, and on two threads against one."""
    batch = Batch(name, seats, N, seed="speed", threads=1)
    bare = Batch(name, seats, N, seed="speed", threads=1, mask=False, observations=False)
    mask = batch.actions < LARGE  # masks of all these games may not fit into memory
    one = Batch(name, seats, LARGE, seed="speed", threads=1, mask=mask)
    two = Batch(name, seats, LARGE, seed="speed", threads=2, mask=mask)
    both = [speed(each, seconds, time.perf_counter) for each in (one, two)]
    return {
        "library": "Redouble",
        "game": name,
        "seats": seats,
        "size": batch.size,
        "steps": speed(batch, seconds, time.process_time),
        "bare": speed(bare, seconds, time.process_time),
        "two_threads": both[1] / both[0] if (os.cpu_count() or 1) > 1 else None,
    }


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
