"""Redouble: five tabletop games, to play and to study.

>>> import redouble
>>> match = redouble.new("double-down", seats=4, seed="friday")
>>> match.turn
1
>>> match.legal_moves
<LegalMoves 3, 6, 9, 10>
>>> match.push("10")
"""

from collections.abc import Sequence
from typing import Any

from redouble import _start as _start  # before what takes long to import
from redouble.contract.game import Game
from redouble.contract.outcome import Outcome
from redouble.contract.registry import GAMES
from redouble.contract.view import Card, Fact, View, Zone
from redouble.kernel.checks import word
from redouble.kernel.errors import (
    DeckError,
    IllegalMove,
    InputError,
    OptionError,
    OutOfRange,
    RecordError,
    RedoubleError,
    SeatsError,
    UnknownGame,
)
from redouble.kernel.state import SPECTATOR
from redouble.kernel.version import __version__
from redouble.match.match import LegalMoves, Match, Observation
from redouble.match.record import Record, read_records
from redouble.match.replay import replay

__all__ = [
    "GAMES",
    "SPECTATOR",
    "Card",
    "DeckError",
    "Fact",
    "Game",
    "IllegalMove",
    "InputError",
    "LegalMoves",
    "Match",
    "Observation",
    "OptionError",
    "OutOfRange",
    "Outcome",
    "Record",
    "RecordError",
    "RedoubleError",
    "SeatsError",
    "UnknownGame",
    "View",
    "Zone",
    "__version__",
    "new",
    "read_records",
    "replay",
]


def __dir__() -> list[str]:
    return __all__


def new(
    game: str | Game,
    seats: int | Sequence[str] | None = None,
    seed: str | None = None,
    deck: Sequence[str] | None = None,
    **options: Any,
) -> Match:
    """Start a game, given by its name or as a game object, and return its match.

    ``seats`` is the number of players or a list of their names (default: as few as the game
    allows), ``seed`` any text (default: one that nobody can guess), and ``deck`` the order of the
    first shuffle, by the texts of its cards. Spaces around a seed don't count. Options are
    keywords, with underscores: ``new("double-or-quits", free_flip=True)``.

    Raises :class:`UnknownGame`, :class:`SeatsError`, :class:`OptionError`, :class:`DeckError` or,
    for any other argument, :class:`InputError`.

    >>> new("double-or-quits", seats=3)
    Traceback (most recent call last):
    redouble.kernel.errors.SeatsError: Double or Quits is for 1 player, not 3
    >>> new(GAMES["double-or-quits"], seed="5").game.title
    'Double or Quits'
    """
    chosen = game if isinstance(game, Game) else GAMES[game]
    return Match(chosen, seats, word(seed) if isinstance(seed, str) else seed, options, deck)
