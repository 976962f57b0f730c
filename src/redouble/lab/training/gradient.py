"""Learn the weights of a linear policy by policy gradient, in games against experts.

The policy draws its moves with chances by softmax of their sums of weights. It begins as the
heuristic with a slip now and then: no other weight counts yet. Then every game says which of its
moves to make more likely: REINFORCE (Williams, "Simple Statistical Gradient-Following Algorithms
for Connectionist Reinforcement Learning", 1992) with a baseline, which is what players who stood as
well as this reached on average. Steps are Adam's (Kingma and Ba, 2015), and the result is the
average over the latest of them.

A compiled loop plays thousands of games a second, in one thread. The seed decides everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from redouble.analysis.stats import Z95
from redouble.bots.learned import check_traits
from redouble.bots.linear import prefer, worth
from redouble.bots.playouts import SearchBuffers, share_ranks
from redouble.contract.game import Game
from redouble.contract.placeholders import (
    evaluate,
    functions,
    greedy,
    legal,
    play,
    setup,
    traits,
)
from redouble.kernel import checks
from redouble.kernel.engine import compiled, to_records
from redouble.kernel.rng import Generator, below
from redouble.lab.contest import numbered_words
from redouble.lab.training.network import TINY, Array, averaged

GAMES = 2000
"""Games of an update."""
START = 3.0
"""The weight of the heuristic's move at the beginning."""
RATE = 0.1
LAST_RATE = 0.01
"""Adam's step at the beginning and at the end."""
SMOOTH = 0.02
"""The share of the newest weights in the average."""
BUCKETS = 64
"""Baselines, by the lead in ``evaluate`` over the best other seat."""
WIDTH = 64
"""Points of a lead in a bucket; the middle one begins at 0."""
BASE_RATE = 0.2
E = 2.718281828459045
FINE = 1 << 30


def lessons(
    states: Any,
    header: Any,
    buffers: Any,
    seeds: Any,
    weights: Any,
    learning: bool,
    chances: Any,
    bases: Any,
    shares: Any,
    slope: Any,
    visits: Any,
    sums: Any,
    made: Any,
    expected: Any,
    visited: Any,
) -> None:
    """Play games of one learner among experts; write its ``shares`` and add up its ``slope``.

    ``visits`` and ``sums`` get the learner's decisions in each bucket and what came of them.
    ``chances``, ``made``, ``expected`` and ``visited`` are scratch.
    """
    out, work = buffers.out, buffers.work
    s = states[2]
    for game in range(len(seeds)):
        states[2] = header[0]
        for i in range(4):
            s.rng[i] = seeds[game, i]
        rng = seeds[game, 4:]
        setup(s)
        me = game % s.seats
        made[:] = 0.0
        expected[:] = 0.0
        visited[:] = 0
        n = legal(s, out)
        while n:
            if n == 1:
                action = out[0]
            elif s.turn != me:
                action = greedy(s, out, n, rng, work)
            elif not learning:
                action = prefer(s, out, n, rng, weights, work)
            else:
                right = greedy(s, out, n, rng, work)
                n = legal(s, out)  # the heuristic may leave them in another order
                bucket = bucket_of(s, buffers.evaluations)
                visited[bucket] += 1
                chosen = soften(s, out, n, right, weights, chances, rng, work)
                action = out[chosen]
                for i in range(n):
                    more = (1.0 if i == chosen else 0.0) - chances[i]
                    m = traits(s, out[i], work)
                    if out[i] == right:
                        work[m] = len(weights) - 1
                        m += 1
                    for k in range(m):
                        made[work[k]] += more
                        expected[work[k]] += more * bases[bucket]
            play(s, action)
            n = legal(s, out)
        share_ranks(s, buffers.evaluations, buffers.rewards)
        share = buffers.rewards[me]
        shares[game] = share
        for bucket in range(len(visits)):
            visits[bucket] += visited[bucket]
            sums[bucket] += visited[bucket] * share
        for i in range(len(slope)):
            slope[i] += share * made[i] - expected[i]


def soften(
    s: Any,
    out: Any,
    n: int,
    right: int,
    weights: Any,
    chances: Any,
    rng: Generator,
    work: Any,
) -> int:
    """Write the chance of each legal action, and return the index of one drawn by them."""
    highest = 0.0
    for i in range(n):
        chances[i] = worth(s, out[i], right, weights, work)
        if i == 0 or chances[i] > highest:
            highest = chances[i]
    total = 0.0
    for i in range(n):
        chances[i] = E ** (chances[i] - highest)
        total += chances[i]
    left = below(rng, FINE) / FINE
    chosen = n - 1
    for i in range(n):
        chances[i] /= total
        left -= chances[i]
        if left < 0.0 and chosen == n - 1:
            chosen = i
    return chosen


