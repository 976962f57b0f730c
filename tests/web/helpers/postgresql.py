"""A PostgreSQL server of the tests' own, on a socket in a folder of theirs."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.web.helpers.running import family

EMPTY = "empty"
"""The name of a database with a schema and no rows."""
INSTALLED = Path("/usr/lib/postgresql")
"""Where Debian keeps the programs of each version."""
SESSIONS_SECONDS = 1.0
"""How long sessions may go on when a server is asked to end."""
OWNERS = ("postgres", "nobody")
"""Who runs the server if the tests are run as root, which it refuses."""


def program(name: str) -> str:
    """The path of one of PostgreSQL's programs; skips the test where there is none."""
    versions = sorted(INSTALLED.glob(f"*/bin/{name}"), reverse=True)
    found = shutil.which(name) or (str(versions[0]) if versions else None)
    if found is None:
        pytest.skip(f"PostgreSQL isn't installed, so there is no {name}: apt install postgresql")
    return found


class Cluster:
    """A server that can be stopped and started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._owner: list[str] = []
        if os.getuid() == 0:
            owner = next(pwd.getpwnam(name) for name in OWNERS if _known(name))
            os.chown(folder, owner.pw_uid, owner.pw_gid)
            self._owner = [
                "setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups",
            ]  # fmt: skip
        self._run(
            "initdb", "-D", str(folder / "data"), "-U", "redouble", "-A", "trust", "-E", "UTF8",
            "--locale=C.UTF-8", "--no-sync",
        )  # fmt: skip

    def start(self) -> None:
        """Start it, to end with this process even if that is killed."""
        options = ["-k", str(self.folder), "-c", "listen_addresses=", "-c", "fsync=off"]
        ends = ["setpriv", "--pdeathsig=QUIT"] if shutil.which("setpriv") else []
        command = [*ends, program("postgres"), "-D", str(self.folder / "data"), *options]
        with open(self.folder / "log", "a", encoding="utf-8") as log:
            self._server = subprocess.Popen(
                [*self._owner, *command], cwd="/", stdout=log, stderr=log
            )
        ready = [program("pg_isready"), "-q", "-h", str(self.folder), "-U", "redouble"]
        while subprocess.run(ready, timeout=240).returncode != 0:
            assert self._server.poll() is None, (self.folder / "log").read_text(encoding="utf-8")
            time.sleep(0.05)

    @property
    def pid(self) -> int:
        return self._server.pid

    def stop(self, way: signal.Signals = signal.SIGQUIT) -> None:
        """End it, as a power cut would if nothing else is said.

        After SIGTERM it takes no new sessions, and ends when the others have. As a service manager
        does, they are given a moment, and then ended. SIGKILL leaves its processes to end alone.
        """
        others = family(self.pid)[1:]
        self._server.send_signal(way)
        if way == signal.SIGTERM:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._server.wait(SESSIONS_SECONDS)
            self._server.send_signal(signal.SIGINT)
        self._server.wait(timeout=240)
        while any(Path(f"/proc/{pid}").exists() for pid in others):
            time.sleep(0.01)

    def restart(self, way: signal.Signals = signal.SIGQUIT) -> None:
        """End it and start it again."""
        self.stop(way)
        self.start()

    def create(self, name: str, template: str = "template1", *options: str) -> str:
        """Create a database, a copy of another one, and return its address."""
        user = ["-h", str(self.folder), "-U", "redouble"]
        self._run("createdb", *user, "-T", template, *options, name)
        return self.address(name)

    def address(self, name: str) -> str:
        return f"postgresql://redouble:sesame@/{name}?host={self.folder}"

    def _run(self, name: str, *arguments: str) -> None:
        subprocess.run(
            [*self._owner, program(name), *arguments],
            check=True,
            cwd="/",
            timeout=240,
            stdout=subprocess.DEVNULL,
        )


@contextmanager
def running() -> Iterator[Cluster]:
    """Yield a server that runs; its folder has a short name, since a socket's may not be long."""
    program("initdb")
    with tempfile.TemporaryDirectory(prefix="redouble-", dir="/tmp") as folder:
        cluster = Cluster(Path(folder))
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()


def _known(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
