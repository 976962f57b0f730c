"""End every part of a site, one after another, while people play, and check every answer.

``python -m tests.web.helpers.outages --rounds 5`` prints a line of JSON, and ends with 1 if the
history has a fault or play took too long to go on. People reach two web processes through a proxy
(Caddy, or nginx with ``--proxy nginx``). The processes share a PostgreSQL database, and a worker
makes the reviews. In each round each of these four is ended by SIGTERM, by SIGKILL, and frozen for
ten seconds by SIGSTOP, in random order. What nobody else starts again is started again at once, as
a service manager would.

Play goes on when a move is confirmed that was sent after the signal, or after the thaw where
nobody can do the work of what is frozen; and at every table a little later. Both have a limit. In
the end :mod:`.history` compares what was answered with the log in the database. Every
review that was asked for has to be there in the end.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Protocol

import redouble
from tests.web.helpers.history import READ
from tests.web.helpers.kills import Client, Gone, Play, log_of, playing, until_confirmed, verdict
from tests.web.helpers.postgresql import Cluster
from tests.web.helpers.postgresql import running as postgresql
from tests.web.helpers.proxies import caddy, nginx
from tests.web.helpers.running import WAIT_SECONDS, Running, ended, family, free_ports, listens
from tests.web.helpers.server import Server

WAYS = (signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP)
FROZEN = 10.0
"""Seconds of a SIGSTOP."""
REST = (0.2, 1.0)
"""Seconds from play going on to the next signal."""
THINK = 0.2
"""Seconds that people think about a move."""
REVIEW_SECONDS = 300.0
"""How long the reviews that were asked for may take in the end."""
PROXIES = {"caddy": caddy, "nginx": nginx}


class Part(Protocol):
    """What can be ended or frozen, and started again."""

    name: str
    seconds: float
    """How long it may take until play goes on."""
    alone: bool
    """Whether nobody does its work while it is frozen."""

    def pids(self) -> list[int]:
        """Its processes, the one that gets the signal first."""

    def end(self, way: signal.Signals) -> None:
        """End it, and start it again unless that happens without us."""


@dataclass
class Program:
    """A program that we start again ourselves."""

    name: str
    running: Running
    seconds: float = 3.0
    alone: bool = False

    def pids(self) -> list[int]:
        return family(self.running.pid)

    def end(self, way: signal.Signals) -> None:
        self.running.end(way)
        self.running.start()


@dataclass
class Web:
    """One of the web processes, which are started again by their parent.

    Each shows its figures at a port of its own from when it serves.
    """

    server: Server
    dice: Random
    figures: Sequence[int]
    name: str = "web"
    seconds: float = 3.0
    alone: bool = False

    def pids(self) -> list[int]:
        return [self.dice.choice(self.server.children())]

    def end(self, way: signal.Signals) -> None:
        os.kill(self.pids()[0], way)

    def wait(self) -> None:
        """Wait until all processes serve: only one part at a time is to be gone."""
        until = time.monotonic() + WAIT_SECONDS
        while not all(map(listens, self.figures)):
            assert time.monotonic() < until, self.server.complaints()
            time.sleep(0.05)


@dataclass
class Database:
    """The PostgreSQL server, with the processes of its sessions."""

    cluster: Cluster
    name: str = "database"
    seconds: float = 10.0
    alone: bool = True

    def pids(self) -> list[int]:
        return family(self.cluster.pid)

    def end(self, way: signal.Signals) -> None:
        self.cluster.restart(way)


@dataclass
class Reviews:
    """A person who asks for one review after another."""

    port: int
    token: str = ""
    asked: list[str] = field(default_factory=list)

    def ask(self, seconds: float = REVIEW_SECONDS) -> None:
        """Ask for a review, unless one is being made. Raises ``TimeoutError`` after that time."""
        if self.asked and not self._ready(self.asked[-1]):
            return
        until = time.monotonic() + seconds
        while not self._asked(f"{len(self.asked)}"):
            if time.monotonic() > until:
                raise TimeoutError("no review can be asked for")
            time.sleep(0.1)

    def missing(self, seconds: float = REVIEW_SECONDS) -> list[str]:
        """The games whose reviews aren't there after this time."""
        until = time.monotonic() + seconds
        while waiting := [record for record in self.asked if not self._ready(record)]:
            if time.monotonic() > until:
                break
            time.sleep(0.5)
        return waiting

    def _asked(self, seed: str) -> bool:
        client = Client(self.port)
        try:
            self.token = self.token or client.made("/guests", {})["token"]
            record = client.made("/records", {"record": _short_game(seed)}, self.token)["token"]
            status, _ = client.send(f"/records/{record}/review", self.token, {})
        except (Gone, KeyError):
            return False
        finally:
            client.close()
        if status == 200:
            self.asked.append(record)
        return status == 200

    def _ready(self, record: str) -> bool:
        client = Client(self.port)
        try:
            status, review = client.send(f"/records/{record}/review", self.token)
        except Gone:
            return False
        finally:
            client.close()
        return status == 200 and review["status"] == "ready"


