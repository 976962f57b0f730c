"""A game as a WebAssembly module in a runtime, in the place of what Numba compiles."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, cast

import numpy as np
import wasmtime

from redouble.contract.game import Game
from redouble.contract.placeholders import functions
from redouble.exports.build import wasm_files


class WasmGame:
    """A game's module in wasmtime, with its own memory."""

    def __init__(self, game: Game) -> None:
        code, description = wasm_files(game).values()
        self.layout = json.loads(description)
        engine = wasmtime.Engine()
        self.module, self._store = wasmtime.Module(engine, code), wasmtime.Store(engine)
        instance = wasmtime.Instance(self._store, self.module, [])
        self.exports = cast(Any, instance.exports(self._store))
        self._own = functions(game)
        self._base = self.exports["__heap_base"].value(self._store)
        self._room = 0

    def compiled(self, function: Callable[..., Any], **bound: Callable[..., Any]) -> Any:
        """Return what :func:`redouble.kernel.engine.compiled` does, but of the module.

        The arrays that it is given are copied to the module's memory, and back.
        """
        chosen = {k: _named(v) for k, v in bound.items() if self._own.get(k) is not v}
        (name,) = [
            name
            for name, each in self.layout["functions"].items()
            if each["loop"] == _named(function) and each["bound"] == chosen
        ]
        parameters = self.layout["functions"][name]["parameters"]
        return lambda *given: self._call(self.exports[name], parameters, list(_flat(given)))

    def _call(self, function: Any, parameters: list[dict[str, Any]], given: list[Any]) -> Any:
        passed: list[Any] = []
        arrays: dict[str, tuple[Any, int]] = {}
        at = self._base
        for parameter in parameters:
            if "length" in parameter:
                of, axis = parameter["length"].values()
                passed.append(arrays[of][0].shape[axis])
                continue
            value = given.pop(0)
            if "shape" in parameter:
                at += -at % 16
                arrays[parameter["name"]] = value, at
                passed.append(at)
                at += value.nbytes
            else:
                passed.append(value)
        assert not given
        self._make_room(at)
        start = ctypes.addressof(self.exports["memory"].data_ptr(self._store).contents)
        for array, place in arrays.values():
            ctypes.memmove(start + place, np.ascontiguousarray(array).tobytes(), array.nbytes)
        found = function(self._store, *passed)
        for array, place in arrays.values():
            there = np.ndarray(
                array.shape, array.dtype, ctypes.string_at(start + place, array.nbytes)
            )
            if isinstance(array, np.void):
                for field in array.dtype.names or ():
                    array[field] = there[field]
            else:
                array[...] = there
        return found

    def _make_room(self, end: int) -> None:
        memory = self.exports["memory"]
        missing = end - memory.data_len(self._store)
        if missing > 0:
            memory.grow(self._store, -(-missing // 65536))


@cache
def wasm_game(game: Game) -> WasmGame:
    """Return the module that a process shares."""
    return WasmGame(game)


def _flat(given: Any) -> Iterator[Any]:
    """Yield arguments, with those of a tuple one by one."""
    for value in given:
        if isinstance(value, tuple):
            yield from value
        else:
            yield value.item() if isinstance(value, np.number) else value


def _named(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"
