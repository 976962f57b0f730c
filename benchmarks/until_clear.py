"""Count how many deals `redouble arena --until-clear` needs, by how far apart two bots are.

    .venv/bin/python benchmarks/until_clear.py [--runs N]

Deals are drawn by chance: half of them are even, and each of the others is won whole by one bot.
Prints a table: the median number of deals and the ninth decile, and the share of right answers. No
game is played, so the table is the same on any machine.
"""

from __future__ import annotations

import argparse

import numpy as np

from redouble.lab.arena.sequential import Evidence, verdict

DIFFERENCES = (40, 20, 10, 5, 0)
"""Points by which the first bot is ahead."""
MARGIN = 5.0
MAX_DEALS = 30_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    runs = parser.parse_args().runs
    print("| difference | deals, median | 9 of 10 within | right answers |")
    print("|---|---|---|---|")
    for points in DIFFERENCES:
        dice = np.random.default_rng(points)
        won = 0.25 + points / 200
        right, deals = 0, []
        for _ in range(runs):
            evidence = Evidence(1, MARGIN)
            evidence.add(dice.choice(3, size=MAX_DEALS, p=[0.5 - won, 0.5, won]))
            answer = verdict(evidence.so_far()[1], MARGIN)
            right += answer == ("first better" if points else "no difference")
            deals.append(evidence.deals)
        middle, most = np.quantile(deals, (0.5, 0.9))
        print(f"| {points} points | {middle:.0f} | {most:.0f} | {100 * right / runs:.0f}% |")


if __name__ == "__main__":
    main()
