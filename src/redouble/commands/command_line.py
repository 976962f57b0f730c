"""The command line of ``redouble``: its subcommands, and what it does without one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from redouble.commands.admin import admin
from redouble.commands.arena import arena
from redouble.commands.backup import backup, restore
from redouble.commands.bench import bench
from redouble.commands.build import build
from redouble.commands.dataset import dataset
from redouble.commands.errors import EXIT_INTERRUPTED
from redouble.commands.games import games
from redouble.commands.mcp import mcp
from redouble.commands.migrate import migrate
from redouble.commands.models import models
from redouble.commands.play import play
from redouble.commands.prepare import prepare
from redouble.commands.puzzle import puzzle
from redouble.commands.replay import replay
from redouble.commands.review import review
from redouble.commands.rules import rules
from redouble.commands.selfplay import selfplay
from redouble.commands.serve import serve
from redouble.commands.solve import solve
from redouble.commands.study import study
from redouble.commands.verify import verify
from redouble.commands.work import work
from redouble.kernel.version import __version__

app = typer.Typer(
    name="redouble",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def invoke(arguments: Sequence[str]) -> Any:
    """Run a command, and return its exit code or None.

    Typer's own way to do that would take every ``EOFError`` for the end of what a person types, and
    every broken pipe for that of the output.
    """
    try:
        with typer.main.get_command(app).make_context("redouble", list(arguments)) as context:
            return context.command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    except typer.Abort:  # at a question that Typer asks
        return EXIT_INTERRUPTED


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Play tabletop games and study them. Without a command, open them in the browser."""
    if version:
        print(f"redouble {__version__}")
    elif context.invoked_subcommand is None:
        from redouble.web.server.serve import LOOPBACK
        from redouble.web.server.serve import serve as run_server

        run_server(LOOPBACK, None, None, open_page=True)


for command in (play, serve, backup, restore, prepare, rules, puzzle, replay, verify, review):
    app.command()(command)
app.command()(migrate)
app.command()(work)
app.command()(games)
app.command()(bench)
app.command()(solve)
app.command()(study)
app.command()(arena)
app.command()(models)
app.command()(mcp)
app.command()(selfplay)
app.command()(dataset)
app.add_typer(admin)
app.add_typer(build)
