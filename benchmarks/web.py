"""Measure tables in the browser: page weight, start-up, time from move to page, and memory.

    .venv/bin/python benchmarks/web.py [--game NAME] [--tables 200] [--interval 4] [--seconds 30]
                                       [--write]

Starts ``redouble serve`` in another process; this one makes the load. Each table has four players,
each with an open event stream. Every ``--interval`` seconds a random legal move is posted at each
table. Its time is from sending the request until the new board has reached all four pages. Memory
is the growth of the server per idle table. Prints a JSON line for each measurement; ``--write``
updates the table in docs/performance.md.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import gzip
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from redouble.contract.registry import GAMES
from tables import table, write

SEATS = 4
HOSTED = 100
"""Tables of one group of four players."""
WARM_SECONDS = 5.0
IDLE_TABLES = 200
IDLE_MOVES = 40


@dataclass
class Player:
    """A guest with its cookie."""

    cookie: str


@dataclass
class LoadedTable:
    """A table under load, with what its four pages have received."""

    path: str
    players: list[Player]
    boards: dict[int, tuple[int, str]] = field(default_factory=dict)
    """The ply and text of the last event, by seat."""
    arrived: dict[int, asyncio.Event] = field(default_factory=dict)
    over: bool = False


@contextmanager
def served(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str, float]]:
    """Start a server; yield its process, its address and the seconds to its first page."""
    begun = time.perf_counter()
    command = [sys.executable, "-m", "redouble", "serve", "--no-prepare"]
    command += ["--port", "0", "--data", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[-1]
            httpx.get(address).raise_for_status()
            yield process, address, time.perf_counter() - begun
        finally:
            process.terminate()


def memory(process: subprocess.Popen[str]) -> int:
    """Return the resident memory of a process in kilobytes."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1])


def weight(address: str, game: str) -> dict[str, Any]:
    """Return the compressed size of a table's page with its files, and the rounds of requests."""
    client = httpx.Client(base_url=address, follow_redirects=True)
    client.post(f"/play/{game}")
    page = client.post(f"/play/{game}")
    linked = set(re.findall(r'(?:href|src)="(/(?:static|games)/[^"]+)"', page.text))
    total = len(gzip.compress(page.content, 6))
    hidden = set()
    for path in linked:
        answer = client.get(path)
        compressed = answer.headers.get("content-encoding") == "gzip"
        total += len(gzip.compress(answer.content, 6)) if compressed else len(answer.content)
        if "css" in answer.headers["content-type"]:
            hidden |= set(re.findall(r'url\("?([^")]+)', answer.text))
    elsewhere = {one.split("?")[0] for one in hidden if not one.startswith("data:")}
    missed = [one for one in elsewhere if not any(one in path for path in linked)]
    return {
        "part": "page",
        "game": game,
        "kilobytes": round(total / 1024, 1),
        "requests": len(linked) + 1,
        "rounds": 1 + bool(missed),
    }


