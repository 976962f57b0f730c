"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

GameName = Annotated[
    str, typer.Argument(metavar="GAME", help="The game's name; 'redouble games' lists them.")
]
Rule = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="Set a rule option; repeat for several. 'redouble rules GAME' lists them.",
    ),
]
Seed = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Text that decides the shuffles and the bots' moves.",
        show_default="a random one",
    ),
]
ReportFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write an HTML page with plots to this file."),
]
RecordFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A file of records, one per line; - reads the input.")
]
Threads = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, max=256, help="Number of threads.", show_default="one per core"
    ),
]
Plain = Annotated[
    bool, typer.Option("--plain", help="Print plain lines instead of drawing the table.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
