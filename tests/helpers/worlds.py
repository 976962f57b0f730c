"""The games and settings that tests range over."""

from collections.abc import Iterator
from pathlib import Path

import redouble
from redouble.contract.registry import GAMES
from redouble.testing import Setting, settings_of

__all__ = ["Setting", "own_games", "settings"]


def own_games() -> list[str]:
    """The names of the games in this package, without those of other installed packages."""
    home = Path(redouble.__file__).parent
    return [name for name in GAMES if GAMES[name].folder.is_relative_to(home)]


def settings(spread: int) -> Iterator[Setting]:
    """Yield settings of every installed game."""
    for game in GAMES.values():
        yield from settings_of(game, spread)
