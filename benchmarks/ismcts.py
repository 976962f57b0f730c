"""Compare the tree search with OpenSpiel's, which is written in C++.

    pip install -e '.[openspiel]'
    .venv/bin/python benchmarks/ismcts.py [--rounds 9] [--write]

Both do information-set Monte Carlo tree search from the first decision, a thousand iterations with
random playouts to the end of the game, on one core. *Moves* is the mean length of a random game
from there, counting decisions of players with and without a choice. In each round every game is
searched once, with another seed. Prints a JSON line for each game, with medians; ``--write``
updates the table in docs/reports/search-speed.md. Games differ in length, so the time of an
iteration is divided by the number of moves. The last column compares that with hearts.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from functools import partial
from statistics import fmean, median
from typing import Any

from redouble.bots.policy import WHOLE_GAME, Policy
from redouble.bots.search import Search
from redouble.contract.registry import GAMES
from redouble.kernel.rng import seed_words
from redouble.match.match import Match
from tables import table, write

ITERATIONS = 1000
POLICY = Policy(care=0.0, horizon=WHOLE_GAME)
EXPLORE = 0.7
THEIRS = ("euchre", "hearts", "gin_rummy")
OURS = ("double-decker", "double-dominoes", "double-down", "three-up")
GAMES_PLAYED = 50
"""Random games that the mean length comes from."""
PEER = "hearts"
"""The peer whose time for each move the others are compared with."""
HEADS = ["game", "players", "moves", "1,000 iterations, ms", "ns a move", f"{PEER} takes"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    try:
        import pyspiel
    except ImportError:
        raise SystemExit("OpenSpiel is not installed: pip install -e '.[openspiel]'") from None
    theirs = {name: OpenSpielGame(pyspiel, name) for name in THEIRS}
    ours = {name: OurGame(name) for name in OURS}
    searches: dict[str, Callable[[str], object]] = {
        name: one.search for name, one in (theirs | ours).items()
    }
    times: dict[str, list[float]] = {name: [] for name in searches}
    for search in searches.values():
        search("compiles")
    for number in range(wanted.rounds):
        for name, search in searches.items():
            times[name].append(milliseconds(partial(search, f"{number}")))
    each = {
        name: 1e6 * median(times[name]) / ITERATIONS / one.moves
        for name, one in (theirs | ours).items()
    }
    rows = []
    for name, one in (theirs | ours).items():
        rows.append(
            [
                name,
                f"{one.players}",
                f"{one.moves:.0f}",
                f"{median(times[name]):.1f}",
                f"{each[name]:.0f}",
                f"{each[PEER] / each[name]:.2f} times as long",
            ]
        )
        print(json.dumps(dict(zip(HEADS, rows[-1], strict=True))), flush=True)
    if wanted.write:
        write("reports/search-speed.md", "ismcts", table(HEADS, rows))


def milliseconds(work: Callable[[], object]) -> float:
    """Return the processor time that a piece of work takes."""
    begun = time.process_time()
    work()
    return 1000 * (time.process_time() - begun)


class OurGame:
    """A game of ours at its usual number of seats, before its first decision."""

    def __init__(self, name: str) -> None:
        game = GAMES[name]
        self.players = game.usual_seats
        self._match = Match(game, self.players, "benchmark")
        while len(self._match.legal_moves) == 1:
            self._match.push(self._match.legal_moves[0])
        self.moves = fmean(self._length(f"{number}") for number in range(GAMES_PLAYED))

    def search(self, seed: str) -> None:
        """Search for a thousand iterations."""
        Search(self._match.observation(), seed_words(seed), POLICY).run(ITERATIONS)

    def _length(self, seed: str) -> int:
        dice, match = random.Random(seed), self._match.copy()
        while match.turn is not None:
            match.push_action(dice.choice(match.legal_moves.actions))
        return match.ply - self._match.ply


class OpenSpielGame:
    """A game of OpenSpiel, before its first decision."""

    def __init__(self, pyspiel: Any, name: str) -> None:
        game = pyspiel.load_game(name)
        self.players = game.num_players()
        self._pyspiel = pyspiel
        dice = random.Random("benchmark")
        self._state = game.new_initial_state()
        while self._state.is_chance_node() or len(self._state.legal_actions()) == 1:
            self._state.apply_action(drawn(self._state, dice))
        self.moves = fmean(self._length(f"{number}") for number in range(GAMES_PLAYED))

    def search(self, seed: str) -> None:
        """Search for a thousand iterations."""
        number = random.Random(seed).getrandbits(30)
        evaluator = self._pyspiel.RandomRolloutEvaluator(1, number)
        kind = self._pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        self._pyspiel.ISMCTSBot(
            number, evaluator, EXPLORE, ITERATIONS, -1, kind, False, False
        ).step(self._state)

    def _length(self, seed: str) -> int:
        dice, state, moves = random.Random(seed), self._state.clone(), 0
        while not state.is_terminal():
            moves += not state.is_chance_node()
            state.apply_action(drawn(state, dice))
        return moves


def drawn(state: Any, dice: random.Random) -> int:
    """Return a random action, or an outcome of chance by its probability."""
    if not state.is_chance_node():
        return int(dice.choice(state.legal_actions()))
    outcomes, chances = zip(*state.chance_outcomes(), strict=True)
    return int(dice.choices(outcomes, chances)[0])


if __name__ == "__main__":
    main()
