"""Information-set Monte Carlo tree search for any game, compiled together with its rules.

The method is single-observer ISMCTS (Cowling, Powley and Whitehouse, "Information Set Monte Carlo
Tree Search", 2012). Each iteration draws a new determinization, descends a tree shared by all
determinizations along the moves that are legal in this one, adds a node and finishes with a
playout. UCB1 selects among the legal children; in place of the parent's visits it uses the number
of times that a child was available.

Each seat's reward is the share of its opponents that it beats, a tie counting half. If a playout
reaches its horizon before the game ends, the game's ``evaluate`` gives the rewards. Forced moves
have no node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import log, sqrt
from time import perf_counter
from typing import Any

import numpy as np

from redouble.bots.inputs import MAX_THREADS, check_generator, check_observation
from redouble.bots.policy import WHOLE_GAME, Policy
from redouble.contract.game import WORK, Game
from redouble.contract.placeholders import (
    determinize,
    evaluate,
    functions,
    greedy,
    legal,
    play,
    rank,
)
from redouble.kernel import checks
from redouble.kernel.engine import compiled, to_records
from redouble.kernel.errors import InputError
from redouble.kernel.rng import Generator, below, seed_words
from redouble.match.match import Observation

__all__ = ["NODE", "SURE_LEAD", "Candidate", "Search", "merge", "think"]

SURE_LEAD = 1000
"""A lead in ``evaluate`` that counts as a certain win over that seat."""
DEPTH = 64
"""The maximum depth of the tree in choices; the playout begins below."""
SLICE = 1024
"""Iterations between two checks of the clock."""
AT_ONCE = 1 << 16
"""The maximum number of nodes to add to small arrays; larger ones double."""
MAX_SEARCH = 1_000_000_000
"""The limit of iterations in a search, because node numbers have 32 bits."""

# The columns of a policy row.
MISTAKES, ITERATIONS, CARE, EXPLORE, PATIENCE, WIDEN, HORIZON = range(7)

NODE = np.dtype(
    [
        ("action", np.int32),
        ("seat", np.int32),
        ("parent", np.int32),
        ("first", np.int32),
        ("next", np.int32),
        ("visits", np.int32),
        ("available", np.int32),
    ]
)
"""A node of the tree: the ``action`` of ``seat`` that leads to it, its ``parent``, ``first`` child
and ``next`` sibling (0: none; node 0 is the root), its ``visits``, and how often it was
``available``: legal in the determinization when a child of its parent was chosen."""


def grow(
    states: Any,
    nodes: Any,
    values: Any,
    used: int,
    rng: Generator,
    buffers: Any,
    policy: Any,
    iterations: int,
    first: int,
) -> int:
    """Search on from the redacted position ``states[1]`` and return the number of nodes used.

    In each determinization the action ``first`` is played before the tree begins; -1 for none.
    ``states[0]`` holds the determinization. ``nodes`` needs room for one more node per iteration,
    and so does ``values``, shape (nodes, seats): the rewards that went through each node. For
    ``buffers`` see :func:`buffers_dtype`.
    """
    out, work, path, rewards = buffers.out, buffers.work, buffers.path, buffers.rewards
    for _ in range(iterations):
        states[0] = states[1]
        s = states[0]
        determinize(s, rng, work)
        node = 0
        depth = 0
        path[0] = 0
        n = legal(s, out)
        inside = True
        left = int(policy[HORIZON] * s.seats)
        if first >= 0:
            play(s, first)
            left -= 1
            n = legal(s, out)
        while n and inside and left > 0:
            if n == 1:
                action = out[0]
            else:
                child = choose(s, nodes, values, node, n, rng, buffers, policy)
                if child > 0:
                    action = nodes[child].action
                else:
                    action = -child
                    child = used
                    add(nodes, values, node, child, action, s.turn, s.seats)
                    used += 1
                    inside = False
                node = child
                depth += 1
                path[depth] = node
                if depth == DEPTH:
                    inside = False
            play(s, action)
            left -= 1
            n = legal(s, out)
        finish(s, n, left, rng, buffers, policy)
        for i in range(depth + 1):
            nodes[path[i]].visits += 1
            for seat in range(s.seats):
                values[path[i], seat] += rewards[seat]
    return used


def choose(
    s: Any,
    nodes: Any,
    values: Any,
    node: int,
    n: int,
    rng: Generator,
    buffers: Any,
    policy: Any,
) -> int:
    """Return the child to try, or minus the action to add: ``greedy``'s first, then any other."""
    out, marks = buffers.out, buffers.marks
    seat = s.turn
    for i in range(n):
        marks[out[i]] = 1
    left = n
    best = 0
    highest = -1.0
    child = nodes[node].first
    while child:
        action = nodes[child].action
        if nodes[child].seat == seat and marks[action]:
            marks[action] = 0
            left -= 1
            nodes[child].available += 1
            visits = nodes[child].visits
            worth = values[child, seat] / visits + policy[EXPLORE] * sqrt(
                log(nodes[child].available) / visits
            )
            if worth > highest:
                highest = worth
                best = child
        child = nodes[child].next
    if left:
        # An untried move is assumed to be somewhat better than the node was on average.
        promise = policy[PATIENCE]
        if nodes[node].visits:
            promise += values[node, seat] / nodes[node].visits
        if left == n:
            best = -greedy(s, out, n, rng, buffers.work)
        elif highest < promise and (
            node == 0 or n - left <= policy[WIDEN] * sqrt(nodes[node].visits)
        ):
            k = below(rng, left)
            for i in range(n):
                if marks[out[i]]:
                    if k == 0:
                        best = -out[i]
                    k -= 1
    for i in range(n):
        marks[out[i]] = 0
    return best


