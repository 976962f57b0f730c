"""The installed games, found through the ``redouble.games`` entry points.

Any package can add a game by naming its ``GAME`` there; nothing here changes. A game that can't be
loaded is left out, and logged once with the reason; the rest works.
"""

import copyreg
import logging
import traceback
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from redouble.contract.game import Game
from redouble.kernel import checks
from redouble.kernel.errors import UnknownGame

__all__ = ["GAMES", "Games"]

GROUP = "redouble.games"


class Games(Mapping[str, Game]):
    """The installed games by name, in alphabetical order: read-only, each imported on first use.

    A name that is not installed, or whose game can't be loaded, raises :class:`UnknownGame`. The
    installed packages are scanned once, when a process first asks.
    """

    def __getitem__(self, name: str) -> Game:
        if not isinstance(name, str) or name not in _points():
            raise UnknownGame(
                f"there is no game {checks.quoted(name)}: the games are {', '.join(self)}"
            )
        found = _load(name)
        if isinstance(found, str):
            raise UnknownGame(found)
        return found

    def __iter__(self) -> Iterator[str]:
        return (name for name in _points() if isinstance(_load(name), Game))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<Games {', '.join(self)}>"


GAMES = Games()


# A game travels to another process by its name, since its rules are modules.
copyreg.pickle(Game, lambda game: (_load_version, (game.name, game.version)))


def game_modules() -> list[str]:
    """Return the modules that define the installed games."""
    return [_points()[name].module for name in GAMES]


@cache
def _load(name: str) -> Game | str:
    """Return a game, or else a sentence that says why it can't be loaded."""
    point = _points()[name]
    try:
        game = point.load()
        if isinstance(game, Game) and game.name == name:
            return game
        reason = f"{point.value} is not a game of this name"
    except (Exception, SystemExit) as error:
        *_, (innermost, _) = traceback.walk_tb(error.__traceback__)
        if innermost.f_code.co_name == "_compile_bytecode":
            raise  # it is damaged: the command line deletes it, and it is made again
        reason = f"{point.value} raises {type(error).__name__}: {checks.quoted(str(error))}"
    sentence = f"the game {checks.quoted(name)} can't be loaded: {reason}: repair or remove it"
    logging.getLogger(__name__).warning("%s", sentence)
    return sentence


def _load_version(name: str, version: int) -> Game:
    found = GAMES[name].of_version(version)
    if found is None:
        raise UnknownGame(f"the rules of {name!r} have no version {version}")
    return found


@cache
def _points() -> Mapping[str, EntryPoint]:
    """Return the entry points by name, in alphabetical order; reading them takes milliseconds."""
    points: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        points.setdefault(point.name, point)
    return points
