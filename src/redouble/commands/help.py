"""How commands show what they take, in ``--help``, in errors and in ``docs/command-line.md``."""

from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from redouble.commands.arguments import expanded

F = TypeVar("F", bound=Callable[..., None])


def names(parameter: Any) -> str:
    """Return how people write a parameter: ``GAME``, ``BOT...``, ``-o, --option NAME=VALUE``."""
    if parameter.param_type_name == "argument":
        return f"{parameter.metavar}{'...' * (parameter.nargs == -1)}"
    written = ", ".join([*sorted(parameter.opts, key=len), *parameter.secondary_opts])
    return written if parameter.is_flag else f"{written} {parameter.metavar}"


def meaning(parameter: Any) -> str:
    """Return what a parameter does, and which numbers it may be."""
    span = _span(parameter) if parameter.max is not None else ""
    return f"{parameter.help} {span.capitalize()}." if span else parameter.help or ""


def default(parameter: Any) -> str:
    """Return what happens without a parameter, in a word; empty if that is nothing."""
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    value = parameter.default
    if parameter.required or value in (None, "", 0.0, False):
        return ""
    if value is True:
        return "yes"
    return f"{value:,}" if isinstance(value, int) else f"{value}"


class _Command(TyperCommand):
    """A command that shows no types of Python."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        pieces = ["[OPTIONS]"]
        for one in self.params:
            if one.param_type_name == "argument":
                pieces.append(names(one) if one.required else f"[{names(one)}]")
        return pieces

    def format_options(self, ctx: Any, formatter: Any) -> None:
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            rows = [_row(one) for one in self.get_params(ctx) if one.param_type_name == kind]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            parameter: Any = error.param
            if error.__cause__ is not None and parameter is not None:  # it has a validator's words
                kind = "whole number" if parameter.type_descriptor.annotation is int else "number"
                error.message = f"give a {kind} {_span(parameter)}".strip()
            raise


class Commands(TyperGroup):
    """Commands that are listed under the titles of their groups."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        width = max(map(len, self.commands))
        for name, command in self.commands.items():
            title = getattr(command, "rich_help_panel", None) or "Commands"
            summary = command.get_short_help_str(formatter.width - width - 6)
            groups.setdefault(title, []).append((name.ljust(width), summary))
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def new_app(name: str, help: str) -> typer.Typer:
    """Return an application without commands yet, or a command that has commands."""
    return typer.Typer(
        name=name,
        help=help,
        cls=Commands,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def command(app: typer.Typer, name: str | None = None, title: str = "") -> Callable[[F], F]:
    """Add a function to an application's commands, under the title of a group."""

    def add(function: F) -> F:
        app.command(name, cls=_Command, rich_help_panel=title or None)(expanded(function))
        return function

    return add


def _row(parameter: Any) -> tuple[str, str]:
    more = [f"default: {default(parameter)}"] if default(parameter) else []
    if parameter.envvar:
        more.append(f"in the environment: {parameter.envvar}")
    if parameter.required and parameter.param_type_name == "option":
        more.append("required")
    return names(parameter), meaning(parameter) + (f" [{'; '.join(more)}]" if more else "")


def _span(parameter: Any) -> str:
    low, high = parameter.min, parameter.max
    return ("" if low is None else f"from {low:,}") + ("" if high is None else f" to {high:,}")
