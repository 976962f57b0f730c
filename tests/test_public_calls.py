"""Public calls check their input: each returns a value or raises a RedoubleError.

``tests.public_calls`` makes the calls in a separate process for each module, so an abort or a
hang is reported as a failure, with the call that caused it.
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
from time import monotonic

import pytest

from .public_calls import INTERNAL, library_modules, public_modules

ROOT = Path(__file__).parent.parent
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


def test_every_module_of_the_library_is_public_or_known_to_be_internal() -> None:
    silent = {
        name for name in library_modules() if not hasattr(importlib.import_module(name), "__all__")
    }
    assert silent == set(INTERNAL)


def test_internal_modules_are_not_documented() -> None:
    named = {
        module
        for path in DOCS
        for text in [path.read_text("utf-8")]
        for module in [*AUTOMODULE.findall(text), *(module for module, _ in IMPORT.findall(text))]
    }
    assert named
    assert not named & set(INTERNAL)


@pytest.mark.parametrize("module", public_modules())
def test_every_call_returns_a_value_or_raises_a_redouble_error(module: str, tmp_path: Path) -> None:
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
    end = monotonic() + PATIENCE
    try:
        while not said or said[-1] != "DONE":
            try:
                said.append(lines.get(timeout=max(0.0, end - monotonic())).rstrip("\n"))
            except Empty:
                pytest.fail(f"not done within {PATIENCE} s: {last_call}")
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
