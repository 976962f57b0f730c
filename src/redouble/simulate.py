"""Many games at once on the compiled engine: the driver loops and the arrays they work on.

The loops are rules like any other, so they compile together with a game's own. What varies is
*bound* by name: ``setup``, ``legal``, ``play`` and so on are the game's functions in the compiled
twin, and never called as they stand here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redouble.engine import compiled, to_records
from redouble.game import WORK, Game
from redouble.rng import Generator, below, reseed, seed_words

GREEDY = 1
"""In a list of players: the game's heuristic player; 0 is the random one."""


def setup(s: Any) -> None:
    """Bound to the game's."""


def legal(s: Any, out: Any) -> int:
    """Bound to the game's."""
    return 0


def play(s: Any, action: int) -> None:
    """Bound to the game's."""


def rank(s: Any, out: Any) -> None:
    """Bound to the game's."""


def score(s: Any, out: Any) -> int:
    """Bound to the game's."""
    return 0


def redact(s: Any, seat: int) -> None:
    """Bound to the game's."""


def greedy(s: Any, out: Any, n: int, rng: Generator, work: Any) -> int:
    """Bound to the game's."""
    return 0


def deal(states: Any, rng: Generator) -> None:
    """Deal ``states[0]`` anew from the header in ``states[1]``."""
    states[0] = states[1]
    reseed(states[0].rng, rng)
    setup(states[0])


def playout(s: Any, rng: Generator, out: Any, most: int) -> int:
    """Play at random to the end, at most ``most`` moves; returns the moves made."""
    moves = 0
    n = legal(s, out)
    while n and moves < most:
        play(s, out[below(rng, n)])
        moves += 1
        n = legal(s, out)
    return moves


def playouts(states: Any, rng: Generator, out: Any, games: int, most: int) -> int:
    """Deal and play ``games`` random games; returns the moves made in all."""
    moves = 0
    for _ in range(games):
        deal(states, rng)
        moves += playout(states[0], rng, out, most)
    return moves


def contest(
    states: Any,
    rng: Generator,
    out: Any,
    work: Any,
    players: Any,
    ranks: Any,
    scores: Any,
    reasons: Any,
    games: int,
    most: int,
) -> int:
    """Play games between greedy and random players and write how each came out.

    ``players[game][seat]`` says who sits where. A greedy player decides from a redacted copy in
    ``states[2]``. Returns the moves made in all; a game longer than ``most`` moves stays all zero.
    """
    moves = 0
    for game in range(games):
        deal(states, rng)
        s = states[0]
        made = 0
        n = legal(s, out)
        while n and made < most:
            if players[game][s.turn]:
                states[2] = states[0]
                redact(states[2], s.turn)
                action = greedy(states[2], out, n, rng, work)
            else:
                action = out[below(rng, n)]
            play(s, action)
            made += 1
            n = legal(s, out)
        if not n:
            rank(s, ranks[game])
            score(s, scores[game])
            reasons[game] = s.reason
        moves += made
    return moves


@dataclass(frozen=True)
class Results:
    """How a series of games came out."""

    ranks: np.ndarray[Any, np.dtype[np.int64]]
    """Shape (games, seats)."""
    scores: np.ndarray[Any, np.dtype[np.int64]]
    """Shape (games, seats); zero in a game without points."""
    reasons: np.ndarray[Any, np.dtype[np.int64]]
    """Shape (games,): indices of the game's REASONS."""
    moves: int

    def wins(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Shape (games, seats): 1 for the winner, shared equally where several tie."""
        first = self.ranks == 1
        shares: np.ndarray[Any, np.dtype[np.float64]] = first / first.sum(axis=1, keepdims=True)
        return shares


class Simulator:
    """A game with seats and options, ready to be played many times on one thread.

    Raises what :meth:`Game.check_seats` and :meth:`Game.check_options` raise. Several simulators
    run in parallel threads: compiled loops release the GIL.
    """

    def __init__(
        self, game: Game, seats: int, options: Mapping[str, Any] | None = None, seed: str = ""
    ) -> None:
        game.check_seats(seats)
        self.game = game
        self.seats = seats
        header = game.header(seats, game.check_options(seats, options or {}))
        self._states = to_records(header, 3)
        self._rng = np.array(seed_words(f"simulate {seed}"), np.uint64)
        self._out = np.zeros(game.rules.MAX_LEGAL + 1, np.int16)
        self._work = np.zeros(WORK, np.int64)

    def playouts(self, games: int, most: int = 1_000_000) -> int:
        """Random games; returns the moves made."""
        rules = self.game.rules
        loop = compiled(playouts, setup=rules.setup, legal=rules.legal, play=rules.play)
        return int(loop(self._states, self._rng, self._out, games, most))

    def contest(self, players: Sequence[Sequence[int]], most: int = 1_000_000) -> Results:
        """Play a game for each line of ``players``, which says who sits where: 0 random, GREEDY."""
        rules = self.game.rules
        loop = compiled(
            contest,
            setup=rules.setup,
            legal=rules.legal,
            play=rules.play,
            rank=rules.rank,
            score=rules.score,
            redact=rules.redact,
            greedy=self.game.greedy,
        )
        seated = np.array(players, np.int8)
        games = len(seated)
        ranks, scores = np.zeros((2, *seated.shape), np.int64)
        reasons = np.zeros(games, np.int64)
        moves = loop(
            self._states,
            self._rng,
            self._out,
            self._work,
            seated,
            ranks,
            scores,
            reasons,
            games,
            most,
        )
        return Results(ranks, scores, reasons, int(moves))
