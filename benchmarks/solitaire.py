"""How many deals of the games for one can be won, and how many are won by those who see no stock.

    .venv/bin/python benchmarks/solitaire.py [--times 1] [--threads 1] [--only PART] [--write]

Prints a JSON line each; ``--write`` puts the tables into docs/solitaire.md. The deals of a row are
as many as take some seconds; ``--times 100`` solves a hundred times as many.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from redouble.game import Game
from redouble.options import Flag
from redouble.registry import games
from redouble.solve import CAREFUL, GREEDY, PLAYERS, RANDOM, Tally, solve_many
from tables import table, write

REDEALS = range(5)
PUBLISHED = 2_000_000
CHOOSING = {0: 2_000, 1: 1_500, 2: 5_000, 3: 20_000, 4: 40_000}
"""Deals solved by the number of redeals, where there is something to choose."""
HONEST = {
    RANDOM: dict.fromkeys(REDEALS, 100_000),
    GREEDY: dict.fromkeys(REDEALS, 100_000),
    CAREFUL: {0: 100_000, 1: 4_000, 2: 1_000, 3: 4_000, 4: 8_000},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=float, default=1.0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", choices=("exact", "honest"))
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    for game in games().values():
        if game.solver is None:
            continue
        if wanted.only != "honest":
            exact(game, wanted)
        if wanted.only != "exact":
            honest(game, wanted)


def exact(game: Game, wanted: argparse.Namespace) -> None:
    """Deals that can be won by somebody who knows the stock."""
    rows = []
    for words, rules in readings(game):
        for redeals in REDEALS:
            deals = CHOOSING[redeals] if rules else PUBLISHED
            tally, rate = timed(game, rules | {"redeals": redeals}, deals, wanted)
            row = [words, redeals, percent(tally), tally.undecided, tally.deals, f"{rate:,.0f}"]
            print(json.dumps({"exact": row}), flush=True)
            rows.append(row)
    if wanted.write:
        heads = ["rules", "redeals", "can be won", "undecided", "deals", "deals/s, a thread"]
        write("solitaire.md", "exact", table(heads, rows))


def honest(game: Game, wanted: argparse.Namespace) -> None:
    """Deals that players win who see no hidden card."""
    rows = []
    for words, rules in readings(game):
        if not rules:
            continue  # nothing to choose
        for redeals in REDEALS:
            row = [words, str(redeals)]
            for player, deals in HONEST.items():
                options = rules | {"redeals": redeals}
                tally, _ = timed(game, options, deals[redeals], wanted, player)
                row += [percent(tally), str(tally.deals)]
                print(json.dumps({"honest": [*row[:2], PLAYERS[player], *row[-2:]]}), flush=True)
            rows.append(row)
    if wanted.write:
        heads = ["rules", "redeals"]
        for name in PLAYERS:
            heads += [name, "deals"]
        write("solitaire.md", "honest", table(heads, rows))


def readings(game: Game) -> list[tuple[str, dict[str, Any]]]:
    """The rules as published, and with each switch turned on."""
    switches = [option.name for option in game.options if isinstance(option, Flag)]
    return [("as published", {}), *((name, {name: True}) for name in switches)]


def timed(
    game: Game,
    options: dict[str, Any],
    deals: int,
    wanted: argparse.Namespace,
    player: int | None = None,
) -> tuple[Tally, float]:
    """The tally, and deals a second of one thread."""
    solve_many(game, options, wanted.threads, "warm", wanted.threads, player=player)
    start = time.perf_counter()
    deals = int(deals * wanted.times)
    tally = solve_many(game, options, deals, "docs", wanted.threads, player=player)
    return tally, deals / (time.perf_counter() - start) / wanted.threads


def percent(tally: Tally) -> str:
    """A share with half its 95 % interval."""
    low, high = tally.interval
    half = 50 * (high - low)
    digits = 3 if half < 0.05 else 2
    return f"{100 * tally.share:.{digits}f} +- {half:.{digits}f} %"


if __name__ == "__main__":
    main()
