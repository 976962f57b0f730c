"""Compare models of ratings, and anchor the scale at the bots.

    .venv/bin/python benchmarks/ratings.py [--games 400] [--write]

In each game, sixteen players of known strength meet at random, with the fewest and the usual number
of seats. For each of openskill's models, a JSON line gives the loss of its forecasts of who of two
finishes ahead, in the second half of the games (the logarithm of the chance given to what happened;
0.693 is a coin's), and the correlation of the order that it finds with the true one. ``--write``
computes the bots' points from the tables ladder and master.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
from openskill.models import (
    BradleyTerryFull,
    BradleyTerryPart,
    PlackettLuce,
    ThurstoneMostellerFull,
    ThurstoneMostellerPart,
)

from redouble.bots.levels import LEVELS
from redouble.bots.policy import Policy
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.lab.contest import Contest, numbered_words
from redouble.web.features.ratings import ratings
from redouble.web.features.ratings.ratings import BETA, DRIFT, MIDDLE, Rating, anchors_of, odds
from tables import written

ROOT = Path(__file__).parent.parent
ANCHORS = Path(ratings.__file__).with_name("anchors.json")
PLAYERS = 16
MODELS = (
    *(BradleyTerryPart, BradleyTerryFull, PlackettLuce),
    *(ThurstoneMostellerPart, ThurstoneMostellerFull),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    if wanted.write:
        ANCHORS.write_text(json.dumps(measured_anchors(), indent=2) + "\n", encoding="utf-8")
        ratings.anchors.cache_clear()
    for game in GAMES.values():
        if game.max_seats > 1:
            for seats in sorted({game.min_seats, game.usual_seats}):
                for model in MODELS:
                    print(json.dumps(compare(game, seats, model, wanted.games)), flush=True)


def measured_anchors() -> dict[str, dict[str, float]]:
    """Return the points of each level, by game, at the usual number of seats."""
    ladder, master = shares("ladder"), shares("master")
    found = {}
    for game in GAMES.values():
        name = f"{game.name} {game.usual_seats}"
        if name in ladder:
            steps = [*ladder[name][: len(LEVELS) - 1], master[name][0]]
            found[game.name] = anchors_of(dict(zip(LEVELS, steps, strict=True)))
    return found


def shares(name: str) -> dict[str, list[float]]:
    """Return the shares in each row of a table."""
    return {
        row[0]: [float(cell.split()[0]) / 100 for cell in row[1:] if "±" in cell]
        for row in written(name)
    }


def compare(game: Game, seats: int, kind: Any, games: int) -> dict[str, Any]:
    """Let players of known strength meet, and measure what a model foretells of them."""
    chance = random.Random(f"{game.name} {seats}")
    policies = [Policy(mistakes=0.9 * i / (PLAYERS - 1)) for i in range(PLAYERS)]
    players = np.array([chance.sample(range(PLAYERS), seats) for _ in range(games)])
    contest = Contest(game, seats, policies, game.needed_options(seats))
    ranks = contest.play(players, numbered_words("ratings", 0, games)).ranks
    first = ratings.first_rating(game.name)
    model = kind(mu=MIDDLE, sigma=first.spread, beta=BETA, tau=DRIFT * first.spread)
    known = [model.rating() for _ in range(PLAYERS)]
    loss, foretold = 0.0, 0
    for number, (who, rank) in enumerate(zip(players, ranks, strict=True)):
        for a in range(seats):
            for b in range(a):
                if number < games // 2 or rank[a] == rank[b]:
                    continue
                one, other = (Rating(known[who[i]].mu, known[who[i]].sigma) for i in (a, b))
                likely = odds(one, other)
                loss -= math.log(likely if rank[a] < rank[b] else 1 - likely)
                foretold += 1
        new = model.rate([[known[i]] for i in who], ranks=[float(one) for one in rank])
        for i, (rating,) in zip(who, new, strict=True):
            known[i] = rating
    order = np.argsort(np.argsort([-one.mu for one in known]))
    return {
        "game": game.name,
        "seats": seats,
        "model": kind.__name__,
        "games": games,
        "loss": round(loss / foretold, 4),
        "order": round(float(np.corrcoef(order, np.arange(PLAYERS))[0, 1]), 3),
    }


if __name__ == "__main__":
    main()