def add(
    nodes: Any, values: Any, parent: int, child: int, action: int, seat: int, seats: int
) -> None:
    """Add a node without visits to the tree."""
    nodes[child].action = action
    nodes[child].seat = seat
    nodes[child].parent = parent
    nodes[child].first = 0
    nodes[child].next = nodes[parent].first
    nodes[child].visits = 0
    nodes[child].available = 1
    nodes[parent].first = child
    for i in range(seats):
        values[child, i] = 0.0


def finish(s: Any, n: int, left: int, rng: Generator, buffers: Any, policy: Any) -> None:
    """Finish with a playout to the horizon and write the rewards.

    ``greedy`` chooses the policy's share of the moves; the others are random.
    """
    out, work = buffers.out, buffers.work
    care = int(policy[CARE] * 1024)
    while n and left > 0:
        if n == 1:
            action = out[0]
        elif care and below(rng, 1024) < care:
            action = greedy(s, out, n, rng, work)
        else:
            action = out[below(rng, n)]
        play(s, action)
        left -= 1
        n = legal(s, out)
    if s.turn < 0:
        share_ranks(s, buffers.evaluations, buffers.rewards)
    else:
        share_evaluations(s, buffers.evaluations, buffers.rewards)


def share_ranks(s: Any, ranks: Any, rewards: Any) -> None:
    """Write the rewards of a game that is over."""
    if s.seats == 1:
        share_evaluations(s, ranks, rewards)
        return
    rank(s, ranks)
    for seat in range(s.seats):
        beaten = 0.0
        for other in range(s.seats):
            if ranks[other] > ranks[seat]:
                beaten += 1.0
            elif ranks[other] == ranks[seat] and other != seat:
                beaten += 0.5
        rewards[seat] = beaten / (s.seats - 1)


def share_evaluations(s: Any, evaluations: Any, rewards: Any) -> None:
    """Write the rewards by ``evaluate``: half for an equal opponent, 1 for a certain lead."""
    evaluate(s, evaluations)
    if s.seats == 1:
        rewards[0] = evaluations[0] / SURE_LEAD
        return
    for seat in range(s.seats):
        beaten = 0.0
        for other in range(s.seats):
            if other != seat:
                ahead = 0.5 + (evaluations[seat] - evaluations[other]) / (2.0 * SURE_LEAD)
                beaten += min(max(ahead, 0.0), 1.0)
        rewards[seat] = beaten / (s.seats - 1)


