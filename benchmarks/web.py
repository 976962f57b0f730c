"""Measure tables in the browser: page weight, moves under load, and memory.

    .venv/bin/python benchmarks/web.py [--game NAME] [--tables 200] [--interval 4] [--seconds 20]
                                       [--parts page memory moves] [--peer] [--write]

Starts ``redouble serve`` in another process; this one makes the load. Each table has four players,
each with an open event stream, compressed as for a browser. Every ``--interval`` seconds a random
legal move is posted at each table. Its time is from sending the request until the new board has
reached all four pages; its bytes are all that these pages receive meanwhile; its CPU is what the
server's process uses meanwhile. Memory is the growth of the server per idle table and per open
page.

With ``--peer`` boardgame.io's server is measured likewise, with a card game of about the same size
(``benchmarks/peers/boardgame_io.js``). This needs Node.js; npm installs the server into the user's
cache folder. Prints a JSON line for each measurement; ``--write`` updates results/web.csv.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx2
import platformdirs

from redouble.contract.registry import GAMES
from redouble.web.limits import LIMITS as USUAL_LIMITS
from redouble.web.limits import Rate
from tables import write

SEATS = 4
HOSTED = 100
"""Tables of one group of four players."""
WARM_SECONDS = 5.0
IDLE_TABLES = 40
IDLE_MOVES = 40
LIMITS = [
    *(
        f"--limit={one.name.replace('_', '-')}={Rate(10**8, 1)}"
        for one in fields(USUAL_LIMITS)
        if isinstance(getattr(USUAL_LIMITS, one.name), Rate)
    ),
    "--limit=connections-per-address=10000",
    "--limit=streams-per-address=10000",
    "--limit=streams-per-person=10000",
]
"""All clients have one address here."""
PARTS = ["page", "memory", "moves"]
TAG = re.compile(r'<[^>]*\bname="move"[^>]*>')
VALUE = re.compile(r'\bvalue="([^"]*)"')
PEER = Path(__file__).parent / "peers" / "boardgame_io.js"
PEER_PACKAGES = {
    "private": True,
    "dependencies": {"boardgame.io": "0.50.2"},
    # later ones ignore what is added to a server after it was made, as boardgame.io does
    "overrides": {"koa-compose": "4.1.0"},
}


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
    command += ["--port", "0", "--data", str(folder), *LIMITS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[-1]
            httpx2.get(address).raise_for_status()
            yield process, address, time.perf_counter() - begun
        finally:
            process.terminate()


def memory(process: subprocess.Popen[str]) -> int:
    """Return the resident memory of a process in kilobytes."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1])


def cpu(process: subprocess.Popen[str]) -> float:
    """Return the CPU seconds that a process has used, its children not included."""
    numbers = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")


def weight(address: str, game: str) -> dict[str, Any]:
    """Return the compressed size of a table's page with its files, and the rounds of requests."""
    client = httpx2.Client(base_url=address, follow_redirects=True)
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


async def under_load(
    process: subprocess.Popen[str], address: str, wanted: argparse.Namespace
) -> dict[str, Any]:
    """Measure moves with all tables live: milliseconds, bytes, and milliseconds of CPU."""
    load = Load(address, wanted.game, wanted.interval)
    await load.seat(wanted.tables)
    closed = memory(process)
    streams = [
        asyncio.create_task(load.read(t, seat)) for t in load.tables for seat in range(SEATS)
    ]
    await asyncio.sleep(WARM_SECONDS)
    opened = memory(process)
    movers = [asyncio.create_task(load.play(t)) for t in load.tables]
    await asyncio.sleep(WARM_SECONDS)
    gc.disable()  # the pauses of this process are not the server's
    load.times.clear()
    received, used, begun = load.received, cpu(process), time.perf_counter()
    await asyncio.sleep(wanted.seconds)
    seconds = time.perf_counter() - begun
    received, used = load.received - received, cpu(process) - used
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
        "kilobytes a move": round(received / 1024 / len(times), 2),
        "CPU ms a move": round(1000 * used / len(times), 2),
        "kilobytes a page": round((opened - closed) / (wanted.tables * SEATS), 1),
        "refused": load.refused,
    }


