"""Public calls check their input: each returns a value or raises a RedoubleError.

``tests.helpers.public_calls`` makes the calls in a forked process for each module, so an abort or a
hang is reported as a failure, with the call that caused it.
"""

import contextlib
import importlib
import inspect
import os
import re
import signal
import subprocess
import sys
import threading
import typing
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, Queue
from time import monotonic
from typing import Any, TextIO

import numpy as np
import pytest

from redouble.kernel.errors import MissingPackage
from scripts.reference import groups
from tests.helpers.places import ROOT
from tests.helpers.public_calls import public_modules

PATIENCE = 300
"""Seconds for all calls of a module: many times what they need, since the first ones compile."""
DOCS = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
OURS = r"redouble\.(?!contract\.page\.)"
"""The modules of classes that signatures may only name if they are public. What draws boards for
browsers isn't, as the reference says."""
MIXED = {"redouble.lab.studies.sweep.StudyTable.columns"}
"""Arrays of several types."""
PACKAGES = {"redouble.envs.peers", "redouble.analysis"}
"""Packages from which modules are imported."""
IMPORT = re.compile(r"^(?:>>> )?from (redouble[a-z_.]*) import (.+)$", re.MULTILINE)


def test_documented_names_of_public_modules_are_public() -> None:
    """The test below then calls them."""
    imports = [found for path in DOCS for found in IMPORT.findall(path.read_text("utf-8"))]
    assert imports
    for module, names in imports:
        public = getattr(importlib.import_module(module), "__all__", None)
        if public is not None:
            assert set(names.replace(" ", "").split(",")) <= set(public), module


def test_the_reference_is_complete() -> None:
    """Every public name has a docstring, and what its signature names is public or not ours."""
    public = {f"{module}.{name}": value for module, name, value in _public()}
    assert len(public) > 250
    ours = {id(value) for value in public.values()}
    imported_late = {name.rpartition(".")[2]: value for name, value in public.items()}
    wrong = []
    for name, value in public.items():
        for where, function, said in _signatures(name, value):
            wrong += [] if said else [f"{where} has no docstring"]
            for kind in _kinds(
                inspect.get_annotations(function, locals=imported_late, eval_str=True)
            ):
                if kind is np.ndarray and where not in MIXED:
                    wrong.append(f"{where}: give the dtype of its arrays")
                elif re.match(OURS, kind.__module__) and id(kind) not in ours:
                    wrong.append(f"{where} names {kind.__qualname__}, which isn't public")
    assert wrong == []


def test_what_documents_import_is_public() -> None:
    listed = {module for group in groups().values() for module in group}
    imports = [found for path in DOCS for found in IMPORT.findall(path.read_text("utf-8"))]
    modules = {module for module, _ in imports} - PACKAGES
    assert modules - listed == set()


def _public() -> Iterator[tuple[str, str, Any]]:
    for group in groups().values():
        for module, names in group.items():
            with contextlib.suppress(MissingPackage):
                found = importlib.import_module(module)
                yield from ((module, name, getattr(found, name)) for name in names)


def _signatures(name: str, value: Any) -> Iterator[tuple[str, Any, str | None]]:
    """Yield a function, or a class with its methods and properties, and their docstrings."""
    if inspect.isroutine(value):
        yield name, value, value.__doc__
    elif isinstance(value, type) and value.__module__.startswith("redouble."):
        yield name, value, value.__doc__
        for key, member in vars(value).items():
            function = getattr(member, "fget", None) or getattr(member, "__func__", member)
            if not key.startswith("_") and inspect.isfunction(function):
                yield f"{name}.{key}", function, inspect.getdoc(getattr(value, key))


def _kinds(hint: Any) -> Iterator[Any]:
    """Yield the classes in annotations, and arrays' types where they are left open."""
    if typing.get_origin(hint) is np.ndarray and np.dtype[Any] in typing.get_args(hint):
        yield np.ndarray
    elif isinstance(hint, type):
        yield hint
    inner = hint.values() if isinstance(hint, dict) else hint if isinstance(hint, list) else None
    for part in typing.get_args(hint) if inner is None else inner:
        yield from _kinds(part)


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