def clear(nodes: Any, values: Any, seats: int) -> None:
    """Cut the tree back to its root."""
    nodes[0].first = 0
    nodes[0].visits = 0
    for seat in range(seats):
        values[0, seat] = 0.0


def most_visited(nodes: Any) -> int:
    """Return the action that was tried most often at the root."""
    best = 0
    highest = 0
    child = nodes[0].first
    while child:
        if nodes[child].visits > highest:
            highest = nodes[child].visits
            best = nodes[child].action
        child = nodes[child].next
    return best


def decide(states: Any, nodes: Any, values: Any, rng: Generator, buffers: Any, policy: Any) -> int:
    """Return a policy's move in the redacted ``states[1]``; see :func:`grow` for the rest."""
    s = states[1]
    out = buffers.out
    n = legal(s, out)
    if n == 1:
        return int(out[0])
    if policy[MISTAKES] > 0.0 and below(rng, 1024) < int(policy[MISTAKES] * 1024):
        return int(out[below(rng, n)])
    iterations = int(policy[ITERATIONS])
    if iterations == 0:
        return greedy(s, out, n, rng, buffers.work)
    clear(nodes, values, s.seats)
    grow(states, nodes, values, 1, rng, buffers, policy, iterations, -1)
    return most_visited(nodes)


def policy_row(policy: Policy, game: Game) -> list[float]:
    """Return a policy as an array row for the compiled loops."""
    return [
        policy.mistakes,
        policy.iterations,
        policy.care,
        policy.explore,
        policy.patience,
        policy.widen,
        policy.horizon or game.horizon or WHOLE_GAME,
    ]


def buffers_dtype(game: Game) -> np.dtype[Any]:
    """Return the record type of the loops' buffers; each thread has one.

    ``out`` holds the legal actions; ``work`` is scratch for ``determinize`` and ``greedy``;
    ``marks`` has a number for each action, all zero between two choices; ``path`` holds the nodes
    of an iteration, ``evaluations`` what ``evaluate`` or ``rank`` wrote and ``rewards`` what each
    seat gets.
    """
    return np.dtype(
        [
            ("out", np.int16, (game.rules.MAX_LEGAL + 1,)),
            ("work", np.int64, (WORK,)),
            ("marks", np.int8, (game.rules.ACTIONS,)),
            ("path", np.int64, (DEPTH + 1,)),
            ("evaluations", np.int64, (game.max_seats,)),
            ("rewards", np.float64, (game.max_seats,)),
        ],
        align=True,
    )


class SearchBuffers:
    """The arrays of one thread's loops."""

    def __init__(self, game: Game, seats: int, header: Any, room: int) -> None:
        self.states = to_records(header, 3)
        self.nodes = np.zeros(room, NODE)
        self.values = np.zeros((room, seats), np.float64)
        self.buffers = np.zeros(1, buffers_dtype(game))[0]


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


