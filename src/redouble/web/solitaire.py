"""What players of a game for one expect: finishing a game that is won, and statistics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from redouble.bots import BOTS, own_chance
from redouble.game import WORK
from redouble.match import Match, Sight
from redouble.rng import seed_words

FINISHER = "greedy"
MAX_PLIES = 2000


def can_finish(match: Match) -> bool:
    """Whether nothing is hidden any more and the careful bot plays the game to a win.

    Both are certain: the player sees all that there is, and the rest is played out, without chance.
    """
    return bool(finishing_moves(match))


def finishing_moves(match: Match) -> list[str]:
    """The moves that win the game from here, where :func:`can_finish`; else none."""
    game = match.game
    seat = match.turn
    if seat is None or match.seats != 1:
        return []
    state = match.seen_by(seat)
    if set(game.rules.Position.differences(state, match.state)) - {"rng"}:
        return []  # something is hidden yet
    game.rules.imagine(state, seed_words("finish"), [0] * WORK)  # gives it a generator to watch
    generator = list(state.rng)
    out = [0] * (game.rules.MAX_LEGAL + 1)
    moves: list[str] = []
    bot = BOTS[FINISHER]
    while state.turn >= 0 and len(moves) < MAX_PLIES:
        legal = tuple(out[: game.rules.legal(state, out)])
        seen = state.copy()
        game.rules.redact(seen, seat)
        action = bot.choose(Sight(game, seat, seen, legal), own_chance("finish", seat, len(moves)))
        moves.append(game.text.name(state, action))
        game.rules.play(state, action)
    won = state.turn < 0 and game.text.REASONS[state.reason] == "won"
    return moves if won and list(state.rng) == generator else []


@dataclass(frozen=True)
class Statistics:
    """A person's results in one game."""

    played: int
    won: int
    streak: int
    """Games won in a row up to now."""
    best_streak: int
    average_rank: float
    """From 1; of games with others."""
    average_score: float | None

    @property
    def share(self) -> int:
        """Games won, in percent."""
        return round(100 * self.won / self.played) if self.played else 0


def statistics(results: Iterable[Mapping[str, Any]]) -> Statistics:
    """Count results, the first first. Those that do not count are left out."""
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
