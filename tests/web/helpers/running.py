"""Programs that tests run beside a server, and end and start again."""

import contextlib
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

WAIT_SECONDS = 240.0
"""How long a program may take to begin or to end."""
OWN_PORTS = range(20_000, 32_000)
"""Linux takes the ports of connections from 32768 on."""


class Running:
    """A program that runs, and is ``ready`` to be used when that says so.

    What it writes to standard error lies in a file, if one is given.
    """

    def __init__(
        self,
        command: Sequence[str],
        ready: Callable[[], bool],
        environment: Mapping[str, str] | None = None,
        errors: Path | None = None,
    ) -> None:
        self._command = command
        self._ready = ready
        self._environment = environment
        self._errors = errors
        self.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def start(self) -> None:
        with contextlib.ExitStack() as stack:
            errors = stack.enter_context(open(self._errors, "a")) if self._errors else None
            self._process = subprocess.Popen(
                self._command,
                env=self._environment,
                stdout=subprocess.DEVNULL,
                stderr=errors or subprocess.DEVNULL,
            )
        until = time.monotonic() + WAIT_SECONDS
        while not self._ready():
            assert self._process.poll() is None, f"{self._command[0]} has ended"
            assert time.monotonic() < until, f"{self._command[0]} isn't ready"
            time.sleep(0.02)

    def end(self, way: signal.Signals = signal.SIGKILL) -> None:
        self._process.send_signal(way)
        self._process.wait(WAIT_SECONDS)

    def restart(self, way: signal.Signals) -> None:
        self.end(way)
        self.start()


@contextlib.contextmanager
def ended(running: Running) -> Iterator[Running]:
    """End a program when the context is left."""
    try:
        yield running
    finally:
        running.end()


def free_ports(count: int) -> list[int]:
    """That many free ports in a row, none of which the system gives to a connection meanwhile."""
    while True:
        first = secrets.choice(OWN_PORTS)
        ports = list(range(first, first + count))
        if not any(map(listens, ports)):
            return ports


def listens(port: int) -> bool:
    """Whether something on this machine accepts connections at a port."""
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def family(pid: int) -> list[int]:
    """A process with all that descend from it, on Linux."""
    try:
        tasks = [one.read_text() for one in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:  # it has just ended
        return []
    return [pid] + [one for text in tasks for child in text.split() for one in family(int(child))]
