"""Arguments and options that several commands share."""

from __future__ import annotations

import contextlib
import functools
import inspect
import json as json_text
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from redouble.bots import BOTS
from redouble.bots.levels import LEVELS
from redouble.commands.errors import EXIT_INTERRUPTED
from redouble.kernel.checks import word
from redouble.kernel.errors import RedoubleError
from redouble.kernel.files import check_writable
from redouble.kernel.settings import MORE, Data, Database, option, switch

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from redouble.lab.report import Report
    from redouble.lab.shards import Executor
    from redouble.terminal.ask.screen import Screen

BOT_NAMES = ", ".join(BOTS)
"""What people can type for a bot: the levels, weakest first, then the others."""
LEVEL_NAMES = ", ".join(LEVELS)
OTHER_BOTS = ", ".join(name for name in BOTS if name not in LEVELS)
BETWEEN_BOTS = re.compile(r",\s*(?!\w+=)")
"""The commas between bots; others stand between the numbers of a search."""


def argument(value: str, help: str, usual: str = "") -> Any:
    """Declare an argument, as :func:`option` declares an option."""
    return typer.Argument(metavar=value, help=help, show_default=usual or True)


GAME_NAME = "The game's name; 'redouble games' lists them."
GameName = Annotated[str, argument("GAME", GAME_NAME)]
OptionalGame = Annotated[str | None, argument("GAME", GAME_NAME, "every game")]
RecordFile = Annotated[
    Path, argument("FILE", "A file of saved games, one per line; - reads standard input.")
]
Rule = Annotated[
    list[str] | None,
    option(
        "NAME=VALUE",
        f"Set a rule option of 'redouble games', such as free-flip=yes{MORE}",
        "--option",
        "-o",
    ),
]
Seats = Annotated[int | None, option("N", "Number of players.", usual="the game's usual number")]
Bots = Annotated[
    str,
    option(
        "BOTS",
        "The bot of every seat, or several that rotate from game to game, separated by commas:"
        f" {BOT_NAMES}, or a search as in 'redouble arena'.",
    ),
]
Plain = Annotated[bool, switch("--plain", "Print plain lines instead of drawing the table.")]


def output_file(path: Path | None) -> Path | None:
    """Return the name of a file that can be written, or ``-``; checked before a command begins."""
    if path is not None and str(path) != "-":
        check_writable(path)
    return path


def seed_word(text: str | None) -> str | None:
    """Return a seed as it is compared."""
    return None if text is None else word(text)


SEED = "Text that decides the shuffles and the bots' moves."
Seed = Annotated[str | None, option("TEXT", SEED, usual="a random one", read=seed_word)]
FixedSeed = Annotated[str, option("TEXT", SEED, read=seed_word)]


@dataclass(frozen=True)
class ServerData:
    """Where a server's data are."""

    data: Data = None
    database: Database = ""


@dataclass(frozen=True)
class Workers:
    """Where long work is done."""

    workers: Annotated[
        int | None, option("N", "How many threads work.", usual="one per core", low=1, high=256)
    ] = None
    cluster: Annotated[
        str | None,
        option(
            "ADDRESS",
            "Work on a Ray cluster: HOST:PORT, ray://HOST:PORT, or auto for this machine's.",
        ),
    ] = None

    def executor(self) -> Executor:
        """Return what does the work.

        Raises :class:`RedoubleError` if both are given or the cluster can't be used.
        """
        if self.cluster is None:
            from redouble.lab.shards import Threads

            warn_if_slow()
            return Threads(self.workers)
        if self.workers is not None:
            raise RedoubleError("--workers and --cluster exclude each other: give one of them")
        from redouble.lab.cluster import Cluster

        return Cluster(self.cluster)


@functools.cache
def warn_if_slow(screen: Screen | None = None) -> None:
    """Say once why nothing is compiled, or nothing kept, if that is so.

    It is said on standard error, or with the next table on a live screen, which would erase it.
    """
    from redouble.kernel.backend import why_slow

    trouble = why_slow()
    if trouble and screen is not None and screen.live:
        screen.notice = f"{trouble[:1].upper()}{trouble[1:]}."
    elif trouble:
        print(f"redouble: {trouble}.", file=sys.stderr)


