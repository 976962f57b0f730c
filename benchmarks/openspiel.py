"""Compare random play of OpenSpiel's card games with ours of similar size, in Python and natively.

    pip install -e '.[openspiel]'
    .venv/bin/python benchmarks/openspiel.py [--seconds 2] [--write]

OpenSpiel runs from Python, in a loop over ``legal_actions`` and ``apply_action`` that samples
chance nodes, and in C++, with ``evaluate_bots`` and its uniformly random bots, one game per call.
Redouble runs interpreted rules and compiled playouts, and from Python also in OpenSpiel. Times
include deals. A move is a decision of a player; chance events don't count on either side. Prints a
JSON line for each game; ``--write`` updates results/openspiel.csv.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from typing import Any

from redouble.contract.registry import GAMES
from redouble.lab.bench import compiled_speed, interpreted_speed
from redouble.lab.simulate import Simulator
from tables import millions, write

THEIRS = (
    "hearts",
    "spades",
    "skat",
    "euchre",
    "oh_hell(players=4)",
    "gin_rummy",
    "crazy_eights(players=4)",
    "cribbage",
    "dou_dizhu",
    "go_fish",
)
OURS = (
    ("double-down", 4),
    ("double-decker", 4),
    ("three-up", 4),
    ("double-dominoes", 4),
    ("double-or-quits", 1),
)
MAX_MOVES = 2000
"""Moves after which one of OpenSpiel's games is given up, in case it never ends."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    try:
        import pyspiel
    except ImportError:
        raise SystemExit("OpenSpiel is not installed: pip install -e '.[openspiel]'") from None
    rows = [theirs(pyspiel, name, wanted.seconds) for name in THEIRS]
    rows += [ours(name, seats, wanted.seconds) for name, seats in OURS]
    rows += [both(name, seats, wanted.seconds) for name, seats in OURS]
    for row in rows:
        print(json.dumps(row), flush=True)
    if wanted.write:
        heads = ["game", "library", "moves a game", "Python, moves/s", "native, moves/s"]
        lines = [
            [
                row["game"],
                row["library"],
                f"{row['moves_a_game']:.0f}",
                millions(row["python"]),
                millions(row["native"]) if "native" in row else "",
            ]
            for row in rows
        ]
        write("openspiel", heads, lines)


def theirs(pyspiel: Any, name: str, seconds: float) -> dict[str, Any]:
    game = pyspiel.load_game(name)
    length, python = from_python(game, seconds)
    bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(game.num_players())]
    natively = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        state = game.new_initial_state()
        pyspiel.evaluate_bots(state, bots, natively)
        natively += 1
    native = natively * length / (time.perf_counter() - start)
    return {
        "game": name,
        "library": "OpenSpiel",
        "moves_a_game": length,
        "python": python,
        "native": native,
    }


def both(name: str, seats: int, seconds: float) -> dict[str, Any]:
    """Measure one of our games as OpenSpiel plays it, with a node for each card of a shuffle."""
    from redouble.envs.peers.openspiel import load

    length, python = from_python(load(name, seats), seconds)
    return {
        "game": name,
        "library": "Redouble in OpenSpiel",
        "moves_a_game": length,
        "python": python,
    }


def from_python(game: Any, seconds: float) -> tuple[float, float]:
    """Return the moves of a random game, and the moves per second in a loop of Python."""
    dice = random.Random(0)
    games = moves = 0
    spent = 0.0
    while spent < seconds:
        start = time.perf_counter()
        state = game.new_initial_state()
        made = 0
        while not state.is_terminal() and made < MAX_MOVES:
            if state.is_chance_node():
                step_chance(state, dice)
            else:
                legal = state.legal_actions()
                state.apply_action(legal[int(dice.random() * len(legal))])
                made += 1
        spent += time.perf_counter() - start
        moves += made
        games += 1
    return moves / games, moves / spent


def step_chance(state: Any, dice: random.Random) -> None:
    actions, weights = zip(*state.chance_outcomes(), strict=True)
    state.apply_action(dice.choices(actions, weights)[0])


def ours(name: str, seats: int, seconds: float) -> dict[str, Any]:
    game = GAMES[name]
    simulator = Simulator(game, seats)
    simulator.playouts(1)
    compiled = compiled_speed(simulator, seconds)
    interpreted = interpreted_speed(game, seats, seconds)
    return {
        "game": name,
        "library": "Redouble",
        "moves_a_game": compiled.moves / compiled.games,
        "python": interpreted.moves_a_second,
        "native": compiled.moves_a_second,
    }


if __name__ == "__main__":
    main()
