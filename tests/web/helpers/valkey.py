"""A Valkey or Redis server of the tests' own, on a socket in a folder of theirs."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from valkey import Valkey
from valkey.exceptions import ValkeyError

from tests.web.helpers.running import Running, ended


def broker(folder: Path) -> tuple[Running, str]:
    """A server and its address; skips the test where none is installed."""
    program = shutil.which("valkey-server") or shutil.which("redis-server")
    if program is None:
        pytest.skip("neither Valkey nor Redis is installed: apt install redis-server")
    socket = folder / "socket"
    address = f"unix://{socket}"

    def answers() -> bool:
        try:
            with Valkey.from_url(address) as client:
                return bool(client.ping())
        except ValkeyError:
            return False

    command = [program, "--port", "0", "--unixsocket", str(socket), "--save", ""]
    return Running([*command, "--dir", str(folder)], answers), address


@contextmanager
def running() -> Iterator[str]:
    """Yield the address of a server that runs."""
    with tempfile.TemporaryDirectory(prefix="redouble-", dir="/tmp") as folder:
        server, address = broker(Path(folder))
        with ended(server):
            yield address
