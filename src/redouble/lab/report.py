"""Reports: one HTML file with text, tables and plots that needs no other file.

It is light or dark as the reader's system is, readable on a phone, and works without scripts.
Matplotlib is imported only when a plot is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.kernel.extras import needs
from redouble.kernel.files import check_writable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["PLOT_WIDTH", "PLUS_MINUS", "Report", "new_plot"]

TEMPLATE = "report.html"
PLUS_MINUS = "\N{PLUS-MINUS SIGN}"
"""Before the half width of an interval."""
PLOT_WIDTH = 4.8
"""Inches that a plot is wide: its letters stay readable on a phone, where it fills the page."""
REPORT = "a report"
"""The part of Redouble that needs more packages, as an error names it."""
MAX_HEIGHT = 100.0
MAX_CELL = 10**100
Cell = str | int | float

_NUMERIC = re.compile(
    r"[-+\N{MINUS SIGN}]?\d[\d.,]*( ?[%(\N{PLUS-MINUS SIGN}+].*| m?s)?|\N{EN DASH}"
)
_NAMED = re.compile(r'(\bid="|href="#|url\(#)')
_CYCLE = (
    *("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd"),
    *("#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"),
)
_INK = {
    "#000000": "var(--ink)",
    "#ffffff": "var(--sheet)",
    **{color: f"var(--c{i})" for i, color in enumerate(_CYCLE)},
}
"""Colors that follow the page, light or dark; any other must be visible on both."""


class Report:
    """A page that grows from top to bottom. Every text is escaped.

    Raises :class:`~redouble.kernel.errors.InputError` for what is not a text, as its methods do.
    """

    def __init__(self, title: str, summary: str) -> None:
        checks.text(title, "title")
        checks.text(summary, "summary")
        self.title = title
        self.summary = summary
        self._parts: list[dict[str, Any]] = []

    def heading(self, text: str) -> None:
        """Begin a section."""
        self._add("heading", text=checks.text(text, "a heading"))

    def paragraph(self, text: str) -> None:
        """Add a paragraph."""
        self._add("paragraph", text=checks.text(text, "a paragraph"))

    def table(
        self, heads: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str = ""
    ) -> None:
        """Add a table; the first cell of a row is its head.

        Raises :class:`~redouble.kernel.errors.InputError` if a cell is neither a text nor a number,
        or if a row is not as long as ``heads``.
        """
        heads = checks.texts(heads, "heads")
        checks.text(caption, "caption")
        texts = tuple(_row(row, len(heads)) for row in checks.items(rows, "rows", "rows of cells"))
        columns = [[row[i] for row in texts] for i in range(len(heads))]
        numeric = tuple(
            any(column) and all(not cell or _NUMERIC.fullmatch(cell) for cell in column)
            for column in columns
        )
        self._add("table", heads=heads, rows=texts, numeric=numeric, caption=caption)

    def plot(self, figure: Figure, caption: str) -> None:
        """Add a Matplotlib figure; screen readers read its caption."""
        with needs(REPORT, "lab"):
            from matplotlib.figure import Figure

        checks.instance(figure, Figure, "figure")
        checks.text(caption, "caption")
        number = sum(part["kind"] == "plot" for part in self._parts) + 1
        self._add("plot", svg=_svg(figure, f"plot{number}-"), caption=caption)

    def _add(self, kind: str, **part: Any) -> None:
        self._parts.append({"kind": kind, **part})

    def html(self) -> str:
        """Return the whole page."""
        with needs(REPORT, "lab"):
            import jinja2

        env = jinja2.Environment(
            loader=jinja2.FileSystemLoader(Path(__file__).parent),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )
        template = env.get_template(TEMPLATE)
        return template.render(title=self.title, summary=self.summary, parts=self._parts)

    def write(self, path: Path) -> None:
        """Write the page. Raises :class:`~redouble.kernel.files.UnwritableFile`."""
        check_writable(path)
        path.write_text(self.html(), encoding="utf-8")


def new_plot(height: float) -> Figure:
    """Return an empty figure of the usual width and this height in inches.

    Raises :class:`~redouble.kernel.errors.InputError` if the height is out of range.
    """
    with needs(REPORT, "lab"):
        from matplotlib.figure import Figure

    inches = checks.number(height, "height", 0.1, MAX_HEIGHT)
    return Figure(figsize=(PLOT_WIDTH, inches), layout="constrained")


def new_axes(height: float) -> tuple[Figure, Axes]:
    """Return an empty figure and its axes, without a frame at the top and on the right."""
    figure = new_plot(height)
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _row(cells: Sequence[Cell], width: int) -> tuple[str, ...]:
    row = checks.items(cells, "a row", "cells")
    if len(row) != width:
        raise InputError(f"a row has {len(row)} cells: give {width}, one under each head")
    for cell in row:
        if isinstance(cell, int) and abs(cell) > MAX_CELL:
            raise InputError("a cell has too many digits: give it as a text")
        if not isinstance(cell, (int, float)):
            checks.text(cell, "a cell")
    return tuple(str(cell) for cell in row)


def _svg(figure: Figure, prefix: str) -> str:
    """Return a figure as an ``svg`` element with its own ids and colors that follow the page."""
    with needs(REPORT, "lab"):
        import matplotlib

    settings: Any = {"svg.fonttype": "path", "svg.hashsalt": prefix}
    nothing: dict[str, Any] = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with matplotlib.rc_context(settings):
        text = StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata=nothing)
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    # A plot's own style element would apply to the whole page.
    svg = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = _NAMED.sub(rf"\g<1>{prefix}", svg)
    for color, variable in _INK.items():
        svg = svg.replace(color, variable)
    return svg.replace("<svg", '<svg aria-hidden="true" focusable="false"', 1)
