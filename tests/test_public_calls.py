"""Public calls check their input: each returns a value or raises a RedoubleError.

``tests.helpers.public_calls`` makes the calls in a forked process for each module, so an abort or a
hang is reported as a failure, with the call that caused it.
"""

import importlib
import os
import re
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, Queue
from time import monotonic
from typing import TextIO

import pytest

from redouble.kernel.errors import MissingPackage
from tests.helpers.places import ROOT
from tests.helpers.public_calls import public_modules

PATIENCE = 300
"""Seconds for all calls of a module: many times what they need, since the first ones compile."""
DOCS = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
AUTOMODULE = re.compile(r"^\.\. automodule:: (redouble[a-z_.]*)$", re.MULTILINE)
IMPORT = re.compile(r"^(?:>>> )?from (redouble[a-z_.]*) import (.+)$", re.MULTILINE)


def test_documented_names_of_public_modules_are_public() -> None:
    """The test below then calls them."""
    imports = [found for path in DOCS for found in IMPORT.findall(path.read_text("utf-8"))]
    assert imports
    for module, names in imports:
        public = getattr(importlib.import_module(module), "__all__", None)
        if public is not None:
            assert set(names.replace(" ", "").split(",")) <= set(public), module


def test_documented_modules_say_what_is_public() -> None:
    reference = [path.read_text("utf-8") for path in (ROOT / "docs" / "python").glob("*.md")]
    documented = {name for text in reference for name in AUTOMODULE.findall(text)}
    guide = (ROOT / "docs" / "library.md").read_text("utf-8")
    documented |= {module for module, _ in IMPORT.findall(guide)}
    assert documented
    silent = [
        name for name in sorted(documented) if not hasattr(importlib.import_module(name), "__all__")
    ]
    assert not silent, "these modules have no __all__"


class Caller:
    """A process that makes the calls of one module after the other, each in a fork of its own."""

    def __init__(self) -> None:
        self.lines: Queue[str] = Queue()
        self._process: subprocess.Popen[str] | None = None

    def begin(self, module: str, folder: Path) -> None:
        """Let the calls of a module be made in this folder; what they write comes in lines."""
        if self._process is None:
            paths = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.helpers.public_calls"],
                env={**os.environ, "PYTHONPATH": paths},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            threading.Thread(target=self._read, args=(self._process.stdout,)).start()
        assert self._process.stdin
        self._process.stdin.write(f"{module} {folder}\n")
        self._process.stdin.flush()

    def stop(self) -> None:
        """End it, and the calls that it makes."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            with self._process:
                self._process = None
            self.lines = Queue()

    def _read(self, stdout: TextIO) -> None:
        lines = self.lines
        for line in stdout:
            lines.put(line.rstrip("\n"))
        lines.put("EXIT of the process that makes the calls")


@pytest.fixture(scope="module")
def caller() -> Iterator[Caller]:
    caller = Caller()
    yield caller
    caller.stop()


@pytest.mark.thorough
@pytest.mark.parametrize("module", public_modules())
def test_every_call_returns_a_value_or_raises_a_redouble_error(
    caller: Caller, module: str, tmp_path: Path
) -> None:
    try:
        importlib.import_module(module)
    except MissingPackage as missing:
        pytest.skip(str(missing))
    caller.begin(module, tmp_path)
    said: deque[str] = deque(maxlen=60)
    last_call = "nothing was called"
    end = monotonic() + PATIENCE
    while not said or not said[-1].startswith("EXIT "):
        try:
            said.append(caller.lines.get(timeout=max(0.0, end - monotonic())))
        except Empty:
            caller.stop()
            pytest.fail(f"not done within {PATIENCE} s: {last_call}")
        if said[-1].startswith("CALL "):
            last_call = said.pop()
    told = "\n".join([*said, last_call])
    assert said[-1] == "EXIT 0", told
    assert "DONE" in said, told
