"""How fast the search runs: a thousand iterations from the first decision, on one core and on two.

    .venv/bin/python benchmarks/search.py [--runs 31] [--game NAME] [--write]

Prints a JSON line each; ``--write`` puts the table into docs/performance.md. *Plain* plays on at
random to the game's horizon, *whole* at random to the end, *levels* as the bots' levels do: by the
game's ``greedy``, to its horizon. Times are medians; compiling comes before.
"""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from statistics import median
from typing import Any

from redouble.bots.levels import LEVELS, THREADS
from redouble.bots.policy import WHOLE_GAME, Policy
from redouble.game import Game
from redouble.match import Match, Sight
from redouble.registry import game_named, game_names
from redouble.rng import seed_words
from redouble.search import Search, think
from tables import table, write

ITERATIONS = 1000
POLICIES = {
    "plain": Policy(care=0.0),
    "whole": Policy(care=0.0, horizon=WHOLE_GAME),
    "levels": Policy(),
}
HEADS = (
    "game", "seats", "plain, ms", "whole, ms", "levels, ms", "two searches on two cores",
    "a move of the top level, ms",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=31)
    parser.add_argument("--game", choices=game_names())
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    results = []
    for name in [wanted.game] if wanted.game else game_names():
        results.append(measure(game_named(name), wanted.runs))
        print(json.dumps(results[-1]), flush=True)
    if wanted.write:
        write("performance.md", "search", table(HEADS, [row(result) for result in results]))


def measure(game: Game, runs: int) -> dict[str, Any]:
    """The times of one game at its usual number of seats, in milliseconds."""
    sight = first_decision(game)
    result: dict[str, Any] = {"game": game.name, "seats": game.usual_seats}
    for name, policy in POLICIES.items():
        search(sight, policy, "warm")
        result[name] = median(timed(sight, policy, f"{run}") for run in range(runs))
    result["two_cores"] = median(two_cores(sight, f"{run}") for run in range(5))
    top = list(LEVELS.values())[-1]
    times = []
    for run in range(5):
        begun = time.perf_counter()
        think(sight, seed_words(f"top {run}"), top, threads=THREADS)
        times.append(1000 * (time.perf_counter() - begun))
    result["top"] = median(times)
    return result


def first_decision(game: Game) -> Sight:
    """What the first seat with a choice sees."""
    match = Match(game, game.usual_seats, "benchmark")
    while len(match.legal_moves) == 1:
        match.push(match.legal_moves[0])
    return match.sight()


def search(sight: Sight, policy: Policy, seed: str, times: int = 1) -> None:
    Search(sight, seed_words(seed), policy).run(times * ITERATIONS)


def timed(sight: Sight, policy: Policy, seed: str) -> float:
    begun = time.perf_counter()
    search(sight, policy, seed)
    return 1000 * (time.perf_counter() - begun)


def two_cores(sight: Sight, seed: str, times: int = 20) -> float:
    """How many times as much two threads do as one."""
    policy = replace(Policy(), care=1.0)
    begun = time.perf_counter()
    search(sight, policy, seed, times)
    one = time.perf_counter() - begun
    with ThreadPoolExecutor(2) as pool:
        begun = time.perf_counter()
        list(pool.map(lambda number: search(sight, policy, f"{seed} {number}", times), range(2)))
        return 2 * one / (time.perf_counter() - begun)


def row(result: dict[str, Any]) -> list[str]:
    times = [f"{result[name]:.1f}" for name in POLICIES]
    return [
        result["game"],
        str(result["seats"]),
        *times,
        f"{result['two_cores']:.2f} x",
        f"{result['top']:.0f}",
    ]


if __name__ == "__main__":
    main()
