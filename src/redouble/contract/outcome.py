"""How a game ends: the reasons a game declares, and the outcome of one match."""

from dataclasses import dataclass
from typing import Any

__all__ = ["NOT_OVER", "EndReason", "Ending", "Outcome"]


@dataclass(frozen=True)
class EndReason:
    """One way in which a game can end."""

    text: str
    """What people read, after "The game is over:"."""
    won: bool = False
    """In a solitaire game: whether the player has won. In other games the ranks tell."""


NOT_OVER = EndReason("")
"""The first of every game's reasons: a state's ``reason`` is 0 until the game is over."""


@dataclass(frozen=True)
class Outcome:
    """How a match ended. Its tuples have one entry per seat."""

    ranks: tuple[int, ...]
    """1 is first; ties share the better rank."""
    scores: tuple[int, ...] | None
    """Points, or None in a game without points."""
    won: tuple[bool, ...]
    """Who won: the seats of rank 1, or in a solitaire game, its player if the game was won."""
    reason: str
    """Why the game ended, in words."""

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as plain JSON."""
        return {
            "ranks": list(self.ranks),
            "scores": None if self.scores is None else list(self.scores),
            "won": list(self.won),
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Ending:
    """How a match ended, in words. ``{2}`` stands for the name of seat 2."""

    decided: str
    """One sentence on what decided it: ``{1}'s 66 made 138, and {1} had no chip left.``"""
    notes: tuple[str, ...] = ()
    """What each seat ended with, beside its points: ``2 chips left``. Empty if nothing is worth
    saying; otherwise one for each seat."""
