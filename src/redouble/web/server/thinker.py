"""Where a browser's tab thinks: its compiled loops run in a worker of their own.

Work that a server gives to threads starts as a separate call here. When it calls a compiled loop,
it waits for the other worker, and this one serves pages meanwhile. Only one call waits at a time:
Pyodide can fail when several do. The loops of others run in this worker then. So do all loops in a
browser that can't let a call wait, for lack of JavaScript Promise Integration.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from redouble.kernel import modules
from redouble.kernel.modules import CompiledGame, ModuleEngine

MODULES = Path(__file__).parents[2] / "modules"
"""The folder of the edition's modules and their descriptions."""


class ModuleWorker:
    """What runs modules in a tab: ``modules.js``."""

    def __init__(self, module: Any, ffi: Any) -> None:
        self._module, self._ffi = module, ffi
        self._apart = module.apart() if ffi.can_run_sync() else None
        self._waiting = False

    def load(self, game: str, code: bytes) -> None:
        """Take a game's module, before its first call."""
        self._module.load(game, self._ffi.to_js(code))

    def call(
        self, game: str, name: str, arguments: list[float], places: list[int], memory: bytes
    ) -> tuple[Any, bytes]:
        """Call a function with this memory; return its result, and the memory afterwards."""
        given = [self._ffi.to_js(each) for each in (arguments, places, memory)]
        if self._apart is None or self._waiting:
            result, after = self._module.call(game, name, *given)
        else:
            self._waiting = True
            try:
                result, after = self._ffi.run_sync(self._apart(game, name, *given))
            finally:
                self._waiting = False
        return result, after.to_bytes()

    def run_in_executor(self, executor: Any, work: Callable[..., Any], *given: Any) -> Any:
        """Begin work in the place of an event loop's method, which needs threads."""
        done = asyncio.get_running_loop().create_future()

        def run() -> None:
            try:
                found = work(*given)
            except BaseException as error:  # it is for those who wait for the result
                if not done.done():
                    done.set_exception(error)
            else:
                if not done.done():
                    done.set_result(found)

        if self._apart is None:
            run()
        else:
            self._module.begin(self._ffi.create_proxy(run))
        return done


def think_with(module: Any, ffi: Any) -> None:
    """Let this tab's searches and solvers run by ``modules.js``; ``ffi`` is ``pyodide.ffi``."""
    worker = ModuleWorker(module, ffi)
    loop: Any = asyncio.get_running_loop()
    loop.run_in_executor = worker.run_in_executor
    modules.use(lambda: ModuleEngine(dict(_compiled_games()), worker))


def _compiled_games() -> Iterator[tuple[str, CompiledGame]]:
    for path in MODULES.glob("*.wasm"):
        layout = json.loads(path.with_suffix(".json").read_bytes())
        yield path.stem, CompiledGame(path.read_bytes(), layout)
