"""A study or a sweep as text and as a page: figures, tables and plots."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

from redouble.lab.report import PLUS_MINUS, Report, new_axes
from redouble.lab.studies import series
from redouble.lab.studies.figures import LUCK, Findings, Portrait, bars, games_of, plain
from redouble.lab.studies.luck import SOURCES
from redouble.lab.studies.sweep import StudyTable, label
from redouble.lab.studies.tally import quantile

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = ("#2f8f5b", "#c98a1b", "#5b7fc4", "#8a8f8c")
"""Visible on light and dark backgrounds; the first two are those of the settings."""
MOST_LINES = len(COLORS)
"""Lines in a plot at most: more can't be told apart."""
SHOWN_BY_LENGTH = 0.998
"""The share of games that a plot of lengths shows bar by bar; the last bar has the longer ones."""

HOLM = (
    "B minus A, on the same deals. Significance is by Holm's method: if the settings did not"
    " differ, at most one study in twenty would mark anything."
)


def page(found: Findings) -> Report:
    compared = len(found.portraits) > 1
    title = f"{found.plan.game.title}: two settings compared" if compared else found.title
    report = Report(title, found.summary)
    names = [f"{name}: {portrait.setting}" for name, portrait in named(found)]
    if len(names) > 1:
        report.heading("Settings")
        for name in names:
            report.paragraph(name)
        _differences(report, found)
    for name, portrait in named(found):
        for section, figures in portrait.sections():
            report.heading(f"{section} ({name})" if len(names) > 1 else section)
            for test in portrait.tests(section):
                report.paragraph(test.sentence)
            for figure in figures:
                report.paragraph(figure.sentence)
        report.table(
            ["", "figure", "standard deviation"],
            [
                [
                    f"{figure.section}: {figure.label}",
                    str(figure),
                    "" if figure.deviation is None else f"{figure.deviation:.2f}",
                ]
                for _, figures in portrait.sections()
                for figure in figures
            ],
            caption=f"All figures ({name})" if len(names) > 1 else "All figures",
        )
    report.heading("Plots")
    for what, number in (("moves", 0), ("decisions", 1)):
        report.plot(
            _lengths(found, number, what),
            f"How many {what} the games take. The last bar also counts all longer games.",
        )
    for name, portrait in named(found):
        if portrait.setting.seats > 1:
            of = f", setting {name}" if len(names) > 1 else ""
            report.plot(
                _seats(portrait),
                f"How often each seat wins, with 95% intervals{of}. The line is the fair share.",
            )
    if any(figure.section == LUCK for figure in found.portraits[0].figures):
        strong, weak = found.plan.skill or ("", "")
        pair = f"one {strong} player, the others {weak}"
        report.plot(_luck(found), f"Where the variance of the results comes from: {pair}.")
    return report


def named(found: Findings) -> list[tuple[str, Portrait]]:
    """Return the portraits with their names A and B."""
    return list(zip("AB", found.portraits, strict=False))


def difference_rows(found: Findings) -> list[tuple[str, str, str, str, str]]:
    """Return rows of a name, the figures in A and B, their difference, and its mark."""
    return [
        (
            f"{difference.first.section}: {difference.first.label}",
            str(difference.first),
            str(difference.second),
            str(difference),
            "significant" if difference.significant else "",
        )
        for difference in found.differences
    ]


def in_words(found: Findings) -> list[str]:
    """Return the significant differences as sentences."""
    said = [difference.sentence for difference in found.differences if difference.significant]
    return said or ["No difference is significant."]


def _differences(report: Report, found: Findings) -> None:
    report.heading("Differences")
    report.paragraph(HOLM)
    report.table(["", "A", "B", "B minus A", "mark"], difference_rows(found))
    for sentence in in_words(found):
        report.paragraph(sentence)


