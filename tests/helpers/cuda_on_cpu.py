"""What numba-cuda makes of kernels, without a graphics card: assembled, and run on the processor.

numba-cuda lowers a kernel to LLVM's intermediate code. NVVM and ``ptxas`` assemble it for a card,
which says how many registers it takes. Compiled for the processor instead, with the number of the
thread coming from a loop, the same code shows what a card would compute.
"""

import ctypes
import hashlib
import re
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba_cuda
import numpy as np
from cuda.pathfinder import find_nvidia_binary_utility
from numba.cuda.compiler import compile_cuda, kernel_fixup
from numba.cuda.cudadrv import nvvm

from redouble.envs.cards.device import CAPABILITY, Kernel
from redouble.kernel.portable import kept_files
from tests.helpers.places import SOURCES
from tests.helpers.strangers import PACKAGES

THREADS = 128
SPECIAL = re.compile(r"llvm\.nvvm\.read\.ptx\.sreg\.(tid|ctaid|ntid)\.x")
MACHINE = re.compile(r"^(target (triple|datalayout)|!nvvm\.annotations) = .*$", re.MULTILINE)


@dataclass(frozen=True)
class Assembled:
    """What ``ptxas`` says about a kernel."""

    registers: int
    spilled_bytes: int
    stack_bytes: int
    floats_fused: bool
    """Whether a product and a sum of floats are rounded as one, unlike on processors."""


@cache
def intermediate(kernel: Kernel) -> tuple[str, tuple[str, ...]]:
    """Return a kernel's name and LLVM modules, as numba-cuda hands them to NVVM."""

    def make() -> dict[str, bytes]:
        code = compile_cuda(
            kernel.function,
            kernel.signature.return_type,
            kernel.signature.args,
            nvvm_options={"opt": 3},
            cc=CAPABILITY,
        )
        name = code.fndesc.llvm_func_name
        kernel_fixup(code.library.get_function(name), False)
        modules = {f"{i}.ll": text.encode() for i, text in enumerate(code.library.llvm_strs)}
        return {"name": name.encode(), **modules}

    name, *modules = kept_files(digest(kernel), make).values()
    return name.decode(), tuple(module.decode() for module in modules)


@cache
def sources_digest() -> bytes:
    """Return a digest of everything that kernels are made of."""
    digest = hashlib.sha256(f"{llvmlite.__version__} {numba_cuda.__version__}".encode())
    for folder in (SOURCES, *(package / "src" for package in PACKAGES.values())):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    digest.update(Path(__file__).read_bytes())
    return digest.digest()


def digest(kernel: Kernel) -> str:
    """Return what tells apart a kernel that has to be compiled anew."""
    closure = [cell.cell_contents for cell in kernel.function.__closure__ or ()]
    bound = [repr(getattr(value, "py_func", value)).partition(" at ")[0] for value in closure]
    told = sources_digest(), kernel.function.__qualname__, str(kernel.signature), bound
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def assembled(kernel: Kernel) -> Assembled:
    """Assemble a kernel for the card of ``CAPABILITY``."""
    files = kept_files(f"{digest(kernel)}-assembled", lambda: ptx_of(kernel))
    ptx, said = (content.decode() for content in files.values())
    spilled = re.findall(r"(\d+) bytes spill stores, (\d+) bytes spill loads", said)
    (registers,) = re.findall(r"Used (\d+) registers", said)
    return Assembled(
        int(registers),
        sum(int(stores) + int(loads) for stores, loads in spilled),
        max(map(int, re.findall(r"(\d+) bytes stack frame", said))),
        "fma." in ptx,
    )


def ptx_of(kernel: Kernel) -> dict[str, bytes]:
    """Return a kernel's assembly language, and what ``ptxas`` says about it."""
    major, minor = CAPABILITY
    unit = nvvm.CompilationUnit({"arch": f"compute_{major}{minor}", "opt": 3})
    for module in intermediate(kernel)[1]:
        unit.add_module(nvvm.llvm_replace(module).encode())
    unit.verify()
    ptx = unit.compile().strip(b"\0")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "kernel.ptx")
        source.write_bytes(ptx)
        command = [find_nvidia_binary_utility("ptxas"), f"-arch=sm_{major}{minor}", "-v"]
        command += ["-o", str(source.with_suffix(".cubin")), str(source)]
        said = subprocess.run(command, capture_output=True, check=True).stderr
    return {"kernel.ptx": ptx, "ptxas.txt": said}


