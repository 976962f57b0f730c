"""End every part of a site, one after another, while people play, and check every answer.

``python -m tests.web.helpers.outages --rounds 5`` prints a line of JSON, and ends with 1 if the
history has a fault or play took too long to go on. People reach two web processes through a proxy
(Caddy, or nginx with ``--proxy nginx``). The processes share a PostgreSQL database, and a worker
makes the reviews. In each round each of these four is ended by SIGTERM, by SIGKILL, and frozen for
ten seconds by SIGSTOP, in random order. What nobody else starts again is started again at once, as
a service manager would. With ``--proxy none`` people reach the processes without a proxy, and there
is no worker; the server may end as a whole. Then ``--processes 0`` lets a single process serve, and
``--database sqlite`` lets it have a file.

Play goes on when a move is confirmed that was sent after the signal, or after the thaw where
nobody can do the work of what is frozen; and at every table a little later. Both have a limit. In
the end :mod:`.history` compares what was answered with the log in the database. Every
review that was asked for has to be there in the end.
"""

import argparse
import contextlib
import json
import math
import os
import secrets
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import redouble
from tests.helpers.tables import play_on
from tests.web.helpers.history import READ
from tests.web.helpers.players import Client, Gone, Play, log_of, playing, until_confirmed, verdict
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
PARTS = ("web", "worker", "database", "proxy")
BARE_PARTS = ("server", "web", "database")
"""Of a site without a proxy."""
Strike = tuple[str, signal.Signals]
"""A part, and what it gets."""


@dataclass
class Part:
    """What can be ended or frozen, and started again."""

    seconds: float
    """How long it may take until play goes on."""
    alone: bool
    """Whether nobody does its work while it is frozen."""
    pids: Callable[[], list[int]]
    """Its processes, the one that gets the signal first."""
    end: Callable[[signal.Signals], object]
    """Ends it, and starts it again unless that happens without us."""


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
        try:
            with contextlib.closing(Client(self.port)) as client:
                self.token = self.token or client.made("/guests", {})["token"]
                record = client.made("/records", {"record": _short_game(seed)}, self.token)["token"]
                status, _ = client.send(f"/records/{record}/review", self.token, {})
        except (Gone, KeyError):
            return False
        if status == 200:
            self.asked.append(record)
        return status == 200

    def _ready(self, record: str) -> bool:
        try:
            with contextlib.closing(Client(self.port)) as client:
                status, review = client.send(f"/records/{record}/review", self.token)
        except Gone:
            return False
        return status == 200 and review["status"] == "ready"


def _short_game(seed: str) -> str:
    match = redouble.new("double-down", seats=2, seed=seed)
    return str(play_on(match, Random(seed)).record())


@dataclass
class Site:
    """A site with all its parts, and where people reach it."""

    server: Server
    parts: dict[str, Part]
    port: int
    database: str
    reviews: Reviews
    logs: Sequence[Path]
    """What its programs have complained about."""
    figures: Sequence[int]
    """Ports at which its web processes show their figures, from when they serve."""

    def wait(self) -> None:
        """Wait until all processes serve: only one part at a time is to be gone."""
        until = time.monotonic() + WAIT_SECONDS
        while not all(map(listens, self.figures)):
            assert time.monotonic() < until, self.server.complaints()
            time.sleep(0.05)


