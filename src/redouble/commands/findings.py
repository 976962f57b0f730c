"""The findings of a study as text for a terminal."""

import textwrap
from collections.abc import Sequence

from rich.console import Console

from redouble.lab.studies import page
from redouble.lab.studies.figures import Findings, plain
from redouble.lab.studies.sweep import StudyTable


def show(found: Findings, console: Console) -> None:
    """Print the findings as sentences, and the differences between two settings as a table.

    On a terminal, lines are wrapped to its width; elsewhere each sentence is one line.
    """

    def say(text: str = "") -> None:
        if not console.is_terminal:
            console.print(text, markup=False, soft_wrap=True)
            return
        indent = text[: len(text) - len(text.lstrip(" "))]
        lines = textwrap.wrap(
            text,
            console.width,
            subsequent_indent=indent and f"{indent}  ",
            break_on_hyphens=False,
        )
        for line in lines or [""]:
            console.print(line, markup=False, soft_wrap=True)

    say(found.plan.game.title)
    for name, portrait in page.named(found):
        say(f"{name}: {portrait.setting}" if len(found.portraits) > 1 else str(portrait.setting))
    say(found.summary)
    if found.differences:
        say()
        say(f"Differences. {page.HOLM}")
        _print_differences(found, console)
        say()
        for sentence in page.in_words(found):
            say(f"  {sentence}")
    for name, portrait in page.named(found):
        for section, figures in portrait.sections():
            say()
            say(f"{section} ({name})" if len(found.portraits) > 1 else section)
            for test in portrait.tests(section):
                say(f"  {test.sentence}")
            for figure in figures:
                say(f"  {figure.sentence}")


def _print_differences(found: Findings, console: Console) -> None:
    """Print the differences in columns; on a narrow terminal A and B lose their intervals."""
    full = page.difference_rows(found)
    short = [
        (name, plain(difference.first), plain(difference.second), *rest)
        for difference, (name, _, _, *rest) in zip(found.differences, full, strict=True)
    ]
    rows: Sequence[Sequence[str]] = ()
    for rows in (full, short):
        rows = [("", "A", "B", "B minus A", ""), *rows]
        if not console.is_terminal or _width(rows) <= console.width:
            break
    _print_columns(rows, console)


def show_sweep(table: StudyTable, console: Console) -> None:
    """Print a sweep as one table; on a narrow terminal the figures lose their intervals."""
    console.print(table.findings[0].plan.game.title, markup=False, soft_wrap=True)
    console.print(page.sweep_summary(table), markup=False, soft_wrap=not console.is_terminal)
    console.print()
    rows = page.sweep_rows(table)
    if console.is_terminal and _width(rows) > console.width:
        rows = page.sweep_rows(table, intervals=False)
    _print_columns(rows, console)


def _width(rows: Sequence[Sequence[str]]) -> int:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return sum(widths) + 2 * (len(widths) - 1)


def _print_columns(rows: Sequence[Sequence[str]], console: Console) -> None:
    """Print rows in columns: the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        line = "  ".join([first.ljust(widths[0]), *cells]).rstrip()
        console.print(line, markup=False, soft_wrap=True)
