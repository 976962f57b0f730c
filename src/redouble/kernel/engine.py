"""The compiled engine: the same rules, run by Numba on numpy records.

:func:`compiled` walks the functions that a rule calls, rebuilds each with its callees replaced by
their compiled twins, and hands it to ``numba.njit(nogil=True)``; :func:`compiled_for` does the same
for another :class:`Target`. What a rule may use is therefore small and checked by the compiler:
ints, fixed arrays, module constants, other rules imported by name; nothing is allocated. Importing
this module imports Numba, which the interpreted engine never needs.

The functions here check their arguments. What :func:`compiled` returns checks nothing: it is
machine code for records of the right type and arrays that are long enough.
"""

from __future__ import annotations

import contextlib
import dis
import hashlib
import math
import os
import platform
import shutil
import time
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import EnumType
from functools import cache
from pathlib import Path
from typing import Any, TextIO, TypeVar

from platformdirs import user_cache_path

from redouble.kernel import checks, moments, primitives, rng
from redouble.kernel.binding import Bound, bound_in_order, globals_used, is_driver
from redouble.kernel.errors import InputError, RulesError
from redouble.kernel.extras import needs
from redouble.kernel.locks import lock
from redouble.kernel.state import State

with needs("compiled code", "fast"):
    import numba
    import numpy as np
    from llvmlite import ir
    from numba.core import caching, cgutils
    from numba.extending import intrinsic

__all__ = ["compiled", "dtype", "from_record", "np", "to_records"]

S = TypeVar("S", bound=State)

MAX_RECORDS = 100_000
"""Records that :func:`to_records` makes at once."""
INLINED_BYTES = 400
"""Functions of less bytecode are inlined in their callers: a tenth faster, hardly more to compile.
Inlining larger ones gains little more and takes half as long again to compile."""

# Typed as Any: an attribute that is made at run time.
_memcpy: Any = cgutils.raw_memcpy

_MATHEMATICS = (math.log, math.sqrt)
"""Library functions that compile as they are and return the same on both engines."""

MAX_TURN_SECONDS = 120.0
"""How long to wait for another process that compiles the same function."""
KEPT_FOLDERS = 2000
"""Folders of compiled code to keep, one per rule function and version: about 250 MB. Playing the
five games fills 250 of them, and the tests more than 500."""


def dtype(cls: type[State]) -> np.dtype[Any]:
    """Return the record type of a state class: its fields in declared order, naturally aligned.

    Raises :class:`InputError`.
    """
    fields = _state_class(cls).FIELDS
    return np.dtype([(f.name, f.width.type_name, f.width.shape) for f in fields], align=True)


def to_records(state: State, n: int = 1) -> np.ndarray[Any, Any]:
    """Return ``n`` records, each a copy of the state.

    Raises :class:`InputError` if a field of the state holds what its width cannot.
    """
    checks.instance(state, State, "state")
    records = np.zeros(checks.whole(n, "n", 0, MAX_RECORDS), dtype(type(state)))
    for field in state.FIELDS:
        try:
            value = np.array(getattr(state, field.name), field.width.type_name)
        except (AttributeError, OverflowError, TypeError, ValueError) as error:
            raise InputError(f"state: its field {field.name} is not valid: {error}") from None
        if value.shape != field.width.shape:
            raise InputError(
                f"state: its field {field.name} has the shape {value.shape}, "
                f"expected {field.width.shape}"
            )
        records[field.name] = value
    return records


def from_record(cls: type[S], record: Any) -> S:
    """Return the plain state that a record holds.

    Raises :class:`InputError` if it is not a record of this class.
    """
    if not isinstance(record, np.void) or record.dtype != dtype(cls):
        name = _state_class(cls).__name__
        raise checks.wrong("record", record, f"a record of the class {name}", InputError)
    state = object.__new__(cls)
    for field in cls.FIELDS:
        setattr(state, field.name, record[field.name].tolist())
    return state


def put(records: Any, i: int, record: Any) -> None:
    """Copy a record to place ``i`` of an array; what loops use, which other targets do by words."""
    records[i] = record


def put_part(record: Any, other: Any, start: int, stop: int) -> None:
    """Copy the bytes from ``start`` to before ``stop`` of another record of the same type."""
    parts = [np.ndarray(stop - start, np.uint8, each.data, start) for each in (record, other)]
    parts[0][:] = parts[1]


