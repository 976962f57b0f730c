"""Arrays of numbers and records where there is no NumPy: as much of it as a search needs.

A browser's tab would have to fetch NumPy, which is larger than everything else that it needs. The
names and the layout in memory are NumPy's, so the same functions work on both.
"""

from __future__ import annotations

from array import array as numbers
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

Shape = tuple[int, ...]


@dataclass(frozen=True)
class ItemType:
    """The type of an array's items: numbers of one kind, or records."""

    name: str
    itemsize: int
    """Bytes."""
    code: str = ""
    """The type code of :mod:`array`; none for a record."""
    alignment: int = 1
    fields: Mapping[str, tuple[ItemType, Shape, int]] = field(default_factory=dict)
    """A record's fields: the type, shape and offset of each."""
    state: Any = None
    """The class of states that a record is of, if it is of one."""


int8, uint8, int16, int32, int64, uint64, float64 = _NUMBERS = [
    ItemType(name, numbers(code).itemsize, code, numbers(code).itemsize)
    for name, code in zip(
        ("int8", "uint8", "int16", "int32", "int64", "uint64", "float64"), "bBhiqQd", strict=True
    )
]
_BY_NAME = {one.name: one for one in _NUMBERS}


def dtype(columns: Sequence[Any], align: bool = True, state: Any = None) -> ItemType:
    """Return the type of a record with these fields, each at the next place that is aligned.

    ``state`` is the class of states that it is of, if it is of one.
    """
    fields, end, alignment = {}, 0, 1
    for name, given, *shape in columns:
        kind = _BY_NAME[given] if isinstance(given, str) else given
        end += -end % kind.alignment
        fields[name] = kind, shape[0] if shape else (), end
        end += prod(fields[name][1]) * kind.itemsize
        alignment = max(alignment, kind.alignment)
    return ItemType("record", end + -end % alignment, "", alignment, fields, state)


def zeros(shape: int | Shape, kind: ItemType = float64) -> FlatArray:
    """Return an array of zeros."""
    sides = (shape,) if isinstance(shape, int) else tuple(shape)
    return FlatArray(kind, sides, memoryview(bytearray(prod(sides) * kind.itemsize)))


def array(values: Sequence[Any], kind: ItemType) -> FlatArray:
    """Return an array of these numbers."""
    made = zeros(len(values), kind)
    made[:] = values
    return made


class FlatArray:
    """An array whose items lie side by side, a view of a part of one, or a record."""

    __slots__ = ("_numbers", "dtype", "memory", "shape")

    def __init__(self, kind: ItemType, shape: Shape, memory: memoryview) -> None:
        self.dtype, self.shape, self.memory = kind, shape, memory
        code: Any = kind.code
        self._numbers: Any = memory.cast(code) if code and memory.nbytes else ()

    @property
    def nbytes(self) -> int:
        return self.memory.nbytes

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: int | slice | str) -> Any:
        if isinstance(key, str):
            if self.shape:  # unlike NumPy's, a copy
                return self._column(*self.dtype.fields[key])
            view = self._field(key)
            return view if view.shape else view._numbers[0]
        if isinstance(key, slice):
            return self._rows(*key.indices(len(self))[:2])
        if not self.shape[1:] and self.dtype.code:
            return self._numbers[key]
        row = range(len(self))[key]
        view = self._rows(row, row + 1)
        return FlatArray(self.dtype, self.shape[1:], view.memory)

    def __setitem__(self, key: int | slice | str, value: Any) -> None:
        if isinstance(key, int) and not self.shape[1:] and self.dtype.code:
            self._numbers[key] = value
            return
        view = self._field(key) if isinstance(key, str) else self[key]
        if isinstance(value, FlatArray):
            view.memory[:] = value.memory
        else:
            view.memory[:] = memoryview(numbers(view.dtype.code, _flat(value))).cast("B")

    def _field(self, name: str) -> FlatArray:
        kind, shape, start = self.dtype.fields[name]
        return FlatArray(kind, shape, self.memory[start : start + prod(shape) * kind.itemsize])

    def _column(self, kind: ItemType, shape: Shape, start: int) -> FlatArray:
        code: Any = kind.code
        first, step = start // kind.itemsize, self.dtype.itemsize // kind.itemsize
        found = numbers(code, self.memory.cast(code)[first::step].tolist())
        return FlatArray(kind, self.shape, memoryview(found).cast("B"))

    def _rows(self, first: int, last: int) -> FlatArray:
        rest = self.shape[1:]
        row, rows = prod(rest) * self.dtype.itemsize, max(last - first, 0)
        memory = self.memory[first * row : (first + rows) * row]
        return FlatArray(self.dtype, (rows, *rest), memory)

    def copy(self) -> FlatArray:
        """Return a copy that shares no memory."""
        return FlatArray(self.dtype, self.shape, memoryview(bytearray(self.memory)))

    def tolist(self) -> list[Any]:
        """Return the numbers in lists."""
        if self.shape[1:]:
            return [row.tolist() for row in self]
        return list(self._numbers)


def _flat(values: Any) -> Iterator[Any]:
    if isinstance(values, (int, float)):
        yield values
        return
    for value in values:
        yield from _flat(value)