class ProcessorDevice:
    """Runs kernels on the processor, thread after thread; its memory is NumPy's."""

    def __init__(self) -> None:
        self._compiled: dict[Kernel, Any] = {}

    def upload(self, array: Any) -> Any:
        raw = bytearray(np.ascontiguousarray(array))  # NumPy's own copy leaves out padding
        return np.frombuffer(raw, array.dtype).reshape(array.shape).view(Uploaded)

    def download(self, array: Any) -> Any:
        return np.array(array)

    def columns(self, array: Any, rows: int) -> Any:
        return array[:rows].T

    def given(self, array: Any) -> Any:
        return array if isinstance(array, Uploaded) else None

    def launch(self, kernel: Kernel, n: int, *arguments: Any) -> None:
        if kernel not in self._compiled:
            self._compiled[kernel] = compiled_here(kernel)
        slots = [slot for argument in arguments for slot in _slots(argument)]
        threads = -(-n // THREADS) * THREADS
        self._compiled[kernel].run(threads, (ctypes.c_uint64 * len(slots))(*slots))

    def wait(self) -> None:
        pass  # it has run


class Uploaded(np.ndarray[Any, np.dtype[Any]]):
    """An array that lies on the device."""


@dataclass
class Runnable:
    """A kernel for this machine."""

    engine: Any
    """Owns the machine code."""
    run: Any


def compiled_here(kernel: Kernel) -> Runnable:
    """Compile a kernel's intermediate code for this machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=0)
    name, modules = intermediate(kernel)
    whole = llvm.parse_assembly("")
    for text in modules:
        text = MACHINE.sub("", SPECIAL.sub(r"thread_\1", text))
        whole.link_in(llvm.parse_assembly(text))
    arguments = [str(each.type) for each in whole.get_function(name).arguments]
    whole.link_in(llvm.parse_assembly(_all_threads(name, arguments)))
    whole.triple = machine.triple
    whole.data_layout = str(machine.target_data)
    whole.verify()
    engine = llvm.create_mcjit_compiler(whole, machine)
    engine.finalize_object()
    run = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)
    return Runnable(engine, run(engine.get_function_address("all_threads")))


def _all_threads(name: str, arguments: list[str]) -> str:
    """Return a function that runs a kernel for every thread, with its arguments from an array."""
    loads = "\n".join(
        f"  %p{k} = getelementptr i64, ptr %slots, i64 {k}\n  %a{k} = load {kind}, ptr %p{k}"
        for k, kind in enumerate(arguments)
    )
    passed = ", ".join(f"{kind} %a{k}" for k, kind in enumerate(arguments))
    return f"""
@thread = internal global i32 0
define i32 @thread_tid() {{
  %i = load i32, ptr @thread
  %r = urem i32 %i, {THREADS}
  ret i32 %r
}}
define i32 @thread_ctaid() {{
  %i = load i32, ptr @thread
  %r = udiv i32 %i, {THREADS}
  ret i32 %r
}}
define i32 @thread_ntid() {{
  ret i32 {THREADS}
}}
declare void @"{name}"({", ".join(arguments)})
define void @all_threads(i64 %n, ptr %slots) {{
entry:
{loads}
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %number = trunc i64 %i to i32
  store i32 %number, ptr @thread
  call void @"{name}"({passed})
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""


def _slots(argument: Any) -> list[int]:
    """Return an argument as numba-cuda passes it, in 64-bit numbers."""
    if isinstance(argument, np.ndarray):
        size, item = argument.size, argument.itemsize
        return [0, 0, size, item, argument.ctypes.data, *argument.shape, *argument.strides]
    if isinstance(argument, tuple):
        return [slot for each in argument for slot in _slots(each)]
    if isinstance(argument, float):
        return [int(np.float64(argument).view(np.uint64))]
    return [argument]
