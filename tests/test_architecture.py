"""The code against the sentences of docs/architecture.md: who may import whom."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "redouble"

LAYERS = (
    {"errors", "state", "rng"},
    {"piles", "options", "view", "report"},
    {"game"},
    {"games"},
    {"registry"},
    {"match"},
    {"record", "story"},
    {"bound"},
    {"engine", "bots"},
    {"search"},
    {"simulate", "contest", "prepare", "solve", "shares", "review", "advice", "puzzle"},
    {"bench", "arena", "study", "terminal", "web"},
    {"cli"},
    {"__init__", "__main__"},
)
"""Lower ones first: a module imports from its own layer only within one package."""
COMPILING = {
    "engine",
    "search",
    "simulate",
    "contest",
    "solve",
    "arena",
    "bench",
    "study",
    "puzzle",
}
MODULES = sorted(SOURCE.rglob("*.py"))


def room(path: Path) -> str:
    """The first part of a module's name under ``redouble``."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Everything a module imports when it is imported; imports inside functions wait."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{name.name}" for name in node.names}
    return found


def level(name: str) -> int:
    return next(i for i, layer in enumerate(LAYERS) if name in layer)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_arrows_point_down_only(path: Path) -> None:
    mine = room(path)
    for name in imports(path):
        parts = name.split(".")
        if parts[0] != "redouble" or len(parts) == 1:
            continue
        other = parts[1]
        if other != mine and any(other in layer for layer in LAYERS):
            assert level(other) <= level(mine), f"{mine} imports {other}"
        if mine == other == "games":
            assert parts[2:3] == [path.parent.name], f"{path} imports another game"


def test_the_terminal_and_the_pages_know_nothing_of_each_other() -> None:
    for path in MODULES:
        other = {"terminal": "redouble.web", "web": "redouble.terminal"}.get(room(path), "-")
        assert not [name for name in imports(path) if name.startswith(other)], path


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_the_compiled_engine_imports_numpy_and_numba(path: Path) -> None:
    heavy = {name.split(".")[0] for name in imports(path)} & {"numpy", "numba"}
    assert not heavy or room(path) in COMPILING


def test_no_game_is_named_outside_its_folder() -> None:
    """Nor in the pages' templates, style sheets and scripts."""
    folders = [path.name for path in (SOURCE / "games").iterdir() if (path / "rules.py").exists()]
    names = folders + [folder.replace("_", "-") for folder in folders]
    drawn = [path for kind in ("html", "css", "js") for path in SOURCE.rglob(f"*.{kind}")]
    for path in MODULES + drawn:
        if room(path) == "games" or path == SOURCE / "__init__.py":
            continue  # the package's docstring shows an example
        text = path.read_text(encoding="utf-8")
        assert [name for name in names if name in text] == [], path


def test_playing_does_not_wait_for_a_compiler() -> None:
    code = (
        "import sys, redouble; m = redouble.new('double-down', seats=2);"
        "m.push(m.legal_moves[0]); m.view(0);"
        "print(sorted({'numba', 'numpy', 'llvmlite'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"
