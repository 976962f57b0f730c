"""Moments as a game declares them: what people see in the middle of a move, and for how long."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from redouble.kernel import checks

__all__ = ["Headline", "MomentKind", "who"]

SOUNDS = ("deal", "place", "count", "loss", "trick", "clear", "pickup", "domino", "win", "turn")
"""What a page can let hear."""


@dataclass(frozen=True)
class Headline:
    """A moment in words. ``{2}`` stands for the name of seat 2."""

    title: str
    """One short sentence without a full stop: ``{0} hits 99 and loses a chip``."""
    detail: str = ""
    """What it means for the game, in one or two sentences."""


@dataclass(frozen=True)
class MomentKind:
    """A kind of moment. Its number, which rules give to ``moment``, is its index in the game's."""

    name: str
    """A word for pages and programs, such as ``chip-lost``."""
    headline: Callable[[Any, int | None], Headline | None]
    """Returns the words for a viewer: a seat, ``SPECTATOR``, or None for everything. The state is
    that of the moment, redacted for the viewer. None if this time there is nothing to see, which
    must be the same for every viewer."""
    seconds: float = 1.0
    """How long it stays at the usual pace."""
    seconds_each: float = 0.0
    """How much longer for each player, where there is a row to read for each."""
    waits: bool = False
    """Whether there is so much to read that people say when to go on."""
    sound: str = ""
    """What is heard when it comes, one of ``SOUNDS``."""
    board: Callable[[Any], Mapping[str, Any]] | None = None
    """Returns what the game's own drawing needs besides the position; it is added to the board of
    the view. The state is redacted as for the headline."""

    def lasts(self, seats: int) -> float:
        """Return the seconds that it stays at the usual pace with this number of players."""
        return self.seconds + self.seconds_each * checks.whole(seats, "seats")


def who(seat: int, viewer: int | None, others: str, you: str) -> str:
    """Return what a player does, with a verb for others and one for the viewer.

    ``who(0, 0, "loses", "lose")`` is "You lose"; for anyone else it is "{0} loses". Raises
    :class:`~redouble.kernel.errors.InputError` if a seat is no whole number or a verb no text.
    """
    seat = checks.whole(seat, "seat")
    viewer = None if viewer is None else checks.whole(viewer, "viewer")
    others, you = checks.text(others, "others"), checks.text(you, "you")
    return f"You {you}" if seat == viewer else f"{{{checks.quoted(seat)}}} {others}"
