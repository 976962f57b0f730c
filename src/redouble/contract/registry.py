"""The installed games, found through the ``redouble.games`` entry points.

Any package can add a game by naming its ``GAME`` there; nothing here changes.
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from redouble.contract.game import Game
from redouble.kernel import checks
from redouble.kernel.errors import UnknownGame

__all__ = ["GAMES", "Games", "game_modules"]

GROUP = "redouble.games"


class Games(Mapping[str, Game]):
    """The installed games by name, in alphabetical order: read-only, each imported on first use.

    Listing the names imports nothing. A name that is not installed raises :class:`UnknownGame`.
    The installed packages are scanned once, when a process first asks.
    """

    def __getitem__(self, name: str) -> Game:
        if not isinstance(name, str):
            raise _unknown(name)
        return _load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_points())

    def __len__(self) -> int:
        return len(_points())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in _points()

    def __repr__(self) -> str:
        return f"<Games {', '.join(self)}>"


GAMES = Games()


# A game travels to another process by its name, since its rules are modules.
copyreg.pickle(Game, lambda game: (_load_version, (game.name, game.version)))


def game_modules() -> list[str]:
    """Return the modules that define the installed games, without importing them."""
    return [point.module for point in _points().values()]


@cache
def _load(name: str) -> Game:
    point = _points().get(name)
    if point is None:
        raise _unknown(name)
    game = point.load()
    if not isinstance(game, Game) or game.name != name:
        raise UnknownGame(f"{point.value} is not the game {name!r} that it is registered as")
    return game


def _load_version(name: str, version: int) -> Game:
    found = _load(name).of_version(version)
    if found is None:
        raise UnknownGame(f"there is no version {version} of the rules of {name!r} here")
    return found


def _unknown(name: object) -> UnknownGame:
    return UnknownGame(f"there is no game {checks.quoted(name)}: the games are {', '.join(GAMES)}")


@cache
def _points() -> Mapping[str, EntryPoint]:
    """Return the entry points by name, in alphabetical order; reading them takes milliseconds."""
    points: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        points.setdefault(point.name, point)
    return points
