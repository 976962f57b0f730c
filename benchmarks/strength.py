"""Measure the bots: each level against the one below, and the best heuristic against random play.

    .venv/bin/python benchmarks/strength.py [--games 20000] [--game NAME] [--write]
        [--workers N | --cluster ADDRESS]

Prints a JSON line for each measurement; ``--write`` updates results/ladder.csv,
strength.csv and solitaire.csv, or the rows of one game. In each game one player meets others of
another kind, and its seat rotates. The moves depend only on the numbers of the deals, so the
results are the same on any machine, and on a Ray cluster. Ctrl-C ends it with a line about the
games so far. The master is measured by master.py.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from redouble.bots.levels import LEVELS
from redouble.bots.policy import Policy
from redouble.commands.arguments import Workers, progress_bar
from redouble.commands.errors import EXIT_INTERRUPTED
from redouble.contract.game import Game
from redouble.contract.options import Flag
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.lab.strength import StrengthTally, measure_strength
from tables import with_others, write

RANDOM = Policy(mistakes=1.0)
STEPS = [("random", RANDOM), *((k, level) for k, level in LEVELS.items() if not level.iterations)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--game", choices=list(GAMES))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--cluster", metavar="ADDRESS")
    wanted = parser.parse_args()
    steps: list[list[str]] = []
    rows: list[list[str]] = []
    alone: list[list[str]] = []
    for name in [wanted.game] if wanted.game else GAMES:
        game = GAMES[name]
        if game.max_seats == 1:
            for options in ({}, *({o.name: True} for o in game.options if isinstance(o, Flag))):
                for player, policy in STEPS:
                    result = solitaire(game, options, player, policy, wanted)
                    print(json.dumps(result), flush=True)
                    alone.append(
                        [
                            name,
                            ", ".join(options) or "as published",
                            player,
                            f"{100 * result['won']:.1f} +- {100 * result['error']:.1f}%",
                            f"{result['mean_score']:.1f}",
                            f"{result['games']}",
                        ]
                    )
            continue
        for seats in range(game.min_seats, game.max_seats + 1):
            row = []
            for (weaker, low), (stronger, high) in pairwise(STEPS):
                result = meet(game, seats, high, low, wanted)
                print(json.dumps({**result, "weaker": weaker, "stronger": stronger}), flush=True)
                row.append(f"{100 * result['share']:.1f} +- {100 * result['error']:.1f}%")
            steps.append([result["name"], *row, f"{result['games']}"])
        for seats in range(game.min_seats, game.max_seats + 1):
            result = meet(game, seats, LEVELS["expert"], RANDOM, wanted)
            print(json.dumps(result), flush=True)
            rows.append(
                [
                    result["name"],
                    f"{100 * result['wins']:.1f} +- {100 * result['wins_error']:.1f}%",
                    f"{100 / seats:.1f}%",
                    f"{100 * result['share']:.1f} +- {100 * result['error']:.1f}%",
                    f"{result['games']}",
                ]
            )
    if wanted.write:
        against = [f"{high} against {low}" for (low, _), (high, _) in pairwise(STEPS)]
        heads = ["game, seats", *against, "games each"]
        put("ladder", heads, steps, wanted.game)
        heads = ["game, seats", "expert wins", "fair share", "beats", "games"]
        put("strength", heads, rows, wanted.game)
        heads = ["game", "rules", "level", "deals won", "mean score", "games"]
        put("solitaire", heads, alone, wanted.game)


def put(name: str, heads: list[str], rows: list[list[str]], game: str | None) -> None:
    """Update a table; with ``game``, only the rows of that game."""
    if game:
        rows = with_others(name, game, rows)
    write(name, heads, rows)


def meet(game: Game, seats: int, one: Policy, others: Policy, wanted: Any) -> dict[str, Any]:
    """Measure one player among others of another kind: the share it beats and the games it wins."""
    options = fitting_options(game, seats)
    tally = played(game, seats, options, one, others, wanted)
    return {
        "game": game.name,
        "seats": seats,
        "name": f"{game.name} {seats}" + "".join(f", {k}={v}" for k, v in options.items()),
        "share": tally.share,
        "error": tally.share_error,
        "wins": tally.win_rate,
        "wins_error": tally.win_error,
        "games": tally.games,
    }


def solitaire(
    game: Game, options: Mapping[str, Any], player: str, policy: Policy, wanted: Any
) -> dict[str, Any]:
    """Return the share of deals won, and the mean score."""
    tally = played(game, 1, options, policy, policy, wanted)
    return {
        "game": game.name,
        "options": dict(options),
        "player": player,
        "won": tally.share,
        "error": tally.share_error,
        "mean_score": tally.mean_score,
        "games": tally.games,
    }


def played(
    game: Game, seats: int, options: Mapping[str, Any], one: Policy, others: Policy, wanted: Any
) -> StrengthTally:
    """Play the games where the command line says; after Ctrl-C, print what was counted and end."""
    where = Workers(wanted.workers, wanted.cluster).executor()
    with progress_bar() as bar:
        task = bar.add_task(f"{game.name} {seats}", total=wanted.games)

        def watch(done: int) -> None:
            bar.update(task, completed=done)

        result = measure_strength(game, one, others, seats, wanted.games, options, where, watch)
    if result.stopped:
        print(json.dumps({"stopped": f"{game.name} {seats}", **asdict(result.tally)}), flush=True)
        raise SystemExit(EXIT_INTERRUPTED)
    return result.tally


def fitting_options(game: Game, seats: int) -> dict[str, Any]:
    """Return no options, or two decks if one is too small for the seats."""
    try:
        game.check_options(seats, {})
    except RedoubleError:
        return {"decks": 2}
    return {}


if __name__ == "__main__":
    main()
