"""Where a browser's tab thinks: its compiled loops run in workers of their own.

What a server does in threads begins as a call of its own here. When that calls a compiled loop, it
waits for another worker, and this one serves pages meanwhile. In browsers that can't let it wait,
for lack of JavaScript Promise Integration, the loops run in this worker, and pages wait.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from redouble.kernel import modules
from redouble.kernel.cores import cores
from redouble.kernel.modules import CompiledGame, ModuleEngine

MODULES = Path(__file__).parents[2] / "modules"
"""The folder of the edition's modules and their descriptions."""


class ModuleWorkers:
    """What runs modules in a tab: ``modules.js``."""

    def __init__(self, module: Any, ffi: Any) -> None:
        """Take the module, and Pyodide's functions for what lies between the languages."""
        self._to_js = ffi.to_js
        apart = ffi.can_run_sync()
        self._runs = module.apart(cores()) if apart else module
        self._wait = ffi.run_sync if apart else lambda found: found

    def load(self, game: str, code: bytes) -> None:
        """Take a game's module, before its first call."""
        self._runs.load(game, self._to_js(code))

    def call(
        self, game: str, name: str, arguments: list[float], places: list[int], memory: bytes
    ) -> tuple[Any, bytes]:
        """Call a function with this memory; return its result, and the memory afterwards."""
        given = [self._to_js(each) for each in (arguments, places, memory)]
        result, after = self._wait(self._runs.call(game, name, *given))
        return result, after.to_bytes()


class TabExecutor(Executor):
    """Does work that may wait for other workers; it takes the place of threads."""

    def __init__(self, module: Any, ffi: Any) -> None:
        """Take what :class:`ModuleWorkers` does."""
        self._module, self._ffi = module, ffi
        self._apart = ffi.can_run_sync()

    def submit(self, work: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        """Begin the work, or do it if nothing can wait here."""
        done = TabFuture()

        def run() -> None:
            if not done.set_running_or_notify_cancel():
                return
            try:
                done.set_result(work(*given, **named))
            except BaseException as error:  # it is for those who wait for the result
                done.set_exception(error)

        if self._apart:
            ended = self._module.begin(self._ffi.create_proxy(run))
            done.wait = lambda: self._ffi.run_sync(ended)
        else:
            run()
        return done


class TabFuture(Future[Any]):
    """The result of work in a tab."""

    wait: Callable[[], Any]

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the result while others are at work, and return it, or raise what it raised."""
        if not self.done():
            self.wait()
        return super().result(timeout)


def think_with(module: Any, ffi: Any) -> None:
    """Let this tab's searches and solvers run by ``modules.js``; ``ffi`` is ``pyodide.ffi``."""
    workers, executor = ModuleWorkers(module, ffi), TabExecutor(module, ffi)
    loop: Any = asyncio.get_running_loop()
    loop.run_in_executor = lambda _, work, *given: asyncio.wrap_future(
        executor.submit(work, *given)
    )
    modules.use(lambda: ModuleEngine(dict(_compiled_games()), workers), executor)


def _compiled_games() -> Iterator[tuple[str, CompiledGame]]:
    for path in MODULES.glob("*.wasm"):
        layout = json.loads(path.with_suffix(".json").read_bytes())
        yield path.stem, CompiledGame(path.read_bytes(), layout)
