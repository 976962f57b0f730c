"""A sweep as text and as a page: one table, and a plot of each of its figures."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

from redouble.lab.report import PLUS_MINUS, Report, bare_axes, new_plot
from redouble.lab.studies.figures import LUCK, StudyFigure, games_of, plain
from redouble.lab.studies.page import COLORS
from redouble.lab.studies.sweep import StudyTable, label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_LINES = len(COLORS)
"""Lines in a plot at most: more can't be told apart."""


def summary(table: StudyTable) -> str:
    """Return who plays how often by which rules, and how to read the figures."""
    found = table.findings[0]
    setting = found.plan.settings[0]
    swept = {axis.name for axis in table.axes}
    changed = [
        f"{name}={label(value)}" for name, value in setting.changed.items() if name not in swept
    ]
    parts = []
    if "seats" not in swept:
        parts.append("1 seat" if setting.seats == 1 else f"{setting.seats} seats")
    if "bots" not in swept:
        parts.append(", ".join(setting.bots) if setting.mixed else f"all {setting.bots[0]}")
    parts.append(", ".join(changed) or "otherwise the standard rules")
    text = f"{', '.join(parts)}. {games_of(found.plan.games)} in each setting; seed"
    text += f" {found.plan.seed!r}. {PLUS_MINUS} marks half the width of the 95 % interval."
    if table.stopped:
        settings = prod(len(axis.values) for axis in table.axes)
        text += f" Stopped early, in setting {len(table.findings)} of {settings}."
    given_up = sum(one.given_up for one in table.findings)
    if given_up:
        text += f" Left out because they did not end: {games_of(given_up)}."
    return text[0].upper() + text[1:]


def sweep_rows(table: StudyTable, *, intervals: bool = True) -> list[list[str]]:
    """Return the heads and the rows of the printed table."""
    keys = table.keys(printed=True)
    heads = [axis.name for axis in table.axes]
    columns = [[label(value) for value in table.values(axis.name)] for axis in table.axes]
    for key in keys:
        figures = table.figures(key)
        some = next(one for one in figures if one is not None)
        heads.append(f"variance: {some.label}" if some.section == LUCK else some.label)
        columns.append([_cell(one, intervals) for one in figures])
    return [heads, *(list(row) for row in zip(*columns, strict=True))]


def _cell(figure: StudyFigure | None, intervals: bool) -> str:
    if figure is None:
        return ""
    return str(figure) if intervals else plain(figure)


def sweep_page(table: StudyTable) -> Report:
    """Return the report of a sweep."""
    names = " and ".join(axis.name for axis in table.axes)
    report = Report(f"{table.findings[0].plan.game.title} by {names}", summary(table))
    heads, *rows = sweep_rows(table)
    report.table(heads, rows, caption="Figures by setting")
    report.heading("Plots")
    lines = prod(len(axis.values) for axis in table.axes[1:])
    others = " and ".join(axis.name for axis in table.axes[1:])
    each = f", a line for each {others}" if others else ""
    if lines > MOST_LINES:
        each += f" (the first {MOST_LINES})"
    for key in table.keys(printed=True):
        some = next(one for one in table.figures(key) if one is not None)
        caption = (
            f"{some.section}: {some.label} by {table.axes[0].name}, with 95 % intervals{each}."
        )
        report.plot(_plot(table, key), caption)
    return report


def _plot(table: StudyTable, key: str) -> Figure:
    """Draw a figure by the first axis, with a line for each combination of the others."""
    figure = new_plot(2.6)
    axes = bare_axes(figure)
    first, *others = table.axes
    numeric = all(type(value) in (int, float) for value in first.values)
    places = list(first.values) if numeric else list(range(len(first.values)))
    found = table.figures(key)
    some = next(one for one in found if one is not None)
    times = 100.0 if some.percent else 1.0
    lines = list(product(*(axis.values for axis in others)))
    for number, values in enumerate(lines[:MOST_LINES]):
        mine = [
            (place, one)
            for place, one in zip(places, found[number :: len(lines)], strict=False)
            if one is not None
        ]
        named = zip(others, values, strict=True)
        axes.errorbar(
            [place for place, _ in mine],
            [times * one.mean for _, one in mine],
            [0.0 if one.high is None else times * (one.high - one.mean) for _, one in mine],
            fmt="o-",
            capsize=3,
            color=COLORS[number],
            label=", ".join(f"{axis.name}={label(value)}" for axis, value in named),
        )
    if not numeric:
        axes.set_xticks(places, [label(value) for value in first.values])
    elif all(type(value) is int for value in first.values):
        axes.set_xticks(places)
    if others:
        axes.legend(frameon=False)
    axes.set_xlabel(first.name)
    axes.set_ylabel(f"{some.label}, %" if some.percent else some.label)
    return figure
