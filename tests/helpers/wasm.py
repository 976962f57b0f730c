"""Games as WebAssembly modules in a runtime, in the place of what Numba compiles."""

import ctypes
import json
from functools import cache
from typing import Any, cast

import wasmtime

from redouble.contract.game import Game
from redouble.kernel.modules import CompiledGame, ModuleEngine


class Wasmtime:
    """What runs modules: in a browser it is a worker."""

    def __init__(self) -> None:
        self._store = wasmtime.Store()
        self._exports: dict[str, Any] = {}

    def load(self, game: str, code: bytes) -> None:
        """Take a game's module."""
        module = wasmtime.Module(self._store.engine, code)
        self._exports[game] = cast(
            Any, wasmtime.Instance(self._store, module, []).exports(self._store)
        )

    def call(
        self, game: str, name: str, arguments: list[float], places: list[int], memory: bytes
    ) -> tuple[Any, bytes]:
        """Call a function with this memory; return its result, and the memory afterwards."""
        exports, store = self._exports[game], self._store
        base = -(-exports["__heap_base"].value(store) // 16) * 16
        missing = base + len(memory) - exports["memory"].data_len(store)
        if missing > 0:
            exports["memory"].grow(store, -(-missing // 65536))
        start = ctypes.addressof(exports["memory"].data_ptr(store).contents) + base
        ctypes.memmove(start, memory, len(memory))
        passed = [base + int(each) if i in places else each for i, each in enumerate(arguments)]
        result = exports[name](store, *passed)
        return result, ctypes.string_at(start, len(memory))


def compiled_game(game: Game) -> CompiledGame:
    """Return a game's module with its description."""
    from redouble.exports.build import wasm_files  # what tabs don't have imports this module, too

    code, description = wasm_files(game).values()
    return CompiledGame(code, json.loads(description))


@cache
def wasm_engine(game: Game) -> ModuleEngine:
    """Return the module that a process shares; its functions take NumPy's arrays."""
    import numpy as np

    def memory_of(array: Any) -> memoryview:
        place = np.ndarray(array.nbytes, np.uint8, array.data).ctypes.data
        return memoryview((ctypes.c_uint8 * array.nbytes).from_address(place)).cast("B")

    return ModuleEngine({game.name: compiled_game(game)}, Wasmtime(), memory_of)
