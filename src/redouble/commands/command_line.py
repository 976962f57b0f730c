"""The command line of ``redouble``: its subcommands, and what it does without one."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from redouble.commands.admin import admin
from redouble.commands.arena import arena
from redouble.commands.build import build
from redouble.commands.dataset import dataset
from redouble.commands.errors import EXIT_INTERRUPTED
from redouble.commands.games import bench, games, prepare, rules
from redouble.commands.help import command, new_app
from redouble.commands.models import models
from redouble.commands.play import play
from redouble.commands.records import replay, review, verify
from redouble.commands.selfplay import selfplay
from redouble.commands.server import backup, mcp, migrate, restore, serve, work
from redouble.commands.solve import puzzle, solve
from redouble.commands.study import study
from redouble.kernel.settings import Settings
from redouble.kernel.version import __version__

SERVER, OTHERS = "Run a server", "Others"
GROUPS = {
    "Play": (play, rules, games),
    "Look back and learn": (replay, review, puzzle, solve, verify),
    "Research": (study, arena, models, selfplay, dataset, bench),
    SERVER: (serve, prepare, backup, restore, migrate, work),
    OTHERS: (mcp,),
}
"""The commands, as ``redouble --help`` lists them: rarely used ones come last."""

app = new_app(
    "redouble", "Play tabletop games and study them. Without a command, open them in the browser."
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


@app.callback(invoke_without_command=True, no_args_is_help=False)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        print(f"redouble {__version__}")
    elif context.invoked_subcommand is None:
        from redouble.web.server.serve import serve as run_server

        run_server(Settings(open_page=True))


for title, functions in GROUPS.items():
    for function in functions:
        command(app, title=title)(function)
app.add_typer(admin, rich_help_panel=SERVER)
app.add_typer(build, rich_help_panel=OTHERS)
