"""How long bots take for their moves.

A bot answers at a deadline that depends only on the pace and on its level: the time it takes must
not tell the other players whether it had a choice.
"""

from redouble.bots import Bot
from redouble.bots.levels import searches
from redouble.contract.moments import MomentKind
from redouble.web.errors import WebError

PACES = {"slow": 1.6, "normal": 0.8, "fast": 0.25, "instant": 0.02}
"""Seconds that a bot takes for a move. Even the shortest is longer than a heuristic takes."""
MOMENTS = {"slow": 1.5, "normal": 1.0, "fast": 0.5, "instant": 0.0}
"""By what the time of a moment is multiplied. At the last pace only those that wait are shown."""
FORCED_AFTER = 0.4
"""Seconds that a page shows a position at least before it plays the only move there."""
USUAL_PACE = "normal"
THINKING, MAX_THINKING = 1.0, 5.0
"""Seconds that a bot that searches takes at least, and the most that a slow machine makes of it."""


def check_pace(pace: str) -> None:
    """Raise :class:`WebError` unless bots can play at this pace."""
    if pace not in PACES:
        raise WebError(f"pace {pace!r} is unknown: use one of {', '.join(PACES)}")


def moment_seconds(pace: str, moment: MomentKind, seats: int) -> float:
    """Return how long pages show a moment, and bots wait for it; 0 if it isn't shown.

    Where there is much to read, people say when to go on, at every pace.
    """
    return moment.lasts(seats) * (MOMENTS[pace] or moment.waits)


def forced_seconds(pace: str) -> float:
    """Return how long a page shows a position before it plays the viewer's only move there."""
    return max(FORCED_AFTER, PACES[pace])


class Deadlines:
    """When the bots of a server answer; those that search take ``thinking`` seconds at least."""

    def __init__(self, thinking: float = THINKING) -> None:
        self._thinking = thinking
        self._longest: dict[str, float] = {}
        """By game: how long its longest search took."""

    def seconds(self, pace: str, bot: Bot, game: str) -> float:
        """Return how long after the start of its turn a bot moves."""
        longest = self._longest.get(game, self._thinking)
        return max(PACES[pace], longest if searches(bot.name) else 0.0)

    def note(self, bot: Bot, game: str, took: float) -> None:
        """Let all later searches in a game take as long as its longest one so far took."""
        if searches(bot.name):
            longest = max(self._longest.get(game, self._thinking), took)
            self._longest[game] = min(longest, MAX_THINKING)
