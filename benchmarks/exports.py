"""Compare games as WebAssembly modules with what Numba compiles: size, speed and decisions.

    .venv/bin/python benchmarks/exports.py [--seconds 2] [--decisions 1000] [--searches 20]
        [--iterations 4000] [--game NAME] [--write]

Of each level that doesn't search, ``--decisions`` are compared, and ``--searches`` of the master,
at every number of players in turn. The first difference ends the program. ``--write`` updates
results/webassembly.csv.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, islice
from time import process_time
from typing import Any

import numpy as np

from redouble.bots import own_chance
from redouble.bots.levels import LEVELS
from redouble.bots.policy import Policy
from redouble.bots.search import Candidate, flat, think
from redouble.contract.driver import MAX_MOVES, playouts, quick_move
from redouble.contract.game import WORK, Game
from redouble.contract.placeholders import functions
from redouble.contract.registry import GAMES
from redouble.exports.build import wasm_files
from redouble.kernel import engine
from redouble.kernel.rng import seed_words
from redouble.match.match import Match, Observation
from redouble.testing.settings import settings_of
from tables import ROOT, millions, with_others, write

sys.path.insert(0, str(ROOT))  # the tests are no installed package: imports of them come after

from tests.helpers.wasm import wasm_engine

SEARCHES_OF_A_GAME = 5
OPTIONS = 6
"""Combinations of options for each number of players, besides the usual one."""
HEADS = (
    "game", "module", "with gzip", "compiled, moves/s", "WebAssembly", "ratio", "a master's move",
    "WebAssembly", "decisions compared", "of the master",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--decisions", type=int, default=1000)
    parser.add_argument("--searches", type=int, default=20)
    parser.add_argument("--iterations", type=int, default=LEVELS["master"].iterations)
    parser.add_argument("--game", choices=list(GAMES))
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    rows = []
    for name in [wanted.game] if wanted.game else GAMES:
        game = GAMES[name]
        code = wasm_files(game)[f"{name}.wasm"]
        here, there = (moves_a_second(game, each, wanted.seconds) for each in engines(game))
        decided = len(list(islice(quick_decisions(game), wanted.decisions)))
        times = list(islice(searches(game, wanted.iterations), wanted.searches))
        ours, theirs = (
            f"{1000 * sum(each) / len(times):.0f} ms" for each in zip(*times, strict=True)
        )
        rows.append([
            *(name, f"{len(code) / 1000:.0f} kB", f"{len(gzip.compress(code)) / 1000:.0f} kB"),
            *(millions(here), millions(there), f"{there / here:.2f}"),
            *(ours, theirs, f"{decided:,}", f"{len(times):,}"),
        ])  # fmt: skip
        print(*rows[-1], sep=" | ", flush=True)
    if wanted.write:
        if wanted.game:
            rows = with_others("webassembly", wanted.game, rows)
        write("webassembly", HEADS, rows)


def engines(game: Game) -> tuple[Any, Any]:
    return engine.compiled, wasm_engine(game).compiled


def moves_a_second(game: Game, compiled: Any, seconds: float) -> float:
    """Return the random moves a second with the usual number of seats."""
    loop = compiled(playouts, **functions(game))
    states = engine.to_records(game.header(game.usual_seats, {}), 2)
    rng = np.array(seed_words("speed"), np.uint64)
    out = np.zeros(game.rules.MAX_LEGAL + 1, np.int16)
    loop(states, rng, out, 1, MAX_MOVES)
    moves, start = 0, process_time()
    while process_time() - start < seconds:
        moves += loop(states, rng, out, 2000, MAX_MOVES)
    return moves / (process_time() - start)


def quick_decisions(game: Game) -> Iterator[None]:
    """Decide as each level that doesn't search, with both engines; yield after each position."""
    here, there = (compiled(quick_move, **functions(game)) for compiled in engines(game))
    levels = [policy for policy in LEVELS.values() if not policy.iterations]
    setup, legal = engine.compiled(game.rules.setup), engine.compiled(game.rules.legal)
    play = engine.compiled(game.rules.play)
    words, work = np.array(seed_words(game.name), np.uint64), np.zeros(WORK, np.int64)
    out = np.zeros(game.rules.MAX_LEGAL + 1, np.int16)
    for number, setting in enumerate(cycle(settings_of(game, OPTIONS))):
        record = engine.to_records(setting.header(f"decisions {number}"))
        scratch = record.copy()
        setup(record[0])
        while n := legal(record[0], out):
            if n == 1:
                play(record[0], out[0])
                continue
            for policy in levels:
                chance, twin = words.copy(), words.copy()
                rest = scratch, work, policy.mistakes
                one = here(record[0], out.copy(), n, chance, *rest)
                other = there(record[0], out.copy(), n, twin, *rest)
                if one != other or (chance != twin).any():
                    raise SystemExit(f"{setting}: {policy} chooses {one}, in WebAssembly {other}")
            words[:] = chance
            yield
            play(record[0], one)


def searches(game: Game, iterations: int) -> Iterator[tuple[float, float]]:
    """Search as the master with both engines; yield the seconds of each."""
    master = replace(LEVELS["master"], iterations=iterations)
    for number, setting in enumerate(cycle(settings_of(game, OPTIONS))):
        match = Match(game, setting.seats, f"searches {number}", dict(setting.options))
        first, done = number * 7 % 40, 0
        while match.turn is not None and done < SEARCHES_OF_A_GAME:
            observation = match.observation()
            action = observation.legal[match.ply % len(observation.legal)]
            if len(observation.legal) > 1 and match.ply >= first:
                here, there = (
                    search(observation, each, match.ply, master, warm=done > 0)
                    for each in engines(game)
                )
                if here[0] != there[0]:
                    raise SystemExit(f"{setting}: {here[0]}, {there[0]}")
                done += 1
                yield here[1], there[1]
                action = here[0][0].action
            match.push(observation.name(action))


def search(
    observation: Observation, compiled: Any, ply: int, master: Policy, warm: bool
) -> tuple[list[Candidate], float]:
    """Return what a search finds and its seconds; the first of a game runs twice, to load it."""
    vars(flat)["compiled"] = compiled
    for _ in range(1 if warm else 2):
        chance = own_chance("searches", observation.seat, ply)
        start = process_time()
        found = think(observation, chance, master)
        seconds = process_time() - start
    return found, seconds


if __name__ == "__main__":
    main()
