"""Searches from an observation: with checked arguments, in threads, until time is over."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import reduce
from math import fsum
from operator import add
from time import perf_counter

from redouble.bots.inputs import MAX_THREADS, check_generator, check_observation, check_past
from redouble.bots.policy import Policy
from redouble.bots.search.beliefs import as_arrays
from redouble.bots.search.flat import Rounds
from redouble.bots.search.playouts import BELIEFS, SearchBuffers, follow, noted_move, policy_row
from redouble.contract.placeholders import functions
from redouble.kernel import checks
from redouble.kernel.backend import compiled, np
from redouble.kernel.cores import INTERPRETED
from redouble.kernel.errors import InputError
from redouble.kernel.pace import Pace
from redouble.kernel.rng import Generator
from redouble.match.match import Observation

SLICE = 32 if INTERPRETED else 1024
"""Iterations of a thread between two checks of the clock."""
MAX_SEARCH = 1_000_000_000
"""The limit of iterations in a search."""
MAX_FORECAST = 1_000_000
"""The limit of iterations in a forecast."""


@dataclass(frozen=True)
class Candidate:
    """A move with its results in the search."""

    action: int
    visits: int
    share: float
    """The share of opponents that the seat to move can expect to beat; in a one-player game, how
    near it is to a win."""
    shares: tuple[float, ...]
    """The same for each seat."""
    prior: float = 0.0
    """What the game's network adds to the share when moves are compared."""


class Search:
    """A search from what the seat to move sees; it can be continued at any time.

    The same observation, seed and number of iterations give the same results. The policy's
    iterations are divided among rounds, from one to the next of which the better half of the moves
    goes on; without any, all moves are tried equally often. With ``moves``, legal actions of the
    observation, only these are tried.

    ``rng`` has four words of 64 bits, such as :func:`~redouble.kernel.rng.seed_words` makes.
    Raises :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
    """

    def __init__(
        self,
        observation: Observation,
        rng: Generator,
        policy: Policy | None = None,
        moves: Sequence[int] = (),
    ) -> None:
        observation = self.observation = check_observation(observation)
        words = check_generator(rng)
        used = Policy() if policy is None else checks.instance(policy, Policy, "policy")
        legal = observation.legal
        if not legal:
            raise InputError("the seat has no legal move: a search needs moves to try")
        self._moves = [
            checks.whole(move, "a move") for move in checks.items(moves, "moves", "actions")
        ]
        if len({*self._moves} & {*legal}) < len(self._moves):
            raise InputError(f"moves cannot be {self._moves}: give different ones of {legal}")
        game, seats = observation.game, observation.state.seats
        self._policy = np.array(policy_row(used, game, seats), np.float64)
        self._rng = np.array(words, np.uint64)
        self._arrays = SearchBuffers(game, seats, observation.state)
        if self._policy[BELIEFS] > 1:
            past = as_arrays(check_past(observation), observation.state)
            self._arrays.past, self._arrays.actions = past
        self._rounds: Rounds | None = None
        self._rest = 0

    @property
    def iterations(self) -> int:
        """Iterations done; an iteration tries one move in one world."""
        return 0 if self._rounds is None else self._arrays.iterations

    def run(
        self,
        iterations: int,
        seconds: float | None = None,
        watch: Callable[[int], bool] | None = None,
        threads: int = 1,
    ) -> None:
        """Search on, for this many iterations or seconds, or until ``watch`` returns False.

        ``watch`` is called now and then with the iterations done. All moves in question are tried
        in the same worlds, so some iterations may be left for the next call. The number of
        threads changes nothing. A forced move is not searched.
        Raises :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
        """
        checks.whole(iterations, "iterations", 0, MAX_SEARCH - self.iterations)
        checks.whole(threads, "threads", 1, MAX_THREADS)
        if seconds is not None:
            checks.number(seconds, "seconds", 0)
        if watch is not None and not callable(watch):
            raise checks.wrong("watch", watch, "a function of the iterations done", InputError)
        if len(self.observation.legal) == 1 and not self._moves:
            return
        if self._rounds is None:
            game = self.observation.game
            only = np.array(self._moves, np.int64)
            self._rounds = Rounds(game, self._arrays, self._rng, self._policy, only)
        until = None if seconds is None else perf_counter() + seconds
        goal = self.iterations + iterations + self._rest
        self._rest = 0
        with ThreadPoolExecutor(threads) if threads > 1 else nullcontext() as pool:
            while self.iterations < goal:
                left = goal - self.iterations
                if not self._rounds.step(left, SLICE * threads, pool, threads):
                    break
                if until is not None and perf_counter() >= until:
                    return
                if watch is not None and not watch(self.iterations):
                    return
        self._rest = goal - self.iterations

    def candidates(self) -> list[Candidate]:
        """Return the moves tried, best first; a forced move alone."""
        legal, a = self.observation.legal, self._arrays
        if len(legal) == 1:
            return [Candidate(legal[0], 0, 0.0, (0.0,) * len(a.values[0]))]
        if self._rounds is None:
            return []
        found = []
        for i in range(self._rounds.moves):
            visits = int(a.moves[i]["visits"])
            shares = tuple(float(value) / visits for value in a.values[i]) if visits else ()
            if shares:
                prior = float(a.moves[i]["prior"])
                share = shares[self.observation.seat]
                found.append(Candidate(int(a.moves[i]["action"]), visits, share, shares, prior))
        # Of equals, the heuristic's move stays first.
        return sorted(found, key=lambda one: (-one.visits, -one.share - one.prior))


