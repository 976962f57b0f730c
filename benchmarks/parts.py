"""Measure where the time of a random move goes, by calling each part once more.

    .venv/bin/python benchmarks/parts.py [--game NAME] [--seats N] [--write]

The difference is the time of that part. Prints a JSON line for each game, in nanoseconds per move;
``--write`` updates results/parts.csv. The fastest of many short runs counts,
because other programs slow some of them down.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np

from redouble.contract.game import Game
from redouble.contract.placeholders import legal, play, setup
from redouble.contract.registry import GAMES
from redouble.kernel.engine import compiled, to_records
from redouble.kernel.rng import Generator, below, reseed, seed_words
from tables import write

RUNS = 30
RUN_SECONDS = 0.02


def playouts(states: Any, rng: Generator, out: Any, games: int, deals: int, listings: int) -> int:
    """Play random games; deal each ``deals`` times and list moves ``listings`` times per move."""
    moves = 0
    for _ in range(games):
        for _ in range(deals):
            deal(states, rng)
        n = legal(states[0], out)
        while n:
            play(states[0], out[below(rng, n)])
            moves += 1
            for _ in range(listings):
                n = legal(states[0], out)
    return moves


def deal(states: Any, rng: Generator) -> None:
    states[0] = states[1]
    reseed(states[0].rng, rng)
    setup(states[0])


def measure(game: Game, seats: int) -> dict[str, Any]:
    """Return the nanoseconds per move, in total and of each part."""
    rules = game.rules
    header = game.header(seats, {})
    out = np.zeros(rules.MAX_LEGAL + 1, np.int16)

    loop = compiled(playouts, setup=rules.setup, legal=rules.legal, play=rules.play)
    states = to_records(header, 2)

    def run(games: int, deals: int, listings: int) -> tuple[float, int]:
        rng = np.array(seed_words("parts"), np.uint64)
        start = time.perf_counter()
        moves = loop(states, rng, out, games, deals, listings)
        return time.perf_counter() - start, moves

    run(1, 1, 1)
    games = int(100 * RUN_SECONDS / run(100, 1, 1)[0]) + 1

    # Alternate the three, so that changes of the machine's speed affect them equally.
    rounds = [(run(games, 1, 1), run(games, 1, 2), run(games, 2, 1)) for _ in range(RUNS)]
    total, listed, dealt = (
        1e9 * min(seconds / moves for seconds, moves in runs) for runs in zip(*rounds, strict=True)
    )
    listing, dealing = listed - total, dealt - total
    return {
        "game": game.name,
        "seats": seats,
        "move": round(total, 1),
        "legal": round(listing, 1),
        "deal": round(dealing, 1),
        "rest": round(total - listing - dealing, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=list(GAMES))
    parser.add_argument("--seats", type=int)
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    rows = []
    for name in [wanted.game] if wanted.game else GAMES:
        game = GAMES[name]
        seats = wanted.seats or max(game.min_seats, min(game.max_seats, 4))
        game.check_seats(seats)
        row = measure(game, seats)
        print(json.dumps(row), flush=True)
        rows.append(list(row.values()))
    if wanted.write:
        heads = ["game", "seats", "a move, ns", "listing legal moves", "first deal", "the rest"]
        write("parts", heads, rows)


if __name__ == "__main__":
    main()
