"""Makes the files of a game for other languages, and keeps them until its sources change."""

import hashlib
import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import llvmlite

from redouble.contract.game import Game
from redouble.exports.header import header, prefix_of
from redouble.exports.layout import layout
from redouble.exports.loops import exports, headers
from redouble.kernel import portable
from redouble.kernel.errors import RedoubleError, pip_line
from redouble.kernel.portable import HERE, WASM, Machine, kept_files, object_code

HEADERS = "headers"
"""The constant with the positions to deal from."""
LINKER_FLAGS = (
    "--no-entry",
    "--gc-sections",
    "--strip-all",
    "--stack-first",
    "-zstack-size=262144",
)
"""The stack lies first: one that is too deep traps, and overwrites nothing."""
MAKERS = sorted([*Path(__file__).parent.glob("*.py"), Path(portable.__file__)])


class BuildError(RedoubleError):
    """A module that can't be linked."""


def wasm_files(game: Game) -> dict[str, bytes]:
    """Return a game as a WebAssembly module without imports, and its description in JSON.

    Raises :class:`BuildError` without a linker.
    """
    command = linker()

    def make() -> dict[str, bytes]:
        code, returned = object_code(WASM, exports(game), {HEADERS: headers(game)})
        return {
            f"{game.name}.wasm": _linked(command, code, [*returned, HEADERS, "__heap_base"]),
            f"{game.name}.json": json.dumps(layout(game, returned), indent=1).encode() + b"\n",
        }

    return kept_files(_digest(game, WASM), make)


def c_files(game: Game) -> dict[str, bytes]:
    """Return a game as an object file for this kind of machine, and its header."""

    def make() -> dict[str, bytes]:
        data = {HEADERS: headers(game)}
        code, returned = object_code(HERE, exports(game), data, prefix_of(game.name))
        return {f"{game.name}.o": code, f"{game.name}.h": header(layout(game, returned)).encode()}

    return kept_files(_digest(game, HERE), make)


def linker() -> list[str]:
    """Return the command that links WebAssembly. Raises :class:`BuildError` if there is none."""
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "wasm-ld"]
    found = which("wasm-ld")
    if found is None:
        raise BuildError(
            f"no linker for WebAssembly is installed: {pip_line('wasm')}, or install the"
            " package lld of your system"
        )
    return [found]


def _linked(command: list[str], code: bytes, names: list[str]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "game.o"), Path(folder, "game.wasm")
        source.write_bytes(code)
        shown = [f"--export={name}" for name in names]
        result = subprocess.run(
            [*command, str(source), "-o", str(made), *LINKER_FLAGS, *shown],
            capture_output=True,
            text=True,
        )
        if result.returncode:
            raise BuildError(f"the WebAssembly module can't be linked: {result.stderr.strip()}")
        return made.read_bytes()


def _digest(game: Game, machine: Machine) -> str:
    """Return a digest of everything that a game's files are made of."""
    digest = hashlib.sha256(repr((machine, game.name, llvmlite.__version__)).encode())
    for path in MAKERS:
        digest.update(path.read_bytes())
    for each in exports(game):
        digest.update(f"{each.name} {each.digest} ".encode())
    digest.update(headers(game))
    return digest.hexdigest()[:16]
