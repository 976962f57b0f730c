"""The bar that shows how far a long command has come."""

from __future__ import annotations

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


def progress_bar(ends_early: bool = False) -> Progress:
    """Return a bar on standard error that disappears at the end; disabled without a terminal.

    For work that may end before its limit, it does not guess the time that is left.
    The elapsed time moves also while a single game takes long.
    """
    console = Console(stderr=True)
    columns: list[ProgressColumn] = [
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    ]
    if not ends_early:
        columns += [TextColumn("elapsed,"), TimeRemainingColumn(), TextColumn("left")]
    return Progress(
        *columns,
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