def think(
    observation: Observation,
    rng: Generator,
    policy: Policy,
    *,
    threads: int = 1,
    seconds: float | None = None,
    watch: Callable[[int], bool] | None = None,
) -> list[Candidate]:
    """Search for the policy's iterations in several threads; return candidates, best first.

    The result does not depend on the number of threads, as long as time does not end the search.
    ``watch`` is called with the iterations done; when it returns False, all threads stop. Raises
    :class:`~redouble.kernel.errors.InputError` if an argument cannot be used, or if the observation
    has no legal move.
    """
    checks.instance(policy, Policy, "policy")
    if policy.iterations == 0:
        raise InputError("policy.iterations is 0: give at least 1 to search")
    search = Search(observation, rng, policy)
    search.run(policy.iterations, seconds, watch, threads)
    return search.candidates()


def compare(
    observation: Observation, rng: Generator, policy: Policy, two: Sequence[int], iterations: int
) -> list[tuple[float, ...]]:
    """Return each seat's expected share after each of two moves, tried in the same worlds.

    Each move gets this number of iterations. Raises
    :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
    """
    both = Search(observation, rng, policy, two)
    both.run(2 * iterations)
    found = {one.action: one.shares for one in both.candidates()}
    return [found[action] for action in two]


@dataclass(frozen=True)
class Forecast:
    """What follows a position if all players go on with the game's heuristic."""

    shares: tuple[float, ...]
    """Each seat's expected share of opponents beaten."""
    replies: dict[tuple[int, int], tuple[int, tuple[float, ...]]]
    """By the seat and the action of the first choice that follows: in how many of the worlds it is
    made, and the shares in these."""


def forecast(
    observation: Observation, rng: Generator, iterations: int, first: int | None = None
) -> Forecast:
    """Return what follows if all go on with the heuristic, by playouts from what one seat knows.

    With ``first``, one of the observation's legal actions, it follows that move. Otherwise, the
    observation may also be that of a seat that is not on turn. Raises
    :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
    """
    words = np.array(check_generator(rng), np.uint64)
    checks.whole(iterations, "iterations", 1, MAX_FORECAST)
    observation = check_observation(observation)
    legal = observation.legal
    if first is not None and checks.whole(first, "first") not in legal:
        raise InputError(f"first cannot be {first}: give one of the legal actions {legal}")
    game, seats = observation.game, observation.state.seats
    a = SearchBuffers(game, seats, observation.state)
    policy = np.array(policy_row(Policy(), game, seats), np.float64)
    results, replies = np.zeros((iterations, seats)), np.zeros((iterations, 2), np.int64)
    action = -1 if first is None else int(first)
    loop = compiled(follow, choose=noted_move, **functions(game))
    for low, high in Pace().portions(iterations):
        part = results[low:high], replies[low:high]
        loop(a.states, words, a.buffers, policy, action, *part)
    rows = results.tolist()
    by_reply = defaultdict[tuple[int, int], list[list[float]]](list)
    for (seat, reply), row in zip(replies.tolist(), rows, strict=True):
        if seat >= 0:
            by_reply[seat, reply].append(row)
    found = {reply: (len(these), _means(these)) for reply, these in sorted(by_reply.items())}
    return Forecast(_means(rows), found)


def _means(rows: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Return the mean of each column, to the last digit as NumPy does in stored reviews.

    ``sum`` adds up in one way or another, depending on the version of Python.
    """
    if len(rows[0]) == 1:
        return (fsum(row[0] for row in rows) / len(rows),)
    return tuple(reduce(add, column) / len(rows) for column in zip(*rows, strict=True))