class Search:
    """A search from what the seat to move sees; it can be continued at any time.

    The same observation, seed and number of iterations give the same tree. ``nodes[:used]`` and
    ``values[:used]`` are the tree: see :data:`NODE`; a value is a sum of rewards, one per seat.

    With ``first``, one of the observation's legal actions, only what follows that move is searched.
    Without it, the observation may also be that of a seat that is not on turn.

    ``rng`` has four words of 64 bits, such as :func:`~redouble.kernel.rng.seed_words` makes.
    Raises :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
    """

    def __init__(
        self,
        observation: Observation,
        rng: Generator,
        policy: Policy | None = None,
        first: int | None = None,
    ) -> None:
        self.observation = check_observation(observation)
        words = check_generator(rng)
        used = Policy() if policy is None else checks.instance(policy, Policy, "policy")
        if first is not None and checks.whole(first, "first") not in observation.legal:
            raise InputError(
                f"first cannot be {first}: give one of the legal actions {observation.legal}"
            )
        self._first = -1 if first is None else int(first)
        self.used = 1
        self._seats = observation.state.seats
        self._policy = np.array(policy_row(used, observation.game), np.float64)
        self._rng = np.array(words, np.uint64)
        self._arrays = SearchBuffers(observation.game, self._seats, observation.state, 1)

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
        return int(self._arrays.nodes["visits"][0])

    def run(
        self,
        iterations: int,
        seconds: float | None = None,
        watch: Callable[[int], bool] | None = None,
    ) -> None:
        """Continue the search for this number of iterations, or until the time is up.

        ``watch`` is called now and then with the number of iterations done; it ends the search by
        returning False. Ctrl-C keeps the iterations done so far.
        Raises :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
        """
        checks.whole(iterations, "iterations", 0, MAX_SEARCH - self.iterations)
        if seconds is not None:
            checks.number(seconds, "seconds", 0)
        if watch is not None and not callable(watch):
            raise checks.wrong("watch", watch, "a function of the iterations done", InputError)
        a = self._arrays
        loop = compiled(grow, **functions(self.observation.game))
        until = None if seconds is None else perf_counter() + seconds
        goal = self.iterations + iterations
        nothing = len(self.observation.legal) == 1 and self._first < 0
        while self.iterations < goal and not nothing:
            now = min(SLICE, goal - self.iterations)
            if self.used + now > len(a.nodes):
                self._make_room(goal - self.iterations)
            self.used = loop(
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
            if until is not None and perf_counter() >= until:
                break
            if watch is not None and not watch(self.iterations):
                break

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

    def _children(self, node: int) -> list[int]:
        found = []
        child = int(self.nodes["first"][node])
        while child:
            found.append(child)
            child = int(self.nodes["next"][child])
        return found

    def _make_room(self, iterations: int) -> None:
        """Enlarge the arrays for these iterations: double them, or add up to AT_ONCE nodes."""
        a = self._arrays
        room = self.used + max(self.used, min(iterations, AT_ONCE))
        nodes, values = np.zeros(room, NODE), np.zeros((room, self._seats), np.float64)
        nodes[: self.used], values[: self.used] = self.nodes, self.values
        a.nodes, a.values = nodes, values


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
    for search in searches:
        for child in search._children(0):
            action = int(search.nodes["action"][child])
            visits[action] = visits.get(action, 0) + int(search.nodes["visits"][child])
            sums[action] = sums.get(action, 0.0) + search.values[child]
    found = []
    for action, times in visits.items():
        shares = tuple(float(total) / times for total in sums[action])
        found.append(Candidate(action, times, shares[observation.seat], shares))
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

    Each thread grows its own tree. ``watch`` is called with the first thread's iterations; when it
    returns False, all threads stop. Raises :class:`~redouble.kernel.errors.InputError` if an
    argument cannot be used, or if the observation has no legal move.
    """
    checks.whole(threads, "threads", 1, MAX_THREADS)
    checks.instance(policy, Policy, "policy")
    words = check_generator(rng)
    if not check_observation(observation).legal:
        raise InputError("the seat has no legal move: let the seat on turn think")
    if policy.iterations == 0:
        raise InputError("policy.iterations is 0: give at least 1 to search")
    seeds = [seed_words(f"search {number} {words}") for number in range(threads)]
    searches = [Search(observation, seed, policy) for seed in seeds]
    share = -(-policy.iterations // threads)
    stopped = False

    def watched(done: int) -> bool:
        nonlocal stopped
        stopped = stopped or (watch is not None and not watch(done))
        return not stopped

    if threads == 1:
        searches[0].run(share, seconds, watched)
    else:
        with ThreadPoolExecutor(threads) as pool:
            watches = [watched, *[lambda done: not stopped] * (threads - 1)]
            jobs = [
                pool.submit(search.run, share, seconds, each)
                for search, each in zip(searches, watches, strict=True)
            ]
            for job in jobs:
                job.result()
    return merge(searches)
