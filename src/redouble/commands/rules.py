"""``redouble rules``: a game's rulebook."""

from __future__ import annotations

from redouble.commands.arguments import GameName, Plain
from redouble.contract.registry import GAMES


def rules(game: GameName, plain: Plain = False) -> None:
    """Read the rules of a game."""
    from redouble.terminal.ask.pages import show_rulebook
    from redouble.terminal.ask.screen import Screen

    show_rulebook(GAMES[game], Screen(plain))
