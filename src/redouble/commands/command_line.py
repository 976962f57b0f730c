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
from redouble.commands.help import Commands, command, new_app
from redouble.commands.models import models
from redouble.commands.play import play
from redouble.commands.records import replay, review, verify
from redouble.commands.selfplay import selfplay
from redouble.commands.server import backup, mcp, migrate, restore, serve, work
from redouble.commands.solve import puzzle, solve
from redouble.commands.study import study
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


class _AllCommands(Commands):
    """Options without a command are those of a server whose page is opened."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = {name for one in self.get_params(ctx) for name in one.opts}
        if not args or (args[0].startswith("-") and args[0] not in own):
            args = ["serve", "--open", *args]
        return super().parse_args(ctx, args)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"redouble {__version__}")
        raise typer.Exit


@app.callback(cls=_AllCommands)
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


for title, functions in GROUPS.items():
    for function in functions:
        command(app, title=title)(function)
app.add_typer(admin, rich_help_panel=SERVER)
app.add_typer(build, rich_help_panel=OTHERS)
