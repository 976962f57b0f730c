"""Public calls check their input: each answers with a value or a RedoubleError.

The calls are made by ``tests.public_calls`` in a process of its own for each module, so an abort
or a hang is seen as a failure, with the call that caused it.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from queue import Empty, Queue

import pytest

from .public_calls import public_modules

ROOT = Path(__file__).parent.parent
PATIENCE = 240
"""Seconds for one call; the first call of a search compiles it."""
DOCS = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
IMPORT = re.compile(r"^(?:>>> )?from (redouble[a-z_.]*) import (.+)$", re.MULTILINE)


def test_documented_names_of_public_modules_are_public() -> None:
    """So they are called below."""
    imports = [found for path in DOCS for found in IMPORT.findall(path.read_text("utf-8"))]
    assert imports
    for module, names in imports:
        public = getattr(importlib.import_module(module), "__all__", None)
        if public is not None:
            assert set(names.replace(" ", "").split(",")) <= set(public), module


@pytest.mark.parametrize("module", public_modules())
def test_every_call_answers_with_a_value_or_a_redouble_error(module: str, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)]),
    }
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.public_calls", module]
    process = subprocess.Popen(
        command,
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout
    lines: Queue[str] = Queue()
    stdout = process.stdout
    reader = threading.Thread(target=lambda: deque(map(lines.put, stdout), maxlen=0))
    reader.start()
    said: deque[str] = deque(maxlen=60)
    last_call = "nothing was called"
    try:
        while not said or said[-1] != "DONE":
            try:
                said.append(lines.get(timeout=PATIENCE).rstrip("\n"))
            except Empty:
                pytest.fail(f"no answer within {PATIENCE} s: {last_call}")
            if said[-1].startswith("CALL "):
                last_call = said.pop()
            if process.poll() is not None and lines.empty():
                break
    finally:
        if process.poll() is None and (not said or said[-1] != "DONE"):
            process.kill()
        code = process.wait()
        reader.join()
        process.stdout.close()
    assert said, last_call
    assert code == 0, "\n".join([*said, f"exit status {code}; {last_call}"])
