"""Measure how many deals of one-player games can be won, and how many players win unseen.

    .venv/bin/python benchmarks/solitaire.py [--width 0.1] [--only PART] [--write]

Prints a JSON line for each row; ``--write`` updates results/exact.csv and honest.csv. Each
row plays deals until half the width of its 95% interval is at most ``--width`` percentage points.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from redouble.analysis.solve import CAREFUL, DealTally, Solving
from redouble.bots.levels import LEVELS
from redouble.contract.game import Game
from redouble.contract.options import Flag
from redouble.contract.registry import GAMES
from tables import write

REDEALS = range(5)
PART = 100_000
"""Deals between two checks of the interval."""
PLAYERS = {
    "random": 1.0,
    **{name: level.mistakes for name, level in LEVELS.items() if not level.iterations},
    "solver": CAREFUL,
}
"""Players who see no hidden card, by the share of their decisions that are mistakes."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--width", type=float, default=0.1)
    parser.add_argument("--only", choices=("exact", "honest"))
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    for game in GAMES.values():
        if game.solver is None:
            continue
        if wanted.only != "honest":
            exact(game, wanted)
        if wanted.only != "exact":
            honest(game, wanted)


def exact(game: Game, wanted: argparse.Namespace) -> None:
    """Measure the deals that can be won by a player who knows the stock."""
    rows = []
    for words, rules in readings(game):
        for redeals in REDEALS:
            tally, rate = measured(game, rules | {"redeals": redeals}, wanted)
            row = [words, redeals, percent(tally), tally.undecided, tally.deals, f"{rate:,.0f}"]
            print(json.dumps({"exact": row}), flush=True)
            rows.append(row)
    if wanted.write:
        heads = ["rules", "redeals", "can be won", "undecided", "deals", "deals/s, a thread"]
        write("exact", heads, rows)


def honest(game: Game, wanted: argparse.Namespace) -> None:
    """Measure the deals that are won by players who see no hidden card."""
    rows = []
    for words, rules in readings(game):
        if not rules:
            continue  # nothing to choose
        for redeals in REDEALS:
            for player, mistakes in PLAYERS.items():
                tally, _ = measured(game, rules | {"redeals": redeals}, wanted, mistakes)
                row = [words, redeals, player, percent(tally), tally.undecided, tally.deals]
                print(json.dumps({"honest": row}), flush=True)
                rows.append(row)
    if wanted.write:
        heads = ["rules", "redeals", "player", "wins", "undecided", "deals"]
        write("honest", heads, rows)


def readings(game: Game) -> list[tuple[str, dict[str, Any]]]:
    """Return the rules as published, and the rules with each switch turned on."""
    switches = [option.name for option in game.options if isinstance(option, Flag)]
    return [("as published", {}), *((name, {name: True}) for name in switches)]


def measured(
    game: Game,
    options: dict[str, Any],
    wanted: argparse.Namespace,
    mistakes: float | None = None,
) -> tuple[DealTally, float]:
    """Return the tally of enough deals, and the deals per second on one thread."""
    solving = Solving(game)

    def counted(deals: int, seed: str) -> DealTally:
        if mistakes is None:
            return solving.solve_deals(options, deals, seed)
        return solving.play_deals(options, deals, mistakes, seed)

    counted(1, "warm")
    start = time.perf_counter()
    tally = DealTally(0, 0, 0)
    part = 0
    while half_width(tally) > wanted.width:
        tally += counted(PART, f"docs {part} 0")
        part += 1
    return tally, tally.deals / (time.perf_counter() - start)


def half_width(tally: DealTally) -> float:
    """Return half the width of the 95% interval, in percentage points."""
    low, high = tally.interval
    return 50 * (high - low)


def percent(tally: DealTally) -> str:
    """Return a share with half the width of its 95% interval."""
    half = half_width(tally)
    digits = 3 if half < 0.05 else 2
    return f"{100 * tally.share:.{digits}f} ± {half:.{digits}f}%"


if __name__ == "__main__":
    main()
