"""Measure how long a hint takes, at decisions of games between experts.

    .venv/bin/python benchmarks/hints.py [--decisions 40] [--game NAME] [--write]

The decisions are spread over the games: every seventh with a choice counts. Prints a JSON line for
each game and number of seats, the smallest and the usual one: the median and the 90th percentile,
in milliseconds, and the share of hints that take longer than a page waits before it shows a guess.
Times are of one core; compiling is not included. ``--write`` updates the table in
results/hints.csv, or its rows of one game.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from time import thread_time

import numpy as np

from redouble.analysis.hint import advise
from redouble.bots import BOTS, own_chance
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.match.match import Match, Observation
from tables import with_others, write

NAME = "hints"
EVERY = 7
"""Decisions of a game from one that counts to the next."""
PATIENCE = 250.0
"""Milliseconds that a page waits for a hint before it shows a guess."""
HEADS = ["game, seats", "median, ms", "90th percentile, ms", "over 250 ms", "decisions"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=40)
    parser.add_argument("--game", choices=[name for name in GAMES if GAMES[name].max_seats > 1])
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    rows = []
    for game in [GAMES[wanted.game]] if wanted.game else GAMES.values():
        if game.max_seats == 1:
            continue
        for seats in sorted({game.min_seats, game.usual_seats}):
            rows.append(measure(game, seats, wanted.decisions))
            print(json.dumps(dict(zip(HEADS, rows[-1], strict=True))), flush=True)
    if wanted.write:
        if wanted.game:
            rows = with_others(NAME, wanted.game, rows)
        write(NAME, HEADS, rows)


def measure(game: Game, seats: int, decisions: int) -> list[str]:
    """Return a row of the table."""
    names = [f"Player {number}" for number in range(1, seats + 1)]
    times = []
    for number, observation in enumerate(crossroads(game, seats, decisions + 1)):
        begun = thread_time()
        advise(observation, names)
        if number:  # the first one may have to be compiled
            times.append(1000 * (thread_time() - begun))
    return [
        f"{game.name} {seats}",
        f"{np.median(times):.0f}",
        f"{np.quantile(times, 0.9):.0f}",
        f"{100 * np.mean(np.array(times) > PATIENCE):.0f}%",
        f"{decisions}",
    ]


def crossroads(game: Game, seats: int, decisions: int) -> Iterator[Observation]:
    """Yield what the seat to move may know at decisions of games between experts."""
    left, number, choices = decisions, 0, 0
    while left:
        match = Match(game, seats, f"hints {number}")
        number += 1
        while match.turn is not None and left:
            observation = match.observation()
            if len(observation.legal) > 1:
                choices += 1
                if choices % EVERY == 0:
                    left -= 1
                    yield observation
            chance = own_chance(match.seed, match.turn, match.ply)
            match.push_action(BOTS["expert"].choose(observation, chance))


if __name__ == "__main__":
    main()