def _short_game(seed: str) -> str:
    dice, match = Random(seed), redouble.new("double-down", seats=2, seed=seed)
    while match.turn is not None:
        match.push(dice.choice(list(match.legal_moves)))
    return str(match.record())


@dataclass
class Site:
    """A site with all its parts, and where people reach it."""

    web: Web
    parts: Sequence[Part]
    port: int
    database: str
    reviews: Reviews
    logs: Sequence[Path]
    """What its programs have complained about."""


@contextlib.contextmanager
def served(folder: Path, dice: Random, proxy: str = "caddy") -> Iterator[Site]:
    """Start a site with all its parts."""
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(postgresql())
        database = cluster.create("outages")
        figures = free_ports(2)
        options = ["--workers=2", "--trusted-proxy=127.0.0.1"]
        options.append(f"--metrics=127.0.0.1:{figures[0]}")
        environment = os.environ | {"REDOUBLE_DATABASE": database}
        server = Server(folder, environment=environment, options=options)
        server.start()
        stack.callback(server.kill)
        front, port = PROXIES[proxy](folder, server.port)
        stack.enter_context(ended(front))
        complaints = folder / "worker.txt"
        work = [sys.executable, "-m", "redouble", "work", "--database", database]
        worker = Running(work, lambda: True, errors=complaints)
        stack.enter_context(ended(worker))
        web = Web(server, dice, figures)
        parts: list[Part] = [
            web,
            Program("worker", worker),
            Database(cluster),
            Program("proxy", front, alone=True),
        ]
        yield Site(web, parts, port, database, Reviews(port), [folder / "stderr.txt", complaints])


@dataclass(frozen=True)
class Outage:
    """What a signal did to the people who play."""

    part: str
    way: str
    limit: float
    first: float
    """Seconds until a move was confirmed that was sent afterwards."""
    everywhere: float
    """Seconds until one was at every table, counted from the thaw of what was frozen."""

    @property
    def kind(self) -> str:
        return f"{self.part} {self.way}"

    @property
    def too_long(self) -> bool:
        return max(self.first, self.everywhere) > self.limit


def strike(part: Part, way: signal.Signals, frozen: float, plays: Sequence[Play]) -> Outage:
    """End or freeze a part, and wait until play has gone on at every table."""
    first = again = time.monotonic()
    if way == signal.SIGSTOP:
        pids = part.pids()
        _send(pids, signal.SIGSTOP)
        time.sleep(frozen)
        again = time.monotonic()
        _send(pids, signal.SIGCONT)
        first = again if part.alone else first
    else:
        part.end(way)
    until_confirmed(plays, again, all)
    return Outage(
        part.name,
        way.name,
        part.seconds,
        min(_confirmed_after(play, first) for play in plays) - first,
        max(_confirmed_after(play, again) for play in plays) - again,
    )


