"""Measure a server by its processes: CPU a move, latency and memory, on SQLite and PostgreSQL.

    .venv/bin/python benchmarks/processes.py --database postgresql://USER@HOST/NAME
        [--game NAME] [--tables 200] [--interval 4] [--seconds 20] [--soak MINUTES] [--write]

The load is that of ``benchmarks/web.py``: tables of four players, a page open for each, and a
random legal move at every table each ``--interval`` seconds. It is put on one process with SQLite,
then on one, two and four with the PostgreSQL database, which has to be empty and on this machine,
since what its server uses is measured, too. Prints a JSON line for each; ``--write`` updates the
table results/processes.csv.

With ``--soak``, two processes play for that many minutes instead, in rounds with new tables. Each
round's line tells the memory of every process after it; the last line, by what the web processes
have grown in the last third, when what they keep has found its size. Ends with 1 if a move was
refused.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psycopg

from tables import write
from web import LIMITS, SEATS, WARM_SECONDS, Load

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the tests are no installed package: imports of them come after

from tests.web.helpers.running import family  # noqa: E402

ROUND_SECONDS = 150.0
"""How long a round of a soak plays at the same tables."""
TICKS = os.sysconf("SC_CLK_TCK")
HEADS = [
    "database",
    "processes",
    "CPU a move, web",
    "CPU a move, database",
    "move to pages, median",
    "99%",
]


@dataclass(frozen=True)
class Setting:
    """How a server is started."""

    database: str = ""
    processes: int = 1

    @property
    def title(self) -> str:
        return "PostgreSQL" if self.database else "SQLite"

    def options(self, folder: Path) -> list[str]:
        options = ["--data", str(folder), *LIMITS]
        if self.database:
            options += ["--database", self.database, "--workers", str(self.processes)]
        return options


@contextmanager
def served(setting: Setting) -> Iterator[tuple[int, str]]:
    """Start a server; yield the id of its first process and its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "redouble", "serve", "--no-prepare", "--port", "0"]
        command += setting.options(Path(folder))
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                lines = (re.search(r"http://\S+", line) for line in process.stdout)
                address = next(found[0] for found in lines if found)
                httpx2.get(address, timeout=60).raise_for_status()  # it may be starting
                yield process.pid, address
            finally:
                process.terminate()


def cpu(pids: list[int]) -> float:
    """Return the CPU seconds that processes have used."""
    return sum(sum(map(int, _fields(pid)[11:13])) for pid in pids) / TICKS


def memory(pids: list[int]) -> float:
    """Return the resident memory of processes in MB, what they share counted for each."""
    pages = sum(int(_fields(pid)[21]) for pid in pids)
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _fields(pid: int) -> list[str]:
    """Return the numbers of a process from its state on; zeros if it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["0"] * 50


async def loaded(setting: Setting, wanted: argparse.Namespace) -> dict[str, Any]:
    """Measure moves: milliseconds of CPU by program, and milliseconds from move to pages."""
    with served(setting) as (pid, address):
        load = Load(address, wanted.game, wanted.interval)
        async with playing(load, wanted.tables):
            await asyncio.sleep(WARM_SECONDS)
            load.times.clear()
            programs = {
                "web": family(pid),
                "database": sessions(setting.database) if setting.database else [],
            }
            before = {name: cpu(pids) for name, pids in programs.items()}
            await asyncio.sleep(wanted.seconds)
            used = {name: cpu(pids) - before[name] for name, pids in programs.items()}
            times = sorted(load.times)
            held = memory(programs["web"])
    moves = len(times)
    return {
        "database": setting.title,
        "processes": setting.processes,
        "game": wanted.game,
        "tables": wanted.tables,
        "moves a second": round(moves / wanted.seconds, 1),
        "CPU ms a move": {name: round(1000 * one / moves, 2) for name, one in used.items()},
        "median ms": round(1000 * times[moves // 2], 1),
        "p99 ms": round(1000 * times[int(moves * 0.99)], 1),
        "web MB": round(held),
        "refused": load.refused,
    }


@asynccontextmanager
async def playing(load: Load, tables: int) -> AsyncIterator[None]:
    """Seat players, and let them move while the context is open."""
    await load.seat(tables)
    pages = [load.read(one, seat) for one in load.tables for seat in range(SEATS)]
    tasks = [asyncio.create_task(page) for page in pages]
    await asyncio.sleep(WARM_SECONDS)
    tasks += [asyncio.create_task(load.play(one)) for one in load.tables]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await load.close()


async def soak(setting: Setting, wanted: argparse.Namespace) -> int:
    """Play in rounds, and print the memory after each; return how many moves were refused."""
    rows: list[dict[str, Any]] = []
    with served(setting) as (pid, address):
        begun, moves, refused = time.monotonic(), 0, 0
        while (minutes := (time.monotonic() - begun) / 60) < wanted.soak:
            load = Load(address, wanted.game, wanted.interval)
            async with playing(load, wanted.tables):
                await asyncio.sleep(ROUND_SECONDS)
            times = sorted(load.times)
            moves, refused = moves + len(times), refused + load.refused
            row = {
                "minutes": round(minutes + ROUND_SECONDS / 60, 1),
                "tables": (len(rows) + 1) * wanted.tables,
                "moves": moves,
                "refused": refused,
                "median ms": round(1000 * times[len(times) // 2], 1),
                "p99 ms": round(1000 * times[int(len(times) * 0.99)], 1),
                "web MB": [round(memory([one]), 1) for one in family(pid)],
                "database MB": round(memory(sessions(setting.database)), 1),
            }
            rows.append(row)
            print(json.dumps(row), flush=True)
    early = rows[2 * len(rows) // 3]["web MB"]
    grown = [round(late - one, 1) for one, late in zip(early, rows[-1]["web MB"], strict=True)]
    print(json.dumps({"web MB more in the last third": grown}), flush=True)
    return refused


def sessions(database: str) -> list[int]:
    """Return the processes of the PostgreSQL server of a database on this machine."""
    with psycopg.connect(database) as connection:
        return family(int(_fields(connection.info.backend_pid)[1]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", required=True, help="an empty PostgreSQL database")
    parser.add_argument("--game", default="double-down")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--interval", type=float, default=4.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--soak", type=float, default=0.0, metavar="MINUTES")
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    if wanted.soak:
        return asyncio.run(soak(Setting(wanted.database, 2), wanted)) > 0
    settings = [Setting(), *(Setting(wanted.database, processes) for processes in (1, 2, 4))]
    lines = []
    for setting in settings:
        row = asyncio.run(loaded(setting, wanted))
        print(json.dumps(row), flush=True)
        used = [f"{one} ms" if one else "" for one in row["CPU ms a move"].values()]
        late = [f"{row[name]} ms" for name in ("median ms", "p99 ms")]
        lines.append([setting.title, setting.processes, *used, *late])
    if wanted.write:
        write("processes", HEADS, lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
