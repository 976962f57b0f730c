"""What can go wrong, said in one sentence each.

All of them are :class:`ValueError` s: bad input, never a bug. Their text names what was wrong and
what would be right, and nothing has changed when they are raised.
"""

from __future__ import annotations


class RedoubleError(ValueError):
    """Base of everything that bad input raises."""


class UnknownGame(RedoubleError):
    """No installed game has this name."""


class SeatsError(RedoubleError):
    """The game is not played by this many."""


class OptionError(RedoubleError):
    """An option is unknown, has a value it cannot have, or contradicts another."""


class DeckError(RedoubleError):
    """A deck, board or stacked order is not one the game can be played with."""


class IllegalMove(RedoubleError):
    """A move text that is not legal now. Names the move, the seat and what is legal."""


class RecordError(RedoubleError):
    """A record that cannot be read or replayed. Names the line and, in it, the move."""
