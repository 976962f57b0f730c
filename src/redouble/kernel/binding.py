"""Which functions a driver loop is made of, and binding a game's rules to its names."""

import dis
from collections.abc import Callable, Mapping
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from redouble.kernel import checks
from redouble.kernel.errors import RulesError

Bound = tuple[tuple[str, Any], ...]
STAND_INS = "redouble.contract.placeholders"
"""Modules that import from this one are driver loops: bound names are replaced in them as well."""


def bound_in_order(function: object, bound: Mapping[str, Callable[..., Any]]) -> Bound:
    """Return what is bound, sorted by name. Raises :class:`RulesError` if it isn't functions."""
    for name, each in {"function": function, **bound}.items():
        if not isinstance(each, FunctionType):
            raise checks.wrong(name, each, "a Python function", RulesError)
    return tuple(sorted(bound.items()))


def is_driver(callee: Any, user: Any) -> bool:
    """Return whether names bound for a function are also bound for one that it calls."""
    names = (getattr(value, "__module__", "") for value in callee.__globals__.values())
    return callee.__module__ == user.__module__ or STAND_INS in names


def globals_used(function: Any, bound: Bound = ()) -> dict[str, Any]:
    """Return the module-level names that a function reads, with their values, less builtins."""
    scopes = (function.__globals__, dict(bound))  # the second counts
    names = _names(function.__code__)
    return {name: scope[name] for name in names for scope in scopes if name in scope}


@cache
def bind(function: Any, bound: Bound) -> Any:
    """Return a function that calls what is bound, as do the functions of drivers that it calls."""
    scope = {**function.__globals__}
    for name, value in globals_used(function, bound).items():
        drives = isinstance(value, FunctionType) and is_driver(value, function)
        scope[name] = bind(value, bound) if drives else value
    return FunctionType(function.__code__, scope, function.__name__, function.__defaults__)


@cache
def _names(code: CodeType) -> tuple[str, ...]:
    """Return the names that a function looks up outside itself, in alphabetical order."""
    found = {i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"}
    return tuple(sorted(found))
