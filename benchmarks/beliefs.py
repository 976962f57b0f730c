"""Measure what beliefs gain: a flat search with them among experts, and the same without.

    .venv/bin/python benchmarks/beliefs.py [--game NAME [--seats N]] [--beliefs 16] [--slips 0.05]
        [--iterations 1000] [--scale 1.0] [--write]

Beliefs take the opponents for experts who make a slip now and then, which they are here, so this is
the most that they can gain with these numbers. Both searches play the same deals with the same
random numbers, in each seat equally often. Prints a JSON line for each game and number of seats,
with the processor time; ``--write`` updates these rows in docs/strength.md. ``--scale`` multiplies
the numbers of deals. The moves depend only on the numbers of the deals, so the shares are the same
on any machine.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from time import process_time

from ceilings import among_experts
from players import Believer, Fair, Searcher
from redouble.bots.policy import Policy
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from tables import kept, percent, table, write

DEALS = {"double-decker": 96, "double-dominoes": 60, "double-down": 240, "three-up": 240}
"""Deals of a row, rounded up so that each seat has as many."""
HEADS = [
    *("game, seats", "without", "with beliefs", "what they gain"),
    *("worlds to choose from", "slips", "iterations", "deals"),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=list(DEALS))
    parser.add_argument("--seats", type=int)
    parser.add_argument("--beliefs", type=int, default=16)
    parser.add_argument("--slips", type=float, default=0.05)
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--scale", type=float, default=1.0)
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
        for row in gains(GAMES[name], wanted.seats, policy, wanted.scale):
            rows.append(row)
    if wanted.write:
        write("strength.md", "beliefs", table(HEADS, kept("strength.md", "beliefs", rows)))


def gains(game: Game, only: int | None, policy: Policy, scale: float) -> Iterator[list[str]]:
    """Yield and print a row for the smallest, usual and largest number of seats, or for one."""
    counts = sorted({game.min_seats, game.usual_seats, min(game.max_seats, 7)})
    for seats in counts if only is None else [only]:
        begun = process_time()
        deals = math.ceil(scale * DEALS[game.name] / seats) * seats
        plain, believing = Fair(Searcher(policy)), Believer(policy)
        without, having = (
            [among_experts(game, seats, deal, player) for deal in range(deals)]
            for player in (plain, believing)
        )
        row = [
            f"{game.name} {seats}",
            percent(without),
            percent(having),
            percent([a - b for a, b in zip(having, without, strict=True)]),
            *(f"{policy.beliefs}", f"{policy.slips}", f"{policy.iterations}", f"{deals}"),
        ]
        cells = dict(zip(HEADS, row, strict=True))
        print(json.dumps({**cells, "s": round(process_time() - begun, 1)}), flush=True)
        yield row


if __name__ == "__main__":
    main()
