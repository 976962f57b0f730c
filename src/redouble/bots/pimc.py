"""Perfect-information Monte Carlo: each world is searched on its own, with all cards face up.

The method is that of GIB (Ginsberg, "GIB: Imperfect Information in a Computationally Challenging
Game", 2001): a move is worth what it is worth on average over worlds, each played as well as
possible by players who see everything. Where GIB solves a world exactly, here a small tree grows
for each move. The method believes that later it can decide by what it doesn't see (Long et al.,
"Understanding the Success of Perfect Information Monte Carlo Sampling in Game Tree Search", 2010).
"""

from __future__ import annotations

from typing import Any

from redouble.bots.flat import begin
from redouble.bots.playouts import ITERATIONS, SearchBuffers
from redouble.bots.tree import empty, grow
from redouble.contract.game import Game
from redouble.contract.placeholders import determinize, functions
from redouble.kernel.engine import compiled
from redouble.kernel.rng import Generator

DEEPEST = 32
"""Iterations for a move in one world, if there are enough of them."""
WORLDS = 16
"""Worlds to try at least, however few iterations are then left for a move."""


def try_world(
    states: Any,
    nodes: Any,
    values: Any,
    inner_states: Any,
    inner_nodes: Any,
    inner_values: Any,
    rng: Generator,
    buffers: Any,
    policy: Any,
    n: int,
    each: int,
) -> None:
    """Draw a world and add to nodes 1 to ``n`` what ``each`` iterations find after their moves."""
    inner_states[1] = states[1]
    determinize(inner_states[1], rng, buffers.work)
    seats = values.shape[1]
    for child in range(1, n + 1):
        empty(inner_nodes, inner_values, 0, 0, nodes[0].seat, seats)
        move = nodes[child].action
        grow(inner_states, inner_nodes, inner_values, 1, rng, buffers, policy, each, move)
        nodes[0].visits += each
        nodes[child].visits += each
        for seat in range(seats):
            values[0, seat] += inner_values[0, seat]
            values[child, seat] += inner_values[0, seat]


class Worlds:
    """A search of one world after another, from the redacted position ``states[1]``.

    The ``nodes`` and ``values`` of the arrays get a child of the root for each legal move, or for
    the move ``first`` alone if it is not -1.
    """

    def __init__(
        self, game: Game, arrays: SearchBuffers, rng: Any, policy: Any, first: int
    ) -> None:
        self._arrays, self._rng, self._policy = arrays, rng, policy
        self._inner = arrays.twin(DEEPEST + 1)
        loops = functions(game)
        self._try = compiled(try_world, **loops)
        a = arrays
        self._n: int = compiled(begin, **loops)(
            a.states, a.nodes, a.values, rng, a.buffers, first, -1
        )
        self._each: int = min(max(int(policy[ITERATIONS]) // (WORLDS * self._n), 1), DEEPEST)

    @property
    def best(self) -> int:
        """The best move's action, of equal ones the heuristic's."""
        nodes: Any = self._arrays.nodes
        children = self._arrays.children()
        worth = self._arrays.values[children, nodes["seat"][0]]
        return int(nodes["action"][children[int(worth.argmax())]])

    def run(self, iterations: int) -> None:
        """Search all worlds that these iterations are enough for."""
        while done := self.step(iterations):
            iterations -= done

    def step(self, iterations: int) -> int:
        """Search the next world and return the iterations made; 0 if these aren't enough for it."""
        a, inner = self._arrays, self._inner
        if iterations < self._n * self._each and a.iterations:
            return 0
        self._try(
            *(a.states, a.nodes, a.values),
            *(inner.states, inner.nodes, inner.values),
            *(self._rng, inner.buffers, self._policy, self._n, self._each),
        )
        return self._n * self._each
