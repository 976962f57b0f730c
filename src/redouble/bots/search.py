"""Searches of any game, compiled together with its rules.

A policy's ``method`` says which: ``tree`` and ``plan`` grow a tree (:mod:`redouble.bots.tree`),
``mo-ismcts`` a tree for each seat (:mod:`redouble.bots.observers`) and ``pimc`` one in each world
(:mod:`redouble.bots.pimc`), ``flat`` tries every move in the same worlds
(:mod:`redouble.bots.flat`), and ``best`` is the one that the game names. All begin with what one
seat knows, draw determinizations of it, and finish with playouts (:mod:`redouble.bots.playouts`).

Each seat's reward is the share of its opponents that it beats, a tie counting half. If a playout
reaches its horizon before the game ends, the game's ``evaluate`` gives the rewards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from redouble.bots.beliefs import as_arrays
from redouble.bots.flat import Rounds
from redouble.bots.inputs import MAX_THREADS, check_generator, check_observation, check_past
from redouble.bots.observers import grow_trees
from redouble.bots.pimc import Worlds
from redouble.bots.playouts import (
    BELIEFS,
    ITERATIONS,
    METHOD,
    NODE,
    OBSERVERS,
    SURE_LEAD,
    SearchBuffers,
    method_of,
    policy_row,
)
from redouble.bots.policy import METHODS, Policy
from redouble.bots.tree import grow
from redouble.contract.game import Game
from redouble.contract.placeholders import functions
from redouble.kernel import checks
from redouble.kernel.engine import compiled
from redouble.kernel.errors import InputError
from redouble.kernel.rng import Generator, reseed, seed_words
from redouble.match.match import Observation

__all__ = ["NODE", "SURE_LEAD", "Candidate", "Search", "merge", "think"]

SLICE = 1024
"""Iterations between two checks of the clock."""
AT_ONCE = 1 << 16
"""The maximum number of nodes to add to small arrays; larger ones double."""
TREES = 2
"""Trees of a decision, which grow apart and add up their visits in the end: so two cores can search
at once, and the move does not depend on whether they do."""
ALIKE = ("flat", "pimc")
"""Searches that try each move equally often, or drop it: they compare moves by their results."""
MAX_SEARCH = 1_000_000_000
"""The limit of iterations in a search, because node numbers have 32 bits."""


def action_of(game: Game, arrays: SearchBuffers, rng: Any, policy: Any) -> int:
    """Return the move that a search by a policy's row finds in the redacted ``states[1]``.

    It is the first of the candidates that :func:`think` finds with the same generator, but without
    its checks: for whole games. ``arrays`` has the past that a search with beliefs looks at.
    """
    seat, iterations = int(arrays.states[1]["turn"]), int(policy[ITERATIONS])
    if METHODS[int(policy[METHOD])] in ALIKE:
        arrays.clear(seat)
        search = _alike(game, arrays, rng, policy, -1, -1)
        search.run(iterations)
        return search.best
    a, loop = arrays, _growing(game, policy)
    visits: dict[int, int] = {}
    seeds = _seeds([int(word) for word in rng])
    compiled(reseed)(np.zeros(4, np.uint64), rng)  # the next decision gets other numbers
    for seed in seeds:
        a.clear(seat)
        words = np.array(seed, np.uint64)
        each = _each(iterations)
        loop(a.states, a.nodes, a.values, 1, words, a.buffers, policy, each, -1)
        for child in a.children():
            action = int(a.nodes["action"][child])
            visits[action] = visits.get(action, 0) + int(a.nodes["visits"][child])
    return max(visits, key=lambda action: (visits[action], -action))


def _alike(
    game: Game, arrays: SearchBuffers, rng: Any, policy: Any, first: int, second: int
) -> Rounds | Worlds:
    """Begin a search that tries moves equally often."""
    if METHODS[int(policy[METHOD])] == "flat":
        return Rounds(game, arrays, rng, policy, first, second)
    return Worlds(game, arrays, rng, policy, first)


def _growing(game: Game, policy: Any) -> Callable[..., int]:
    """Return the compiled loop that grows the trees of a policy's row."""
    loop = grow_trees if policy[METHOD] == OBSERVERS else grow
    found: Callable[..., int] = compiled(loop, **functions(game))
    return found


def _seeds(words: Generator) -> list[Generator]:
    """Return the generators of the trees of a decision."""
    return [seed_words(f"search {number} {words}") for number in range(TREES)]


