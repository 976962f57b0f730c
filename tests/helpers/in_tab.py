"""Makes a process a browser's tab: without threads, NumPy and Numba, with modules in wasmtime."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from redouble.contract.game import Game
from redouble.kernel import cores
from tests.helpers.places import ROOT


class Bytes(bytes):
    def to_bytes(self) -> bytes:
        return self


class FakeModule:
    """What ``modules.js`` does in a tab that can't wait for another worker."""

    def __init__(self) -> None:
        from tests.helpers.wasm import Wasmtime

        runtime = Wasmtime()
        self.load, self._call = runtime.load, runtime.call

    def call(self, *given: Any) -> tuple[Any, Bytes]:
        result, memory = self._call(*given)
        return result, Bytes(memory)


class FakeFfi:
    @staticmethod
    def can_run_sync() -> bool:
        return False

    @staticmethod
    def to_js(given: Any) -> Any:
        return given


def become_a_tab(modules: Path) -> None:
    """Make this process a tab, in a running event loop, before the program is imported."""
    cores.IN_BROWSER = True
    sys.modules |= {"numpy": None, "numba": None}  # type: ignore[dict-item]  # None: no import
    from redouble.web.server import thinker

    def refuse(thread: Any) -> None:
        raise RuntimeError("can't start new thread")

    threading.Thread.start = refuse  # type: ignore[assignment]  # never undone
    thinker.MODULES = modules
    thinker.think_with(FakeModule(), FakeFfi)


def run_in_tab(game: Game, folder: Path, *program: str) -> str:
    """Run a program that gets the folder of a game's modules last, and return what it prints."""
    from redouble.exports.build import wasm_files

    for name, content in wasm_files(game).items():
        (folder / name).write_bytes(content)
    run = subprocess.run(
        [sys.executable, *program, str(folder)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": ":".join(filter(None, [str(ROOT), *sys.path]))},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    return run.stdout
