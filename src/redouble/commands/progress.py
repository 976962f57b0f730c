"""The bar that shows how far a long command has come."""

from __future__ import annotations

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


def progress_bar(left: str = "left") -> Progress:
    """Return a bar on standard error that disappears at the end; disabled without a terminal.

    ``left`` follows the time that the rest takes.
    The elapsed time moves also while a single game takes long.
    """
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("elapsed,"),
        TimeRemainingColumn(),
        TextColumn(left),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
