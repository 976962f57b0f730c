"""Shards on a Ray cluster: one task a core, on however many machines there are.

Ray plays a task again when its worker or its machine has died, so a shard is lost only with the
cluster. Every machine needs Redouble, the same version with the same games; their code is compared.
"""

import hashlib
import logging
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

from redouble.contract.registry import game_modules
from redouble.kernel import checks
from redouble.kernel.errors import RedoubleError
from redouble.kernel.extras import needs
from redouble.lab.shards import GRACE, Experiment, Result, Shard, Take

os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "error")  # Ray reads it when it is imported
with needs("a cluster", "cluster"):
    import ray

__all__ = ["Cluster", "ClusterError"]

NAMESPACE = "redouble"
TASK_SECONDS = 1.0
"""How long a task should take: long beside what sending it costs, short beside a lost machine."""
MOST = 100_000
AHEAD = 2
"""Tasks a core that are sent ahead, so that no core waits for the next one."""
CONNECTING = 5.0
"""Seconds in which the cluster has to answer at all."""
LOOK = 0.2
"""Seconds between two looks at whether the work should stop."""
COUNT_AGAIN = 2.0
"""Seconds between two counts of the cluster's cores, which come and go."""


class ClusterError(RedoubleError):
    """A cluster that cannot be reached, or whose machines have other code."""


class Cluster:
    """Plays shards on the Ray cluster at an address: HOST:PORT, ray://HOST:PORT or ``auto``.

    It uses every core that the cluster lends, joins machines that are added, and goes on without
    those that are lost. A process that is connected to a cluster stays with that one. Raises
    :class:`ClusterError` if the cluster can't be reached.
    """

    def __init__(self, address: str) -> None:
        self.address = checks.text(address, "the address of the cluster", ClusterError)
        with self._connected():
            pass

    def prepare(self, job: Experiment[Any]) -> None:
        """Do nothing: each machine compiles for itself, once, before its first shard."""

    def run(self, job: Experiment[Result], take: Take[Result], stop: threading.Event) -> None:
        """Play the shards of a job. Raises :class:`ClusterError` if the cluster is lost."""
        with self._connected():
            try:
                _Run(job, take, stop).run()
            except (ray.exceptions.RaySystemError, ConnectionError) as error:
                raise ClusterError(f"the cluster is lost: {error}") from None

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Connect this process to the cluster. What Ray has to say goes to standard error."""
        with redirect_stdout(sys.stderr):
            before = ray.is_initialized()
            if not before:
                self._connect()
            try:
                yield
            finally:
                if not before:
                    ray.shutdown()

    def _connect(self) -> None:
        try:
            # Where nothing listens, Ray itself would ask for minutes.
            host, colon, port = self.address.removeprefix("ray://").rpartition(":")
            if colon and port.isdecimal():
                socket.create_connection((host.strip("[]"), int(port)), CONNECTING).close()
            ray.init(
                self.address, namespace=NAMESPACE, log_to_driver=False, logging_level=logging.ERROR
            )
        except Exception as error:  # Ray raises many kinds
            told = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise ClusterError(
                f"can't reach a Ray cluster at {self.address}: {told.splitlines()[0].rstrip('.')};"
                " start one with ray start --head, or leave out --cluster"
            ) from None


class _Run:
    """One job on the cluster: tasks on their way, and how many shards make a good one."""

    def __init__(self, job: Experiment[Any], take: Take[Any], stop: threading.Event) -> None:
        self._job = ray.put(job)
        self._code = code_digest()
        self._shards = iter(job.shards())
        self._take = take
        self._stop = stop
        self._task = ray.remote(num_cpus=1, max_retries=-1)(play_shards)
        self._pending: dict[Any, list[Shard]] = {}
        self._pace: dict[str, float] = {}
        self._gathered: dict[str, list[Shard]] = {}
        self._cores = 1
        self._counted = 0.0

    def run(self) -> None:
        """Send tasks and take their results until nothing is left, or the work is stopped."""
        stopped_at = 0.0
        while True:
            if not self._stop.is_set():
                self._send()
            elif not stopped_at:
                stopped_at = monotonic()
            if not self._pending or (stopped_at and monotonic() > stopped_at + GRACE):
                break
            ready, _ = ray.wait(list(self._pending), num_returns=1, timeout=LOOK)
            for task in ready:
                self._receive(task)
        for task in self._pending:
            ray.cancel(task)

    def _send(self) -> None:
        if monotonic() > self._counted + COUNT_AGAIN:
            self._counted = monotonic()
            self._cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
        while len(self._pending) < AHEAD * self._cores and (shards := self._next()):
            self._pending[self._task.remote(self._code, self._job, shards)] = shards

    def _next(self) -> list[Shard]:
        """Return the next shards of a series, as many as take about a second; empty at the end."""
        for shard in self._shards:
            gathered = self._gathered.setdefault(shard.series, [])
            gathered.append(shard)
            pace = self._pace.get(shard.series, 0.0)
            if len(gathered) >= min(MOST, pace * TASK_SECONDS):
                return self._gathered.pop(shard.series)
        for series in self._gathered:
            return self._gathered.pop(series)
        return []

    def _receive(self, task: Any) -> None:
        shards = self._pending.pop(task)
        try:
            results, seconds = ray.get(task)
        except ray.exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, RedoubleError) else error from None
        self._pace[shards[0].series] = len(shards) / max(seconds, 1e-6)
        for shard, result in zip(shards, results, strict=True):
            self._take(shard, result)


_player: tuple[bytes, Callable[[Shard], Any]] | None = None
"""The player of this process and the job that it is for, pickled."""


def play_shards(code: str, job: Experiment[Any], shards: list[Shard]) -> tuple[list[Any], float]:
    """Play shards in a process of the cluster; return their results and how long they took."""
    global _player
    if code != code_digest():
        raise ClusterError(
            f"the machine {ray.util.get_node_ip_address()} has other code: install the same version"
            " of Redouble and of the games on every machine"
        )
    key = ray.cloudpickle.dumps(job)
    if _player is None or _player[0] != key:
        job.warm()
        _player = (key, job.player(lambda: False))
    begun = perf_counter()
    results = [_player[1](shard) for shard in shards]
    return results, perf_counter() - begun


@cache
def code_digest() -> str:
    """Return a digest of the sources of Redouble and of the installed games."""
    folders = {Path(__file__).parents[1]}
    for module in game_modules():
        spec = find_spec(module)
        if spec is not None and spec.origin is not None:
            folders.add(Path(spec.origin).parent)
    digest = hashlib.sha256()
    for folder in sorted(folders, key=lambda folder: folder.name):
        for path in sorted(folder.rglob("*.py")):
            digest.update(f"{path.relative_to(folder)}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
