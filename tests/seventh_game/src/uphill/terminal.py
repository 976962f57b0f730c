"""The paths in a terminal: each a flight of stairs from the lower left to the upper right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redouble.contract.drawing import QUIET, Drawing, Span

GAP = "   "


def draw(board: Mapping[str, Any], unicode: bool) -> Drawing | None:
    """Draw the paths side by side; a free step shows its number's place as a dot."""
    steps = int(board["steps"])
    rise = "▁" if unicode else "_"
    lines: list[tuple[Span, ...]] = []
    for level in range(steps, 0, -1):
        line: list[Span] = []
        for path in board["paths"]:
            tile = path[level - 1]
            line.append(Span("   " * (level - 1) + rise))
            line.append(Span(f"{tile:>2}", "bold black on green") if tile else Span(" .", QUIET))
            line.append(Span("   " * (steps - level) + GAP))
        lines.append(tuple(line))
    feet = "".join(f"{step:>3}" for step in range(1, steps + 1))
    lines.append(tuple(Span(feet + GAP, QUIET) for _ in board["paths"]))
    return Drawing(tuple(lines), frozenset({"path"}))
