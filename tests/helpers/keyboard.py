"""A scripted player at a real 80x24 terminal: reads the screen and presses keys."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

PATIENCE = 120.0
"""Seconds to wait for an expected text."""


class Keyboard:
    """``redouble`` with some arguments, running on its own terminal."""

    def __init__(self, *arguments: str, folder: Path, **environment: str) -> None:
        here, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        keep = {"PATH", "HOME", "LANG", "LC_ALL", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE"}
        env = {name: value for name, value in os.environ.items() if name in keep}
        env |= {"TERM": "xterm-256color", "PYTHONUTF8": "1", "PAGER": "cat"}
        env |= {"XDG_DATA_HOME": f"{folder}-data", **environment}
        self._terminal = here
        self._process = subprocess.Popen(
            [sys.executable, "-m", "redouble", *arguments],
            stdin=there,
            stdout=there,
            stderr=there,
            cwd=folder,
            env=env,
            preexec_fn=_own_terminal,
        )
        os.close(there)
        self.screen = ""
        """Everything since the terminal was last cleared, without colors."""

    def __enter__(self) -> Keyboard:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)

    def see(self, *words: str) -> str:
        """Wait until the screen ends with one of these words; return the screen."""
        end = time.monotonic() + PATIENCE
        while not any(self.screen.rstrip(" ").endswith(word) for word in words):
            ready = select.select([self._terminal], [], [], max(0.0, end - time.monotonic()))[0]
            assert ready, f"none of {words} on:\n{self.screen}"
            if not self._read():
                break
        return self.screen

    def await_key(self) -> None:
        """Wait until it sleeps at its prompt: an interrupt just before is heard too late."""
        command = ["ps", "-o", "stat=", "-p", f"{self._process.pid}"]
        end = time.monotonic() + PATIENCE
        while subprocess.check_output(command, text=True)[0] not in "SI":
            assert time.monotonic() < end, f"it is busy:\n{self.screen}"
            time.sleep(0.02)

    def type(self, line: str) -> None:
        """Type a line and press Enter."""
        self.press(f"{line}\n")

    def hang_up(self, number: int = signal.SIGHUP) -> None:
        """Send a signal, as of a terminal that closes; wait until the program ends."""
        self._process.send_signal(number)
        self._process.wait(PATIENCE)

    def press(self, keys: str) -> None:
        self.screen = ""
        os.write(self._terminal, keys.encode())

    def wait(self) -> int:
        """Wait until the program ends; return its exit code."""
        while select.select([self._terminal], [], [], PATIENCE)[0] and self._read():
            pass
        return self._process.wait(PATIENCE)

    def _read(self) -> bool:
        try:
            text = os.read(self._terminal, 100_000).decode(errors="replace")
        except OSError:  # the other side is closed
            return False
        self.screen += text
        cleared = self.screen.rfind("\x1b[H")
        if cleared >= 0:
            self.screen = self.screen[cleared + 3 :]
        self.screen = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\r", "", self.screen)
        return bool(text)


def _own_terminal() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # tests may run where it is ignored
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
