"""The engine's third target: the same rules as object code for other machines and languages.

Numba lowers each function to LLVM's intermediate code as for this machine's processor, but with the
pointers and vectors of another :class:`Machine`. A C function stands before each that is exported:
it takes numbers and pointers, and has no arguments that only Numba knows. Everything else is
internal, so what is not called is left out. Nothing is imported but ``memcpy`` and its like: rules
neither allocate nor raise.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from redouble.kernel.engine import (
    _WIDE_BODIES,
    BODIES,
    INLINED_BYTES,
    INTRINSICS,
    Target,
    _source_digest,
    _turn_of,
    bytes_of_code,
    cache_folder,
    compiled_for,
)
from redouble.kernel.extras import needs

with needs("compiling for other machines", "fast"):
    import llvmlite.binding as llvm
    import numba
    import numpy as np
    from llvmlite import ir
    from numba.core import cgutils
    from numba.core.codegen import AOTCPUCodegen
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import CPUDispatcher, CPUTarget, cpu_target
    from numba.np.arrayobj import populate_array

# Typed as Any: Numba declares no types.
_named_tuple: Any = numba.types.NamedTuple
_if_unlikely: Any = cgutils.if_unlikely
_populate: Any = populate_array

OPTIMIZED = 3
"""The level of optimization, Numba's usual one."""


@dataclass(frozen=True)
class Machine:
    """What object code is made for."""

    triple: str
    features: str = ""


WASM = Machine(
    "wasm32-unknown-unknown",
    "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals",
)
"""What browsers since 2023 run."""
HERE = Machine(llvm.get_process_triple())
"""Any processor of this machine's kind, with its operating system."""


@dataclass(frozen=True)
class Scalar:
    """A number that is passed by value: a whole one of 32 bits, or a double."""

    whole: bool = True


@dataclass(frozen=True, eq=False)
class Buffer:
    """A place in memory that the caller owns, passed as a pointer."""

    element: np.dtype[Any]
    shape: tuple[int | str, ...] | None = None
    """None: one element. A length that varies is a name: that of another argument, or of a number
    that is passed besides."""


@dataclass(frozen=True, eq=False)
class Bundle:
    """A named tuple of arrays; each array is a separate argument."""

    kind: type
    buffers: Mapping[str, Buffer]


@dataclass(frozen=True)
class Length:
    """An argument that tells the length of an array."""

    of: str
    axis: int


Argument = Scalar | Buffer | Bundle
WHOLE, REAL = Scalar(), Scalar(False)


@dataclass(frozen=True, eq=False)
class Exported:
    """A function for callers in other languages."""

    name: str
    function: Callable[..., Any]
    arguments: Mapping[str, Argument]
    bound: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    wide: bool = False
    """Whether it returns a number of 64 bits, if it returns one; otherwise it has 32."""

    @property
    def digest(self) -> str:
        """A digest of the sources that the function is made of."""
        return _source_digest(self.function, tuple(sorted(self.bound.items())))

    @cached_property
    def parameters(self) -> dict[str, Scalar | Buffer | Length]:
        """What callers pass, in order; a length comes after the first array that has it."""
        found: dict[str, Scalar | Buffer | Length] = {}
        for name, argument in _flat(self.arguments):
            found[name] = argument
            shape = argument.shape or () if isinstance(argument, Buffer) else ()
            for axis, length in enumerate(shape):
                if isinstance(length, str) and length not in self.arguments:
                    found.setdefault(length, Length(name, axis))
        return found


def _flat(arguments: Mapping[str, Argument]) -> Iterator[tuple[str, Scalar | Buffer]]:
    for name, argument in arguments.items():
        if isinstance(argument, Bundle):
            yield from ((f"{name}_{part}", each) for part, each in argument.buffers.items())
        else:
            yield name, argument


