"""Figures of a running server for Prometheus, on an address of their own.

No label is a person, a token or an address: routes are patterns, and clients are only counted.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client import start_http_server as start

from redouble.kernel.errors import RedoubleError
from redouble.web.gate.connections import Door
from redouble.web.site import Site
from redouble.web.watchers import Note, Watcher

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class MetricsError(RedoubleError):
    """The address can't be used."""


class Metrics(Watcher):
    """The figures of a site."""

    def __init__(self, site: Site, door: Door) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)  # memory, CPU and open files, where there is /proc
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
        for name, meaning, read in [
            ("connections", "Open connections", lambda: door.open),
            ("tables_in_memory", "Tables in memory", lambda: len(site.tables.memory)),
            ("streams", "Open streams of tables", lambda: site.streams.total),
            ("searches", "Hints and solutions in progress", lambda: site.searches.begun),
            ("bots_thinking", "Moves that bots think about", lambda: site.tables.robots.thinking),
            ("store_queue", "Jobs that wait for the database", lambda: site.store.waiting),
            ("database_bytes", "Size of the database", lambda: site.store.database.used()),
        ]:
            self._shown(name, meaning, read)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, f"{status}").observe(seconds)

    def refused(self) -> None:
        self._refused.inc()

    def outdated(self) -> None:
        self._conflicts.inc()

    @contextlib.contextmanager
    def commanded(self, game: str) -> Iterator[Note]:
        yield lambda kinds: self._written.inc(len(kinds))

    def _shown(self, name: str, meaning: str, read: Callable[[], float]) -> None:
        gauge = Gauge(f"redouble_{name}", meaning, registry=self.registry)
        gauge.set_function(read)

    def _counter(self, name: str, meaning: str) -> Counter:
        return Counter(f"redouble_{name}", meaning, registry=self.registry)


@contextlib.contextmanager
def served(metrics: Metrics, address: str) -> Iterator[str]:
    """Serve the figures at an address such as ``127.0.0.1:9100``, and yield where they are.

    Raises :class:`MetricsError`.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise MetricsError(f"metrics: {address!r} isn't an address such as 127.0.0.1:9100")
    try:
        server, thread = start(int(port), host.strip("[]"), registry=metrics.registry)
    except (OSError, OverflowError) as error:
        raise MetricsError(f"metrics: can't listen on {address}: {error}") from error
    try:
        yield f"http://{host}:{server.server_port}/metrics"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
