"""A Valkey or Redis server of the tests' own, on a socket in a folder of theirs."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def running() -> Iterator[str]:
    """Yield the address of a server that runs; skips the test where none is installed."""
    program = shutil.which("valkey-server") or shutil.which("redis-server")
    if program is None:
        pytest.skip("neither Valkey nor Redis is installed: apt install redis-server")
    with tempfile.TemporaryDirectory(prefix="redouble-", dir="/tmp") as folder:
        socket = Path(folder) / "socket"
        command = [program, "--port", "0", "--unixsocket", str(socket), "--save", ""]
        server = subprocess.Popen([*command, "--dir", folder], stdout=subprocess.DEVNULL)
        try:
            while not socket.exists():
                assert server.poll() is None
                time.sleep(0.01)
            yield f"unix://{socket}"
        finally:
            server.kill()
            server.wait()
