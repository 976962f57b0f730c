"""A person's results in one game, counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Statistics:
    """A person's results in one game."""

    played: int
    won: int
    streak: int
    """Latest games won in a row."""
    best_streak: int
    average_rank: float
    """Counted from 1; meaningful for games with other players."""
    average_score: float | None
    """None for games without scores."""

    @property
    def share(self) -> int:
        """Games won, in percent."""
        return round(100 * self.won / self.played) if self.played else 0


@dataclass(frozen=True)
class Progress:
    """What one result changed in a person's results, later ones left aside."""

    now: Statistics
    before: Statistics
    won: bool
    counts: bool
    """False when moves were undone after something new was seen."""

    @property
    def headline(self) -> str:
        if not self.counts:
            return "This game doesn't count"
        if self.won and self.now.streak > 1:
            return f"{self.now.streak} wins in a row"
        if self.won and self.now.won == 1:
            return "Your first win"
        if not self.won and self.before.streak > 1:
            return f"After {self.before.streak} wins in a row, a loss"
        games = f"{self.now.played} game{'' if self.now.played == 1 else 's'}"
        return f"{self.now.won or 'No'} win{'' if self.now.won == 1 else 's'} in {games}"

    @property
    def detail(self) -> str:
        if not self.counts:
            return "Moves were undone after new cards were seen."
        best = self.now.best_streak
        if best < 2:
            return ""
        if self.won and best > self.before.best_streak:
            return "That's your best so far."
        return f"Your best is {best} in a row."


def progress(results: Iterable[Mapping[str, Any]], token: str) -> Progress | None:
    """Return what the result at one table changed; None without such a result.

    ``results`` are a person's in one game, oldest first.
    """
    rows = list(results)
    at = next((i for i, row in enumerate(rows) if row["token"] == token), None)
    if at is None:
        return None
    here = rows[at]
    return Progress(statistics(rows[: at + 1]), statistics(rows[:at]), here["won"], here["counts"])


def statistics(results: Iterable[Mapping[str, Any]]) -> Statistics:
    """Count results, oldest first, without those that are marked as not counting."""
    rows = [row for row in results if row["counts"]]
    streak = best = 0
    for row in rows:
        streak = streak + 1 if row["won"] else 0
        best = max(best, streak)
    scores = [row["score"] for row in rows if row["score"] is not None]
    return Statistics(
        played=len(rows),
        won=sum(row["won"] for row in rows),
        streak=streak,
        best_streak=best,
        average_rank=sum(row["rank"] for row in rows) / len(rows) if rows else 0.0,
        average_score=sum(scores) / len(scores) if scores else None,
    )
