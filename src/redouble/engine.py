"""The compiled engine: the same rules, run by Numba on numpy records.

:func:`compiled` walks the functions that a rule calls, rebuilds each with its callees replaced by
their compiled twins, and hands it to ``numba.njit(nogil=True)``. What a rule may use is therefore
small and checked by the compiler: ints, fixed arrays, module constants, other rules imported by
name. Importing this module costs the import of Numba; the interpreted engine never needs it.
"""

from __future__ import annotations

import dis
import hashlib
import os
import shutil
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import config as numba_config
from platformdirs import user_cache_path

from redouble import rng
from redouble.state import Field, State

S = TypeVar("S", bound=State)

KEPT_CACHES = 4
"""Cache folders of other versions of the sources that are kept."""


def dtype(cls: type[State]) -> np.dtype[Any]:
    """The record type of a state class: its fields in declared order, naturally aligned."""

    def column(field: Field) -> tuple[str, str, tuple[int, ...]]:
        return field.name, field.width.type_name, field.width.shape

    return np.dtype([column(field) for field in cls.FIELDS], align=True)


def to_records(state: State, n: int = 1) -> np.ndarray[Any, Any]:
    """``n`` records, each a copy of the state."""
    records = np.zeros(n, dtype(type(state)))
    for field in state.FIELDS:
        records[field.name] = np.array(getattr(state, field.name), field.width.type_name)
    return records


def from_record(cls: type[S], record: Any) -> S:
    """The plain state that a record holds."""
    state = cls()
    for field in cls.FIELDS:
        setattr(state, field.name, record[field.name].tolist())
    return state


def compiled(function: Callable[..., Any], **bound: Callable[..., Any]) -> Any:
    """The compiled twin of a rule, or of a driver loop whose named callees are ``bound``.

    Raises :class:`TypeError` when the function uses something that is no rule.
    """
    return _twin(function, tuple(sorted(bound.items())))


@cache
def _twin(function: Any, bound: tuple[tuple[str, Any], ...]) -> Any:
    if function in _BODIES:
        return _BODIES[function]
    names = dict(function.__globals__)
    names.update(bound)
    scope: dict[str, Any] = {"__name__": function.__module__, "__builtins__": __builtins__}
    for name in _globals_used(function):
        if name in names:
            scope[name] = _constant(name, names[name], function)
    # The bound callees are part of the cache entry's name, else two games would share it.
    suffix = "".join(f"__{name}_{_module_word(callee)}" for name, callee in bound)
    twin = types.FunctionType(function.__code__, scope, function.__name__ + suffix)
    twin.__qualname__ = function.__qualname__ + suffix
    twin.__module__ = function.__module__
    with _numba_cache() as on_disk:
        return numba.njit(nogil=True, cache=on_disk, error_model="numpy")(twin)


def _constant(name: str, value: Any, user: Any) -> Any:
    """What a name of a rule means in its compiled twin."""
    if isinstance(value, types.FunctionType):
        return _twin(value, ())
    if isinstance(value, tuple):
        return np.array(value, np.int64)
    if isinstance(value, (int, type)) or value is range:
        return value
    raise TypeError(f"{user.__module__}.{user.__name__} uses {name}, a {type(value).__name__}")


def _globals_used(function: Any) -> set[str]:
    return {i.argval for i in dis.get_instructions(function) if i.opname == "LOAD_GLOBAL"}


def _module_word(function: Any) -> str:
    return f"{function.__module__}.{function.__qualname__}".replace(".", "_")


# The generator's compiled body: the same xoshiro256++ step on machine words.

_U = np.uint64
_17, _19, _23, _32, _41, _45 = _U(17), _U(19), _U(23), _U(32), _U(41), _U(45)
_LOW = _U(0xFFFFFFFF)


@numba.njit(nogil=True)
def _words(rng: Any) -> Any:
    a, b, c, d = rng[0], rng[1], rng[2], rng[3]
    x = a + d
    x = ((x << _23) | (x >> _41)) + a
    c ^= a
    d ^= b
    rng[0] = a ^ d
    rng[1] = b ^ c
    rng[2] = c ^ (b << _17)
    rng[3] = (d << _45) | (d >> _19)
    return np.int64(x >> _32), np.int64(x & _LOW)


@numba.njit(nogil=True)
def _join(high: Any, low: Any) -> Any:
    return (_U(high) << _32) | _U(low)


_BODIES: dict[Any, Any] = {rng.words: _words, rng._join: _join}


# The cache on disk. Numba's own index notices a change in the file of the function it loads, but
# not in the files of the functions called; so the folder is named by a digest of all sources.


def sources_digest() -> str:
    """A digest of every source that compiled code is made of, and of Numba and Python."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    for path in sorted(_source_files()):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _source_files() -> Iterator[Path]:
    here = Path(__file__).parent
    yield from here.rglob("*.py")
    from redouble.registry import game_modules

    for module in game_modules():
        spec = find_spec(module)
        if spec and spec.origin and here not in Path(spec.origin).parents:
            yield from Path(spec.origin).parent.glob("*.py")


@cache
def cache_folder() -> Path | None:
    """The folder of compiled code for these sources; None when none can be written."""
    root = Path(os.environ.get("REDOUBLE_CACHE_DIR") or user_cache_path("redouble")) / "compiled"
    folder = root / sources_digest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return None
    _prune(root, folder)
    return folder


def _prune(root: Path, current: Path) -> None:
    """Remove the oldest folders of other versions, so that the cache does not grow for ever."""
    os.utime(current)
    others = sorted((p for p in root.iterdir() if p != current), key=lambda p: p.stat().st_mtime)
    for path in others[:-KEPT_CACHES]:
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _numba_cache() -> Iterator[bool]:
    """Let functions compiled inside keep their code in our folder, and leave others' alone."""
    folder = cache_folder()
    before = numba_config.CACHE_DIR
    numba_config.CACHE_DIR = str(folder or "")
    try:
        yield folder is not None
    finally:
        numba_config.CACHE_DIR = before
