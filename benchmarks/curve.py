"""Measure how much stronger a search gets with more iterations, and how much longer it takes.

    .venv/bin/python benchmarks/curve.py [--game NAME [--seats N,N,...]] [--method best]
        [--iterations 256,1024,4096,16384,65536] [--scale 1.0] [--write]

One search sits among experts, in each seat equally often; without --seats at each game's smallest,
usual and largest number of seats. All rows of a game and number of seats have the same deals, so
the difference to the row before has an interval of its own. Prints a JSON line for each row;
``--write`` updates these rows in results/curve.csv. ``--scale`` multiplies the numbers of
deals. The moves depend only on the numbers of the deals, so the shares are the same on any machine.
Times are processor times of a decision on one core. They include the experts' moves, which take
next to nothing, but no compiling.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from time import thread_time

import numpy as np

from redouble.bots.levels import LEVELS
from redouble.bots.policy import BEST, METHODS, Policy
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.lab.contest import FORCED, MOVES, Contest, numbered_words
from tables import kept, percent, write

ITERATIONS = (256, 1024, 4096, 16_384, 65_536)
DEALS = {"double-decker": 48, "double-dominoes": 96, "double-down": 400, "three-up": 200}
"""Deals of a row, rounded up so that the search sits in each seat equally often."""
SERIES = "iterations"
"""The series that the deals are numbered in."""
HEADS = ["game, seats", "iterations", "beats experts", "more than the row above", "ms", "deals"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=list(DEALS))
    parser.add_argument("--seats", type=numbers, metavar="N,N,...")
    parser.add_argument("--method", choices=METHODS, default=BEST)
    parser.add_argument("--iterations", type=numbers, default=ITERATIONS, metavar="N,N,...")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    rows = []
    for name in [wanted.game] if wanted.game else DEALS:
        game = GAMES[name]
        counts = sorted({game.min_seats, game.usual_seats, game.max_seats})
        for seats in wanted.seats or counts:
            deals = math.ceil(wanted.scale * DEALS[name] / seats) * seats
            for row in curve(game, seats, deals, wanted.method, wanted.iterations):
                rows.append(row)
                print(json.dumps(row), flush=True)
    if wanted.write:
        write("curve", HEADS, kept("curve", rows))


def numbers(text: str) -> tuple[int, ...]:
    """Read numbers with commas between them."""
    return tuple(int(number) for number in text.split(","))


def curve(
    game: Game, seats: int, deals: int, method: str, iterations: Sequence[int]
) -> Iterator[list[str]]:
    """Yield a row for each number of iterations."""
    searches = [Policy(iterations=number, method=method) for number in iterations]
    contest = Contest(game, seats, [LEVELS["expert"], *searches], game.needed_options(seats))
    rows = np.arange(deals)
    before = None
    for number, policy in enumerate(searches, 1):
        players = np.zeros((deals, seats), np.int64)
        players[rows, rows % seats] = number
        contest.play(players[:1], numbered_words(f"{SERIES} compiles", 0, 1))
        begun = thread_time()
        results = contest.play(players, numbered_words(SERIES, 0, deals))
        seconds = thread_time() - begun
        shares = results.utilities()[rows, rows % seats]
        choices = (results.counts[:, MOVES] - results.counts[:, FORCED]).sum() / seats
        yield [
            f"{game.name} {seats}",
            f"{policy.iterations}",
            percent(shares),
            "" if before is None else percent(shares - before),
            f"{1000 * seconds / choices:.2f}",
            f"{deals}",
        ]
        before = shares


if __name__ == "__main__":
    main()
