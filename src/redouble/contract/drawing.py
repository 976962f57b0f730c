"""What a game's own terminal drawing is made of: spans of styled text, without a terminal library.

A game whose board is more than piles and facts sets ``draw`` in its :class:`~redouble.Game`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

__all__ = ["QUIET", "Drawing", "Span", "TerminalBoard"]


class Span(NamedTuple):
    """A piece of text in one style."""

    text: str
    style: str = ""
    """A style as Rich writes it, such as ``bold red`` or ``black on cyan``; empty for plain text.

    :data:`QUIET` is for what matters least.
    """


QUIET = "quiet"
"""The style of grids and labels: the terminal decides how it looks on its background."""


@dataclass(frozen=True)
class Drawing:
    """A board as lines of styled text."""

    lines: tuple[tuple[Span, ...], ...]
    """From top to bottom."""
    zones: frozenset[str] = frozenset()
    """Keys of the zones that the board shows, so that the terminal doesn't list them again."""


class TerminalBoard(Protocol):
    """A function that draws the ``board`` of a view for a terminal."""

    def __call__(self, board: Mapping[str, Any], unicode: bool) -> Drawing | None:
        """Return the drawing, or None if there is nothing to draw.

        ``unicode`` tells whether the terminal can show more than ASCII.
        """


BOARDS: dict[str, TerminalBoard] = {}
"""What draws the boards of games, by their names; a game that has ``draw`` adds it."""