def versions() -> dict[str, str]:
    """Return the versions that compiled code depends on besides the sources."""
    return {
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
    }


def compiled(function: Callable[..., Any], **bound: Callable[..., Any]) -> Any:
    """Return the compiled twin of a rule, or of a driver loop with names ``bound`` to rules.

    A bound name is replaced in the function, in those that it calls in its own module and in
    driver loops of other modules. Numba compiles the twin when it is first called; it checks none
    of its arguments.

    Raises :class:`RulesError` if the function uses what a rule cannot.
    """
    return compiled_for(_cpu(), function, **bound)


@dataclass(frozen=True, eq=False)
class Target:
    """A kind of machine that rules are compiled for."""

    bodies: Mapping[Callable[..., Any], Any]
    """The compiled twin of each function of :data:`BODIES`."""
    build: Callable[[types.FunctionType, Callable[..., Any], Bound], Any]
    """Makes the compiled twin of a function whose callees are replaced by theirs; also gets the
    function as it was, and what was bound in it."""


def compiled_for(target: Target, function: Callable[..., Any], **bound: Callable[..., Any]) -> Any:
    """Return the twin of a rule that is compiled for a target, as :func:`compiled` does.

    Raises :class:`RulesError` if the function uses what a rule cannot.
    """
    ordered = bound_in_order(function, bound)
    try:
        return _twin(target, function, ordered)
    except (OSError, TypeError) as error:  # it is a closure, or its file has gone
        raise RulesError(f"{function.__qualname__} cannot be compiled: {error}") from None


def _state_class(cls: Any) -> type[State]:
    if not isinstance(cls, type) or not issubclass(cls, State):
        raise checks.wrong("cls", cls, "a class of states", InputError)
    return cls


@cache
def _twin(target: Target, function: Any, bound: Bound) -> Any:
    if function in target.bodies:
        return target.bodies[function]
    scope: dict[str, Any] = {"__name__": function.__module__, "__builtins__": __builtins__}
    for name, value in globals_used(function, bound).items():
        scope[name] = _constant(target, name, value, function, bound)
    # The bound rules are part of the name in the cache; otherwise two games would share an entry.
    words = " ".join(f"{name}={f.__module__}.{f.__qualname__}" for name, f in bound)
    suffix = f"_{hashlib.sha256(words.encode()).hexdigest()[:12]}" if bound else ""
    twin = types.FunctionType(function.__code__, scope, function.__name__ + suffix)
    twin.__qualname__ = function.__qualname__ + suffix
    twin.__module__ = function.__module__
    return target.build(twin, function, bound)


@cache
def _cpu() -> Target:
    """Return the target of :func:`compiled`: this machine's processor, with a cache on disk."""
    bodies = {**BODIES, **_WIDE_BODIES}.items()
    twins = {rule: _njit(body, nogil=True, inline=inline) for rule, (body, inline) in bodies}
    return Target(twins | INTRINSICS, _build)


def _njit(function: Callable[..., Any], **options: Any) -> Any:
    """Return a function for Numba to compile, even if ``NUMBA_DISABLE_JIT`` is set.

    That is for debugging, which the interpreted engine is for: here it would run the compiled one's
    code, which has bodies that only a compiler understands.
    """
    config: Any = numba.config
    usual, config.DISABLE_JIT = config.DISABLE_JIT, 0
    try:
        return numba.njit(**options)(function)
    finally:
        config.DISABLE_JIT = usual


def _build(twin: types.FunctionType, function: Any, bound: Bound) -> Any:
    made = _njit(
        twin,
        nogil=True,
        _nrt=False,  # no rule allocates: nothing to count references of
        no_cfunc_wrapper=True,  # no function in C calls a rule
        error_model="numpy",  # no rule divides by zero: leave the test for it out
        forceinline=bytes_of_code(function) < INLINED_BYTES,
    )
    folder = cache_folder(_source_digest(function, bound)) if _in_file(function) else None
    if folder is not None:
        made._cache = _Cache(twin, folder)
        made.compile = made._cache.once(made.compile)
    return made


