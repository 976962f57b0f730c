"""Figures of a running server for Prometheus, on an address of their own.

No label is a person, a token or an address: routes are patterns, and clients are only counted.
"""

import asyncio
import contextlib
import math
import shutil
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    make_wsgi_app,
)

from redouble.kernel.errors import RedoubleError
from redouble.web.errors import StoreError
from redouble.web.gate.connections import Door
from redouble.web.site import Site
from redouble.web.store import Store
from redouble.web.watchers import OUTCOMES, Note, Watcher, Watchers

LAG_SECONDS = 0.5
"""How often it is measured how late the event loop is."""
HEALTH = "/health/"
QUEUE = "SELECT count(*) FROM review_jobs WHERE problem = ''"
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class MetricsError(RedoubleError):
    """The address can't be used."""


class StoreMetrics(Watcher):
    """The figures of a process that uses a database, such as a worker."""

    def __init__(self, store: Store) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)  # memory, CPU and open files, where there is /proc
        self._failed = self._counter("failed_saves", "Saves that the database didn't take")
        self._reviews = Counter(
            "redouble_reviews", "Reviews that were made, or couldn't be", ["made"],
            registry=self.registry,
        )  # fmt: skip
        for made in ("yes", "no"):
            self._reviews.labels(made)
        for name, meaning, read in [
            ("store_queue", "Jobs that wait for the database", lambda: store.waiting),
            ("database_bytes", "Size of the database", lambda: store.database.used()),
            ("reviews_waiting", "Reviews in the queue", lambda: _queued(store)),
            ("free_disk_bytes", "Free bytes on the disk of the database's file",
             lambda: _free(store)),
        ]:  # fmt: skip
            self._shown(name, meaning, read)

    def saving(self, done: Future[Any]) -> None:
        done.add_done_callback(self._saved)

    def reviewed(self, made: bool) -> None:
        self._reviews.labels("yes" if made else "no").inc()

    def _saved(self, done: Future[Any]) -> None:
        if not done.cancelled() and isinstance(done.exception(), StoreError):
            self._failed.inc()

    def _shown(self, name: str, meaning: str, read: Callable[[], float]) -> None:
        gauge = Gauge(f"redouble_{name}", meaning, registry=self.registry)
        gauge.set_function(read)

    def _counter(self, name: str, meaning: str) -> Counter:
        return Counter(f"redouble_{name}", meaning, registry=self.registry)


class Metrics(StoreMetrics):
    """The figures of a site."""

    def __init__(self, site: Site, door: Door) -> None:
        super().__init__(site.store)
        self._requests = Histogram(
            "redouble_request_seconds",
            "Seconds from a request to the start of its answer",
            ["method", "route", "status"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self._written = self._counter("entries_written", "Moves and other events at tables")
        self._conflicts = self._counter("conflicts", "Commands that came too late")
        self._refused = self._counter("refused", "Connections and requests beyond a limit")
        self._lag = Histogram(
            "redouble_loop_lag_seconds",
            "Seconds by which the event loop, and so each request, was late",
            buckets=SECONDS,
            registry=self.registry,
        )
        self._told = Counter(
            "redouble_messages", "Messages to people, by the way they went and what became of them",
            ["channel", "outcome"], registry=self.registry,
        )  # fmt: skip
        self._measuring = False
        for name, meaning, read in [
            ("connections", "Open connections", lambda: door.open),
            ("tables_in_memory", "Tables in memory", lambda: len(site.tables.memory)),
            ("streams", "Open streams of tables", lambda: site.streams.total),
            ("searches", "Hints and solutions in progress", lambda: site.searches.begun),
            ("bots_thinking", "Moves that bots think about", lambda: site.tables.robots.thinking),
            ("imports_waiting", "Imported games being checked", lambda: site.imports.begun),
        ]:
            self._shown(name, meaning, read)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        if not self._measuring:
            self._measuring = True
            loop = asyncio.get_running_loop()
            self._measure_lag(loop, loop.time())
        self._requests.labels(method, route, f"{status}").observe(seconds)

    def tells_by(self, channels: Sequence[str]) -> None:
        for channel in channels:
            for outcome in OUTCOMES:
                self._told.labels(channel, outcome)

    def told(self, channel: str, outcome: str) -> None:
        self._told.labels(channel, outcome).inc()

    def refused(self) -> None:
        self._refused.inc()

    def outdated(self) -> None:
        self._conflicts.inc()

    @contextlib.contextmanager
    def commanded(self, game: str) -> Iterator[Note]:
        yield lambda kinds: self._written.inc(len(kinds))

    def _measure_lag(self, loop: asyncio.AbstractEventLoop, due: float) -> None:
        self._lag.observe(max(0.0, loop.time() - due))
        due = loop.time() + LAG_SECONDS
        loop.call_at(due, self._measure_lag, loop, due)


def _queued(store: Store) -> float:
    row = store.look_up(QUEUE)
    return float(row[0]) if row else math.nan


def _free(store: Store) -> float:
    folder = store.database.folder
    return shutil.disk_usage(folder).free if folder else math.nan


class _FiguresServer(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Log nothing: what asks for figures does so every few seconds."""


@contextlib.contextmanager
def served(
    figures: StoreMetrics,
    watchers: Watchers,
    address: str,
    unready: Callable[[], str] | None = None,
) -> Iterator[None]:
    """Count what happens from now on, and serve it at an address such as ``127.0.0.1:9100``.

    With ``unready``, which returns what is wrong or nothing, ``/health/live`` and
    ``/health/ready`` answer there. Raises :class:`MetricsError`.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise MetricsError(f"metrics: {address!r} isn't an address such as 127.0.0.1:9100")
    page = make_wsgi_app(figures.registry)

    def app(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if unready is None or not path.startswith(HEALTH):
            told: Iterable[bytes] = page(environ, start)
            return told
        problem = unready() if path.endswith("/ready") else ""
        start("503 Service Unavailable" if problem else "200 OK", [("Content-Type", "text/plain")])
        return [f"{problem or path.removeprefix(HEALTH)}\n".encode()]

    try:
        bare = host.strip("[]")
        family = socket.getaddrinfo(bare, int(port), type=socket.SOCK_STREAM)[0][0]
        kind = type("_FiguresServer", (_FiguresServer,), {"address_family": family})
        server = kind((bare, int(port)), _Handler)
    except (OSError, OverflowError) as error:
        raise MetricsError(f"metrics: can't listen on {address}: {error}") from error
    server.set_app(app)
    thread = threading.Thread(target=server.serve_forever, name="metrics", daemon=True)
    thread.start()
    watchers.add(figures)
    print(f"Metrics are at http://{host}:{server.server_port}/metrics", flush=True)
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
