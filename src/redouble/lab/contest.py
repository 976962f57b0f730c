"""Whole games between policies, compiled with the rules: what tournaments and studies count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redouble.bots.policy import Policy
from redouble.bots.search import MISTAKES, SearchBuffers, decide, policy_row
from redouble.contract.game import Game
from redouble.contract.placeholders import (
    evaluate,
    functions,
    legal,
    play,
    rank,
    redact,
    score,
    setup,
)
from redouble.kernel.engine import compiled, to_records
from redouble.kernel.rng import below, reseed, seed_words

MAX_MOVES = 1_000_000
"""A game that is longer is given up; no game comes near it."""

# What is counted of a game: moves; moves without a choice; changes of the seat that leads alone.
MOVES, FORCED, LEADS = range(3)
COUNTS = 3

WORDS = 8
"""Of a game's seed: four of its generator, then four of its players'."""
FROM_ONE = 16
"""Games of a numbered series whose words come out of one hash."""


def contest(
    states: Any,
    nodes: Any,
    values: Any,
    buffers: Any,
    header: Any,
    policies: Any,
    players: Any,
    seeds: Any,
    ranks: Any,
    scores: Any,
    reasons: Any,
    counts: Any,
    games: int,
    most: int,
) -> None:
    """Play games and write how each came out.

    ``players[game][seat]`` is a row of ``policies``. ``seeds[game]`` holds the words of the game's
    generator, then those of the players'. A player decides from a redacted copy of the position.
    A game of more than ``most`` moves has no result: its ranks stay zero.
    """
    out = buffers.out
    for game in range(games):
        states[2] = header[0]
        s = states[2]
        for i in range(4):
            s.rng[i] = seeds[game, i]
        rng = seeds[game, 4:]
        setup(s)
        leader = -1
        made = 0
        n = legal(s, out)
        while n and made < most:
            if n == 1:
                action = int(out[0])
                counts[game, FORCED] += 1
            elif policies[players[game, s.turn], MISTAKES] >= 1.0:  # it looks at nothing
                action = int(out[below(rng, n)])
            else:
                states[1] = states[2]
                redact(states[1], s.turn)
                policy = policies[players[game, s.turn]]
                action = decide(states, nodes, values, rng, buffers, policy)
            play(s, action)
            made += 1
            ahead = leads(s, buffers.stands)
            if ahead >= 0 and ahead != leader:
                counts[game, LEADS] += leader >= 0
                leader = ahead
            n = legal(s, out)
        counts[game, MOVES] = made
        if not n:
            rank(s, ranks[game])
            score(s, scores[game])
            reasons[game] = s.reason


def fill_seeds(seeds: Any, sources: Any, each: int) -> None:
    """Fill the words of games, of which ``each`` come out of one source."""
    for game in range(len(seeds)):
        source = sources[game // each]
        reseed(seeds[game, :4], source)
        reseed(seeds[game, 4:], source)


def leads(s: Any, stands: Any) -> int:
    """The seat that stands best alone; -1 when several do."""
    evaluate(s, stands)
    best = 0
    shared = False
    for seat in range(1, s.seats):
        if stands[seat] > stands[best]:
            best = seat
            shared = False
        elif stands[seat] == stands[best]:
            shared = True
    return -1 if shared else best


@dataclass(frozen=True)
class ContestResults:
    """How a series of games came out."""

    ranks: np.ndarray[Any, np.dtype[np.int64]]
    """Shape (games, seats); zero for a game that was given up."""
    scores: np.ndarray[Any, np.dtype[np.int64]]
    """Shape (games, seats); zero in a game without points."""
    reasons: np.ndarray[Any, np.dtype[np.int64]]
    """Shape (games,): indices of the game's REASONS."""
    counts: np.ndarray[Any, np.dtype[np.int64]]
    """Shape (games, COUNTS): moves, moves without a choice, changes of the sole leader."""

    def wins(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Shape (games, seats): 1 for the winner, shared equally where several tie."""
        first = self.ranks == 1
        shares: np.ndarray[Any, np.dtype[np.float64]] = first / first.sum(axis=1, keepdims=True)
        return shares

    def utilities(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Shape (games, seats): the share of opponents that each seat beat, a tie counting half."""
        seats = self.ranks.shape[1]
        mine, other = self.ranks[:, :, None], self.ranks[:, None, :]
        beaten = (mine < other).sum(axis=2) + 0.5 * ((mine == other).sum(axis=2) - 1)
        shares: np.ndarray[Any, np.dtype[np.float64]] = beaten / max(seats - 1, 1)
        return shares


def numbered_words(series: str, first: int, games: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """The seeds of so many games of a long series, from number ``first`` on, for millions of games.

    Shape (games, WORDS). A number of a series has the same words however many are asked for.
    """
    start, end = first // FROM_ONE, -(-(first + games) // FROM_ONE)
    sources = [seed_words(f"games {source} of {series}") for source in range(start, end)]
    seeds = np.zeros(((end - start) * FROM_ONE, WORDS), np.uint64)
    compiled(fill_seeds)(seeds, np.array(sources, np.uint64).reshape(-1, 4), FROM_ONE)
    return seeds[first - start * FROM_ONE :][:games]


class Contest:
    """A game with seats and options, and the policies that meet in it, for one thread.

    Raises what :meth:`Game.check_seats` and :meth:`Game.check_options` raise. Several contests run
    in parallel threads: compiled loops release the GIL.
    """

    def __init__(
        self,
        game: Game,
        seats: int,
        policies: Sequence[Policy],
        options: Mapping[str, Any] | None = None,
    ) -> None:
        game.check_seats(seats)
        self.game = game
        self.seats = seats
        header = game.header(seats, game.check_options(seats, options or {}))
        self._header = to_records(header)
        self._policies = np.array([policy_row(policy, game) for policy in policies], np.float64)
        room = 2 + max(policy.iterations for policy in policies)
        self._scratch = SearchBuffers(game, seats, header, room)

    def play(
        self,
        players: Sequence[Sequence[int]] | np.ndarray[Any, Any],
        seeds: Sequence[str] | np.ndarray[Any, np.dtype[np.uint64]],
    ) -> ContestResults:
        """Play a game for each line of ``players``, which says whose policy sits where.

        Games with the same seed text are dealt alike, and are the games of :class:`Match` with that
        seed; the players' own chance is taken from it as well. Seeds can be given as their words,
        shape (games, WORDS), too: see :func:`numbered_words`.
        """
        a = self._scratch
        seated = np.array(players, np.int64).reshape(-1, self.seats)
        games = len(seated)
        if not isinstance(seeds, np.ndarray):
            texts = [[*seed_words(seed), *seed_words(f"players of {seed}")] for seed in seeds]
            seeds = np.array(texts, np.uint64).reshape(-1, WORDS)
        words = np.array(seeds, np.uint64, order="C")  # a copy: players step their generators in it
        results = ContestResults(
            np.zeros((games, self.seats), np.int64),
            np.zeros((games, self.seats), np.int64),
            np.zeros(games, np.int64),
            np.zeros((games, COUNTS), np.int64),
        )
        compiled(contest, **functions(self.game))(
            a.states,
            a.nodes,
            a.values,
            a.buffers,
            self._header,
            self._policies,
            seated,
            words,
            results.ranks,
            results.scores,
            results.reasons,
            results.counts,
            games,
            MAX_MOVES,
        )
        return results
