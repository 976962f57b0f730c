"""Flat Monte Carlo search with common worlds, compiled together with a game's rules.

Every move that is still in question is tried in the same determinization, with the same random
numbers, and finished with a playout. So moves are compared under the same conditions, and chance
mostly cancels out of the difference, as in duplicate bridge (Ginsberg, "GIB", 2001).
Sequential halving (Karnin, Koren and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits",
2013) divides the iterations: each round has the same number, and the better half of the moves goes
on to the next.

With playouts by the game's heuristic, this is one step of policy improvement (Tesauro and
Galperin, "On-line Policy Improvement using Monte-Carlo Search", 1996): it plays no worse than the
heuristic the more worlds it tries.

A game's network (:mod:`redouble.bots.learned`) can have a say: a move counts for its mean reward
plus a little for each logit of its score, so the network decides among moves that the playouts find
about as good (compare Danihelka and others, "Policy Improvement by Planning with Gumbel", 2022,
where logits and values are added up in the same way). And it can choose the moves of the seat that
searches in the playouts, where the others follow the heuristic.

A world depends only on the search's seed and on the world's number. So worlds can be tried in any
order, and in several threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from redouble.bots.learned import learned_weights
from redouble.bots.policy import MAX_ITERATIONS
from redouble.bots.search.beliefs import believe
from redouble.bots.search.network import list_traits, prefer, start_sums, stored_network, worth
from redouble.bots.search.playouts import (
    BELIEFS,
    ITERATIONS,
    LEARNED,
    TRUST,
    SearchBuffers,
    finish,
    next_move,
)
from redouble.contract.game import Game
from redouble.contract.placeholders import determinize, features, functions, greedy, legal
from redouble.kernel.backend import compiled, np
from redouble.kernel.rng import Generator, reseed, words

MIXING = 16
"""Steps of a generator after which two that differed in few bits have nothing in common."""
NO_MOVES = np.zeros(0, np.int64)
"""No moves in particular: all legal ones are tried."""
MAX_AT_ONCE = 1 << 16
"""Iterations of :meth:`Rounds.run` between two moments in which Ctrl-C is heard."""


def begin(states: Any, moves: Any, values: Any, rng: Generator, buffers: Any, only: Any) -> int:
    """List the legal moves in ``moves``, or those in ``only`` if it has any; return their number.

    The heuristic's move, or the first of ``only``, comes first, so that it is chosen when no other
    is better. The worlds' ``base`` is drawn.
    """
    s = states[1]
    out = buffers.out
    n = legal(s, out)
    best = greedy(s, out, n, rng, buffers.work)
    n = legal(s, out)
    if len(only):
        n = len(only)
        best = only[0]
        for i in range(n):
            out[i] = only[i]
    for i in range(len(moves)):
        moves[i].visits = 0
        moves[i].prior = 0.0
        for seat in range(s.seats):
            values[i][seat] = 0.0
    moves[0].action = best
    m = 1
    for i in range(n):
        buffers.order[i] = i
        if out[i] != best:
            moves[m].action = out[i]
            m += 1
    reseed(buffers.base, rng)
    return n


def think_first(states: Any, moves: Any, n: int, buffers: Any, network: Any, scale: float) -> None:
    """Write what a network thinks of each move; a score of 1 counts ``scale``."""
    s = states[1]
    work = buffers.work
    start_sums(network, work, features(s, work))
    for i in range(n):
        m = list_traits(s, moves[i].action, moves[0].action, network, work)
        moves[i].prior = scale * worth(network, work, m)


def worlds_of_round(m: int, iterations: int) -> int:
    """Return the number of worlds in which the ``m`` best moves are tried before the next halving.

    The iterations that are left are shared evenly among the rounds until one move is left.
    """
    rounds = 0
    rest = m
    while rest > 1:
        rest = (rest + 1) // 2
        rounds += 1
    return int(max(iterations // (rounds * m), 1))


def try_worlds(
    states: Any,
    moves: Any,
    order: Any,
    m: int,
    base: Generator,
    first: int,
    buffers: Any,
    policy: Any,
    network: Any,
    past: Any,
    actions: Any,
    results: Any,
) -> None:
    """Try the first ``m`` moves of ``order`` in worlds from number ``first`` on.

    ``past`` and ``actions`` are the others' moves, for
    :func:`~redouble.bots.search.beliefs.believe`. ``results`` gets the
    seats' rewards, a row for each move in each world.
    """
    also = states[1].turn, network
    for row in range(len(results)):
        if row % m == 0:
            number_world(buffers.chance, base, first + row // m)
            draw_world(states, past, actions, buffers.chance, buffers, policy)
        for i in range(4):
            buffers.again[i] = buffers.chance[i]
        action = moves[order[row % m]].action
        finish(states, action, buffers.again, buffers, policy, also, results[row])


def draw_world(
    states: Any, past: Any, actions: Any, rng: Generator, buffers: Any, policy: Any
) -> None:
    """Write a world to ``states[3]``.

    :func:`~redouble.bots.search.beliefs.believe` can take its place.
    """
    states[3] = states[1]
    determinize(states[3], rng, buffers.work)


def network_move(s: Any, out: Any, n: int, rng: Generator, how: Any) -> int:
    """Return a playout's move, which a network chooses for one seat."""
    buffers, _, (seat, network) = how
    if s.turn == seat and n > 1:
        return prefer(s, out, n, rng, network, buffers.work)
    return next_move(s, out, n, rng, how)


