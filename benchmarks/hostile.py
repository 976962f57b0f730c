"""What the limits of a server cost per request, and what players notice of hostile clients.

    .venv/bin/python benchmarks/hostile.py [--tables 200] [--interval 4] [--seconds 20]
                                           [--addresses 50] [--attack NAME] [--write]

Players move at their tables while another process floods the server from many addresses at once:
with 5,000 connections that say nothing, with 5,000 requests that are sent a letter a second, and
with 300 clients that ask for new guests, new tables and uploads as fast as they are answered. Then
a few connections ask for what takes the server longest: pages of a replay of 4,990 moves, and the
list of commitments. The server has its usual limits. Prints a JSON line for each attack;
``--write`` updates results/hostile.csv.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import redouble
from redouble.contract.registry import GAMES
from redouble.web.app import create_app
from redouble.web.limits import LIMITS, Rate
from tables import write

GAME = "double-down"
HOSTILE = "127.0.2.{}"
PLAYERS = "127.0.1.{}"
"""Addresses of this machine, where the system has them all, as Linux does."""
HEADS = ("attack", "clients", "requests", "median", "99%", "served", "refused", "server")
ATTACK_FIRST = 4.0
"""Seconds that an attack lasts before moves are measured."""
ROUNDS, REQUESTS = 15, 400
LONG = 4990
"""Moves of the game whose pages are asked for."""
TIMEOUT = 20.0


Attack = Callable[[int, str], Awaitable[str]]
"""What an attacker does at a port, from an address; it returns the answer's status."""


class Client:
    """A connection that is kept, and opened again when the server has closed it."""

    def __init__(self, port: int, address: str, token: str = "") -> None:
        self._port, self._address = port, address
        self.token = token
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send a request and return the status and the JSON of its answer."""
        async with asyncio.timeout(TIMEOUT):
            if self._streams is None:
                self._streams = await opened(self._port, self._address)
            reader, writer = self._streams
            data = b"" if body is None else json.dumps(body).encode()
            head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(data)}\r\n"
            head += "Content-Type: application/json\r\n" if data else ""
            head += f"Authorization: Bearer {self.token}\r\n" if self.token else ""
            try:
                writer.write(f"{head}\r\n".encode() + data)
                answer = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = re.search(r"content-length: (\d+)", answer)
                text = await reader.readexactly(int(length[1]) if length else 0)
            except (OSError, asyncio.IncompleteReadError):
                self.close()
                raise ConnectionError("the server has closed the connection") from None
            if "connection: close" in answer:
                self.close()
        status = int(answer.split()[1])
        is_json = "content-type: application/json" in answer
        return status, json.loads(text) if is_json else None

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None


async def opened(port: int, address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))


async def play(client: Client, interval: float, until: float, latencies: list[float]) -> None:
    """Move every interval at the client's own tables, and note how long each request took."""

    async def ask(method: str, path: str, body: Any = None) -> Any:
        sent = time.perf_counter()
        status, answer = await client.send(method, path, body)
        latencies.append(time.perf_counter() - sent)
        assert status in (200, 201), answer
        return answer

    seats = [{"kind": "me"}, {"kind": "here"}]
    at: dict[str, Any] = {"status": "over"}
    await asyncio.sleep(random.random() * interval)
    while (began := time.monotonic()) < until:
        if at["status"] != "playing":
            at = await ask("POST", "/api/tables", {"game": GAME, "seats": seats})
        path, seat = f"/api/tables/{at['table']}", at["turn"]
        if at["seat"] != seat:
            at = await ask("GET", f"{path}?seat={seat}")
        move = {"move": at["view"]["legal_moves"][0], "ply": at["ply"], "seat": seat}
        at = await ask("POST", f"{path}/moves", move)
        client.close()  # as a browser's would be by then
        await asyncio.sleep(max(0.0, began + interval - time.monotonic()))


async def silent(port: int, address: str) -> str:
    """Open a connection and say nothing."""
    reader, writer = await opened(port, address)
    with contextlib.closing(writer):
        told = await reader.read(100)
    return told.split(b" ")[1].decode() if b" " in told else "closed"


async def slow(port: int, address: str) -> str:
    """Send the head of a request, a letter a second."""
    reader, writer = await opened(port, address)
    with contextlib.closing(writer):
        asked = asyncio.ensure_future(reader.read(100))
        for letter in b"GET / HTTP/1.1\r\nX-Slow: " + b"x" * 1000:
            if asked.done():
                break
            writer.write(bytes((letter,)))
            await asyncio.wait([asked], timeout=1.0)
        told = await asked
    return told.split(b" ")[1].decode() if b" " in told else "closed"


