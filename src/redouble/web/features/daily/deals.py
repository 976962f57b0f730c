"""Daily deals and puzzles: the same for everyone on a day, and unknown before it.

A day begins and ends at midnight UTC. Its deals are derived from a secret of the site, so that no
one can compute them in advance. A try begun on a day counts for it if it ends before ``closes``.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any

from redouble.analysis.puzzle import Puzzle, number_of_puzzles, puzzle_numbered
from redouble.bots import BOTS, own_chance
from redouble.bots.levels import LEVELS, USUAL_LEVEL, searches
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.match.match import Match
from redouble.web.errors import NotFound

PUZZLE = ""
"""What takes the place of a game's name for the day's puzzle."""
PUZZLE_TRIES = 2
LEVEL = USUAL_LEVEL
"""The level of the bots in the other seats."""
SEED_DIGITS = 32
MAX_BARS = 8
"""Bars in the plot of a day's results."""
DAY = timedelta(days=1)


def day_of(seconds: float) -> date:
    """Return the day of a time in seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC).date()


def begins(day: date) -> float:
    """Return when a day begins, in seconds since 1970."""
    return datetime.combine(day, time(), UTC).timestamp()


def closes(day: date) -> float:
    """Return when a day's results are final: at the end of the day after it.

    Until then a game that was begun on the day can be finished, and only those who have finished
    see its cards.
    """
    return begins(day + 2 * DAY)


def parse_day(text: str) -> date:
    """Return the day in an address. Raises :class:`NotFound`."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise NotFound("there is no such day: write it as 2026-11-22")
    return day


@dataclass(frozen=True)
class DailyDeal:
    """A game's deal of a day: one seat for the player, the others for bots."""

    day: date
    game: Game
    seed: str
    seat: int

    @property
    def seats(self) -> int:
        return self.game.usual_seats

    @property
    def options(self) -> dict[str, Any]:
        """All options of the game."""
        return self.game.check_options(self.seats, self.game.as_played({}))


def daily_deal(secret: str, day: date, game: Game) -> DailyDeal:
    """Return a game's deal of a day."""
    seat = int(_digest(secret, day, f"seat {game.name}"), 16) % game.usual_seats
    return DailyDeal(day, game, _digest(secret, day, f"deal {game.name}")[:SEED_DIGITS], seat)


def daily_puzzle(secret: str, day: date) -> Puzzle | None:
    """Return the puzzle of a day; None if no game has puzzles."""
    known = [
        (game, number)
        for game in GAMES.values()
        for number in range(1, number_of_puzzles(game) + 1)
    ]
    if not known:
        return None
    return puzzle_numbered(*known[int(_digest(secret, day, "puzzle"), 16) % len(known)])


def _digest(secret: str, day: date, what: str) -> str:
    return hmac.digest(secret.encode(), f"{day.isoformat()} {what}".encode(), "sha256").hex()


@dataclass(frozen=True, order=True)
class DailyResult:
    """How a try ended; a better one is smaller.

    Of equal places, the one with more points is better.
    """

    missed: bool
    """Whether the game, or the puzzle, wasn't won."""
    rank: int
    """The place among the seats; in a puzzle, the try that found the answer."""
    lost_points: int
    """The points, negated."""
    score: int | None

    @classmethod
    def of(cls, rank: int, score: int | None, won: bool) -> DailyResult:
        return cls(not won, rank, -(score or 0), score)

    @property
    def won(self) -> bool:
        return not self.missed


@dataclass(frozen=True)
class LevelResult:
    """What a bot achieves in the player's seat."""

    level: str
    result: DailyResult


@lru_cache(maxsize=64)
def bot_results(deal: DailyDeal) -> tuple[LevelResult, ...]:
    """Play a deal with a bot of each level that doesn't search in the player's seat."""
    played = ((level, _played(deal, level)) for level in LEVELS if not searches(level))
    return tuple(LevelResult(level, result) for level, result in played)


def _played(deal: DailyDeal, level: str) -> DailyResult:
    match = Match(deal.game, deal.seats, deal.seed, deal.options)
    while (turn := match.turn) is not None:
        bot = BOTS[level if turn == deal.seat else LEVEL]
        action = bot.choose(match.observation(), own_chance(match.seed, turn, match.ply))
        match.push(match.legal_moves.name(action))
    outcome = match.outcome
    assert outcome is not None
    score = None if outcome.scores is None else outcome.scores[deal.seat]
    return DailyResult.of(outcome.ranks[deal.seat], score, outcome.won[deal.seat])


@dataclass(frozen=True)
class Comparison:
    """A result among those of everyone who finished, including itself."""

    place: int
    """1 for the best; equal results share the better place."""
    shared: int
    """Others with an equal result."""
    players: int

    @property
    def beaten(self) -> int | None:
        """The share of the others with a worse result, in percent; None without others."""
        if self.players < 2:
            return None
        return 100 * (self.players - self.place - self.shared) // (self.players - 1)


def compare(mine: DailyResult, everyone: Collection[DailyResult]) -> Comparison:
    """Return how a result, which is one of ``everyone``'s, compares with the others."""
    better = sum(one < mine for one in everyone)
    return Comparison(better + 1, sum(one == mine for one in everyone) - 1, len(everyone))


@dataclass(frozen=True)
class Bar:
    """A group of results in a plot."""

    label: str
    count: int
    percent: int
    """Its length compared with the longest bar."""
    mine: bool


def bar_groups(
    labeled: Iterable[tuple[DailyResult, str]], mine: DailyResult | None
) -> tuple[Bar, ...]:
    """Group results by their labels, best first."""
    groups: dict[str, list[DailyResult]] = {}
    for result, label in sorted(labeled, key=lambda pair: pair[0]):
        groups.setdefault(label, []).append(result)
    longest = max((len(group) for group in groups.values()), default=1)
    return tuple(
        Bar(label, len(group), round(100 * len(group) / longest), mine in group)
        for label, group in groups.items()
    )


def points_ranges(scores: Sequence[int]) -> dict[int, str]:
    """Return for each score the range of at most ``MAX_BARS`` equal ones that it lies in."""
    if not scores:
        return {}
    low, high = min(scores), max(scores)
    width = (high - low) // MAX_BARS + 1
    ranges = {}
    for score in scores:
        first = low + (score - low) // width * width
        last = min(first + width - 1, high)
        ranges[score] = str(first) if first == last else f"{first} to {last}"
    return ranges


@dataclass(frozen=True)
class Streak:
    """Days in a row."""

    current: int
    """Up to today, or up to yesterday while today can still be played."""
    best: int


def streak(days: Collection[date], today: date) -> Streak:
    """Return the streak of a person who finished something on each of these days."""
    best = run = 0
    before = None
    for day in sorted(days):
        run = run + 1 if before is not None and day - before == DAY else 1
        best, before = max(best, run), day
    current = run if before is not None and today - before <= DAY else 0
    return Streak(current, best)