def _lengths(found: Findings, number: int, what: str) -> Figure:
    figure, axes = new_axes(2.6)
    up_to = max(quantile(portrait.lengths[number], SHOWN_BY_LENGTH) for portrait in found.portraits)
    for (name, portrait), color in zip(named(found), COLORS, strict=False):
        edges, heights = bars(portrait.lengths[number], 60, up_to)
        games = sum(heights)
        axes.stairs(
            [100 * height / games / (edges[1] - edges[0]) for height in heights],
            edges,
            fill=len(found.portraits) == 1,
            color=color,
            linewidth=2,
            linestyle="-" if name == "A" else "--",
            label=name,
        )
    if len(found.portraits) > 1:
        axes.legend(frameon=False)
    axes.set_xlabel(f"{what} a game")
    axes.set_ylabel("% of the games")
    return figure


def _seats(portrait: Portrait) -> Figure:
    figure, axes = new_axes(2.4)
    seats = range(portrait.setting.seats)
    found = [portrait.figure(series.seat_key("wins", seat)) for seat in seats]
    for seat, one in enumerate(found):
        if one is None:
            continue
        half = 0.0 if one.high is None else 100 * (one.high - one.mean)
        axes.errorbar([seat + 1], [100 * one.mean], [half], fmt="o", color=COLORS[0], capsize=4)
    axes.axhline(100 / portrait.setting.seats, color=COLORS[3], linestyle="--", linewidth=1)
    axes.set_xticks([seat + 1 for seat in seats])
    axes.set_xlabel("seat")
    axes.set_ylabel("% won")
    return figure


def _luck(found: Findings) -> Figure:
    figure, axes = new_axes(1.2 + 0.4 * len(found.portraits))
    for row, (_, portrait) in enumerate(named(found)):
        left = 0.0
        for source, color in zip(SOURCES, COLORS, strict=True):
            one = portrait.figure(f"luck: {source}")
            share = 0.0 if one is None else 100 * one.mean
            axes.barh([row], [share], left=left, color=color, label=source if row == 0 else None)
            left += share
    axes.set_yticks(range(len(found.portraits)), [name for name, _ in named(found)])
    axes.invert_yaxis()
    if len(found.portraits) == 1:
        axes.set_yticks([])
    axes.set_xlabel("% of the variance")
    axes.set_xlim(0, 100)
    axes.legend(frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def sweep_summary(table: StudyTable) -> str:
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
    text += f" {found.plan.seed!r}. {PLUS_MINUS} marks half the width of the 95% interval."
    if table.stopped:
        settings = prod(len(axis.values) for axis in table.axes)
        text += f" Stopped early, in setting {len(table.findings)} of {settings}."
    given_up = sum(one.given_up for one in table.findings)
    if given_up:
        text += f" Left out because they did not end: {games_of(given_up)}."
    return text[0].upper() + text[1:]


def sweep_rows(table: StudyTable, *, intervals: bool = True) -> list[list[str]]:
    keys = table.keys(printed=True)
    heads = [axis.name for axis in table.axes]
    columns = [[label(value) for value in table.values(axis.name)] for axis in table.axes]
    for key in keys:
        figures = table.figures(key)
        some = next(one for one in figures if one is not None)
        heads.append(f"variance: {some.label}" if some.section == LUCK else some.label)
        columns.append([(str if intervals else plain)(one) if one else "" for one in figures])
    return [heads, *(list(row) for row in zip(*columns, strict=True))]


def sweep_page(table: StudyTable) -> Report:
    names = " and ".join(axis.name for axis in table.axes)
    report = Report(f"{table.findings[0].plan.game.title} by {names}", sweep_summary(table))
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
        caption = f"{some.section}: {some.label} by {table.axes[0].name}, with 95% intervals{each}."
        report.plot(_figure_plot(table, key), caption)
    return report


def _figure_plot(table: StudyTable, key: str) -> Figure:
    """Draw a figure by the first axis, with a line for each combination of the others."""
    figure, axes = new_axes(2.6)
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
    axes.set_ylabel(f"{some.label} (%)" if some.percent else some.label)
    return figure
