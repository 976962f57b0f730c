"""A server process for tests, which they can stop and kill."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.web.helpers import servers
from tests.web.helpers.roomy import OPTIONS

STOPS_WITHIN = 30.0
"""Seconds; on a machine that has much else to do."""
MAIN: Sequence[str] = ("-m", "redouble")


def program(*statements: str) -> Sequence[str]:
    """What Python runs for a server that does something else than usual: statements come first."""
    return ("-c", "\n".join([*statements, "from redouble.commands.app import main", "main()"]))


def dealing(seed: str) -> str:
    """A statement for `program`: every table of a game gets the same deal, and bots play alike."""
    return f"from redouble.web.live import plan; plan.new_seed = lambda seats: {seed!r}"


REPORTED = "a player was reported"
"""What tells the operator that a visitor has reported somebody: it is no error."""


class Server:
    """``redouble serve`` with its own data folder.

    ``program`` is what Python runs instead of ``-m redouble``; ``before`` is called in the new
    process first.
    """

    def __init__(
        self,
        folder: Path,
        program: Sequence[str] = MAIN,
        environment: Mapping[str, str] | None = None,
        before: Callable[[], None] | None = None,
        python: str = sys.executable,
        options: Sequence[str] = (),
    ) -> None:
        self.folder = folder
        self.address = ""
        self._program = program
        if environment is None:
            environment = os.environ | servers.environment(folder / "data")
            if program is not MAIN:  # the processes that it starts would be as usual
                environment.pop("REDOUBLE_WORKERS", None)
        self._environment = dict(environment)
        self._before = before
        self._python = python
        self._options = options
        self._errors = folder / "stderr.txt"
        self._process: subprocess.Popen[str] | None = None

    def start(self, port: int = 0) -> None:
        """Start it and return when it listens; its address is known then."""
        with open(self._errors, "a", encoding="utf-8") as errors:
            program = [self._python, *self._program]
            command = [*program, "serve", "--no-prepare", *OPTIONS, *self._options]
            self._process = subprocess.Popen(
                [*command, "--port", f"{port}", "--data", f"{self.folder / 'data'}"],
                env=self._environment,
                preexec_fn=self._before,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        assert self._process.stdout is not None
        found = re.search(r"http://\S+/", self._process.stdout.readline())
        assert found, f"the server did not say where it is:\n{self.complaints()}"
        self.address = found[0]

    @contextlib.contextmanager
    def running(self) -> Iterator[Server]:
        """Start it, and stop it when the context is left."""
        self.start()
        yield self
        self.stop()

    @property
    def port(self) -> int:
        return int(self.address.rstrip("/").rpartition(":")[2])

    def kill(self) -> None:
        """Kill it, as a power cut would."""
        self._process_now().kill()
        self._reap()

    def end(self, way: signal.Signals) -> None:
        """End it in one way, and start it again at the same port."""
        self._process_now().send_signal(way)
        self._reap()
        self.start(self.port)

    @property
    def pid(self) -> int:
        return self._process_now().pid

    def children(self) -> list[int]:
        """The processes that it has started to serve, on Linux."""
        found = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text(encoding="ascii")
        return [
            int(pid)
            for pid in found.split()
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]

    def stop(self) -> None:
        """Ask it to stop, and check that it ends cleanly and reported no errors."""
        process = self._process_now()
        process.terminate()
        self._reap()
        lines = [one for one in self.complaints().splitlines() if REPORTED not in one]
        assert set(lines) <= {"Stopped."}, self.complaints()

    def complaints(self) -> str:
        """What it wrote to standard error."""
        return self._errors.read_text(encoding="utf-8")

    def _process_now(self) -> subprocess.Popen[str]:
        assert self._process is not None, "the server was not started"
        return self._process

    def _reap(self) -> None:
        with self._process_now() as process:  # closes its output
            process.wait(timeout=60)


class Process:
    """A running ``redouble serve``, with the database of this session's options."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        if "--data" in arguments:
            folder = Path(arguments[arguments.index("--data") + 1])
            environment = servers.environment(folder) | environment
        self.several = "REDOUBLE_WORKERS" in environment
        self.process = subprocess.Popen(
            [sys.executable, "-m", "redouble", "serve", "--no-prepare", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
        )

    def first_line(self) -> str:
        """What it says first. A process of several serves a little later: it is waited for."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if self.several and (found := re.search(r"http://\S+/", line)):
            urllib.request.urlopen(f"{found[0]}health/live", timeout=120).close()
        return line

    def ended(self) -> tuple[int, str]:
        """Its exit status and the rest of its output."""
        within = STOPS_WITHIN * (4 if self.several else 1)  # those have to begin first
        out, error = self.process.communicate(timeout=within)
        return self.process.returncode, out + error


@contextlib.contextmanager
def process(*arguments: str, **environment: str) -> Iterator[Process]:
    started = Process(*arguments, **environment)
    try:
        yield started
    finally:
        started.process.kill()
        started.process.communicate()


def port_of(line: str) -> int:
    found = re.fullmatch(r"Redouble is running at http://127\.0\.0\.1:(\d+)/\n", line)
    assert found, line
    return int(found[1])


def request(port: int, path: str = "/", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    response = connection.getresponse()
    response.read()
    connection.close()
    return response


def send(port: int, method: str, path: str, body: Any = None, token: str = "") -> dict[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/json"}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    with contextlib.closing(connection):
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer: dict[str, Any] = json.loads(connection.getresponse().read())
        return answer