def bucket_of(s: Any, evaluations: Any) -> int:
    """Return the bucket of how the seat to move stands."""
    evaluate(s, evaluations)
    best = -(1 << 40)
    for seat in range(s.seats):
        if seat != s.turn:
            best = max(best, evaluations[seat])
    lead = (evaluations[s.turn] - best) // WIDTH + BUCKETS // 2
    return int(min(max(lead, 0), BUCKETS - 1))


@dataclass(frozen=True)
class Measured:
    """What weights reach: the mean share of experts beaten, and half its 95 % interval."""

    share: float
    error: float
    games: int


class Gradient:
    """A linear policy that learns.

    Raises :class:`~redouble.kernel.errors.InputError` if the game has no traits, and what
    :meth:`Game.check_seats` raises.
    """

    def __init__(self, game: Game, seats: int, seed: str) -> None:
        checks.instance(game, Game, "game")
        game.check_seats(seats)
        check_traits(game)
        self.weights: Array = np.zeros(game.weights + 1)
        """The average over the latest updates: float64[game.weights + 1]."""
        self.weights[-1] = START
        self.updates = 0
        self._newest = self.weights.copy()
        self._seed = checks.text(seed, "seed")
        header = game.header(seats, game.needed_options(seats))
        self._arrays = SearchBuffers(game, seats, header, 1)
        self._header = to_records(header)
        self._loop: Callable[..., None] = compiled(lessons, **functions(game))
        self._bases = np.full(BUCKETS, 0.5)
        self._means, self._squares = np.zeros_like(self.weights), np.zeros_like(self.weights)

    def improve(self, progress: float) -> float:
        """Play games, learn from how they ended, and return the mean share of others beaten.

        ``progress`` goes from 0 to 1: the steps get shorter.
        """
        rate = RATE + (LAST_RATE - RATE) * checks.number(progress, "progress", 0, 1)
        share = self._learn(rate)
        self.weights += SMOOTH * (self._newest - self.weights)
        return share

    def measure(self, games: int, weights: Array | None = None) -> Measured:
        """Let these weights, or else the average, play games of another series."""
        checks.whole(games, "games", 1)
        used = self.weights if weights is None else weights
        shares = self._play("measure", 0, games, used, False)[0]
        return Measured(float(shares.mean()), float(Z95 * shares.std() / games**0.5), games)

    def kept(self) -> dict[str, Array]:
        """Return all that is needed to go on, by names, for :meth:`restore`."""
        return {
            "weights": self.weights,
            "newest": self._newest,
            "means": self._means,
            "squares": self._squares,
            "bases": self._bases,
            "updates": np.array(self.updates),
        }

    def restore(self, kept: Mapping[str, Array]) -> None:
        """Go on from what :meth:`kept` returned."""
        self.weights, self._newest = kept["weights"], kept["newest"]
        self._means, self._squares = kept["means"], kept["squares"]
        self._bases, self.updates = kept["bases"], int(kept["updates"])

    def _learn(self, rate: float) -> float:
        first = self.updates * GAMES
        shares, slope, visits, sums = self._play("learn", first, GAMES, self._newest, True)
        self.updates += 1
        seen = visits > 0
        self._bases[seen] += BASE_RATE * (sums[seen] / visits[seen] - self._bases[seen])
        slope /= GAMES
        mean, square = averaged(self._means, self._squares, slope, self.updates)
        self._newest += rate * mean / (np.sqrt(square) + TINY)
        return float(shares.mean())

    def _play(
        self, series: str, first: int, games: int, weights: Array, learning: bool
    ) -> tuple[Array, Array, Array, Array]:
        a, n = self._arrays, len(weights)
        shares, slope = np.zeros(games), np.zeros(n)
        visits, sums = np.zeros(BUCKETS), np.zeros(BUCKETS)
        self._loop(
            a.states,
            self._header,
            a.buffers,
            numbered_words(f"{series} {self._seed}", first, games),
            weights,
            learning,
            np.zeros(len(a.buffers["out"])),
            self._bases,
            shares,
            slope,
            visits,
            sums,
            np.zeros(n),
            np.zeros(n),
            np.zeros(BUCKETS),
        )
        return shares, slope, visits, sums
