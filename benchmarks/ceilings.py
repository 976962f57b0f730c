"""Measure how far from perfect the bots are, by searches that know more than a bot may.

    .venv/bin/python benchmarks/ceilings.py [--game NAME] [--scale 1.0] [--write]

A search that sees everything sits among experts, then the same search with all hands but not the
cards to come, and with what a bot may know; on the same deals, in each seat equally often. Prints a
JSON line for each row, with its processor time; ``--write`` updates the table in
results/sight.csv, or the rows of one game. ``--scale`` multiplies the numbers of deals. The
moves depend only on the numbers of the deals, so the shares are the same on any machine.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from time import process_time

from players import Fair, Player, Searcher, SeesEverything, SeesHands, final_ranks
from redouble.analysis.shares import of_ranks
from redouble.bots.levels import LEVELS, LevelBot
from redouble.bots.policy import Policy
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from tables import percent, with_others, write

NAME = "sight"
DEALS = {"double-decker": 24, "double-dominoes": 60, "double-down": 160, "three-up": 100}
"""Deals of a row, rounded up so that each seat has as many."""
ITERATIONS = 512
"""Of each search. With nothing hidden, few worlds are enough."""

Row = dict[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=list(DEALS))
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    rows: list[Row] = []
    for game in [wanted.game] if wanted.game else DEALS:
        begun = process_time()
        for row in sight(GAMES[game], wanted.scale):
            rows.append(row)
            print(json.dumps({**row, "s": round(process_time() - begun, 1)}), flush=True)
            begun = process_time()
    if wanted.write:
        cells = [list(row.values()) for row in rows]
        if wanted.game:
            cells = with_others(NAME, wanted.game, cells)
        write(NAME, list(rows[0]), cells)


def sight(game: Game, scale: float) -> Iterator[Row]:
    """Yield a row for each number of seats: one player among experts."""
    policy = Policy(iterations=ITERATIONS, method="flat")
    for seats in range(game.min_seats, game.max_seats + 1):
        deals = math.ceil(max(2, round(scale * DEALS[game.name])) / seats) * seats
        sees, hands, guesses = (
            [among("expert", game, seats, deal, player) for deal in range(deals)]
            for player in (SeesEverything(policy), SeesHands(policy), Fair(Searcher(policy)))
        )
        yield {
            "game, seats": f"{game.name} {seats}",
            "sees everything": percent(sees),
            "sees all hands": percent(hands),
            "sees what a bot may": percent(guesses),
            "what hands tell": percent([a - b for a, b in zip(hands, guesses, strict=True)]),
            "deals": f"{deals}",
        }


def among(level: str, game: Game, seats: int, deal: int, player: Player) -> float:
    """Return the share of bots of a level that a player beats; its seat changes with the deal."""
    seat = deal % seats
    players: list[Player] = [Fair(LevelBot(level, LEVELS[level]))] * seats
    players[seat] = player
    ranks = final_ranks(game, f"sight {deal}", players, game.needed_options(seats))
    return of_ranks(ranks)[seat]


if __name__ == "__main__":
    main()
