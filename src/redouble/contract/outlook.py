"""What moves led to, in the numbers that players of a game count."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Outlook"]


@dataclass(frozen=True)
class Outlook:
    """What has come of a move for a seat, some time after it.

    ``{}`` in a text stands for the number, and ``{s}`` for an s unless it is 1.
    """

    value: int
    you: str
    """What it means to the seat: ``you make {} point{s}``."""
    others: str = ""
    """The same of all other seats together: ``the others make {} point{s} in all``. Empty if the
    numbers of several seats don't add up to anything."""
    once: str = ""
    """What 1 means where nothing but 0 and 1 occurs: ``you lose a chip``."""
    fewer: bool = False
    """Whether a smaller number is better for the seat."""