def peer(wanted: argparse.Namespace) -> dict[str, Any]:
    """Measure boardgame.io's server with the same number of tables and pages."""
    folder = Path(platformdirs.user_cache_dir("redouble")) / "boardgame.io"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(json.dumps(PEER_PACKAGES))
    subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"],
        cwd=folder, check=True, stdout=sys.stderr,
    )  # fmt: skip
    server = ["node", str(PEER), "serve", str(folder)]
    with subprocess.Popen(server, stdout=subprocess.PIPE, text=True) as serving:
        try:
            assert serving.stdout is not None
            port = next(line.strip() for line in serving.stdout if line.strip().isdigit())
            numbers = [port, wanted.tables, wanted.interval, wanted.seconds]
            command = ["node", str(PEER), "load", str(folder), *map(str, numbers)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as loading:
                assert loading.stdout is not None
                loading.stdout.readline()
                used = cpu(serving)
                found = json.loads(loading.stdout.readline())
                used = cpu(serving) - used
        finally:
            serving.terminate()
    return {
        "part": "peer",
        "tables": wanted.tables,
        "moves a second": round(found["moves"] / wanted.seconds, 1),
        "median ms": round(found["median"], 1),
        "p99 ms": round(found["p99"], 1),
        "kilobytes a move": round(found["bytes"] / 1024 / found["moves"], 2),
        "CPU ms a move": round(1000 * used / found["moves"], 2),
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
        self.received = 0
        """Bytes that all pages have received."""
        self.refused = 0
        self._client = httpx2.AsyncClient(base_url=address, timeout=30)

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
            f"Cookie: redouble={one.players[seat].cookie}\r\n"
            "Accept-Encoding: gzip, deflate, br, zstd\r\n\r\n".encode()
        )
        try:
            text = b""
            async for part in self._parts(reader):
                *events, text = (text + part).split(b"\n\n")
                for event in events:
                    if found := re.match(rb"id: (\d+)\n", event):  # else a moment
                        board = event.decode().replace("\ndata: ", "\n")
                        one.boards[seat] = int(found[1]), board
                        one.arrived[seat].set()
        finally:
            writer.close()

    async def _parts(self, reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
        """Yield what a stream sends, unpacked."""
        head = await reader.readuntil(b"\r\n\r\n")
        self.received += len(head)
        packed = b"content-encoding: gzip" in head.lower()
        unpacked = zlib.decompressobj(zlib.MAX_WBITS | 16)
        while length := int(line := await reader.readline(), 16):
            part = await reader.readexactly(length + 2)
            self.received += len(line) + len(part)
            yield unpacked.decompress(part[:-2]) if packed else part[:-2]

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
        answer = await reader.read()
        self.received += len(answer)
        status = answer.split()[1]
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
            values = [VALUE.search(tag) for tag in TAG.findall(html)]
            moves = [unescape(value[1]) for value in values if value]
            if moves:
                return seat, ply, moves
    return None


async def new_guest(client: httpx2.AsyncClient, name: str) -> Player:
    answer = await client.post("/api/guests", json={"name": name})
    answer.raise_for_status()
    return Player(answer.json()["token"])


async def new_table(client: httpx2.AsyncClient, game: str, group: list[Player]) -> LoadedTable:
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
    async with httpx2.AsyncClient(base_url=address, timeout=30) as client:
        await _tables_with_moves(client, game, IDLE_TABLES // 2)  # load what is loaded once
        before = memory(process)
        await _tables_with_moves(client, game, IDLE_TABLES)
        after = memory(process)
    return {
        "part": "memory",
        "game": game,
        "tables": IDLE_TABLES,
        "kilobytes a table": round((after - before) / IDLE_TABLES, 1),
    }


async def _tables_with_moves(client: httpx2.AsyncClient, game: str, number: int) -> None:
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
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument(
        "--parts", nargs="+", default=PARTS, choices=PARTS, help="what to measure; all"
    )
    parser.add_argument("--peer", action="store_true", help="measure boardgame.io too")
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    names = [wanted.game] if wanted.game else GAMES
    rows: list[dict[str, Any]] = []

    def report(row: dict[str, Any]) -> None:
        rows.append(row)
        print(json.dumps(row), flush=True)

    if "page" in wanted.parts:
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
        wanted.game = name
        if "memory" in wanted.parts:
            with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as server:
                report(asyncio.run(idle_memory(server[0], server[1], name)))
        if "moves" in wanted.parts:
            with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as server:
                report(asyncio.run(under_load(server[0], server[1], wanted)))
    if wanted.peer:
        report(peer(wanted))
    if wanted.write and "page" in wanted.parts:
        write("web", PAGE_HEADS, page_rows(rows))
    if wanted.write and "moves" in wanted.parts:
        write("web-moves", MOVE_HEADS, move_rows(rows))


PAGE_HEADS = ["game", "page, compressed", "idle table", "open page"]
MOVE_HEADS = ["game", "CPU a move", "sent a move", "move to pages, median", "99%"]


def page_rows(rows: list[dict[str, Any]]) -> list[list[str]]:
    """Return weights and memory, with a row per game."""
    lines = []
    for page in (row for row in rows if row["part"] == "page"):
        mine = {row["part"]: row for row in rows if row.get("game") == page["game"]}
        moves, idle = mine.get("moves"), mine.get("memory")
        lines.append(
            [
                GAMES[page["game"]].title,
                f"{page['kilobytes']} KB",
                f"{idle['kilobytes a table']} KB" if idle else "",
                f"{moves['kilobytes a page']} KB" if moves else "",
            ]
        )
    return lines


def move_rows(rows: list[dict[str, Any]]) -> list[list[str]]:
    """Return what a move takes, the peer last."""
    return [
        [
            GAMES[row["game"]].title if row["part"] == "moves" else "a card game on boardgame.io",
            f"{row['CPU ms a move']} ms",
            f"{row['kilobytes a move']} KB",
            f"{row['median ms']} ms",
            f"{row['p99 ms']} ms",
        ]
        for row in rows
        if row["part"] in ("moves", "peer")
    ]


if __name__ == "__main__":
    main()
