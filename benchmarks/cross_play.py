"""Let the expert, the searches and the learned weights play each other.

    .venv/bin/python benchmarks/cross_play.py [--game NAME [--seats N,N,...]] [--iterations 512]
        [--scale 1.0] [--players NAME,NAME,...] [--series NAME] [--write]

Each pair shares the seats of a table, half of them each, and plays every deal twice, with the seats
exchanged. All pairs have the same deals and all searches the same number of iterations. ``best`` is
the master's kind of search, where it isn't plainly flat. Prints a JSON line for each row;
``--write`` updates the rows of these games and seats in results/cross-play.csv. ``--scale``
multiplies the numbers of deals, and another series has other deals. The moves depend only on the
series and the numbers of the deals, so the shares are the same on any machine.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from redouble.bots.learned import learned_weights
from redouble.bots.levels import LEVELS
from redouble.bots.policy import BEST, Policy
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.lab.contest import Contest, numbered_words
from tables import kept, percent, write

DEALS = {"double-decker": 20, "double-down": 400}
"""Deals of a pair."""
ITERATIONS = 512
SERIES = "cross"
"""The usual series that the deals are numbered in."""
PLAYERS = ("expert", "flat", BEST, "learned")
Words = np.ndarray[Any, np.dtype[np.uint64]]
HEADS = ["game, seats", "player", *PLAYERS, "deals"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=list(DEALS))
    parser.add_argument("--seats", type=lambda text: [int(one) for one in text.split(",")])
    parser.add_argument("--iterations", type=int, default=ITERATIONS)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--players", type=lambda text: text.split(","), default=PLAYERS)
    parser.add_argument("--series", default=SERIES, metavar="NAME")
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    rows = []
    for name in [wanted.game] if wanted.game else DEALS:
        game = GAMES[name]
        for seats in wanted.seats or sorted({game.min_seats, game.usual_seats}):
            deals = max(2, round(wanted.scale * DEALS[name]))
            policies = players(game, seats, wanted.iterations)
            chosen = {name: policies[name] for name in wanted.players if name in policies}
            for row in each_against_each(game, seats, deals, chosen, wanted.series):
                rows.append(row)
                print(json.dumps(row), flush=True)
    if wanted.write:
        write("cross-play", HEADS, kept("cross-play", rows, 2))


def each_against_each(
    game: Game, seats: int, deals: int, policies: Mapping[str, Policy], series: str
) -> Iterator[list[str]]:
    """Yield a row for each player."""
    words = np.repeat(numbered_words(series, 0, deals), 2, axis=0)
    shares = {}
    for one, other in combinations(policies, 2):
        shares[one, other] = duels(game, seats, words, policies[one], policies[other])
        shares[other, one] = 1.0 - shares[one, other]
    for one in policies:
        cells = [percent(shares[one, other]) if (one, other) in shares else "" for other in PLAYERS]
        yield [f"{game.name} {seats}", one, *cells, f"{deals}"]


def players(game: Game, seats: int, iterations: int) -> dict[str, Policy]:
    """Return who plays at this table, by names."""
    found = {
        "expert": LEVELS["expert"],
        "flat": Policy(iterations=iterations, method="flat"),
    }
    if game.beliefs or game.network:
        found[BEST] = Policy(iterations=iterations, method=BEST)
    if seats in learned_weights(game):
        found["learned"] = Policy(learned=True)
    return found


def duels(
    game: Game, seats: int, words: Words, one: Policy, other: Policy
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return, for each deal, the share of the other's seats that one beats.

    ``words`` has each deal twice.
    """
    contest = Contest(game, seats, [one, other], game.needed_options(seats))
    seated = (np.arange(2)[:, None] + np.arange(seats)) % 2
    deals = len(words) // 2
    ranks = contest.play(np.tile(seated, (deals, 1)), words).ranks.reshape(deals, 2, seats)
    mine, its = ranks[:, :, :, None], ranks[:, :, None, :]
    beaten = (mine < its) + 0.5 * (mine == its)
    between = (seated[:, :, None] == 0) & (seated[:, None, :] == 1)
    return np.asarray(beaten[:, between].mean(axis=1))


if __name__ == "__main__":
    main()
