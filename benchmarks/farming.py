"""Let people try to lift a rating by opponents who lose on purpose.

    .venv/bin/python benchmarks/farming.py

For each game and way to cheat, a JSON line gives the points that a new account ends with. The
account wins every game, five a day against each opponent.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from redouble.contract.registry import GAMES
from redouble.web.features.ratings.ratings import (
    DAILY_LIMIT,
    DAY,
    FEW,
    Finish,
    Rating,
    ceiling,
    first_rating,
    rated,
)


class Cheat:
    """A new account, and how its rating rises."""

    def __init__(self, game: str) -> None:
        self.game = game
        self.rating = first_rating(game)
        self.past: list[tuple[float, float]] = []

    def beat(self, losers: list[Rating], now: float) -> list[Rating]:
        """Win against others, who finish in their order, and return their ratings after it."""
        most = ceiling(self.game, self.past, now)
        finishes = [Finish(self.rating, 1, ceiling=most)]
        finishes += [Finish(one, 2 + i) for i, one in enumerate(losers)]
        mine, *after = rated(self.game, finishes)
        if mine:
            self.rating = mine
            self.past.append((now, mine.points))
        return [new or old for new, old in zip(after, losers, strict=True)]

    def guests(self, days: int, seats: int) -> None:
        """Beat new guests in each game, at a table of this many seats."""
        for day in range(days):
            for _ in range(DAILY_LIMIT):
                self.beat([first_rating(self.game)] * (seats - 1), day * DAY)

    def accomplices(self, days: int, together: bool, new_each_day: bool = False) -> None:
        """Beat five people who are no longer newcomers, one after the other or at one table."""
        first = first_rating(self.game)
        losers = five = [Rating(first.points, first.spread, FEW)] * 5
        for day in range(days):
            losers = five if new_each_day else losers
            for _ in range(DAILY_LIMIT):
                if together:
                    losers = self.beat(losers, day * DAY)
                else:
                    losers = [self.beat([one], day * DAY)[0] for one in losers]


WAYS: dict[str, Callable[[Cheat], None]] = {
    "a guest, five times": lambda cheat: cheat.guests(1, 2),
    "six guests at a table, five times": lambda cheat: cheat.guests(1, 7),
    "new guests at a table, for two weeks": lambda cheat: cheat.guests(14, 7),
    "five accomplices in turn, for two weeks": lambda cheat: cheat.accomplices(14, together=False),
    "five accomplices at a table, for two weeks": lambda cheat: cheat.accomplices(14, True),
    "five new accomplices a day, for two weeks": lambda cheat: cheat.accomplices(14, False, True),
    "five accomplices at a table, for half a year": lambda cheat: cheat.accomplices(180, True),
}


def reached(game: str, way: str) -> int:
    """Return the points that a new account ends with."""
    cheat = Cheat(game)
    WAYS[way](cheat)
    return round(cheat.rating.points)


def main() -> None:
    for game in GAMES.values():
        if game.max_seats > 1:
            for way in WAYS:
                print(
                    json.dumps({"game": game.name, "way": way, "points": reached(game.name, way)})
                )


if __name__ == "__main__":
    main()
