"""Bots that are external programs: they answer line by line and are never trusted.

A program is started for one seat of one game and ended after it. So it cannot carry
knowledge into the next game, where it may see the same cards from another seat. Every fault raises
:class:`Broken` with the reason.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from redouble.kernel.border import STRICT, read_json
from redouble.kernel.errors import RedoubleError
from redouble.kernel.rng import Generator
from redouble.lab.arena.entrants import Entrant
from redouble.lab.arena.host import question
from redouble.lab.shards import Stopped
from redouble.match.match import Match

if TYPE_CHECKING:
    from pydantic import ConfigDict

TIME_LIMIT = 10.0
"""Seconds that a program has for a move by default."""
STARTING = 10.0
"""Additional seconds for the first move, because the program has to start."""
LEAVING = 0.5
"""Seconds that a program has to exit when its game is over."""
MAX_ANSWER = 10_000
"""Bytes."""
_TAIL = 4000
_LOOK = 0.2
"""Seconds between two checks whether the tournament should stop."""


class Broken(Exception):
    """A program failed; the text says how."""


_running: set[Program] = set()
_running_lock = threading.Lock()


def end_all() -> None:
    with _running_lock:
        left = list(_running)
    for program in left:
        program.kill()


class Program:
    """A program that answers a line with a line.

    Raises :class:`Broken` when it cannot be started.
    """

    def __init__(self, argv: tuple[str, ...]) -> None:
        self._read = b""
        self._complaints = b""
        self._asked = False
        try:
            # A new session keeps Ctrl-C away and allows killing the program with its children.
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise Broken(f"cannot be started: {error.strerror}") from None
        pipes: list[Any] = [self._process.stdin, self._process.stdout, self._process.stderr]
        self._pipes = pipes
        self._input, self._output, self._errors = (pipe.fileno() for pipe in pipes)
        for pipe in pipes:
            os.set_blocking(pipe.fileno(), False)
        with _running_lock:
            _running.add(self)

    def ask(self, line: bytes, seconds: float, stopped: Callable[[], bool]) -> bytes:
        """Send a line and return the answer. Raises :class:`Broken` or :class:`Stopped`."""
        self._receive()
        if self._read:
            raise Broken("wrote a line before it was asked")
        limit = seconds if self._asked else seconds + STARTING
        self._asked = True
        until = time.monotonic() + limit
        to_send = line + b"\n"
        with selectors.DefaultSelector() as pipes:
            pipes.register(self._input, selectors.EVENT_WRITE)
            pipes.register(self._output, selectors.EVENT_READ)
            pipes.register(self._errors, selectors.EVENT_READ)
            while True:
                if stopped():
                    raise Stopped
                left = until - time.monotonic()
                if left <= 0:
                    raise Broken(f"no answer within {limit:g} s")
                for key, _ in pipes.select(min(left, _LOOK)):
                    if key.fd == self._input:
                        to_send = self._send(to_send)
                        if not to_send:
                            pipes.unregister(self._input)
                    elif key.fd == self._errors:
                        if not self._listen():
                            pipes.unregister(self._errors)
                    elif not self._receive():
                        raise self._ended()
                answer, found, rest = self._read.partition(b"\n")
                if len(answer) > MAX_ANSWER:
                    raise Broken(f"an answer of more than {MAX_ANSWER} bytes")
                if found:
                    self._read = rest
                    return answer

    def close(self) -> None:
        """Close its input because the game is over; kill a program that does not exit."""
        with contextlib.suppress(OSError):
            self._pipes[0].close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(LEAVING)
        self.kill()

    def kill(self) -> None:
        """End the program and its children, whatever they do."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in self._pipes:
            with contextlib.suppress(OSError):
                pipe.close()
        with _running_lock:
            _running.discard(self)

    def _send(self, data: bytes) -> bytes:
        """Send what fits and return the rest; a program that exited closes its output."""
        try:
            return data[os.write(self._input, data) :]
        except BlockingIOError:
            return data
        except OSError:
            return b""

    def _receive(self) -> bool:
        """Read part of an answer; return False at the end of the output."""
        data = _read(self._output)
        self._read += data or b""
        return data != b""

    def _listen(self) -> bool:
        """Read error output and keep the last of it; return False at its end."""
        data = _read(self._errors)
        self._complaints = (self._complaints + (data or b""))[-_TAIL:]
        return data != b""

    def _ended(self) -> Broken:
        try:
            code = self._process.wait(LEAVING)
        except subprocess.TimeoutExpired:
            return Broken("closed its output")
        for _ in range(16):  # no more, because its children may write without end
            if not self._listen():
                break
        lines = self._complaints.decode(errors="replace").strip().splitlines()
        how = f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return Broken(f"{how}: {short(lines[-1])}" if lines else how)


def _read(pipe: int) -> bytes | None:
    """Return what a pipe holds; None if there is nothing yet, and nothing at its end."""
    try:
        return os.read(pipe, 1 << 16)
    except BlockingIOError:
        return None


class Outsider(Program):
    """A program in one seat of one game. Raises :class:`Broken` when it cannot be started."""

    def __init__(self, entrant: Entrant, seconds: float, stopped: Callable[[], bool]) -> None:
        super().__init__(entrant.argv)
        self._from_file, self._seconds, self._stopped = entrant.from_file, seconds, stopped

    def choose(self, match: Match, rng: Generator) -> int:
        """Return an action of the seat to move. Raises :class:`Broken` and :class:`Stopped`."""
        observation = match.observation()
        if self._from_file:
            data = question(observation, rng)
        else:
            view = match.view(observation.seat).to_dict()
            data = {"view": view, "options": match.options, "time_limit": self._seconds}
        line = json.dumps(data, ensure_ascii=False).encode()
        answer = self.ask(line, self._seconds, self._stopped)
        if self._from_file:
            action = _read_answer(_ActionAnswer, answer).action
            if action not in observation.legal:
                raise Broken(f"chose the illegal action {short(str(action))}")
            return action
        move = _read_answer(_MoveAnswer, answer).move
        found = match.legal_moves.action(move)
        if found is None:
            raise Broken(f"made the illegal move {short(move)!r}")
        return found


# The JSON of an answer. A program may add keys of its own, which are not read.


@dataclass(frozen=True)
class _ActionAnswer:
    __pydantic_config__: ClassVar[ConfigDict] = {**STRICT, "extra": "ignore"}

    action: int


@dataclass(frozen=True)
class _MoveAnswer:
    __pydantic_config__: ClassVar[ConfigDict] = {**STRICT, "extra": "ignore"}

    move: str


Answer = TypeVar("Answer", _ActionAnswer, _MoveAnswer)


def _read_answer(shape: type[Answer], answer: bytes) -> Answer:
    text = answer.decode(errors="replace")
    try:
        return read_json(shape, text, RedoubleError)
    except RedoubleError as error:
        raise Broken(f"answered {short(text)!r}: {error}") from None


def short(text: str, max_length: int = 120) -> str:
    """Return a text as one line that fits into a report."""
    line = " ".join(text.split())
    return line if len(line) <= max_length else f"{line[:max_length]}..."