def flood(path: str, body: Callable[[], Any]) -> Attack:
    """Return what sends a request, each address as one person."""
    clients: dict[asyncio.Task[Any] | None, Client] = {}
    tokens: dict[str, str] = {}

    async def once(port: int, address: str) -> str:
        client = clients.setdefault(asyncio.current_task(), Client(port, address))
        if address not in tokens and path != "/api/guests":
            _, guest = await client.send("POST", "/api/guests")
            tokens[address] = guest["token"]
        client.token = tokens.get(address, "")
        return f"{(await client.send('POST', path, body()))[0]}"

    return once


def replay_pages() -> Attack:
    """Return what asks for pages of a long imported game, at any move and through any eyes."""
    clients: dict[asyncio.Task[Any] | None, Client] = {}
    imported: list[asyncio.Future[str]] = []

    async def imports(client: Client) -> str:
        _, guest = await client.send("POST", "/api/guests")
        client.token = guest["token"]
        _, saved = await client.send("POST", "/api/records", {"record": long_game()})
        return str(saved["url"])

    async def once(port: int, address: str) -> str:
        client = clients.setdefault(asyncio.current_task(), Client(port, address))
        if not imported:
            imported.append(asyncio.ensure_future(imports(Client(port, address))))
        page, eyes = await imported[0], random.choice(("open", "onlooker", "0", "1"))
        path = f"{page}?ply={random.randrange(LONG)}&eyes={eyes}"
        return f"{(await client.send('GET', path))[0]}"

    return once


def commitments() -> Attack:
    """Return what asks for the list of commitments."""
    clients: dict[asyncio.Task[Any] | None, Client] = {}

    async def once(port: int, address: str) -> str:
        client = clients.setdefault(asyncio.current_task(), Client(port, address))
        return f"{(await client.send('GET', '/fair/commitments'))[0]}"

    return once


def long_game() -> str:
    dice = random.Random(1)
    match = redouble.new("three-up", seats=2, seed="long", games=99)
    while match.ply < LONG:
        match.push(dice.choice(list(match.legal_moves)))
    return str(match.record())


def table_of_bots() -> dict[str, Any]:
    return {"game": GAME, "seats": [{"kind": "bot", "level": "novice"}] * 2, "pace": "instant"}


def record() -> dict[str, Any]:
    line = {"game": GAME, "rules": GAMES[GAME].version, "seats": ["A", "B"], "seed": "s"}
    return {"record": json.dumps(line | {"moves": "0 " * 90_000})}


ATTACKS: dict[str, tuple[Attack, int]] = {
    "connections": (silent, 5000),
    "slow senders": (slow, 5000),
    "guests": (flood("/api/guests", lambda: {}), 300),
    "tables": (flood("/api/tables", table_of_bots), 300),
    "uploads": (flood("/api/records", record), 300),
    "replay pages": (replay_pages(), 6),
    "commitments": (commitments(), 6),
}
"""What a client does again and again, and how many clients there are."""


