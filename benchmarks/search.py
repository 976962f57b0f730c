"""Measure the search: a thousand iterations from the first decision, on one core and on two.

    .venv/bin/python benchmarks/search.py [--runs 31] [--game NAME] [--write]

Prints a JSON line for each game; ``--write`` updates results/search.csv. The
playouts of *plain* are random up to the game's horizon, those of *whole* are random to the end, and
those of *levels* follow the game's ``greedy`` to its horizon, as the bots' levels do. Times are
medians over searches with different seeds. Each search runs in several rounds and its fastest time
counts, because other programs can only slow it down. Compiling is not included. The test on two
cores compares two threads with one on the same two searches of about 0.3 seconds.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import median
from typing import Any

from redouble.bots.levels import LEVELS, THREADS
from redouble.bots.policy import WHOLE_GAME, Policy
from redouble.bots.search import Search, think
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel.rng import seed_words
from redouble.match.match import Match, Observation
from tables import write

ITERATIONS = 1000
RUNS = 11
"""Runs of the longer measurements."""
AGAIN = 9
"""Rounds of all searches: a machine can be busy for seconds at a time."""
LONG = 300
"""Milliseconds of each of two parallel searches, long enough to hide the start of the threads."""
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
    parser.add_argument("--game", choices=list(GAMES))
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    results = []
    for name in [wanted.game] if wanted.game else GAMES:
        results.append(measure(GAMES[name], wanted.runs))
        print(json.dumps(results[-1]), flush=True)
    if wanted.write:
        write("search", HEADS, [row(result) for result in results])


def measure(game: Game, runs: int) -> dict[str, Any]:
    """Return the times of a game at its usual number of seats, in milliseconds."""
    observation = first_decision(game)
    top = list(LEVELS.values())[-1]
    works: dict[str, list[Callable[[], object]]] = {
        name: [partial(search, observation, policy, f"{run}") for run in range(runs)]
        for name, policy in POLICIES.items()
    }
    works["top"] = [
        partial(think, observation, seed_words(f"top {run}"), top, threads=THREADS)
        for run in range(RUNS)
    ]
    for name in works:
        works[name][0]()  # compiles
    rounds = [{name: list(map(timed, works[name])) for name in works} for _ in range(AGAIN)]
    least = {
        name: median(map(min, zip(*(each[name] for each in rounds), strict=True))) for name in works
    }
    pairs = two_cores(observation, max(1, round(LONG / least["levels"])))
    return {"game": game.name, "seats": game.usual_seats, **least, "two_cores": pairs}


def first_decision(game: Game) -> Observation:
    """Return the observation of the first seat with a choice."""
    match = Match(game, game.usual_seats, "benchmark")
    while len(match.legal_moves) == 1:
        match.push(match.legal_moves[0])
    return match.observation()


def search(observation: Observation, policy: Policy, seed: str, times: int = 1) -> None:
    Search(observation, seed_words(seed), policy).run(times * ITERATIONS)


def timed(work: Callable[[], object]) -> float:
    """Return the milliseconds that a piece of work takes."""
    begun = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begun)


def two_cores(observation: Observation, times: int) -> float:
    """Return the speedup of two searches on two threads over one thread, by the fastest times."""

    def seconds(threads: int) -> float:
        with ThreadPoolExecutor(threads) as pool:
            begun = time.perf_counter()
            list(
                pool.map(lambda seed: search(observation, Policy(), seed, times), ("one", "other"))
            )
            return time.perf_counter() - begun

    pairs = [(seconds(1), seconds(2)) for _ in range(RUNS)]
    return min(one for one, _ in pairs) / min(two for _, two in pairs)


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