def bytes_of_code(function: Any) -> int:
    """Return the length of a function's bytecode less its moments: nothing is left of them."""
    instructions = list(dis.get_instructions(function))
    ends = [i.offset for i in instructions[1:]] + [len(function.__code__.co_code)]
    length = 0
    skipping = False
    for instruction, end in zip(instructions, ends, strict=True):
        skipping |= instruction.opname == "LOAD_GLOBAL" and instruction.argval == "moment"
        length += 0 if skipping else end - instruction.offset
        skipping &= instruction.opname != "POP_TOP"
    return length


def _constant(target: Target, name: str, value: Any, user: Any, bound: Bound) -> Any:
    """Return what a name of a rule stands for in its compiled twin."""
    if isinstance(value, types.FunctionType):
        return _twin(target, value, bound if is_driver(value, user) else ())
    if isinstance(value, tuple):
        return np.array(value, np.int64)
    if isinstance(value, (int, float, type)) or value in _MATHEMATICS:
        return value
    raise RulesError(
        f"{user.__module__}.{user.__name__} uses {name}, a {type(value).__name__}: "
        "rules use numbers, tuples of numbers and functions"
    )


def attributes(function: Any) -> frozenset[str]:
    """Return the names of all attributes that a rule, with all it calls, can read or write."""
    return frozenset(
        i.argval
        for each in _reachable(function)
        for i in dis.get_instructions(each)
        if i.opname in ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR")
    )


