"""Sends messages through a program of its own, which is guarded: see ``deliver.py``.

The program runs while there is something to send. A message that takes too long fails alone: its
connections are cut, and the others go on.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import subprocess
import sys
import threading
from collections.abc import Collection, Mapping
from concurrent.futures import Future, InvalidStateError
from pathlib import Path
from typing import IO

from redouble.web.features.notices.addresses import Delivery

HOST = r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}(?:[a-z]{2,63}|xn--[a-z0-9-]{2,59})"
"""A name with a top-level domain of letters: a number in any form isn't one."""
SECONDS = 20.0
"""How long a message may take."""
IDLE_SECONDS = 30.0
"""How long the program waits for another message."""
PROGRAM = Path(__file__).with_name("deliver.py")
ENVIRONMENT = {"MALLOC_ARENA_MAX": "2"}
"""The program gets no other settings. Without this one each thread would reserve memory."""
Job = Mapping[str, object]
"""A message, as the program takes it."""
_log = logging.getLogger(__name__)


class GuardedSender:
    """Sends messages, each within a time of its own."""

    def __init__(self) -> None:
        self.also: Collection[tuple[str, int]] = ()
        """Addresses that aren't public and may be reached all the same: for tests."""
        self.seconds = SECONDS
        self._lock = threading.Lock()
        self._begun = 0
        self._program: _Program | None = None

    async def send(self, job: Job) -> Delivery:
        """Send a message, and return what became of it."""
        try:
            number, program, answer = await asyncio.to_thread(self._begin, job)
        except OSError as error:
            _log.error("messages can't be sent: %s", error.strerror)
            return Delivery.UNSENT
        try:
            async with asyncio.timeout(self.seconds):
                return await asyncio.wrap_future(answer)
        except TimeoutError:
            await asyncio.to_thread(program.stop, number)
            return Delivery.FAILED
        finally:
            program.answers.pop(number, None)
            asyncio.get_running_loop().call_later(IDLE_SECONDS, self._rest, self._begun)

    def close(self) -> None:
        """End the program, and with it what is still being sent."""
        with self._lock:
            if self._program is not None:
                self._program.end()
                self._program = None

    def _rest(self, begun: int) -> None:
        if begun == self._begun and not (self._program and self._program.answers):
            self.close()

    def _begin(self, job: Job) -> tuple[int, _Program, Future[Delivery]]:
        with self._lock:
            if self._program is None or not self._program.runs:
                self._program = _Program(self.also)
            self._begun += 1
            return self._begun, self._program, self._program.begin(self._begun, job)


class _Program:
    """The program while it runs."""

    def __init__(self, also: Collection[tuple[str, int]]) -> None:
        self.answers: dict[int, Future[Delivery]] = {}
        self._process = subprocess.Popen(
            [sys.executable, "-I", f"{PROGRAM}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=ENVIRONMENT,
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin = self._process.stdin
        self._reader = threading.Thread(target=self._read, args=(self._process.stdout,))
        self._reader.daemon = True
        self._reader.start()
        self._write(list(also))

    @property
    def runs(self) -> bool:
        return self._reader.is_alive()

    def begin(self, number: int, job: Job) -> Future[Delivery]:
        answer = self.answers[number] = Future()
        self._write([number, job])
        return answer

    def stop(self, number: int) -> None:
        """Let a message take no longer."""
        with contextlib.suppress(OSError, ValueError):  # the program has ended
            self._write([number, None])

    def end(self) -> None:
        self._process.kill()
        self._reader.join()

    def _write(self, what: object) -> None:
        self._stdin.write(f"{json.dumps(what)}\n".encode())
        self._stdin.flush()

    def _read(self, stdout: IO[bytes]) -> None:
        """Note what became of messages, until the program ends."""
        with self._process:
            for line in stdout:
                number, _, became = line.decode().strip().partition(" ")
                self._note(int(number), Delivery(became))
        for unsaid in list(self.answers):
            self._note(unsaid, Delivery.FAILED)

    def _note(self, number: int, became: Delivery) -> None:
        answer = self.answers.pop(number, None)
        if answer is not None:
            with contextlib.suppress(InvalidStateError):  # it was waited for no longer
                answer.set_result(became)
