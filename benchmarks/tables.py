"""The tables that benchmarks write into the docs, each between two marks with its name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from redouble.analysis.stats import Z95, wilson
from redouble.contract.registry import GAMES

DOCS = Path(__file__).resolve().parent.parent / "docs"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def write(document: str, name: str, text: str) -> None:
    """Replace the text between ``<!-- name -->`` and ``<!-- /name -->`` in a document."""
    path = DOCS / document
    page = path.read_text(encoding="utf-8")
    pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"{path} has no marks for {name!r}")
    path.write_text(pattern.sub(lambda m: f"{m[1]}{text}\n{m[2]}", page), encoding="utf-8")


def written(document: str, name: str) -> list[list[str]]:
    """Return the rows of a table in a document."""
    page = (DOCS / document).read_text(encoding="utf-8")
    text = page.partition(f"<!-- {name} -->\n")[2].partition(f"<!-- /{name} -->")[0]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()[2:]]


def with_others(document: str, name: str, game: str, rows: Sequence[list[str]]) -> list[list[str]]:
    """Return these rows and, of a table, those about other games, in the order of the games.

    The first word of a row is a game; ``rows`` are all about this one.
    """

    def game_of(row: list[str]) -> str:
        return row[0].split()[0]

    old = [row for row in written(document, name) if game_of(row) != game]
    return sorted([*rows, *old], key=lambda row: list(GAMES).index(game_of(row)))


def kept(document: str, name: str, rows: list[list[str]], cells: int = 1) -> list[list[str]]:
    """Return these rows and, of a table, those about other games and numbers of seats, in order.

    The first cell of a row is a game and a number of seats; the first ``cells`` say what it is of.
    """
    new = [row[:cells] for row in rows]

    def place(row: list[str]) -> tuple[str, int]:
        game, seats = row[0].split()
        return game, int(seats)

    return sorted(
        [*rows, *(row for row in written(document, name) if row[:cells] not in new)], key=place
    )


def millions(number: float) -> str:
    """Return a number as ``17.1 M`` or ``181 k``."""
    return f"{number / 1e6:.1f} M" if number >= 1e6 else f"{number / 1e3:.0f} k"


def percent(values: Sequence[float] | np.ndarray[Any, Any]) -> str:
    """Return a mean in percent with its 95 % interval: Wilson's if all values are the same."""
    mean, spread = float(np.mean(values)), float(np.std(values))
    error = Z95 * spread / np.sqrt(len(values))
    if not spread and 0.0 <= mean <= 1.0:
        low, high = wilson(mean, len(values))
        error = (high - low) / 2
    return f"{100 * mean:.1f} +- {100 * error:.1f} %"
