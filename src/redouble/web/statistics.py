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
