"""Measure the master against experts at every number of seats.

    .venv/bin/python benchmarks/master.py [--seconds 120] [--game NAME [--seats N]] [--write]

One master sits among experts, in each seat equally often. Each row takes about ``--seconds`` of
processor time, but has at least 24 deals; how many there were is in the row. The moves depend only
on the numbers of the deals, so the same number of deals has the same share on any machine. Prints
a JSON line for each row; ``--write`` updates these rows in results/master.csv. Times are
processor times of a decision on one core; compiling is not included.
"""

from __future__ import annotations

import argparse
import json
from time import thread_time
from typing import Any

import numpy as np

from redouble.analysis.stats import Z95
from redouble.bots.levels import LEVELS
from redouble.bots.search.flat import action_of
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.lab import contest as contests
from redouble.lab.contest import Contest, numbered_words
from tables import kept, write

SERIES = "master"
"""The series that the deals are numbered in."""
MIN_DEALS = 24
"""Deals of a row at least, rounded up so that the search sits in each seat equally often."""
HEADS = ["game, seats", "beats experts", "deals", "ms a move", "99th percentile, ms"]

_times: list[float] = []


def timed(*arguments: Any) -> int:
    """Return the move that a search finds, and note its time."""
    begun = thread_time()
    action = action_of(*arguments)
    _times.append(thread_time() - begun)
    return action


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--game", choices=list(GAMES))
    parser.add_argument("--seats", type=int)
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    setattr(contests, "action_of", timed)  # noqa: B010 - a contest calls it so
    rows = []
    for game in [GAMES[wanted.game]] if wanted.game else GAMES.values():
        if game.max_seats == 1:
            continue
        counts = list(range(game.min_seats, game.max_seats + 1))
        for seats in [wanted.seats] if wanted.seats else counts:
            row = master(game, seats, wanted.seconds)
            rows.append(row)
            print(json.dumps(row), flush=True)
    if wanted.write:
        write("master", HEADS, kept("master", rows))


def master(game: Game, seats: int, seconds: float) -> list[str]:
    """Play blocks of deals until the time is up, and return the row."""
    policies = [LEVELS["expert"], LEVELS["master"]]
    contest = Contest(game, seats, policies, game.needed_options(seats))
    players = np.eye(seats, dtype=np.int64)
    contest.play(players[:1], numbered_words(f"{SERIES} compiles", 0, 1))
    _times.clear()
    found: list[float] = []
    begun = thread_time()
    while len(found) < MIN_DEALS or thread_time() - begun < seconds:
        results = contest.play(players, numbered_words(SERIES, len(found), seats))
        found += results.utilities()[players == 1].tolist()
    times, shares = 1000 * np.array(_times), np.array(found)
    return [
        f"{game.name} {seats}",
        f"{100 * shares.mean():.1f} ± {100 * Z95 * shares.std() / np.sqrt(len(shares)):.1f}%",
        f"{len(shares)}",
        f"{times.mean():.0f}",
        f"{np.quantile(times, 0.99):.0f}",
    ]


if __name__ == "__main__":
    main()
