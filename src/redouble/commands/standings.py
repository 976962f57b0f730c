"""The results of a tournament as tables for a terminal."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from redouble.lab.arena.intervals import Estimate
from redouble.lab.arena.page import heads, pair_rows, percent, row, title
from redouble.lab.arena.results import Standings
from redouble.lab.arena.tournament import TournamentResults


def tables(results: TournamentResults, found: Standings, console: Console) -> list[Table]:
    """Return the results as tables that fit the console.

    On a narrow console the headings take two lines, then the shares lose their percent signs, and
    finally their intervals, which the page and the JSON still have.
    """
    lines = [row(results, found.lines[bot]) for bot in found.order]
    name = title(results.tournament)
    narrow = [head.replace(" ", "\n") for head in heads(results)]
    shown = [
        _fitting(
            console, (draw_table(heads(results), lines, name), draw_table(narrow, lines, name))
        )
    ]
    if len(found.lines) > 2:
        names = ["before", *(found.lines[bot].name for bot in found.order)]
        name = "How often the row's bot came before"
        forms = [
            draw_table(names, pair_rows(found), name),
            draw_table(names, pair_rows(found, _bare), f"{name} (%)"),
            draw_table(names, pair_rows(found, lambda e: f"{100 * e.mean:.1f}"), f"{name} (%)"),
        ]
        shown.append(_fitting(console, forms))
    return shown


def _bare(estimate: Estimate) -> str:
    """Return a share and its interval without the percent sign, which is in the heading."""
    return percent(estimate).removesuffix("%")


def draw_table(names: Sequence[str], rows: Sequence[Sequence[str]], name: str) -> Table:
    """Return a table with these headings and rows, the first column on the left."""
    drawn = Table(
        title=name,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for i, head in enumerate(names):
        drawn.add_column(Text(head), justify="right" if i else "left", overflow="fold")
    for cells in rows:
        drawn.add_row(*(Text(cell) for cell in cells))
    return drawn


def _fitting(console: Console, forms: Sequence[Table]) -> Table:
    """Return the first table that fits the console, or the last one."""
    room = console.options.update(width=10_000)
    for form in forms:
        if Measurement.get(console, room, form).maximum <= console.width:
            return form
    return forms[-1]
