"""The engine of a browser's tab: rules that were compiled to WebAssembly with the edition.

It takes the place of :mod:`redouble.kernel.engine` in :mod:`redouble.kernel.backend`. A module and
its description are what ``redouble build wasm`` makes. A call copies the arrays that it is given to
the module's memory, and back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

from redouble.kernel import arrays, interpreter
from redouble.kernel.arrays import FlatArray, ItemType
from redouble.kernel.errors import InputError, RulesError
from redouble.kernel.state import State

ALIGNMENT = 16
"""Bytes: each array begins at a multiple in the module's memory."""


class CompiledGame(NamedTuple):
    """A game's module, and what describes it."""

    code: bytes
    layout: Mapping[str, Any]


class ModuleRuntime(Protocol):
    """What runs modules."""

    def load(self, game: str, code: bytes) -> None:
        """Take a game's module, before its first call."""

    def call(
        self, game: str, name: str, arguments: list[float], places: list[int], memory: bytes
    ) -> tuple[Any, bytes]:
        """Call a function with this memory; return its result, and the memory afterwards.

        The arguments with the indices ``places`` are addresses, counted from its beginning.
        """


class ModuleEngine:
    """The games' modules, and what runs them."""

    def __init__(
        self,
        games: Mapping[str, CompiledGame],
        runtime: ModuleRuntime,
        memory_of: Callable[[Any], memoryview] = attrgetter("memory"),
    ) -> None:
        """Take modules by game; ``memory_of`` returns the bytes of an array, to read and write."""
        self._games, self._runtime, self._memory_of = games, runtime, memory_of
        self._loaded: set[str] = set()

    def compiled(self, function: Callable[..., Any], **bound: Callable[..., Any]) -> Any:
        """Return the compiled twin of a rule or loop, as the engine does for the processor.

        Raises :class:`RulesError` if no module has it.
        """
        name, words = _named(function), {key: _named(each) for key, each in bound.items()}
        for game, (_, layout) in self._games.items():
            chosen = {k: each for k, each in words.items() if layout["own"].get(k) != each}
            for export, known in layout["functions"].items():
                if known["loop"] == name and known["bound"] == chosen:
                    return self._loop(game, export, known["parameters"])
        raise RulesError(f"{name} was not compiled for browsers: make the edition again")

    def _loop(self, game: str, name: str, parameters: list[Mapping[str, Any]]) -> Any:
        def loop(*given: Any) -> Any:
            arguments: list[float] = []
            places: list[int] = []
            arrays_given: dict[str, Any] = {}
            parts: list[tuple[int, memoryview]] = []
            end = 0
            values = _flat(given)
            for parameter in parameters:
                if "length" in parameter:
                    of, axis = parameter["length"].values()
                    arguments.append(arrays_given[of].shape[axis])
                    continue
                value = next(values)
                if "shape" in parameter:
                    arrays_given[parameter["name"]] = value
                    memory = self._memory_of(value)
                    places.append(len(arguments))
                    arguments.append(end)
                    parts.append((end, memory))
                    end += memory.nbytes + -memory.nbytes % ALIGNMENT
                else:
                    arguments.append(value)
            before = bytearray(end)
            for start, part in parts:
                before[start : start + part.nbytes] = part
            if game not in self._loaded:
                self._runtime.load(game, self._games[game].code)
                self._loaded.add(game)
            result, found = self._runtime.call(game, name, arguments, places, bytes(before))
            after = memoryview(found)
            for start, part in parts:
                part[:] = after[start : start + part.nbytes]
            return result

        return loop


def _flat(given: Any) -> Iterator[Any]:
    for value in given:
        if isinstance(value, tuple):
            yield from value
        else:
            yield value


def _named(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


_here: list[Callable[[], ModuleEngine]] = []


def use(make: Callable[[], ModuleEngine]) -> None:
    """Let this program's loops run in an engine, which is made with the first of them."""
    _here[:] = [cache(make)]
    compiled.cache_clear()


@cache
def compiled(function: Callable[..., Any], **bound: Callable[..., Any]) -> Any:
    """Return the compiled twin of a rule or loop, after :func:`use`; before, the interpreted one.

    Raises :class:`RulesError` if no module has it.
    """
    engine = _here[0]() if _here else interpreter
    return engine.compiled(function, **bound)


def dtype(cls: type[State]) -> ItemType:
    """Return the record type of a state class."""
    fields = [(one.name, one.width.type_name, one.width.shape) for one in cls.FIELDS]
    return arrays.dtype(fields, state=cls)


def to_records(state: State, n: int = 1) -> FlatArray:
    """Return ``n`` records, each a copy of the state.

    Raises :class:`InputError` if a field of the state holds what its width cannot.
    """
    records = arrays.zeros(n, dtype(type(state)))
    record = arrays.zeros(1, records.dtype)[0]
    for one in state.FIELDS:
        try:
            record[one.name] = getattr(state, one.name)
        except (OverflowError, TypeError, ValueError) as error:
            raise InputError(f"state: its field {one.name} is not valid: {error}") from None
    records.memory[:] = bytes(record.memory) * n
    return records


def put(records: Any, i: int, record: Any) -> None:
    """Copy a record to place ``i`` of an array."""
    records[i] = record
