"""``redouble build``: games as files for other languages, and the edition for browsers."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from redouble.commands.arguments import GAME_NAME, GameName
from redouble.contract.registry import GAMES

build = typer.Typer(
    name="build",
    help="Make files of games for other languages, and the edition for browsers.",
    no_args_is_help=True,
)
Out = Annotated[
    Path, typer.Option(metavar="FOLDER", help="Where the files are written; it is made if needed.")
]


@build.command()
def wasm(
    games: Annotated[
        list[str] | None,
        typer.Argument(metavar="GAME", help=GAME_NAME, show_default="every game"),
    ] = None,
    out: Out = Path(),
) -> None:
    """Make WebAssembly modules: rules, bots, hints and the solver, without imports.

    A module comes with a description of its functions and records in JSON. Making one takes about
    half a minute, once.
    """
    from redouble.exports.build import linker, wasm_files

    linker()
    out.mkdir(parents=True, exist_ok=True)
    for game in [GAMES[name] for name in games or GAMES]:
        _write(out, wasm_files(game))


@build.command()
def c(game: GameName, out: Out = Path()) -> None:
    """Make an object file for this kind of machine, and a C header for it."""
    from redouble.exports.build import c_files

    out.mkdir(parents=True, exist_ok=True)
    _write(out, c_files(GAMES[game]))


@build.command()
def site(out: Out = Path("site")) -> None:
    """Make the edition that runs in a browser: files for any web host.

    They are made of this environment's packages. npm fetches Python for browsers, pip the one
    package that is compiled, and node compresses the files.
    """
    from redouble.commands.site import make

    size = make(out)
    print(f"{out}: serve this folder, and open its page. A first visit gets {size / 1e6:.1f} MB")


def _write(out: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        (out / name).write_bytes(content)
        kilobytes = len(gzip.compress(content)) / 1000
        print(f"{out / name}: {len(content):,} bytes, {kilobytes:.1f} kB with gzip")
