"""How strong the greedy player is: one of it among random players, every game and seat count.

    .venv/bin/python benchmarks/strength.py [--games 20000] [--game NAME] [--write]

Prints a JSON line each; ``--write`` puts the table into docs/strength.md. The seat of the greedy
player goes round, so that no seat's advantage counts.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np

from redouble.errors import RedoubleError
from redouble.game import Game
from redouble.options import Flag
from redouble.registry import game_named, game_names
from redouble.simulate import GREEDY, Simulator
from tables import table, write


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--game", choices=game_names())
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    rows: list[list[str]] = []
    alone: list[list[str]] = []
    for name in [wanted.game] if wanted.game else game_names():
        game = game_named(name)
        if game.most_seats == 1:
            for options in ({}, *({o.name: True} for o in game.options if isinstance(o, Flag))):
                result = solitaire(game, options, wanted.games)
                print(json.dumps(result), flush=True)
                alone += [
                    [
                        name,
                        ", ".join(options) or "as published",
                        player,
                        percent(*result["won"][player]),
                        f"{result['mean_score'][player]:.1f}",
                        str(result["games"]),
                    ]
                    for player in result["won"]
                ]
            continue
        for seats in range(game.least_seats, game.most_seats + 1):
            options = fitting_options(game, seats)
            result = against_random(game, seats, options, wanted.games)
            print(json.dumps(result), flush=True)
            rows.append(
                [
                    name,
                    f"{seats}" + "".join(f", {k}={v}" for k, v in options.items()),
                    percent(result["wins"], result["error"]),
                    f"{100 / seats:.1f} %",
                    f"{result['mean_rank']:.2f}",
                    str(result["games"]),
                ]
            )
    if wanted.write:
        heads = ["game", "seats", "greedy wins", "fair share", "mean rank", "games"]
        write("strength.md", "strength", table(heads, rows))
        heads = ["game", "rules", "player", "deals won", "mean score", "games"]
        write("strength.md", "solitaire", table(heads, alone))


def fitting_options(game: Game, seats: int) -> dict[str, Any]:
    """No options, or two decks where one is too small for the seats."""
    try:
        game.check_options(seats, {})
    except RedoubleError:
        return {"decks": 2}
    return {}


def against_random(game: Game, seats: int, options: dict[str, Any], games: int) -> dict[str, Any]:
    """The share of games that a greedy player among random ones wins; ties are shared."""
    simulator = Simulator(game, seats, options, seed="strength")
    mine = np.arange(games) % seats
    players = np.zeros((games, seats), np.int8)
    players[np.arange(games), mine] = GREEDY
    results = simulator.contest(players.tolist())
    wins = results.wins()[np.arange(games), mine]
    return {
        "game": game.name,
        "seats": seats,
        "options": options,
        "games": games,
        "wins": float(wins.mean()),
        "error": half_width(wins),
        "mean_rank": float(results.ranks[np.arange(games), mine].mean()),
        "moves": results.moves,
    }


def solitaire(game: Game, options: dict[str, Any], games: int) -> dict[str, Any]:
    """The share of deals won, greedy and random, and the mean score."""
    won: dict[str, tuple[float, float]] = {}
    scores: dict[str, float] = {}
    for player, number in (("greedy", GREEDY), ("random", 0)):
        simulator = Simulator(game, 1, options, seed="strength")
        results = simulator.contest([[number]] * games)
        wins = results.reasons == list(game.text.REASONS).index("won")
        won[player] = (float(wins.mean()), half_width(wins))
        scores[player] = float(results.scores.mean())
    return {
        "game": game.name,
        "options": options,
        "games": games,
        "won": won,
        "mean_score": scores,
    }


def half_width(values: np.ndarray[Any, Any]) -> float:
    """Half of the mean's 95% interval."""
    return float(1.96 * values.std() / np.sqrt(len(values)))


def percent(mean: float, error: float) -> str:
    """A share with its 95% interval, such as ``97.3 +- 0.2 %``."""
    return f"{100 * mean:.1f} +- {100 * error:.1f} %"


if __name__ == "__main__":
    main()
