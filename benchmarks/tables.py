"""The tables of benchmarks: each in a CSV file, and the rows of it that pages show.

A page shows part of ``results/NAME.csv`` between ``<!-- NAME: 2 -->`` and ``<!-- /NAME -->``. It
chooses the columns by its heads, and the rows by their first cells: two of them here.
"""

from __future__ import annotations

import csv
import datetime
import re
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from redouble.analysis.stats import Z95, wilson
from redouble.contract.registry import GAMES

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PAGES = sorted((ROOT / "docs").rglob("*.md"))
MEASURED = "commits"
"""The table of when and at which commit each of the others was measured."""
SHOWN = re.compile(r"(<!-- ([\w-]+): (\d) -->\n)(.*?)(<!-- /\2 -->)", re.DOTALL)


def write(name: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table to its file, and its figures to the pages that show them."""
    _save(name, [heads, *rows])
    first, *others = _read(MEASURED)
    now = [name, _commit(), datetime.date.today().isoformat()]
    _save(MEASURED, [first, *sorted([*(row for row in others if row[0] != name), now])])
    for page in PAGES:
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")


def _save(name: str, rows: Iterable[Sequence[object]]) -> None:
    with (RESULTS / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _commit() -> str:
    """The commit whose sources are measured, with a plus if they have been changed since."""
    command = ["git", "describe", "--always", "--abbrev=10", "--dirty=+", "--exclude=*"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def refreshed(page: str) -> str:
    """Return a page with the newest figures in its tables.

    Raises:
        KeyError: A page shows a row or a column that the file doesn't have.
    """
    return SHOWN.sub(
        lambda found: found[1] + _chosen(found[2], int(found[3]), found[4]) + found[5], page
    )


def _chosen(name: str, keys: int, text: str) -> str:
    heads, rule, *shown = [_cells(line) for line in text.splitlines()]
    columns, *rows = _read(name)
    places = [columns.index(head) for head in heads]
    found = {tuple(row[place] for place in places[:keys]): row for row in rows}
    new = [[found[tuple(row[:keys])][place] for place in places] for row in shown]
    return "".join(f"| {' | '.join(line)} |\n" for line in (heads, rule, *new))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")[1:-1]]


def _read(name: str) -> list[list[str]]:
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def written(name: str) -> list[list[str]]:
    """Return the rows of a table, without its heads."""
    return _read(name)[1:]


def with_others(name: str, game: str, rows: Sequence[list[str]]) -> list[list[str]]:
    """Return these rows and, of a table, those about other games, in the order of the games.

    The first word of a row is a game; ``rows`` are all about this one.
    """

    def game_of(row: list[str]) -> str:
        return row[0].split()[0]

    old = [row for row in written(name) if game_of(row) != game]
    return sorted([*rows, *old], key=lambda row: list(GAMES).index(game_of(row)))


def kept(name: str, rows: list[list[str]], cells: int = 1) -> list[list[str]]:
    """Return these rows and, of a table, those about other games and numbers of seats, in order.

    The first cell of a row is a game and a number of seats; the first ``cells`` say what it is of.
    """
    new = [row[:cells] for row in rows]

    def place(row: list[str]) -> tuple[str, int]:
        game, seats = row[0].split()
        return game, int(seats)

    return sorted([*rows, *(row for row in written(name) if row[:cells] not in new)], key=place)


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
    return f"{100 * mean:.1f} ± {100 * error:.1f}%"