def object_code(
    machine: Machine, exported: Sequence[Exported], data: Mapping[str, bytes], prefix: str = ""
) -> tuple[bytes, dict[str, str]]:
    """Return an object file with these functions, and the type that each returns.

    ``data`` are constants that it exports as well. The names of both begin with ``prefix``.
    Raises :class:`~redouble.kernel.errors.RulesError` if a function uses what a rule cannot.
    """
    made = _made(machine)
    with global_compiler_lock:
        code = [_code(made, each) for each in exported]
        module = ir.Module("redouble")
        module.triple, module.data_layout = machine.triple, str(made.machine.target_data)
        returned = {
            each.name: _export(made.context, module, prefix, each, result)
            for each, result in zip(exported, code, strict=True)
        }
        for name, content in data.items():
            _constant(module, prefix + name, content)
        whole = llvm.parse_assembly(str(module))
        for result in code:
            whole.link_in(llvm.parse_assembly(result.library.get_llvm_str()))
    public = {prefix + name for name in [*returned, *data]}
    for each in [*whole.functions, *whole.global_variables]:
        if not each.is_declaration and each.name not in public:
            each.linkage = "internal"
    options = llvm.create_pipeline_tuning_options(speed_level=OPTIMIZED)
    builder = llvm.create_pass_builder(made.machine, options)
    builder.getModulePassManager().run(whole, builder)
    whole.verify()
    return made.machine.emit_object(whole), returned


def kept_files(digest: str, make: Callable[[], Mapping[str, bytes]]) -> dict[str, bytes]:
    """Return files with this digest from the cache, or make them.

    If several processes want the same files, one of them makes them.
    """
    folder = cache_folder(digest)
    if folder is None:
        return dict(make())
    names = folder / "files.json"
    turn = _turn_of(folder / "files.lock")
    try:
        with contextlib.suppress(OSError, ValueError):  # not made yet, or damaged
            return {name: (folder / name).read_bytes() for name in json.loads(names.read_bytes())}
        files = make()
        with contextlib.suppress(OSError):  # no room, or a folder that can only be read
            for name, content in files.items():
                _write(folder / name, content)
            _write(names, json.dumps(list(files)).encode())
        return dict(files)
    finally:
        if turn is not None:
            turn.close()


def _write(path: Path, content: bytes) -> None:
    """Write a file at once, or not at all."""
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.write_bytes(content)
    new.replace(path)


@dataclass(frozen=True)
class _Made:
    """What compiles for a machine."""

    machine: Any
    context: Any
    target: Target


@cache
def _made(machine: Machine) -> _Made:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm_machine = llvm.Target.from_triple(machine.triple).create_target_machine(
        opt=OPTIMIZED, features=machine.features, reloc="pic", codemodel="default"
    )
    context = cpu_target.target_context.subtarget(
        _internal_codegen=_Codegen(machine.triple, llvm_machine), aot_mode=True
    )
    context.get_executable = _finalized

    class Description(CPUTarget):
        """Numba's description of a machine that code is made for."""

        typing_context = cpu_target.typing_context
        target_context = context

    class Portable(CPUDispatcher):
        """A function for another machine: it is compiled when another calls it, and never run."""

        targetdescr: Any = Description("cpu")  # type: ignore[no-untyped-call]  # Numba has no types

        def add_overload(self, code: Any) -> None:
            self.overloads[tuple(code.signature.args)] = code

    def portable(function: Any, **options: Any) -> Any:
        usual = {"nopython": True, "nogil": True, "_nrt": False, "error_model": "numpy"}
        plain = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        return Portable(function, {}, {**usual, **plain, **options})

    def build(twin: Any, function: Any, bound: Any) -> Any:
        return portable(twin, forceinline=bytes_of_code(function) < INLINED_BYTES)

    bodies = {**BODIES, **_WIDE_BODIES}
    twins = {rule: portable(body, inline=inline) for rule, (body, inline) in bodies.items()}
    return _Made(llvm_machine, context, Target(twins | INTRINSICS, build))


class _Codegen(AOTCPUCodegen):
    """Numba's code generator, for another machine than this."""

    def __init__(self, triple: str, machine: Any) -> None:
        self._triple, self._tm = triple, machine
        super().__init__("redouble")  # type: ignore[no-untyped-call]  # Numba has no types

    def _init(self, module: Any) -> None:
        self._target_data = self._tm.target_data
        self._data_layout = str(self._target_data)
        self._loopvect, self._opt_level = False, 0
        self._tm_features = ""

    def _create_empty_module(self, name: str) -> Any:
        module = super()._create_empty_module(name)  # type: ignore[no-untyped-call]  # Numba has no types
        module.triple = self._triple
        return module