def _lanes(lanes: int) -> tuple[Any, Any]:
    """Return two functions that write many slots of a row of bytes at once.

    The first writes the lowest bits of a number, the second small numbers from ``start`` on.
    """
    bits, wide = (ir.VectorType(ir.IntType(width), lanes) for width in (1, 8))

    def place(context: Any, builder: Any, kind: Any, row: Any, at: Any) -> Any:
        data = context.make_array(kind)(context, builder, value=row).data
        return builder.bitcast(builder.gep(data, [at]), wide.as_pointer())

    def spread(typing: Any, out: Any, at: Any, members: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            members = builder.trunc(arguments[2], ir.IntType(lanes))
            values = builder.zext(builder.bitcast(members, bits), wide)
            into = place(context, builder, signature.args[0], *arguments[:2])
            builder.store(values, into, align=1)
            return context.get_dummy_value()

        return numba.types.void(_bytes(out), numba.types.int64, numba.types.int64), code

    def move(typing: Any, out: Any, at: Any, numbers: Any, start: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            source = place(context, builder, signature.args[2], *arguments[2:])
            values = builder.load(source, align=1)
            if not numbers.dtype.signed:
                most = ir.Constant(wide, [127] * lanes)
                values = builder.select(builder.icmp_unsigned("<", values, most), values, most)
            into = place(context, builder, signature.args[0], *arguments[:2])
            builder.store(values, into, align=1)
            return context.get_dummy_value()

        whole = numba.types.int64
        return numba.types.void(_bytes(out), whole, _bytes(numbers), whole), code

    return intrinsic(spread), intrinsic(move)


def _bytes(row: Any) -> Any:
    """Return the type of a row of bytes that lie side by side."""
    if row.layout != "C" or row.dtype.bitwidth != 8:
        raise numba.TypingError(f"{row} is no row of bytes that lie side by side")
    return row


_spread_8, _move_8 = _lanes(8)
_spread_16, _move_16 = _lanes(16)
_spread_32, _move_32 = _lanes(32)


def _copy_bytes(typing: Any, record: Any, other: Any, start: Any, stop: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        first, last = arguments[2:]
        into, source = (builder.gep(builder.bitcast(each, byte), [first]) for each in arguments[:2])
        _memcpy(builder, into, source, builder.sub(last, first), 1)
        return context.get_dummy_value()

    return numba.types.void(record, other, numba.types.int64, numba.types.int64), code


def _word(context: Any, builder: Any, kind: Any, words: Any, i: Any) -> Any:
    return builder.gep(context.make_array(kind)(context, builder, value=words).data, [i])


def _load_word(typing: Any, words: Any, i: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _word(context, builder, signature.args[0], *arguments)
        return builder.load_atomic(place, "seq_cst", 8)

    return numba.types.int64(words, numba.types.int64), code


def _change_word(operation: str) -> Any:
    def change(typing: Any, words: Any, i: Any, value: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _word(context, builder, signature.args[0], *arguments[:2])
            return builder.atomic_rmw(operation, place, arguments[2], "seq_cst")

        return numba.types.int64(words, numba.types.int64, numba.types.int64), code

    return intrinsic(change)


# The compiled bodies of what has two. The generator's is the same xoshiro256++ step on words.

_U = np.uint64
_17, _19, _23, _32, _41, _45 = _U(17), _U(19), _U(23), _U(32), _U(41), _U(45)
_LOW = _U(0xFFFFFFFF)


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


def _join(high: Any, low: Any) -> Any:
    return (_U(high) << _32) | _U(low)


def _write_set(out: Any, at: Any, members: Any, n: Any) -> None:
    if n > 32:
        _spread_32(out, at, members)
        _spread_32(out, at + n - 32, members >> n - 32)
    elif n >= 16:
        _spread_16(out, at, members)
        _spread_16(out, at + n - 16, members >> n - 16)
    elif n >= 8:
        _spread_8(out, at, members)
        _spread_8(out, at + n - 8, members >> n - 8)
    else:
        for i in range(n):
            out[at + i] = members >> i & 1


def _write_numbers(out: Any, at: Any, numbers: Any, n: Any) -> None:
    if n >= 32:
        for start in range(0, n - 31, 32):
            _move_32(out, at + start, numbers, start)
        _move_32(out, at + n - 32, numbers, n - 32)
    elif n >= 16:
        _move_16(out, at, numbers, 0)
        _move_16(out, at + n - 16, numbers, n - 16)
    elif n >= 8:
        _move_8(out, at, numbers, 0)
        _move_8(out, at + n - 8, numbers, n - 8)
    else:
        for i in range(n):
            out[at + i] = min(numbers[i], 127)


def _moment(s: Any, kind: Any) -> None:
    """Nothing: only people watch moments."""


BODIES: dict[Any, tuple[Any, str]] = {
    rng.words: (_words, "never"),
    rng._join: (_join, "never"),
    moments.moment: (_moment, "always"),
}
"""The functions that are not compiled as they stand: the body of each, and whether Numba inlines it
before it knows any type."""
_WIDE_BODIES: dict[Any, tuple[Any, str]] = {
    primitives.write_set: (_write_set, "always"),
    primitives.write_numbers: (_write_numbers, "always"),
}
"""More of them, for processors alone: they move many bytes at once."""
INTRINSICS: dict[Any, Any] = {
    put_part: intrinsic(_copy_bytes),
    primitives.load: intrinsic(_load_word),
    primitives.exchange: _change_word("xchg"),
    primitives.add: _change_word("add"),
}
"""What stands for functions as it is, for processors alone."""


# The cache on disk. Numba's own index notices a change in the file of the function it loads, but
# not in the files of the functions called; so a function's code lies in a folder named by a digest
# of every source file that it is made of, and of its constants, which may be in other files.


def _source_digest(function: Any, bound: Bound) -> str:
    """Return a digest of the sources of a function and of all it calls, and of the versions."""
    digest = hashlib.sha256(repr(versions()).encode())
    digest.update(Path(__file__).read_bytes())
    reachable = _reachable(function, bound)
    # Modules are named, since what is compiled refers to them: one that moves is compiled again.
    for module, file in sorted(
        {(f.__module__, f.__code__.co_filename) for f in reachable if _in_file(f)}
    ):
        digest.update(module.encode())
        digest.update(Path(file).read_bytes())
    typed_in = [f.__code__ for f in reachable if not _in_file(f)]
    for code in sorted(typed_in, key=lambda code: code.co_qualname):
        digest.update(repr((code.co_code, code.co_consts, code.co_names)).encode())
    constants = {
        f"{f.__module__}.{f.__qualname__} {name}={_shown(value)}"
        for f in reachable
        for name, value in globals_used(f).items()
        if isinstance(value, (int, float, tuple, EnumType))
    }
    digest.update("\n".join(sorted(constants)).encode())
    return digest.hexdigest()[:16]


def _shown(constant: Any) -> str:
    return repr(list(constant) if isinstance(constant, EnumType) else constant)


def _in_file(function: Any) -> bool:
    """Return whether a function's source is a file; it isn't in a notebook."""
    return os.path.isfile(function.__code__.co_filename)


def _reachable(function: Any, bound: Bound = ()) -> set[Any]:
    found = {function}
    waiting = [value for _, value in bound] + list(globals_used(function, bound).values())
    while waiting:
        value = waiting.pop()
        if isinstance(value, types.FunctionType) and value not in found:
            found.add(value)
            waiting += globals_used(value).values()
    return found


def cache_root() -> Path:
    """Return the folder of everything that Redouble caches; it may not exist yet.

    A user without a home has none: nothing can be made below the path that is returned then.
    """
    root = Path(os.environ.get("REDOUBLE_CACHE_DIR") or user_cache_path("redouble"))
    return Path(os.devnull, "no-home") if root.parts[:1] == ("~",) else root


def why_slow(cached: bool = True) -> str:
    """Return why nothing is compiled, or nothing ``cached``, and what to do; else nothing."""
    numba_config: Any = numba.config  # its attributes are made when it is imported
    if numba_config.DISABLE_JIT:
        return "NUMBA_DISABLE_JIT is set, so nothing is compiled: unset it"
    root = cache_root()
    with contextlib.suppress(OSError):
        root.mkdir(parents=True, exist_ok=True)
    if cached and not os.access(root, os.W_OK):
        return (
            f"compiled code can't be kept in {root}: set REDOUBLE_CACHE_DIR to a folder that you"
            " can write to"
        )
    return ""


@cache
def cache_folder(digest: str) -> Path | None:
    """Return the folder of compiled code for sources with this digest; None without one."""
    root = cache_root() / "compiled"
    folder = root / digest
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            _prune(root, folder)
        with contextlib.suppress(OSError):  # what can be read is used, even if it can't be written
            os.utime(folder)
    except OSError:
        return None
    return folder


def _prune(root: Path, current: Path) -> None:
    """Remove the folders unused for longest, so that the cache does not grow forever."""
    for path in sorted((p for p in root.iterdir() if p != current), key=_used_at)[:-KEPT_FOLDERS]:
        shutil.rmtree(path, ignore_errors=True)


def _used_at(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # another process has removed it
        return 0.0


class _Cache(caching.FunctionCache):
    """Numba's cache of a function in a folder of its own, wherever its source lies.

    Numba's own folders are named by the path of the source. Here two copies of the same sources
    share their code: another checkout, another environment, or the next version.
    """

    def __init__(self, twin: types.FunctionType, folder: Path) -> None:
        located = type("_Located", (_Locator,), {"folder": folder})
        places: Any = {"_locator_classes": [located]}
        self._impl_class: Any = type("_Impl", (caching.CompileResultCacheImpl,), places)
        super().__init__(twin)  # type: ignore[no-untyped-call]
        self._lock = folder / f"{twin.__qualname__}.lock"
        self._turn: TextIO | None = None

    def load_overload(self, *arguments: Any) -> Any:
        """Look for code on disk, after another process that is compiling it has ended."""
        self._turn = self._turn or _turn_of(self._lock)
        try:
            return super().load_overload(*arguments)  # type: ignore[no-untyped-call]
        except Exception:  # it can't be read, or is damaged: compile again
            with contextlib.suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, *arguments: Any) -> None:
        """Keep code on disk, if there is room and the folder can be written."""
        with contextlib.suppress(OSError):
            super().save_overload(*arguments)  # type: ignore[no-untyped-call]

    def once(self, compile_it: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return a way to compile the function that lets other processes load what it makes."""

        def compile_once(signature: Any) -> Any:
            try:
                return compile_it(signature)
            finally:
                if self._turn is not None:
                    self._turn.close()
                    self._turn = None

        return compile_once


def _turn_of(path: Path) -> TextIO | None:
    """Hold a lock that all processes share until the file is closed; None if that can't be.

    A process that holds it for very long may hang: then compile without it.
    """
    try:
        file = path.open("w")
    except OSError:  # a read-only cache needs no lock: nothing is written to it
        return None
    deadline = time.monotonic() + MAX_TURN_SECONDS
    while time.monotonic() < deadline:
        try:
            lock(file.fileno())
            return file
        except OSError:
            time.sleep(0.01)
    return file


class _Locator(caching._CacheLocator):
    """Leads Numba to a folder whose name is a digest of all that its code depends on."""

    folder: Path

    @classmethod
    def from_function(cls, function: Any, file: str) -> _Locator:
        """Return the locator; what Numba tells it is in the folder's name."""
        return cls()

    def get_cache_path(self) -> str:
        return str(self.folder)

    def get_source_stamp(self) -> str:
        return self.folder.name

    def get_disambiguator(self) -> str:
        return ""
