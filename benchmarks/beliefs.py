"""Measure what beliefs gain: a flat search with them among experts, and the same without.

    .venv/bin/python benchmarks/beliefs.py [--game NAME [--seats N]] [--beliefs 16] [--slips 0.05]
        [--iterations 1000] [--others expert] [--scale 1.0] [--first 0] [--write]

Beliefs take the opponents for experts who make a slip now and then. Among experts this is the most
that they can gain with these numbers; ``--others`` names another level. Both searches play the same
deals with the same random numbers, in each seat equally often. Prints a JSON line for each game and
number of seats, with the processor time; ``--write`` updates these rows in docs/strength.md.
``--scale`` multiplies the numbers of deals, and ``--first`` is the number of the first one. The
moves depend only on the numbers of the deals, so the shares are the same on any machine.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from time import process_time

from ceilings import among
from players import Believer, Fair, Searcher
from redouble.bots.levels import LEVELS, searches
from redouble.bots.policy import Policy
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from tables import kept, percent, table, write

DEALS = {"double-decker": 96, "double-dominoes": 60, "double-down": 240, "three-up": 240}
"""Deals of a row, rounded up so that each seat has as many."""
HEADS = [
    *("game, seats", "others", "without", "with beliefs", "what they gain"),
    *("worlds to choose from", "slips", "iterations", "deals", "first"),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=list(DEALS))
    parser.add_argument("--seats", type=int)
    parser.add_argument("--beliefs", type=int, default=16)
    parser.add_argument("--slips", type=float, default=0.05)
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument(
        "--others", choices=[k for k in LEVELS if not searches(k)], default="expert"
    )
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    policy = Policy(
        method="flat",
        iterations=wanted.iterations,
        beliefs=wanted.beliefs,
        slips=wanted.slips,
    )
    rows = []
    for name in [wanted.game] if wanted.game else DEALS:
        for row in gains(GAMES[name], policy, wanted):
            rows.append(row)
    if wanted.write:
        write("strength.md", "beliefs", table(HEADS, kept("strength.md", "beliefs", rows, cells=2)))


def gains(game: Game, policy: Policy, wanted: argparse.Namespace) -> Iterator[list[str]]:
    """Yield and print a row for the smallest, usual and largest number of seats, or for one."""
    only, first, others = wanted.seats, wanted.first, wanted.others
    counts = sorted({game.min_seats, game.usual_seats, min(game.max_seats, 7)})
    for seats in counts if only is None else [only]:
        begun = process_time()
        deals = math.ceil(wanted.scale * DEALS[game.name] / seats) * seats
        plain, believing = Fair(Searcher(replace(policy, beliefs=1))), Believer(policy)
        without, having = (
            [among(others, game, seats, deal, player) for deal in range(first, first + deals)]
            for player in (plain, believing)
        )
        row = [
            f"{game.name} {seats}",
            others,
            percent(without),
            percent(having),
            percent([a - b for a, b in zip(having, without, strict=True)]),
            *(f"{policy.beliefs}", f"{policy.slips}", f"{policy.iterations}", f"{deals}"),
            f"{first}",
        ]
        cells = dict(zip(HEADS, row, strict=True))
        print(json.dumps({**cells, "s": round(process_time() - begun, 1)}), flush=True)
        yield row


if __name__ == "__main__":
    main()