def attack(name: str, port: int, addresses: int, seconds: float, told: Any) -> None:
    """Attack with all clients at once until the time is over; tell how often which answer came."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    answers: Counter[str] = Counter()
    once, clients = ATTACKS[name]

    async def again(number: int, until: float) -> None:
        address = HOSTILE.format(1 + number % addresses)
        while time.monotonic() < until:
            try:
                answers[await once(port, address)] += 1
            except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
                answers[type(error).__name__] += 1
                await asyncio.sleep(0.05)

    async def main() -> None:
        until = time.monotonic() + seconds
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await asyncio.gather(*(again(number, until) for number in range(clients)))

    asyncio.run(main())
    told.put(dict(answers))


@contextlib.contextmanager
def server(folder: Path) -> Iterator[tuple[int, int]]:
    """Start a server; yield its port and the number of its process."""
    command = [sys.executable, "-m", "redouble", "serve", "--port", "0", "--no-prepare"]
    with subprocess.Popen(
        [*command, "--data", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            found = re.search(r":(\d+)/", process.stdout.readline())
            assert found
            yield int(found[1]), process.pid
        finally:
            process.terminate()


@contextlib.asynccontextmanager
async def players(port: int, number: int) -> AsyncIterator[list[Client]]:
    clients = [Client(port, PLAYERS.format(1 + i % 250)) for i in range(number)]
    for client in clients:
        _, guest = await client.send("POST", "/api/guests")
        client.token = guest["token"]
        client.close()
    yield clients
    for client in clients:
        client.close()


async def measured(port: int, server_id: int, name: str, given: argparse.Namespace) -> Any:
    """Return how long moves take during an attack; without a name nobody attacks."""
    context = multiprocessing.get_context("spawn")
    told = context.Queue()
    async with players(port, given.tables) as clients:
        seconds = given.seconds + ATTACK_FIRST
        attacker = context.Process(target=attack, args=(name, port, given.addresses, seconds, told))
        if name:
            attacker.start()
            await asyncio.sleep(ATTACK_FIRST)
        latencies: list[float] = []
        until = time.monotonic() + given.seconds
        await asyncio.gather(*(play(one, given.interval, until, latencies) for one in clients))
        found: dict[str, Any] = {
            "attack": name or "nobody",
            "clients": ATTACKS[name][1] if name else 0,
            "requests": len(latencies),
            "median ms": round(1000 * statistics.median(latencies), 1),
            "p99 ms": round(1000 * statistics.quantiles(latencies, n=100)[98], 1),
            "server MB": memory(server_id),
        }
        if name:
            found["answers"] = await asyncio.to_thread(told.get)
            attacker.join()
        return found


def memory(process: int) -> int:
    """Return the resident memory of a process in megabytes."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found is not None
    return int(found[1]) // 1024


async def cost() -> dict[str, float]:
    """Return the CPU time of a request with the limits and without, in microseconds."""
    never = Rate(10**8, 1)
    limits = replace(LIMITS, requests_per_address=never)
    times: dict[str, list[float]] = {"with": [], "without": []}
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Path(folder), limits=limits)
        free = create_app(Path(folder), limits=limits)
        # What it is built with tells the throttle from the others.
        unthrottled = [one for one in free.user_middleware if set(one.kwargs) != {"refuse"}]
        assert len(unthrottled) == len(free.user_middleware) - 1
        free.user_middleware = unthrottled
        async with app.router.lifespan_context(app):
            free.state.site = site = app.state.site
            person = await site.people.new("Anna")
            token = site.people.token(person)
            for _ in range(ROUNDS):
                for name, one in (("with", app), ("without", free)):
                    began = time.process_time()
                    for _ in range(REQUESTS):
                        await ask(one, token)
                    times[name].append((time.process_time() - began) / REQUESTS * 1e6)
    medians = {name: round(statistics.median(found), 1) for name, found in times.items()}
    return medians | {"difference": round(medians["with"] - medians["without"], 1)}


async def ask(app: Any, token: str) -> None:
    scope = {
        "type": "http", "method": "GET", "path": "/api/me", "query_string": b"", "scheme": "http",
        "headers": [(b"host", b"x"), (b"authorization", f"Bearer {token}".encode())],
        "client": ("127.0.0.1", 1), "server": ("x", 80), "http_version": "1.1", "root_path": "",
    }  # fmt: skip
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        statuses.append(message.get("status", 0))

    await app(scope, receive, send)
    assert statuses[0] == 200, statuses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200, help="tables at which people play")
    parser.add_argument("--interval", type=float, default=4.0, help="seconds between their moves")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each attack")
    parser.add_argument("--addresses", type=int, default=50, help="that attacks come from")
    parser.add_argument("--attack", choices=ATTACKS, action="append", help="only these")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if not given.attack:
        print(json.dumps({"request_cpu_us": asyncio.run(cost())}), flush=True)
    rows = []
    for name in ["", *(given.attack or ATTACKS)]:
        with tempfile.TemporaryDirectory() as folder, server(Path(folder)) as (port, server_id):
            rows.append(asyncio.run(measured(port, server_id, name, given)))
            print(json.dumps(rows[-1]), flush=True)
    if given.write:
        write("hostile", HEADS, map(cells, rows))


def cells(row: dict[str, Any]) -> list[object]:
    answers = row.get("answers", {})
    served = sum(times for answer, times in answers.items() if answer.startswith("2"))
    refused = sum(answers.values()) - served
    return [
        row["attack"],
        row["clients"] or "",
        row["requests"],
        f"{row['median ms']} ms",
        f"{row['p99 ms']} ms",
        served or "",
        refused or "",
        f"{row['server MB']} MB",
    ]


if __name__ == "__main__":
    main()
