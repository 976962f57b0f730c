"""What people read and type in a game."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from redouble.contract.options import Option
from redouble.contract.outcome import EndReason
from redouble.contract.view import Scene

__all__ = ["Text"]


class Text(Protocol):
    """What people read and type."""

    @property
    def CARDS(self) -> Sequence[str]:
        """The text of each card number, for stacked decks."""

    @property
    def OPTIONS(self) -> Sequence[Option]:
        """The options; the state has a field for each."""

    @property
    def REASONS(self) -> Sequence[EndReason]:
        """How the game can end, by the state's ``reason``; the first is ``NOT_OVER``."""

    def box(self, seats: int, options: Mapping[str, Any]) -> list[int]:
        """Return the card numbers of the deck in use, sorted. Raises DeckError."""

    def check(self, seats: int, options: Mapping[str, Any]) -> None:
        """Raise OptionError if options contradict each other or the number of seats."""

    def name(self, s: Any, action: int) -> str:
        """Return the move's text."""

    def parse(self, s: Any, text: str) -> int:
        """Return the action that a text names, the inverse of ``name``; -1 if it names none."""

    def tell(self, before: Any, after: Any, action: int) -> str:
        """Return what the seat to move in ``before`` did, in words without a subject.

        What it led to follows in the order of the move's moments, each behind a semicolon: a page
        tells it when the moment before has been seen. Both states are redacted for the reader;
        ``action`` is -1 when it is hidden from the reader. ``{2}`` stands for the name of seat 2.
        """

    def show(self, s: Any, seat: int | None) -> Scene:
        """Return the scene, from a state redacted for ``seat`` (None: nothing is erased)."""
