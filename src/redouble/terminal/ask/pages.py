"""Pages outside a match: the list of games and the rulebooks."""

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from redouble.contract.game import Game
from redouble.kernel.errors import RedoubleError
from redouble.terminal.ask.screen import Screen

PAGE_COLUMNS = 88
"""Wider lines are hard to read."""


def games_table(games: Mapping[str, Game]) -> Table:
    """The games in a table by number and title, for a menu."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bright_black")
    table.add_column("", style="bold cyan", justify="right")
    table.add_column("game", style="bold", no_wrap=True)
    table.add_column("players", no_wrap=True)
    table.add_column("")
    for number, game in enumerate(games.values(), 1):
        table.add_row(str(number), game.title, seats_span(game), game.summary)
    return table


def games_and_options(games: Mapping[str, Game]) -> Table:
    """The games in a table by name, each above its rule options with their defaults."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bright_black")
    table.add_column("game\n  options", no_wrap=True)
    table.add_column("players\ndefault", no_wrap=True)
    table.add_column("")
    for name, game in games.items():
        if table.rows:
            table.add_row()
        table.add_row(Text(name, "bold"), seats_span(game), game.summary)
        for option in game.options:
            table.add_row(f"  {option.name}", option.usual, option.meaning)
    return table


def seats_span(game: Game) -> str:
    """The numbers of players, such as 2–7 or 1."""
    low, high = game.min_seats, game.max_seats
    return str(low) if low == high else f"{low}\N{EN DASH}{high}"


def show_rulebook(game: Game, screen: Screen) -> None:
    from rich.markdown import Markdown  # slow to import and seldom needed

    try:
        text = game.rulebook()
    except OSError as error:
        raise RedoubleError(f"the rulebook of {game.title} cannot be read: {error}") from error

    def write(console: Console) -> None:
        console.print(Markdown(text), width=min(console.width, PAGE_COLUMNS))

    screen.page(write)