def _finalized(library: Any, description: Any, environment: Any) -> str:
    """Stand for Numba's loading of code into this process."""
    library._ensure_finalized()
    return str(description.llvm_func_name)


def _code(made: _Made, exported: Exported) -> Any:
    types = tuple(_type(argument) for argument in exported.arguments.values())
    twin = compiled_for(made.target, exported.function, **exported.bound)
    twin.compile(types)
    return twin.overloads[types]


def _type(argument: Argument) -> Any:
    if isinstance(argument, Scalar):
        return numba.types.int64 if argument.whole else numba.types.float64
    if isinstance(argument, Bundle):
        return _named_tuple([_type(each) for each in argument.buffers.values()], argument.kind)
    element = numba.from_dtype(argument.element)
    if argument.shape is None:
        return element
    return numba.types.Array(element, len(argument.shape), "C")


def _export(context: Any, module: Any, prefix: str, exported: Exported, code: Any) -> str:
    """Write a C function that calls a compiled one, and return the type of its result."""
    result = code.signature.return_type
    bits = 64 if exported.wide else 32
    returned = ir.VoidType() if result == numba.types.none else ir.IntType(bits)
    parameters = [_passed_as(each) for each in exported.parameters.values()]
    kind = ir.FunctionType(returned, parameters)
    function = ir.Function(module, kind, prefix + exported.name)
    builder = ir.IRBuilder(function.append_basic_block())
    passed = dict(zip(exported.parameters, function.args, strict=True))
    values = [_value(context, builder, *each, passed) for each in exported.arguments.items()]
    callee = context.declare_function(module, code.fndesc)
    status, found = context.call_conv.call_function(
        builder, callee, result, code.signature.args, values
    )
    with _if_unlikely(builder, status.is_error):
        trap = ir.FunctionType(ir.VoidType(), ())
        builder.call(module.declare_intrinsic("llvm.trap", (), trap), ())
        builder.unreachable()
    if isinstance(returned, ir.VoidType):
        builder.ret_void()
        return "void"
    if found.type.width > bits:
        found = builder.trunc(found, returned)
    elif found.type.width < bits:  # a truth value is 0 or 1
        found = (builder.sext if getattr(result, "signed", False) else builder.zext)(
            found, returned
        )
    builder.ret(found)
    return f"int{bits}"


def _passed_as(parameter: Scalar | Buffer | Length) -> Any:
    if isinstance(parameter, Buffer):
        return ir.IntType(8).as_pointer()
    return ir.DoubleType() if parameter == REAL else ir.IntType(32)


def _value(
    context: Any, builder: Any, name: str, argument: Argument, passed: Mapping[str, Any]
) -> Any:
    """Return what Numba's function gets for an argument, made of what callers pass."""
    kind, wide = _type(argument), ir.IntType(64)
    if isinstance(argument, Bundle):
        parts = argument.buffers.items()
        values = [_value(context, builder, f"{name}_{n}", each, passed) for n, each in parts]
        return context.make_tuple(builder, kind, values)
    if isinstance(argument, Scalar):
        return builder.sext(passed[name], wide) if argument.whole else passed[name]
    if argument.shape is None:
        return builder.bitcast(passed[name], context.get_value_type(kind))
    lengths = [
        builder.sext(passed[n], wide) if isinstance(n, str) else ir.Constant(wide, n)
        for n in argument.shape
    ]
    itemsize = ir.Constant(wide, argument.element.itemsize)
    strides = [itemsize]
    for length in reversed(lengths[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    array = context.make_array(kind)(context, builder)
    data = builder.bitcast(passed[name], array.data.type)
    _populate(array, data, lengths, strides, itemsize, meminfo=None)
    return array._getvalue()


def _constant(module: Any, name: str, content: bytes) -> None:
    kind = ir.ArrayType(ir.IntType(8), len(content))
    constant = ir.GlobalVariable(module, kind, name)
    constant.initializer = ir.Constant(kind, bytearray(content))
    constant.global_constant, constant.align = True, 8
