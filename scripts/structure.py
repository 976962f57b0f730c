#!/usr/bin/env python3
"""Measure how the source is built: the rooms of each folder, and the arrows between them.

.venv/bin/python scripts/structure.py              every folder, and the lines of code
.venv/bin/python scripts/structure.py web          one folder, room by room
.venv/bin/python scripts/structure.py --source DIR the same of another checkout

A *room* is a module or a folder, seen from the folder that holds it. An *arrow* leads from a room
to another room of the same folder that one of its modules imports, inside functions too. A room's
*storey* is one above the highest room that it imports. Rooms that import each other, directly or
through others, form a *circle*; where there is one, storeys count as if it were a single room.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "redouble"
PACKAGE = "redouble"
FACE = "__init__"
"""The room of a folder's own ``__init__``."""


@dataclass(frozen=True)
class Import:
    """One import of a module of the package, at once or inside a function (``lazy``)."""

    target: str
    lazy: bool


@dataclass(frozen=True)
class Folder:
    """The rooms of a folder, by name, each with the rooms that it imports."""

    name: str
    rooms: Mapping[str, frozenset[str]]

    @property
    def arrows(self) -> int:
        return sum(len(targets) for targets in self.rooms.values())

    @property
    def circles(self) -> tuple[tuple[str, ...], ...]:
        """The groups of rooms that import each other, sorted."""
        return tuple(sorted(group for group in self._groups() if len(group) > 1))

    @property
    def storeys(self) -> dict[str, int]:
        """Each room's storey, 1 at the ground."""
        storey: dict[str, int] = {}
        for group in self._groups():  # a group comes after all that it imports
            below = {t for room in group for t in self.rooms[room]} - set(group)
            height = 1 + max((storey[target] for target in below), default=0)
            storey |= dict.fromkeys(group, height)
        return storey

    def _groups(self) -> Iterator[tuple[str, ...]]:
        """Yield the strongly connected rooms, bottom up.

        See Tarjan, "Depth-First Search and Linear Graph Algorithms" (1972).
        """
        index: dict[str, int] = {}
        low: dict[str, int] = {}
        stack: list[str] = []
        found: list[tuple[str, ...]] = []

        def visit(room: str) -> None:
            index[room] = low[room] = len(index)
            stack.append(room)
            for target in sorted(self.rooms[room]):
                if target not in index:
                    visit(target)
                if target in stack:
                    low[room] = min(low[room], low[target])
            if low[room] == index[room]:
                group = stack[stack.index(room) :]
                del stack[stack.index(room) :]
                found.append(tuple(sorted(group)))

        for room in sorted(self.rooms):
            if room not in index:
                visit(room)
        yield from found


class Structure:
    """The modules of a package and what they import."""

    def __init__(self, source: Path = SOURCE) -> None:
        self.paths = {_module(source, path): path for path in sorted(source.rglob("*.py"))}
        """The file of each module, by its dotted name under the package."""
        self.folders = {_folder(name, path) for name, path in self.paths.items()}
        """The dotted names of the folders with modules; the package's own is empty."""
        roots = {"source": source, "tests": source.parents[1] / "tests"}
        self.lines = {name: sum(map(_lines, root.rglob("*.py"))) for name, root in roots.items()}
        """The lines of the checkout's source and of its tests."""

    @cached_property
    def imports(self) -> dict[str, list[Import]]:
        """What each module imports, read when it is first asked for."""
        return {name: self._imports(path) for name, path in self.paths.items()}

    def targets(self, module: str, *, lazy: bool | None = None) -> set[str]:
        """Return the modules that a module imports; only (not) lazily if that is given."""
        wanted = (one for one in self.imports[module] if lazy is None or one.lazy == lazy)
        return {one.target for one in wanted} - {module}

    def folder(self, name: str) -> Folder:
        """Return the rooms of a folder, given by its dotted name, such as ``web.table``."""
        rooms: dict[str, set[str]] = {}
        for module in self.paths:
            room = self._room(name, module)
            if room is not None:
                targets = (self._room(name, target) for target in self.targets(module))
                rooms.setdefault(room, set()).update(one for one in targets if one is not None)
        # A folder's face hands on what its rooms offer, so importing it is no arrow to a room.
        named = {room: targets - {room, FACE} for room, targets in rooms.items() if room != FACE}
        return Folder(name, {room: frozenset(targets) for room, targets in named.items()})

    def _room(self, folder: str, module: str) -> str | None:
        """Return the room of a folder in which a module lies; None for one outside."""
        if module == folder:
            return FACE
        prefix = f"{folder}." if folder else ""
        if not module.startswith(prefix):
            return None
        return module.removeprefix(prefix).split(".")[0]

    def _imports(self, path: Path) -> list[Import]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        return [
            Import(target, lazy)
            for node, lazy in import_nodes(tree)
            for target in self._named(node)
        ]

    def _named(self, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
        if isinstance(node, ast.Import):
            names = [(name.name, "") for name in node.names]
        else:
            assert not node.level, "imports are absolute"
            names = [(node.module or "", name.name) for name in node.names]
        for base, name in names:
            if base.split(".")[0] != PACKAGE:
                continue
            inner = base.removeprefix(PACKAGE).lstrip(".")
            full = ".".join(part for part in (inner, name) if part)
            yield full if full in self.paths else inner or FACE


def import_nodes(
    tree: ast.AST, lazy: bool = False
) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Yield every import, and whether it is inside a function.

    What is imported for type checkers alone counts as imported at once.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node, lazy
        else:
            function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield from import_nodes(node, lazy or function)


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _module(source: Path, path: Path) -> str:
    """Return the dotted name of a module; a folder's is that of its ``__init__``."""
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == FACE and len(parts) > 1 else parts)


def _folder(name: str, path: Path) -> str:
    return name if path.name == f"{FACE}.py" and name != FACE else name.rpartition(".")[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", help="show the rooms of this folder, such as web")
    parser.add_argument("--source", type=Path, default=SOURCE, help="src/redouble of a checkout")
    given = parser.parse_args()
    structure = Structure(given.source.resolve())
    if given.folder is None:
        print(f"{'folder':24} rooms arrows storeys circles")
        for name in sorted(structure.folders):
            one = structure.folder(name)
            height = max(one.storeys.values(), default=0)
            shown = name or PACKAGE
            print(f"{shown:24} {len(one.rooms):5} {one.arrows:6} {height:7} {len(one.circles):7}")
        for name, lines in structure.lines.items():
            print(f"{name:24} {lines:,} lines")
        return
    if given.folder not in structure.folders:
        parser.error(f"there is no folder {given.folder}: choose one of {structure.folders}")
    one = structure.folder(given.folder)
    for room, storey in sorted(one.storeys.items(), key=lambda item: (-item[1], item[0])):
        print(f"{storey:3} {room:20} -> {' '.join(sorted(one.rooms[room]))}")
    for circle in one.circles:
        print(f"circle: {' '.join(circle)}")


if __name__ == "__main__":
    main()
