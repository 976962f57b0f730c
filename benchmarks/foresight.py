"""Measure how well imagined hands foresee the next move, with beliefs and without.

    .venv/bin/python benchmarks/foresight.py [--game NAME [--seats N]] [--decisions 100] [--write]

Experts play. At some decisions, a seat imagines worlds from what it may know. In how many of them
would the next player make the move that it really makes? It never counts a move that is forced.
Worlds are drawn with 0, 16, 64 and 256 exchanges by which beliefs bring them in line with what the
others played. Prints a JSON line for each game and number of seats: shares with 95 % intervals, and
the processor time of a world with 64 exchanges. ``--write`` updates these rows in
results/foresight.csv. The shares depend only on the arguments.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from time import process_time
from typing import Any

import numpy as np

from redouble.bots.policy import Policy
from redouble.bots.search.beliefs import as_arrays, believe
from redouble.bots.search.playouts import SearchBuffers, policy_row
from redouble.contract.game import WORK, Game
from redouble.contract.placeholders import functions
from redouble.contract.registry import GAMES
from redouble.kernel.engine import compiled, from_record
from redouble.kernel.rng import seed_words
from redouble.match.match import Match
from tables import kept, percent, write

EXCHANGES = (0, 16, 64, 256)
TIMED = 64
WORLDS = 32
"""Worlds that a seat imagines at a decision."""
EVERY = 3
"""Moves of a game from one of these decisions to the next."""
MAX_SEATS = 7
HEADS = ["game, seats", *(f"{n} exchanges" for n in EXCHANGES), f"µs, {TIMED}", "decisions"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=[name for name in GAMES if GAMES[name].beliefs])
    parser.add_argument("--seats", type=int)
    parser.add_argument("--decisions", type=int, default=100)
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    rows = []
    for game in GAMES.values() if wanted.game is None else [GAMES[wanted.game]]:
        if game.beliefs is None:
            continue
        counts = range(game.min_seats, min(game.max_seats, MAX_SEATS) + 1)
        for seats in counts if wanted.seats is None else [wanted.seats]:
            if not game.needed_options(seats):
                rows.append(measure(game, seats, wanted.decisions))
                print(json.dumps(dict(zip(HEADS, rows[-1], strict=True))), flush=True)
    if wanted.write:
        write("foresight", HEADS, kept("foresight", rows))


def measure(game: Game, seats: int, decisions: int) -> list[str]:
    """Return a row of the table."""
    shares: dict[int, list[float]] = {n: [] for n in EXCHANGES}
    seconds = 0.0
    for match, after in crossroads(game, seats, decisions):
        for n in EXCHANGES:
            share, took = foreseen(match, after, n)
            shares[n].append(share)
            seconds += took if n == TIMED else 0.0
    micros = 1e6 * seconds / (decisions * (WORLDS - 1))
    return [
        f"{game.name} {seats}",
        *(percent(shares[n]) for n in EXCHANGES),
        f"{micros:.0f}",
        f"{decisions}",
    ]


def crossroads(game: Game, seats: int, decisions: int) -> Iterator[tuple[Match, Any]]:
    """Yield matches at a decision, and the position after it, in which another seat can choose."""
    found = number = 0
    while found < decisions:
        match = Match(game, seats, f"foresight {number}")
        number += 1
        while match.turn is not None and found < decisions:
            action, _ = expert(game, match.state)
            after = match.state.copy()
            game.rules.play(after, action)
            if match.ply % EVERY == 0 and after.turn not in (-1, match.turn) and match.seen_moves():
                _, choices = expert(game, after)
                if len(match.legal_moves) > 1 and choices > 1:
                    found += 1
                    yield match, after
            match.push_action(action)


def foreseen(match: Match, after: Any, exchanges: int) -> tuple[float, float]:
    """Return the share of worlds with the right next move, and the seconds that all but one took.

    The first one may have to be compiled.
    """
    game, observation = match.game, match.observation()
    seat, (action, _) = observation.seat, expert(game, match.state)
    arrays = SearchBuffers(game, match.seats, observation.state)
    past = as_arrays(match.seen_moves(), observation.state)
    policy = Policy(method="flat", beliefs=exchanges)
    row = np.array(policy_row(policy, game, match.seats), np.float64)
    rng = np.array(seed_words(f"foresight: seat {seat} at ply {match.ply}"), np.uint64)
    draw = compiled(believe, **functions(game))
    right, seconds = 0, 0.0
    next_move, _ = expert(game, after)
    for world in range(WORLDS):
        begun = process_time()
        draw(arrays.states, *past, rng, arrays.buffers, row)
        seconds += process_time() - begun if world else 0.0
        imagined = from_record(type(after), arrays.states[3])
        game.rules.play(imagined, action)
        right += imagined.turn == after.turn and expert(game, imagined)[0] == next_move
    return right / WORLDS, seconds


def expert(game: Game, position: Any) -> tuple[int, int]:
    """Return the expert's move in a position, and the number of legal moves."""
    seen, out = position.copy(), [0] * (game.rules.MAX_LEGAL + 1)
    game.rules.redact(seen, seen.turn)
    n = game.rules.legal(seen, out)
    return game.player.greedy(seen, out, n, seed_words("expert"), [0] * WORK), n


if __name__ == "__main__":
    main()
