"""``redouble study``: carry a plan out and show what was found."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

from redouble.kernel.cores import cores
from redouble.lab.report import check_writable
from redouble.lab.study.figures import Findings, findings, plain
from redouble.lab.study.page import HOLM, difference_rows, in_words, named, page
from redouble.lab.study.plan import StudyPlan
from redouble.lab.study.run import StudyOutcome, carry_out


def study(plan: StudyPlan, threads: int | None, as_json: Path | None, report: Path | None) -> None:
    """Carry out a plan, print what was found and write the files asked for.

    Without ``threads`` there is one for each core. ``-`` as the JSON file is the output, and then
    nothing else is printed there. Raises :class:`UnwritableFile` before any game is played.
    """
    to_output = as_json is not None and str(as_json) == "-"
    files = [path for path in (None if to_output else as_json, report) if path is not None]
    for path in files:
        check_writable(path)
    outcome = _watched(plan, threads or cores())
    found = findings(plan, outcome)
    if to_output:
        print(json.dumps(found.to_dict(), ensure_ascii=False))
    else:
        show(found, Console(highlight=False))
        if as_json is not None:
            text = json.dumps(found.to_dict(), ensure_ascii=False, indent=1)
            as_json.write_text(f"{text}\n", encoding="utf-8")
    if report is not None:
        page(found).write(report)
    speed = outcome.played / outcome.seconds
    said = f"{outcome.played:,} games in {outcome.seconds:.1f} s: {speed:,.0f} a second."
    print(said, file=sys.stderr)
    for path in files:
        print(f"Written: {path}", file=sys.stderr)


def show(found: Findings, console: Console) -> None:
    """Print the findings as sentences, and two settings side by side.

    On a terminal no line is longer than it is wide; elsewhere a sentence is a line.
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
    """The differences in columns; of A and B only the means where the terminal is too narrow."""
    whole = difference_rows(found)
    short = [
        (name, plain(difference.first), plain(difference.second), *rest)
        for difference, (name, _, _, *rest) in zip(found.differences, whole, strict=True)
    ]
    rows: Sequence[Sequence[str]] = ()
    for rows in (whole, short):
        rows = [("", "A", "B", "B less A", ""), *rows]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        if not console.is_terminal or sum(widths) + 2 * (len(widths) - 1) <= console.width:
            break
    for row in rows:
        middle = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)][1:-1]
        line = "  ".join([row[0].ljust(widths[0]), *middle, row[-1]]).rstrip()
        console.print(line, markup=False, soft_wrap=True)


def _watched(plan: StudyPlan, threads: int) -> StudyOutcome:
    """Carry the plan out with a bar on a terminal's error output."""
    console = Console(stderr=True)
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with progress:
        task = progress.add_task("compiling", total=None)

        def watch(done: int, of: int) -> None:
            progress.update(task, description="played", completed=done, total=of)

        return carry_out(plan, threads, watch)
