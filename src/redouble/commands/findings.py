"""The findings of a study as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.console import Console

from redouble.lab.study.figures import Findings, plain
from redouble.lab.study.page import HOLM, difference_rows, in_words, named


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
    for name, portrait in named(found):
        say(f"{name}: {portrait.setting}" if len(found.portraits) > 1 else str(portrait.setting))
    say(found.summary)
    if found.differences:
        say()
        say(f"Differences. {HOLM}")
        _print_differences(found, console)
        say()
        for sentence in in_words(found):
            say(f"  {sentence}")
    for name, portrait in named(found):
        for section, figures in portrait.sections():
            say()
            say(f"{section} ({name})" if len(found.portraits) > 1 else section)
            for test in portrait.tests(section):
                say(f"  {test.sentence}")
            for figure in figures:
                say(f"  {figure.sentence}")


def _print_differences(found: Findings, console: Console) -> None:
    """Print the differences in columns; on a narrow terminal A and B lose their intervals."""
    full = difference_rows(found)
    short = [
        (name, plain(difference.first), plain(difference.second), *rest)
        for difference, (name, _, _, *rest) in zip(found.differences, full, strict=True)
    ]
    rows: Sequence[Sequence[str]] = ()
    for rows in (full, short):
        rows = [("", "A", "B", "B minus A", ""), *rows]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        if not console.is_terminal or sum(widths) + 2 * (len(widths) - 1) <= console.width:
            break
    for row in rows:
        middle = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)][1:-1]
        line = "  ".join([row[0].ljust(widths[0]), *middle, row[-1]]).rstrip()
        console.print(line, markup=False, soft_wrap=True)
