"""The engine without a compiler: driver loops run as the Python that they are.

Loops get arrays of :mod:`redouble.kernel.arrays`. Numbers are read and written where they are. A
record of a state becomes the plain object that rules work on, and is written back afterwards. The
results are those of compiled code.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from redouble.kernel.arrays import FlatArray
from redouble.kernel.binding import Bound, bind, bound_in_order
from redouble.kernel.errors import pip_line
from redouble.kernel.state import State


def compiled(function: Callable[..., Any], **bound: Callable[..., Any]) -> Any:
    """Return the twin of a rule or loop, with names ``bound`` to rules as the compiler binds them.

    Raises :class:`~redouble.kernel.errors.RulesError` if these aren't functions.
    """
    return _loop(function, bound_in_order(function, bound))


def why_slow(cached: bool = True) -> str:
    """Return why nothing is compiled, and what to do."""
    return f"the compiler isn't installed, so searches are slow: {pip_line('fast')}"


@cache
def _loop(function: Callable[..., Any], bound: Bound) -> Any:
    bound_function = bind(function, bound)

    def loop(*given: Any) -> Any:
        states: list[tuple[State, FlatArray]] = []
        result = bound_function(*(_opened(each, states) for each in given))
        for state, record in states:
            for field in state.FIELDS:
                record[field.name] = getattr(state, field.name)
        return result

    return loop


def _opened(given: Any, states: list[tuple[State, FlatArray]]) -> Any:
    """Return an argument as loops use it; also add the states that are made of its records."""
    if isinstance(given, tuple):
        opened = [_opened(each, states) for each in given]
        return type(given)(*opened) if hasattr(given, "_fields") else tuple(opened)
    if not isinstance(given, FlatArray):
        return given
    if given.dtype.code:
        return _numbers(given)
    if given.shape:
        return Records(_opened(each, states) for each in given)
    if given.dtype.state is None:
        return Fields(given)
    state = object.__new__(given.dtype.state)
    for field in state.FIELDS:
        value = given[field.name]
        setattr(state, field.name, value.tolist() if isinstance(value, FlatArray) else value)
    states.append((state, given))
    return state


def _numbers(array: FlatArray) -> Any:
    """Return numbers in the same memory; of several dimensions, a list of rows."""
    if array.shape[1:]:
        return [_numbers(row) for row in array]
    code: Any = array.dtype.code
    return array.memory.cast(code) if array.nbytes else []


class Records(list[Any]):
    """Records in a row; one that is set is copied, as in an array."""

    def __setitem__(self, i: Any, record: Any) -> None:
        self[i].assign(record)

    def __getitem__(self, i: Any) -> Any:
        found = super().__getitem__(i)
        return Records(found) if isinstance(i, slice) else found


class Fields:
    """A record other than a state's: its numbers are attributes."""

    def __init__(self, record: FlatArray) -> None:
        object.__setattr__(self, "_record", record)

    def __getattr__(self, name: str) -> Any:
        value = self._record[name]
        if isinstance(value, FlatArray):
            value = _numbers(value)
            object.__setattr__(self, name, value)  # in the same memory: it needs no second look
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        self._record[name] = value