def _each(iterations: int) -> int:
    """Return the iterations of each tree of a decision."""
    return -(-iterations // TREES)


@dataclass(frozen=True)
class Candidate:
    """A move at the root with its results in the search."""

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

    The same observation, seed and number of iterations give the same tree. ``nodes[:used]`` and
    ``values[:used]`` are the tree: see :data:`NODE`; a value is a sum of rewards, one per seat.

    With ``first``, one of the observation's legal actions, only what follows that move is searched.
    Without it, the observation may also be that of a seat that is not on turn. With ``second`` as
    well, a flat search compares these two moves in the same worlds.

    ``rng`` has four words of 64 bits, such as :func:`~redouble.kernel.rng.seed_words` makes.
    Raises :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
    """

    def __init__(
        self,
        observation: Observation,
        rng: Generator,
        policy: Policy | None = None,
        first: int | None = None,
        second: int | None = None,
    ) -> None:
        self.observation = check_observation(observation)
        words = check_generator(rng)
        used = Policy() if policy is None else checks.instance(policy, Policy, "policy")
        if first is not None and checks.whole(first, "first") not in observation.legal:
            raise InputError(
                f"first cannot be {first}: give one of the legal actions {observation.legal}"
            )
        self._method = method_of(used, observation.game)
        if second is not None:
            others = [action for action in observation.legal if action != first]
            if first is None or self._method != "flat" or second not in others:
                raise InputError(
                    f"second cannot be {second!r}: give a flat search a legal action beside first"
                )
        if self._method in ALIKE and not observation.legal:
            raise InputError(
                f"the seat has no legal move: the search {self._method} needs moves to try"
            )
        self._first = -1 if first is None else int(first)
        self._second = -1 if second is None else int(second)
        self.used = 1
        self._seats = observation.state.seats
        self._policy = np.array(policy_row(used, observation.game, self._seats), np.float64)
        self._rng = np.array(words, np.uint64)
        past = check_past(observation) if self._policy[BELIEFS] > 1 else ()
        self._arrays = SearchBuffers(observation.game, self._seats, observation.state, 1)
        self._arrays.past, self._arrays.actions = as_arrays(past, observation.state)
        self._arrays.clear(observation.seat)
        self._rest = 0
        self._alike: Rounds | Worlds | None = None

    @property
    def nodes(self) -> np.ndarray[Any, Any]:
        """The nodes in use: shape (used,), of :data:`NODE`."""
        return self._arrays.nodes[: self.used]

    @property
    def values(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Shape (used, seats): the rewards that went through each node."""
        return self._arrays.values[: self.used]

    @property
    def iterations(self) -> int:
        """Iterations done."""
        return self._arrays.iterations

    def run(
        self,
        iterations: int,
        seconds: float | None = None,
        watch: Callable[[int], bool] | None = None,
        threads: int = 1,
    ) -> None:
        """Continue the search for this number of iterations, or until the time is up.

        ``watch`` is called now and then with the number of iterations done; it ends the search by
        returning False. Ctrl-C keeps the iterations done so far. A flat search uses several
        ``threads``, and finds the same with any number; a tree grows in one.
        Raises :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
        """
        checks.whole(iterations, "iterations", 0, MAX_SEARCH - self.iterations)
        checks.whole(threads, "threads", 1, MAX_THREADS)
        if seconds is not None:
            checks.number(seconds, "seconds", 0)
        if watch is not None and not callable(watch):
            raise checks.wrong("watch", watch, "a function of the iterations done", InputError)
        if len(self.observation.legal) == 1 and self._first < 0:
            return
        until = None if seconds is None else perf_counter() + seconds
        goal = self.iterations + iterations + self._rest
        self._rest = 0
        several = self._method == "flat" and threads > 1
        with ThreadPoolExecutor(threads) if several else nullcontext() as pool:
            while self._step(goal - self.iterations, pool, threads):
                if until is not None and perf_counter() >= until:
                    return
                if watch is not None and not watch(self.iterations):
                    return
        self._rest = goal - self.iterations

    def _step(self, left: int, pool: Executor | None, threads: int) -> int:
        """Make a few of the iterations that are left and return their number, 0 at the end."""
        if left <= 0:
            return 0
        a = self._arrays
        if self._method in ALIKE and not self.iterations:
            moves, legal = (self._first, self._second), len(self.observation.legal)
            self._make_room(legal)
            self._alike = _alike(self.observation.game, a, self._rng, self._policy, *moves)
            self.used += legal if self._first < 0 else sum(move >= 0 for move in moves)
        if isinstance(self._alike, Rounds):
            return self._alike.step(left, SLICE * threads, pool, threads)
        if self._alike is not None:
            return self._alike.step(left)
        now = min(SLICE, left)
        if self.used + now > len(a.nodes):
            self._make_room(left)
        self.used = _growing(self.observation.game, self._policy)(
            a.states,
            a.nodes,
            a.values,
            self.used,
            self._rng,
            a.buffers,
            self._policy,
            now,
            self._first,
        )
        return now

    def shares(self) -> tuple[float, ...]:
        """Return the expected share of opponents beaten for each seat; zeros before the search."""
        return tuple(float(value) / max(self.iterations, 1) for value in self.values[0])

    def candidates(self) -> list[Candidate]:
        """Return the moves tried at the root, most visited first; a forced move alone."""
        return merge([self])

    def draw(self, depth: int = 2, max_children: int = 5) -> list[str]:
        """Return the tree as lines of text, with each node's move, visits and share of the mover.

        ``depth`` limits the moves on a path and ``max_children`` the children of a node.
        Raises :class:`~redouble.kernel.errors.InputError` if one of them is below 1.
        """
        checks.whole(depth, "depth", 1)
        checks.whole(max_children, "max_children", 1)
        lines: list[str] = []
        self._draw(0, "", depth, max_children, lines)
        return lines

    def _draw(
        self, node: int, indent: str, depth: int, max_children: int, lines: list[str]
    ) -> None:
        children = self._children(node)
        for child in sorted(children, key=lambda c: -int(self.nodes["visits"][c]))[:max_children]:
            entry = self.nodes[child]
            seat, visits = int(entry["seat"]), int(entry["visits"])
            share = self.values[child, seat] / visits
            name = self.observation.name(int(entry["action"]))
            lines.append(f"{indent}{name}  seat {seat}  {visits} visits  {share:.3f}")
            if depth > 1:
                self._draw(child, indent + "  ", depth - 1, max_children, lines)

    def _prior(self, child: int) -> float:
        return float(self._arrays.buffers["priors"][child]) if self._alike is not None else 0.0

    def _children(self, node: int) -> list[int]:
        return self._arrays.children(node)

    def _make_room(self, iterations: int) -> None:
        """Enlarge the arrays for these iterations: double them, or add up to AT_ONCE nodes."""
        a = self._arrays
        room = self.used + max(self.used, min(iterations, AT_ONCE))
        nodes, values = np.zeros(room, NODE), np.zeros((room, self._seats), np.float64)
        nodes[: self.used], values[: self.used] = self.nodes, self.values
        a.nodes, a.values = nodes, values


def compare(
    observation: Observation, rng: Generator, policy: Policy, two: Sequence[int], iterations: int
) -> list[tuple[float, ...]]:
    """Return each seat's expected share after each of two moves, searched with the same chance.

    Each move gets this number of iterations. Raises
    :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
    """
    if method_of(policy, observation.game) == "flat":
        first, second = two
        both = Search(observation, rng, policy, first=first, second=second)
        both.run(2 * iterations)
        found = {one.action: one.shares for one in both.candidates()}
        return [found[action] for action in two]
    shares = []
    for action in two:
        after = Search(observation, rng, policy, first=action)
        after.run(iterations)
        shares.append(after.shares())
    return shares


def merge(searches: Sequence[Search]) -> list[Candidate]:
    """Return the candidates of several searches of one observation, with their counts added."""
    checked = checks.items(searches, "searches", "searches")
    if not checked:
        raise InputError("searches is empty: give at least one search")
    for search in checked:
        checks.instance(search, Search, "a search")
        if search.observation != checked[0].observation:
            raise InputError("the searches have different observations: merge searches of one")
    observation = searches[0].observation
    if len(observation.legal) == 1:
        return [Candidate(observation.legal[0], 0, 0.0, (0.0,) * observation.state.seats)]
    visits: dict[int, int] = {}
    sums: dict[int, np.ndarray[Any, Any]] = {}
    priors: dict[int, float] = {}
    for search in searches:
        for child in search._children(0):
            action = int(search.nodes["action"][child])
            visits[action] = visits.get(action, 0) + int(search.nodes["visits"][child])
            sums[action] = sums.get(action, 0.0) + search.values[child]
            priors[action] = search._prior(child)
    found = []
    for action, times in visits.items():
        shares = tuple(float(total) / times for total in sums[action])
        share = shares[observation.seat]
        found.append(Candidate(action, times, share, shares, priors[action]))
    if searches[0]._method in ALIKE:  # of equals, the heuristic's move stays first
        return sorted(found, key=lambda one: (-one.visits, -one.share - one.prior))
    return sorted(found, key=lambda candidate: (-candidate.visits, candidate.action))


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

    The result does not depend on the number of threads, as long as time does not end the search: a
    flat search numbers its worlds, ``pimc`` has one thread, and otherwise :data:`TREES` trees grow,
    each in one.
    ``watch`` is called with the iterations done; when it returns False, all threads stop. Raises
    :class:`~redouble.kernel.errors.InputError` if an argument cannot be used, or if the observation
    has no legal move.
    """
    checks.whole(threads, "threads", 1, MAX_THREADS)
    checks.instance(policy, Policy, "policy")
    words = check_generator(rng)
    if not check_observation(observation).legal:
        raise InputError("the seat has no legal move: let the seat on turn think")
    if policy.iterations == 0:
        raise InputError("policy.iterations is 0: give at least 1 to search")
    if method_of(policy, observation.game) in ALIKE:
        search = Search(observation, words, policy)
        search.run(policy.iterations, seconds, watch, threads)
        return search.candidates()
    searches = [Search(observation, seed, policy) for seed in _seeds(words)]
    share = _each(policy.iterations)
    if threads == 1 and seconds is not None:
        seconds /= TREES
    stopped = False

    def watched(_: int) -> bool:
        nonlocal stopped
        done = sum(search.iterations for search in searches)
        stopped = stopped or (watch is not None and not watch(done))
        return not stopped

    with ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(search.run, share, seconds, watched) for search in searches]
        for job in jobs:
            job.result()
    return merge(searches)
