#!/usr/bin/env python3
"""Measure the structure of the code: the rooms of each folder, and who imports whom.

.venv/bin/python scripts/structure.py                   print it as a Markdown table
.venv/bin/python scripts/structure.py --before DIR --write
    compare it with another checkout and update docs/reports/structure.md

A folder's *rooms* are its modules and subfolders. An *arrow* leads from a room to one that it
imports, inside functions too. A folder has as many *storeys* as the longest chain of arrows has
rooms. A *circle* is a group of rooms that import each other.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = Path("src") / "redouble"
REPORT = ROOT / "docs" / "reports" / "structure.md"
GAMES = re.compile(r"games/\w+")
"""A game's folder: all of them have the same rooms."""
HEADS = ("folder", "rooms", "arrows", "storeys", "circles", "lines")

Arrows = Mapping[str, set[str]]
"""For each room, the rooms that it imports."""


@dataclass(frozen=True)
class Folder:
    """How a folder of code is built."""

    rooms: int
    arrows: int
    storeys: int
    circles: int
    lines: int
    """Of all its modules, those in subfolders included."""


def modules(source: Path) -> dict[str, Path]:
    """Return the files of the package by dotted name; a package's is that of its ``__init__``."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path, names: Mapping[str, Path]) -> Iterator[str]:
    """Yield the modules of the package that a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            targets = [f"{node.module}.{name.name}" for name in node.names]
        elif isinstance(node, ast.Import):
            targets = [name.name for name in node.names]
        else:
            continue
        for target in targets:
            inner = target.removeprefix("redouble").lstrip(".")
            if target.split(".")[0] == "redouble":
                yield inner if inner in names else inner.rpartition(".")[0]


def arrows_between_rooms(folder: str, imports: Arrows) -> dict[str, set[str]]:
    """Return the arrows between the rooms of a folder, named by its dotted path."""
    depth = len(folder.split(".")) if folder else 0

    def room(name: str) -> str | None:
        parts = name.split(".") if name else []
        inside = ".".join(parts[:depth]) == folder
        return parts[depth] if inside and len(parts) > depth else None

    found: dict[str, set[str]] = {}
    for name, targets in imports.items():
        if (mine := room(name)) is not None:
            others = {other for target in targets if (other := room(target)) is not None}
            found.setdefault(mine, set()).update(others - {mine})
    return found


def circles(arrows: Arrows) -> list[set[str]]:
    """Return the groups of rooms that import each other, at once or through others."""

    @cache
    def reached(start: str) -> frozenset[str]:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            for other in arrows[waiting.pop()] - seen:
                seen.add(other)
                waiting.append(other)
        return frozenset(seen)

    found: list[set[str]] = []
    for room in arrows:
        group = {other for other in reached(room) if room in reached(other)}
        if group and group not in found:
            found.append(group)
    return found


def storeys(arrows: Arrows) -> int:
    """Return the number of rooms in the longest chain; a circle counts as one room."""
    groups = circles(arrows)
    group_of = {room: frozenset(group) for group in groups for room in group}
    nodes = {room: group_of.get(room, frozenset({room})) for room in arrows}

    @cache
    def height(node: frozenset[str]) -> int:
        below = {nodes[other] for room in node for other in arrows[room]} - {node}
        return 1 + max(map(height, below), default=0)

    return max(map(height, nodes.values()), default=0)


def measured(source: Path) -> dict[str, Folder]:
    """Return the folders with at least two rooms that hold code, by path; games' as one kind."""
    names = modules(source)
    imports = {name: set(imported(path, names)) for name, path in names.items()}
    sizes = {
        name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in names.items()
    }
    found = {}
    for path in sorted({path.parent for path in names.values()}):
        name = path.relative_to(source).as_posix().replace(".", "")
        dotted = name.replace("/", ".")
        arrows = arrows_between_rooms(dotted, imports)
        if len(arrows) > 1 and not GAMES.fullmatch(name):
            inside = [n for n in sizes if not dotted or n == dotted or n.startswith(f"{dotted}.")]
            found[name or "redouble"] = Folder(
                len(arrows),
                sum(map(len, arrows.values())),
                storeys(arrows),
                len(circles(arrows)),
                sum(sizes[each] for each in inside),
            )
    return found


def table(now: Mapping[str, Folder], before: Mapping[str, Folder] | None = None) -> str:
    """Return a Markdown table; with ``before``, each number with what it was."""
    rows = []
    for name in sorted({*now, *(before or {})}, key=lambda name: (name != "redouble", name)):
        cells = []
        for head in HEADS[1:]:
            new, old = (getattr(each.get(name), head, None) for each in (now, before or now))
            cells.append(f"{new:,}" if new is not None else "–")
            if before is not None:
                cells[-1] = f"{'–' if old is None else f'{old:,}'} → {cells[-1]}"
        rows.append([name if name == "redouble" else f"{name}/", *cells])
    lines = [HEADS, ["---"] * len(HEADS), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    """Print the table, or write the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, metavar="DIR", help="an older checkout")
    parser.add_argument("--write", action="store_true", help="update docs/reports/structure.md")
    wanted = parser.parse_args()
    before = None if wanted.before is None else measured(wanted.before / SOURCE)
    text = table(measured(ROOT / SOURCE), before)
    print(text)
    if wanted.write:
        page = REPORT.read_text(encoding="utf-8")
        head, begin, rest = page.partition("<!-- structure -->\n")
        tail = rest.partition("<!-- /structure -->")
        REPORT.write_text(f"{head}{begin}{text}\n{tail[1]}{tail[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
