"""``redouble build``: games as files for other languages, and the edition for browsers."""

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from redouble.commands.arguments import GAME_NAME, GameName, argument
from redouble.commands.help import command, new_app
from redouble.contract.registry import GAMES
from redouble.kernel.extras import require
from redouble.kernel.settings import option

build = new_app("build", "Make files of games for other languages, or for browsers.")
Out = Annotated[Path, option("FOLDER", "Where the files are written; it is made if needed.")]


@command(build)
def wasm(
    games: Annotated[list[str] | None, argument("GAME", GAME_NAME, "every game")] = None,
    out: Out = Path(),
) -> None:
    """Make WebAssembly modules: rules, bots, hints and the solver, without imports.

    A module comes with a description of its functions and records in JSON. Making one takes about
    half a minute, once.
    """
    require("a WebAssembly module", "wasm", "numba", "numpy")
    from redouble.exports.build import linker, wasm_files

    linker()
    out.mkdir(parents=True, exist_ok=True)
    for game in [GAMES[name] for name in games or GAMES]:
        _write(out, wasm_files(game))


@command(build)
def c(game: GameName, out: Out = Path()) -> None:
    """Make an object file for this kind of machine, and a C header for it."""
    from redouble.exports.build import c_files

    out.mkdir(parents=True, exist_ok=True)
    _write(out, c_files(GAMES[game]))


@command(build)
def site(out: Out = Path("site")) -> None:
    """Make the edition that runs in a browser: files for any web host.

    They are made of this environment's packages. npm fetches Python for browsers, pip the one
    package that is compiled, and node compresses the files.
    """
    from redouble.web.server.edition import make

    size = make(out)
    print(f"{out}: serve this folder, and open its page. A first visit gets {size / 1e6:.1f} MB")


def _write(out: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        (out / name).write_bytes(content)
        kilobytes = len(gzip.compress(content)) / 1000
        print(f"{out / name}: {len(content):,} bytes, {kilobytes:.1f} kB with gzip")