def progress_bar(ends_early: bool = False) -> Progress:
    """Return a bar on standard error that disappears at the end; disabled without a terminal.

    For work that may end before its limit, it does not guess the time that is left.
    The elapsed time moves also while a single game takes long.
    """
    from rich import progress
    from rich.console import Console

    console = Console(stderr=True)
    columns: list[str | progress.ProgressColumn] = [
        "{task.description}",
        progress.BarColumn(bar_width=20),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
    ]
    if not ends_early:
        columns += ["elapsed,", progress.TimeRemainingColumn(), "left"]
    return progress.Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    )


def results_console(min_columns: int) -> Console:
    """Return a console for tables, which has this many columns if it is no terminal."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, min_columns)
    return console


def exit_if_stopped(stopped: object) -> None:
    """End with Ctrl-C's exit code where work was stopped early, once its results are shown."""
    if stopped:
        raise typer.Exit(EXIT_INTERRUPTED)


@dataclass(frozen=True)
class JsonFile:
    """Where a command writes JSON."""

    json: Annotated[
        Path | None,
        option("FILE", "Write JSON to this file; - prints it instead of text.", read=output_file),
    ] = None

    @property
    def printed(self) -> bool:
        """Whether JSON is printed, and so no text."""
        return str(self.json) == "-"

    @contextlib.contextmanager
    def lines(self) -> Iterator[Callable[[Any], None]]:
        """Yield a function that writes a line of JSON, or does nothing where none is wanted."""
        if self.json is None:
            yield lambda row: None
        elif self.printed:
            yield lambda row: print(_json(row), flush=True)
        else:
            with self.json.open("w", encoding="utf-8") as file:
                yield lambda row: print(_json(row), file=file, flush=True)

    def write(self, data: Any) -> None:
        """Write all there is, if it is wanted: to a file on lines that people can read."""
        if self.printed:
            print(_json(data))
        elif self.json is not None:
            self.json.write_text(f"{_json(data, indent=1)}\n", encoding="utf-8")


@dataclass(frozen=True)
class ResultFiles(JsonFile):
    """Where results are written besides the terminal."""

    report: Annotated[
        Path | None,
        option("FILE", "Write an HTML page with plots to this file.", read=output_file),
    ] = None

    def check(self) -> None:
        """Raise :class:`RedoubleError` if both are the same file, before there are results."""
        if self.report is not None and self.report == self.json:
            raise RedoubleError(
                f"--json and --report both name {self.report}: give two different files"
            )

    def save(self, data: Callable[[], Any], page: Callable[[], Report]) -> None:
        """Write what is wanted, and say where."""
        if self.json is not None:
            self.write(data())
        if self.report is not None:
            page().write(self.report)
        for path in (self.json, self.report):
            if path and str(path) != "-":
                print(f"Written: {path}", file=sys.stderr)


def _json(data: Any, indent: int | None = None) -> str:
    text = json_text.dumps(data, ensure_ascii=False, indent=indent)
    # What terminals obey, such as the control codes above 127, is in no text of ours.
    return "".join(c if c.isprintable() or c == "\n" else json_text.dumps(c)[1:-1] for c in text)


def expanded(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose parameters that are dataclasses are replaced by their fields."""
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        if is_dataclass(kind := hints[name]):
            groups[name] = kind
            inner = get_type_hints(kind, include_extras=True)
            parameters += [
                parameter.replace(name=one.name, default=one.default, annotation=inner[one.name])
                for one in fields(kind)
            ]
        else:
            parameters.append(parameter.replace(annotation=kind))

    @functools.wraps(command)
    def called(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{one.name: given.pop(one.name) for one in fields(kind)})
        command(**given)

    called.__dict__["__signature__"] = inspect.Signature(
        [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
    )
    return called