def _send(pids: Sequence[int], way: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, way)


def _confirmed_after(play: Play, since: float) -> float:
    """When a move was confirmed first that was sent after this time."""
    calls = list(play.calls)
    return min(
        one.ended for one in calls if one.move != READ and one.confirmed and one.begun > since
    )


def run(
    folder: Path,
    strikes: Sequence[tuple[str, signal.Signals]],
    seed: str = "",
    frozen: float = FROZEN,
    proxy: str = "caddy",
    minutes: float = math.inf,
) -> dict[str, Any]:
    """Play while parts are ended or frozen in this order; return counts, times and faults.

    After ``minutes``, the outages that are left don't take place.
    """
    dice, end = Random(seed), time.monotonic() + 60 * minutes
    outages: list[Outage] = []
    with served(folder, dice, proxy) as site:
        parts = {part.name: part for part in site.parts}
        site.web.wait()
        with playing(site.port, THINK) as plays:
            for name, way in takewhile(lambda _: time.monotonic() < end, strikes):
                time.sleep(dice.uniform(*REST))
                site.web.wait()
                if name == "worker":
                    site.reviews.ask()
                outages.append(strike(parts[name], way, frozen, plays))
        result = verdict(plays, log_of(folder / "data", site.database), site.port)
        missing = site.reviews.missing()
        complaints = "".join(log.read_text(encoding="utf-8") for log in site.logs)
    found = result.pop("faults")
    found += [f"the review of {record} was asked for and is not there" for record in missing]
    if "Traceback" in complaints:
        found.append(complaints)
    return {
        "kills": len(outages),
        **result,
        "reviews": len(site.reviews.asked),
        "seconds until play goes on": _times(outages),
        "took too long": [vars(one) for one in outages if one.too_long],
        "faults": found,
    }


def _times(outages: Sequence[Outage]) -> dict[str, Any]:
    """Median and maximum by kind."""
    kinds: dict[str, list[Outage]] = defaultdict(list)
    for one in outages:
        kinds[one.kind].append(one)
    return {
        kind: {
            "kills": len(ones),
            "first move": _summary([one.first for one in ones]),
            "at every table": _summary([one.everywhere for one in ones]),
            "limit": ones[0].limit,
        }
        for kind, ones in sorted(kinds.items())
    }


def _summary(seconds: Sequence[float]) -> dict[str, float]:
    return {"median": round(median(seconds), 2), "most": round(max(seconds), 2)}


PARTS = ("web", "worker", "database", "proxy")
KINDS = {f"{part} {way.name}": (part, way) for part in PARTS for way in WAYS}


def rounds(count: int, dice: Random) -> list[tuple[str, signal.Signals]]:
    """Every part with every signal, that often, each round in an order of its own."""
    each = list(KINDS.values())
    return [strike for _ in range(count) for strike in dice.sample(each, len(each))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no more afterwards")
    parser.add_argument("--only", choices=KINDS, help="one part and signal alone")
    parser.add_argument("--seed", default="")
    parser.add_argument("--frozen", type=float, default=FROZEN, help="seconds of a SIGSTOP")
    parser.add_argument("--proxy", choices=tuple(PROXIES), default="caddy")
    wanted = parser.parse_args()
    if wanted.only is None:
        strikes = rounds(wanted.rounds, Random(wanted.seed))
    else:
        strikes = [KINDS[wanted.only]] * wanted.rounds
    with tempfile.TemporaryDirectory() as folder:
        result = run(
            Path(folder), strikes, wanted.seed, wanted.frozen, wanted.proxy, wanted.minutes
        )
    print(json.dumps(result, indent=1))
    return 1 if result["faults"] or result["took too long"] else 0


if __name__ == "__main__":
    sys.exit(main())
