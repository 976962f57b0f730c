"""The games that are installed, found through the ``redouble.games`` entry points.

A package of a stranger's adds a game by naming its ``GAME`` there; nothing here changes.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from redouble.contract.game import Game
from redouble.kernel.errors import UnknownGame

GROUP = "redouble.games"


def game_names() -> list[str]:
    """The names of the installed games, in alphabetical order; nothing is imported."""
    return [point.name for point in _points()]


def games() -> dict[str, Game]:
    """Every installed game by name, in alphabetical order."""
    return {name: game_named(name) for name in game_names()}


@cache
def game_named(name: str) -> Game:
    """The game of this name. Raises :class:`UnknownGame` naming those there are."""
    for point in _points():
        if point.name == name:
            game = point.load()
            if not isinstance(game, Game) or game.name != name:
                raise UnknownGame(f"{point.value} is not the game {name!r} it is registered as")
            return game
    raise UnknownGame(f"there is no game {name!r}; the games: {', '.join(game_names())}")


def game_modules() -> list[str]:
    """The modules that define the installed games, without importing them."""
    return [point.module for point in _points()]


def _points() -> list[EntryPoint]:
    return sorted(entry_points(group=GROUP), key=lambda point: point.name)