async def under_load(address: str, wanted: argparse.Namespace) -> dict[str, Any]:
    """Measure the time from move to pages, in milliseconds, with all tables live."""
    load = Load(address, wanted.game, wanted.interval)
    await load.seat(wanted.tables)
    streams = [
        asyncio.create_task(load.read(t, seat)) for t in load.tables for seat in range(SEATS)
    ]
    await asyncio.sleep(WARM_SECONDS)
    movers = [asyncio.create_task(load.play(t)) for t in load.tables]
    await asyncio.sleep(WARM_SECONDS)
    gc.disable()  # the pauses of this process are not the server's
    load.times.clear()
    begun = time.perf_counter()
    await asyncio.sleep(wanted.seconds)
    seconds = time.perf_counter() - begun
    gc.enable()
    times = sorted(load.times)
    for task in [*movers, *streams]:
        task.cancel()
    await asyncio.gather(*movers, *streams, return_exceptions=True)
    await load.close()
    return {
        "part": "moves",
        "game": wanted.game,
        "tables": wanted.tables,
        "pages": wanted.tables * SEATS,
        "moves a second": round(len(times) / seconds, 1),
        "median ms": round(1000 * times[len(times) // 2], 1),
        "p99 ms": round(1000 * times[int(len(times) * 0.99)], 1),
        "refused": load.refused,
    }


class Load:
    """Players at many tables."""

    def __init__(self, address: str, game: str, interval: float) -> None:
        split = urlsplit(address)
        assert split.hostname
        assert split.port
        self.host, self.port = split.hostname, split.port
        self.game, self.interval = game, interval
        self.tables: list[LoadedTable] = []
        self.times: list[float] = []
        self.refused = 0
        self._client = httpx.AsyncClient(base_url=address, timeout=30)

    async def close(self) -> None:
        await self._client.aclose()

    async def seat(self, number: int) -> None:
        """Create tables with four players each."""
        group: list[Player] = []
        for i in range(number):
            if i % HOSTED == 0:
                group = [await self._guest(f"P{i} {seat}") for seat in range(SEATS)]
            self.tables.append(await new_table(self._client, self.game, group))

    async def _guest(self, name: str) -> Player:
        return await new_guest(self._client, name)

    async def read(self, one: LoadedTable, seat: int) -> None:
        """Read the events of a page's stream."""
        reader, writer = await asyncio.open_connection(self.host, self.port, limit=1 << 20)
        one.arrived[seat] = asyncio.Event()
        writer.write(
            f"GET {one.path}/stream?seat={seat} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n"
            f"Cookie: redouble={one.players[seat].cookie}\r\n\r\n".encode()
        )
        try:
            ply = -1
            lines: list[str] = []
            while line := await reader.readline():
                if line.startswith(b"id: "):
                    ply, lines = int(line[4:]), []
                elif line.startswith(b"data: "):
                    lines.append(line[6:].decode())
                elif line == b"\n" and ply >= 0 and lines:
                    one.boards[seat] = ply, "".join(lines)
                    one.arrived[seat].set()
                    lines = []
        finally:
            writer.close()

    async def play(self, one: LoadedTable) -> None:
        """Post a random legal move every interval, and time it until all four pages have it."""
        chance = random.Random(one.path)
        await asyncio.sleep(chance.random() * self.interval)
        due = time.perf_counter()
        while True:
            due += self.interval
            await self._one_move(one, chance)
            await asyncio.sleep(max(0.0, due - time.perf_counter()))

    async def _one_move(self, one: LoadedTable, chance: random.Random) -> None:
        found = legal_moves(one)
        if found is None:
            return
        seat, ply, moves = found
        body = f"ply={ply}&seat={seat}&move={quote(chance.choice(moves))}"
        head = (
            f"POST {one.path}/move HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n"
            f"Cookie: redouble={one.players[seat].cookie}\r\nConnection: close\r\n"
            "HX-Request: true\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        reader, writer = await asyncio.open_connection(self.host, self.port)
        begun = time.perf_counter()
        writer.write((head + body).encode())
        status = (await reader.readline()).split()[1]
        writer.close()
        if status != b"204":
            self.refused += 1
            return
        for other in range(SEATS):
            while one.boards[other][0] <= ply:
                one.arrived[other].clear()
                await asyncio.wait_for(one.arrived[other].wait(), 30)
        self.times.append(time.perf_counter() - begun)


def legal_moves(one: LoadedTable) -> tuple[int, int, list[str]] | None:
    """Read the seat on turn, the ply and the moves from the pages; None if the game is over."""
    for seat, (ply, html) in one.boards.items():
        if 'data-mine="1"' in html:
            moves = re.findall(r'name="move" value="([^"]+)"', html)
            if moves:
                return seat, ply, [unescape(move) for move in moves]
    return None


async def new_guest(client: httpx.AsyncClient, name: str) -> Player:
    answer = await client.post("/api/guests", json={"name": name})
    answer.raise_for_status()
    return Player(answer.json()["token"])


async def new_table(client: httpx.AsyncClient, game: str, group: list[Player]) -> LoadedTable:
    """Create a table for a group."""
    body = {"game": game, "seats": [{"kind": "me"}] + [{"kind": "friend"}] * (SEATS - 1)}
    answer = await client.post("/api/tables", json=body, headers=bearer(group[0]))
    answer.raise_for_status()
    made = answer.json()
    for player in group[1:]:
        joined = await client.post(f"/api/join/{made['invite']}", json={}, headers=bearer(player))
        joined.raise_for_status()
    return LoadedTable(f"/t/{made['table']}", group)


def bearer(player: Player) -> dict[str, str]:
    return {"Authorization": f"Bearer {player.cookie}"}


async def idle_memory(process: subprocess.Popen[str], address: str, game: str) -> dict[str, Any]:
    """Measure the memory of an idle table after some moves."""
    async with httpx.AsyncClient(base_url=address, timeout=30) as client:
        await _tables_with_moves(client, game, HOSTED // 2)  # load what is loaded once
        before = memory(process)
        for _ in range(IDLE_TABLES // HOSTED):
            await _tables_with_moves(client, game, HOSTED)
        after = memory(process)
    return {
        "part": "memory",
        "game": game,
        "tables": IDLE_TABLES,
        "kilobytes a table": round((after - before) / IDLE_TABLES, 1),
    }


async def _tables_with_moves(client: httpx.AsyncClient, game: str, number: int) -> None:
    """Create tables on which one player plays all seats, and make some moves."""
    headers = bearer(await new_guest(client, "Idler"))
    seats = [{"kind": "me"}, *({"kind": "here", "name": f"Idler {i}"} for i in range(1, SEATS))]
    for _ in range(number):
        answer = await client.post(
            "/api/tables", json={"game": game, "seats": seats}, headers=headers
        )
        answer.raise_for_status()
        state = answer.json()
        path = f"/api/tables/{state['table']}"
        for _ in range(IDLE_MOVES):
            if state["turn"] is None:
                break
            seat = state["turn"]
            state = (await client.get(path, params={"seat": seat}, headers=headers)).json()
            move = {"ply": state["ply"], "seat": seat, "move": state["view"]["legal_moves"][0]}
            answer = await client.post(f"{path}/moves", json=move, headers=headers)
            answer.raise_for_status()
            state = answer.json()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="", help="one game; the default is all with four seats")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument(
        "--interval", type=float, default=4.0, help="seconds between a table's moves"
    )
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    names = [wanted.game] if wanted.game else GAMES
    rows: list[dict[str, Any]] = []

    def report(row: dict[str, Any]) -> None:
        rows.append(row)
        print(json.dumps(row), flush=True)

    with tempfile.TemporaryDirectory() as folder:
        with served(Path(folder)) as (_, _, _):
            pass  # compiles the Python files and creates the database
        with served(Path(folder)) as (_, address, seconds):
            report({"part": "start", "first page s": round(seconds, 2)})
            for name in names:
                report(weight(address, name))
    for name in names:
        if not GAMES[name].min_seats <= SEATS <= GAMES[name].max_seats:
            continue
        with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as (process, address, _):
            report(asyncio.run(idle_memory(process, address, name)))
        with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as (process, address, _):
            wanted.game = name
            report(asyncio.run(under_load(address, wanted)))
    if wanted.write:
        write("performance.md", "web", report_table(rows))


def report_table(rows: list[dict[str, Any]]) -> str:
    """Return the results as a table for docs/performance.md, with a row per game."""
    lines = []
    for page in (row for row in rows if row["part"] == "page"):
        mine = {row["part"]: row for row in rows if row.get("game") == page["game"]}
        moves, idle = mine.get("moves"), mine.get("memory")
        lines.append(
            [
                GAMES[page["game"]].title,
                f"{page['kilobytes']} KB",
                f"{moves['median ms']} ms" if moves else "",
                f"{moves['p99 ms']} ms" if moves else "",
                f"{idle['kilobytes a table']} KB" if idle else "",
            ]
        )
    heads = ["game", "page, compressed", "move to pages, median", "99 %", "idle table"]
    return table(heads, lines)


if __name__ == "__main__":
    main()