def action_of(game: Game, arrays: SearchBuffers, rng: Any, policy: Any) -> int:
    """Return the move that a search by a policy's row finds in the redacted ``states[1]``.

    It is the one that :func:`~redouble.bots.search.think` finds with the same generator, but
    without its checks: for whole games. ``arrays`` has the past that beliefs look at.
    """
    rounds = Rounds(game, arrays, rng, policy)
    rounds.run(int(policy[ITERATIONS]))
    return rounds.best


def number_world(rng: Generator, base: Generator, world: int) -> None:
    """Fill in the generator of the world with this number."""
    rng[0] = base[0]
    rng[1] = base[1]
    rng[2] = base[2] ^ base[3]
    rng[3] = world + 1
    for _ in range(MIXING):
        words(rng)


def add_up(moves: Any, values: Any, order: Any, m: int, results: Any) -> None:
    """Add results of :func:`try_worlds` to the moves."""
    for row in range(len(results)):
        move = order[row % m]
        moves[move].visits += 1
        for seat in range(len(results[row])):
            values[move][seat] += results[row][seat]


def halve(moves: Any, values: Any, order: Any, seat: int, m: int) -> int:
    """Sort the first ``m`` moves of ``order``, best for a seat first, and return half of ``m``."""
    visits = moves[order[0]].visits  # the others have as many
    for i in range(1, m):
        move = order[i]
        total = values[move][seat] + visits * moves[move].prior
        k = i
        while k > 0:
            before = order[k - 1]
            if total <= values[before][seat] + visits * moves[before].prior:
                break
            order[k] = before
            k -= 1
        order[k] = move
    return (m + 1) // 2


class Rounds:
    """A flat search: the moves in question, and the next world to try.

    It begins at the redacted position ``states[1]`` of the arrays, which get a row for each legal
    move, or for each in ``only`` if it has any.
    """

    def __init__(
        self, game: Game, arrays: SearchBuffers, rng: Any, policy: Any, only: Any = NO_MOVES
    ) -> None:
        self._arrays, self._policy = arrays, policy
        self._helpers: list[SearchBuffers] = []
        loops = functions(game)
        a = arrays
        seats = a.values.shape[1]
        self._seat = int(a.states[1]["turn"])
        self._network = stored_network(game, seats)
        choices: dict[str, Callable[..., Any]] = {"choose": next_move}
        if policy[BELIEFS] > 1:
            choices["draw_world"] = believe
        if policy[LEARNED] and len(self._network.rows):
            choices["choose"] = network_move
        self._try = compiled(try_worlds, **loops, **choices)
        self.moves = compiled(begin, **loops)(a.states, a.moves, a.values, rng, a.buffers, only)
        """How many moves are tried."""
        self._m = self.moves
        if policy[TRUST] > 0.0 and not len(only) and len(self._network.rows):
            scale = policy[TRUST] * learned_weights(game)[seats].unit
            loop = compiled(think_first, **loops)
            loop(a.states, a.moves, self.moves, a.buffers, self._network, scale)
        self._world = 0
        self._left = self._worlds_of_round()

    def run(self, iterations: int) -> None:
        """Try the moves in all worlds at once that these iterations are enough for."""
        while iterations:
            done = self.step(iterations, MAX_AT_ONCE, None, 1)
            iterations = max(iterations - done, 0) if done else 0

    @property
    def best(self) -> int:
        """The best move's action."""
        return int(self._arrays.moves[self._arrays.buffers["order"][0]]["action"])

    def step(self, iterations: int, most: int, pool: Executor | None, threads: int) -> int:
        """Try the moves in question in a few worlds; return the number of iterations.

        They are at most ``iterations``, or about ``most`` if that is less. All threads together
        find what one would: worlds are numbered, and their results are added up in order.
        """
        worlds = min(iterations // self._m, max(most // self._m, 1), self._left)
        if not self._world:
            worlds = max(worlds, 1)  # so that there is a result
        results = self.try_moves(worlds, pool, threads)
        a = self._arrays
        compiled(add_up)(a.moves, a.values, a.buffers["order"], self._m, results)
        self._left -= worlds
        if not self._left:
            half = compiled(halve)(a.moves, a.values, a.buffers["order"], self._seat, self._m)
            self._m = max(half, min(self._m, 2))
            self._left = self._worlds_of_round() if half > 1 else MAX_ITERATIONS
        return len(results)

    def try_moves(self, worlds: int, pool: Executor | None = None, threads: int = 1) -> Any:
        """Return each seat's rewards after the moves in question, in the next worlds.

        They have a row for each move in each world.
        """
        results = np.zeros((worlds * self._m, self._arrays.values.shape[1]), np.float64)
        if pool is None or worlds < threads:
            self._try_part(self._arrays, 0, results)
        else:
            while len(self._helpers) < threads - 1:
                self._helpers.append(self._arrays.twin())
            cuts = [worlds * i // threads for i in range(threads + 1)]
            jobs = [
                pool.submit(self._try_part, helper, low, results[low * self._m : high * self._m])
                for helper, low, high in zip(
                    (self._arrays, *self._helpers), cuts, cuts[1:], strict=False
                )
            ]
            for job in jobs:
                job.result()
        self._world += worlds
        return results

    def _try_part(self, arrays: SearchBuffers, first: int, results: Any) -> None:
        a = self._arrays
        self._try(
            arrays.states,
            a.moves,
            a.buffers["order"],
            self._m,
            a.buffers["base"],
            self._world + first,
            arrays.buffers,
            self._policy,
            self._network.twin(),
            a.past,
            a.actions,
            results,
        )

    def _worlds_of_round(self) -> int:
        if self._m == 1 or not self._policy[ITERATIONS]:
            return MAX_ITERATIONS
        done = self._arrays.iterations
        return worlds_of_round(self._m, int(self._policy[ITERATIONS]) - done)