@contextlib.contextmanager
def served(
    folder: Path, dice: Random, proxy: str = "", cluster: Cluster | None = None, processes: int = 0
) -> Iterator[Site]:
    """Start a site with all its parts. With a proxy it also has a worker."""
    with contextlib.ExitStack() as stack:
        database = cluster.create(f"outages_{secrets.token_hex(4)}") if cluster else ""
        figures = free_ports(processes)
        options = ["--trusted-proxy=127.0.0.1"] if proxy else []
        if processes:
            options += [f"--workers={processes}", f"--metrics=127.0.0.1:{figures[0]}"]
        environment = os.environ | {"REDOUBLE_DATABASE": database}
        server = Server(folder, environment=environment, options=options)
        server.start()
        # With others its database may be gone, and it says so.
        stack.callback(server.kill if cluster else server.stop)
        parts = {"server": Part(10.0, True, lambda: family(server.pid), server.end)}
        logs = [folder / "stderr.txt"]

        def process() -> list[int]:
            return [dice.choice(server.children())]

        def end_process(way: signal.Signals) -> None:
            os.kill(process()[0], way)

        if processes:
            parts["web"] = Part(3.0, False, process, end_process)
        if cluster:
            parts["database"] = Part(10.0, True, lambda: family(cluster.pid), cluster.restart)
        port = server.port
        if proxy:
            front, port = PROXIES[proxy](folder, server.port)
            logs.append(folder / "worker.txt")
            work = [sys.executable, "-m", "redouble", "work", "--database", database]
            worker = Running(work, lambda: True, errors=logs[-1])
            for program, name, alone in ((front, "proxy", True), (worker, "worker", False)):
                stack.enter_context(ended(program))
                pids = partial(lambda one: family(one.pid), program)
                parts[name] = Part(3.0, alone, pids, program.restart)
        yield Site(server, parts, port, database, Reviews(port), logs, figures)


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


def strike(
    site: Site, name: str, way: signal.Signals, frozen: float, plays: Sequence[Play]
) -> Outage:
    """End or freeze a part, and wait until play has gone on at every table."""
    part = site.parts[name]
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
    until_confirmed(plays, again)
    return Outage(
        name,
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
    strikes: Sequence[Strike],
    seed: str = "",
    frozen: float = FROZEN,
    minutes: float = math.inf,
    **about: Any,
) -> dict[str, Any]:
    """Play while parts are ended or frozen in this order; return counts, times and faults.

    After ``minutes``, the outages that are left don't take place. ``about`` is what :func:`served`
    is told of the site.
    """
    dice, end = Random(seed), time.monotonic() + 60 * minutes
    outages: list[Outage] = []
    with served(folder, dice, **about) as site:
        site.wait()
        with playing(site.port, THINK if about.get("proxy") else 0.0) as plays:
            for name, way in takewhile(lambda _: time.monotonic() < end, strikes):
                time.sleep(dice.uniform(*REST))
                site.wait()
                if name == "worker":
                    site.reviews.ask()
                outages.append(strike(site, name, way, frozen, plays))
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


def rounds(count: int, dice: Random, parts: Sequence[str]) -> list[Strike]:
    """Every part with every signal, that often, each round in an order of its own."""
    each = [(part, way) for part in parts for way in WAYS]
    return [strike for _ in range(count) for strike in dice.sample(each, len(each))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no more afterwards")
    parser.add_argument("--only", choices=[*PARTS, "server"], help="one part alone")
    parser.add_argument("--seed", default="")
    parser.add_argument("--frozen", type=float, default=FROZEN, help="seconds of a SIGSTOP")
    parser.add_argument("--proxy", choices=(*PROXIES, "none"), default="caddy")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="postgresql")
    parser.add_argument("--processes", type=int, default=2)
    wanted = parser.parse_args()
    proxy = wanted.proxy.replace("none", "")
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        shared = wanted.database == "postgresql"
        cluster = stack.enter_context(postgresql()) if shared else None
        there = {"web": wanted.processes > 0, "database": shared}
        parts = [part for part in (PARTS if proxy else BARE_PARTS) if there.get(part, True)]
        result = run(
            Path(folder),
            rounds(wanted.rounds, Random(wanted.seed), [wanted.only] if wanted.only else parts),
            wanted.seed,
            wanted.frozen,
            wanted.minutes,
            proxy=proxy,
            cluster=cluster,
            processes=wanted.processes,
        )
    print(json.dumps(result, indent=1))
    return 1 if result["faults"] or result["took too long"] else 0


if __name__ == "__main__":
    sys.exit(main())
