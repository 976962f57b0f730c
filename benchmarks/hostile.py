"""What the limits of a server cost per request, and what others notice of one hostile client.

    python benchmarks/hostile.py --tables 50 --seconds 10

prints JSON. Players move at their tables, a move a second each, while one client floods the server
in another process and from another address: with connections that say nothing, with requests that
are sent slowly, with new guests, new tables and uploads. The server has its usual limits.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import re
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

from redouble.contract.registry import GAMES
from redouble.web.app import create_app
from redouble.web.limits import LIMITS, Rate

GAME = "double-down"
HOSTILE = "127.0.0.2"
PLAYERS = "127.0.1.{}"
"""Addresses of this machine, where the system has them all, as Linux does."""
ROUNDS, REQUESTS = 15, 400
TIMEOUT = 20.0


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
        return status, json.loads(text) if text[:1] in (b"{", b"[") else None

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None


async def opened(port: int, address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))


async def play(client: Client, until: float, latencies: list[float]) -> None:
    """Make a move a second at the client's own tables, and note how long each took."""
    seats = [{"kind": "me"}, {"kind": "here"}]
    table: dict[str, Any] = {"status": "over"}
    while (began := time.monotonic()) < until:
        if table["status"] != "playing":
            _, table = await client.send("POST", "/api/tables", {"game": GAME, "seats": seats})
            _, table = await client.send("GET", f"/api/tables/{table['table']}?seat=0")
        seat = table["turn"]
        path = f"/api/tables/{table['table']}"
        if table["seat"] != seat:
            _, table = await client.send("GET", f"{path}?seat={seat}")
        move = {"move": table["view"]["legal_moves"][0], "ply": table["ply"], "seat": seat}
        sent = time.perf_counter()
        status, answer = await client.send("POST", f"{path}/moves", move)
        latencies.append(time.perf_counter() - sent)
        assert status == 200, answer
        table = answer
        await asyncio.sleep(max(0.0, began + 1 - time.monotonic()))


async def silent(port: int) -> str:
    """Open a connection and say nothing."""
    reader, writer = await opened(port, HOSTILE)
    with contextlib.closing(writer):
        told = await reader.read(100)
    return told.split(b" ")[1].decode() if b" " in told else "closed"


async def slow(port: int) -> str:
    """Send the head of a request, a letter a second."""
    reader, writer = await opened(port, HOSTILE)
    with contextlib.closing(writer):
        asked = asyncio.ensure_future(reader.read(100))
        for letter in b"GET / HTTP/1.1\r\nX-Slow: " + b"x" * 1000:
            if asked.done():
                break
            writer.write(bytes((letter,)))
            await asyncio.wait([asked], timeout=1.0)
        told = await asked
    return told.split(b" ")[1].decode() if b" " in told else "closed"


def flood(path: str, body: Callable[[], Any]) -> Callable[[int], Awaitable[str]]:
    clients: dict[asyncio.Task[Any] | None, Client] = {}
    tokens: list[str] = []

    async def once(port: int) -> str:
        client = clients.setdefault(asyncio.current_task(), Client(port, HOSTILE))
        if not tokens and path != "/api/guests":
            _, guest = await client.send("POST", "/api/guests")
            tokens.append(guest["token"])
        client.token = tokens[0] if tokens else ""
        return f"{(await client.send('POST', path, body()))[0]}"

    return once


def table_of_bots() -> dict[str, Any]:
    return {"game": GAME, "seats": [{"kind": "bot", "level": "novice"}] * 2, "pace": "instant"}


def record() -> dict[str, Any]:
    line = {"game": GAME, "rules": GAMES[GAME].version, "seats": ["A", "B"], "seed": "s"}
    return {"record": json.dumps(line | {"moves": "0 " * 90_000})}


ATTACKS: dict[str, Callable[[int], Awaitable[str]]] = {
    "connections": silent,
    "slow senders": slow,
    "guests": flood("/api/guests", lambda: {}),
    "tables": flood("/api/tables", table_of_bots),
    "uploads": flood("/api/records", record),
}


def attack(name: str, port: int, clients: int, seconds: float, told: Any) -> None:
    """Attack in many ways at once until the time is over; tell how often which answer came."""
    answers: Counter[str] = Counter()

    async def again(until: float) -> None:
        while time.monotonic() < until:
            try:
                answers[await ATTACKS[name](port)] += 1
            except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
                answers[type(error).__name__] += 1
                await asyncio.sleep(0.05)

    async def main() -> None:
        until = time.monotonic() + seconds
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await asyncio.gather(*(again(until) for _ in range(clients)))

    asyncio.run(main())
    told.put(dict(answers))


@contextlib.contextmanager
def server(folder: Path) -> Iterator[int]:
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
            yield int(found[1])
        finally:
            process.terminate()


@contextlib.asynccontextmanager
async def players(port: int, number: int) -> AsyncIterator[list[Client]]:
    clients = [Client(port, PLAYERS.format(1 + i % 250)) for i in range(number)]
    for client in clients:
        _, guest = await client.send("POST", "/api/guests")
        client.token = guest["token"]
    yield clients
    for client in clients:
        client.close()


async def measured(port: int, tables: int, seconds: float, name: str, hostile: int) -> Any:
    """Return how long moves take while one client attacks; nobody does if there is no name."""
    context = multiprocessing.get_context("spawn")
    told = context.Queue()
    async with players(port, tables) as clients:
        attacker = context.Process(target=attack, args=(name, port, hostile, seconds + 2, told))
        if name:
            attacker.start()
            await asyncio.sleep(2)  # it is at work
        latencies: list[float] = []
        until = time.monotonic() + seconds
        await asyncio.gather(*(play(client, until, latencies) for client in clients))
        found: dict[str, Any] = {
            "moves": len(latencies),
            "p50_ms": round(1000 * statistics.median(latencies), 1),
            "p99_ms": round(1000 * statistics.quantiles(latencies, n=100)[98], 1),
        }
        if name:
            found["answers"] = await asyncio.to_thread(told.get)
            attacker.join()
        return found


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
    parser.add_argument("--tables", type=int, default=50, help="tables at which people play")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each attack")
    parser.add_argument("--clients", type=int, default=300, help="what the attacker does at once")
    parser.add_argument("--attack", choices=ATTACKS, action="append", help="only these")
    given = parser.parse_args()
    report: dict[str, Any] = {"load_before": os.getloadavg(), "cores": os.cpu_count()}
    report["request_cpu_us"] = asyncio.run(cost())
    report["others"] = {}
    for name in ["", *(given.attack or ATTACKS)]:
        with tempfile.TemporaryDirectory() as folder, server(Path(folder)) as port:
            work = measured(port, given.tables, given.seconds, name, given.clients)
            report["others"][name or "nobody"] = asyncio.run(work)
    print(json.dumps(report | {"load_after": os.getloadavg()}, indent=1))


if __name__ == "__main__":
    main()
