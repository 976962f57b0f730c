"""Review games between bots of one level: better levels make fewer mistakes.

    .venv/bin/python benchmarks/review.py [--games 10] [--game NAME] [--write]

Prints a JSON line for each game and level; ``--write`` updates the table in
results/review.csv, or its rows of one game.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from redouble.analysis.review import Review, review
from redouble.bots import BOTS, own_chance
from redouble.bots.levels import LEVELS
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.match.match import Match
from tables import with_others, write


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--game", choices=list(GAMES))
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    rows: list[list[str]] = []
    for name in [wanted.game] if wanted.game else GAMES:
        game = GAMES[name]
        if game.max_seats == 1:
            continue
        for level in LEVELS:
            row = studied(game, level, wanted.games)
            print(json.dumps(row), flush=True)
            rows.append(
                [
                    name,
                    level,
                    f"{row['mistakes']} of {row['decisions']}",
                    f"{row['lost']:.2f}",
                    f"{row['seconds']:.1f}",
                ]
            )
    if wanted.write:
        heads = ["game", "level", "mistakes", "places lost a seat and game", "seconds a review"]
        if wanted.game:
            rows = with_others("review", wanted.game, rows)
        write("review", heads, rows)


def studied(game: Game, level: str, number: int) -> dict[str, Any]:
    """Review games between bots of one level and return the averages."""
    found: list[Review] = []
    seconds = 0.0
    for seed in range(number):
        match = played(game, level, f"{level} {seed}")
        begun = time.perf_counter()
        found.append(review(match))
        seconds += time.perf_counter() - begun
    lost = sum(account.lost for one in found for account in one.accounts)
    seats = game.usual_seats
    return {
        "game": game.name,
        "seats": seats,
        "level": level,
        "games": number,
        "mistakes": sum(len(one.mistakes) for one in found),
        "decisions": sum(len(one.decisions) for one in found),
        "lost": lost * (seats - 1) / (seats * number),
        "seconds": seconds / number,
    }


def played(game: Game, level: str, seed: str) -> Match:
    """Play a game between bots of one level."""
    match = Match(game, game.usual_seats, seed)
    while match.turn is not None:
        chance = own_chance(seed, match.turn, match.ply)
        match.push_action(BOTS[level].choose(match.observation(), chance))
    return match


if __name__ == "__main__":
    main()
