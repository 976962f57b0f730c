"""Test that a game obeys the laws, including a game in a package of your own.

>>> from redouble import GAMES
>>> from redouble.testing import check_game
>>> for name in GAMES:
...     check_game(name, spread=0, laws=["l6"])

:func:`check_game` plays random games at every seat count, with a spread of the game's options, and
raises :class:`LawBroken`, with the law, the setting and the position, if the game breaks a law. The
laws are listed in :data:`LAWS` and can be called one by one.
"""

from redouble.testing.check import check_game, laws_named
from redouble.testing.laws import LAWS, Law, LawBroken
from redouble.testing.settings import Setting, settings_of

__all__ = ["LAWS", "Law", "LawBroken", "Setting", "check_game", "laws_named", "settings_of"]
