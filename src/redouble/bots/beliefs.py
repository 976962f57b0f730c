"""Beliefs: what the others played tells which hands they hold.

A model of the others says how likely each of their earlier moves was in a world: they play the
game's heuristic, and now and then a random move, a slip. Of a few worlds drawn by ``determinize``,
one is chosen with chances in proportion to how likely it makes all moves that were seen. This is
sampling-importance-resampling (Rubin, 1987) with a new set of candidates for each world, so worlds
never repeat, and with few candidates the model can't mislead a search far. Weighing worlds by
opponents' moves is known from bridge and skat (Ginsberg, "GIB", 2001; Solinas, Rebstock and Buro,
"Improving Search with Supervised Learning in Trick-Based Card Games", 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redouble.bots.playouts import BELIEFS, SLIPS
from redouble.contract.placeholders import determinize, greedy, legal, recall, redact
from redouble.kernel import checks
from redouble.kernel.engine import dtype, to_records
from redouble.kernel.errors import InputError
from redouble.kernel.rng import Generator, below
from redouble.kernel.state import State
from redouble.match.match import Match

__all__ = ["SeenMove", "seen_moves"]

FINE = 1 << 24
"""Steps of a chance."""


@dataclass(frozen=True)
class SeenMove:
    """A move of another seat, and the position before it as far as the observer knew it then."""

    state: State
    action: int

    def __post_init__(self) -> None:
        checks.instance(self.state, State, "state")
        checks.whole(self.action, "action", 0)


def seen_moves(match: Match) -> tuple[SeenMove, ...]:
    """Return the moves that the seat to move has seen the others make, from the first on.

    Raises :class:`~redouble.kernel.errors.IllegalMove` when the game is over.
    """
    seat = checks.instance(match, Match, "match").observation().seat
    game = match.game
    found = []
    for before, move in zip(match.positions(), match.moves, strict=False):
        action = game.text.parse(before, move)
        if before.turn != seat and not game.rules.hidden(before, action):
            found.append(SeenMove(game.redacted(before, seat), action))
    return tuple(found)


def as_arrays(moves: Sequence[SeenMove], state: State) -> tuple[Any, Any]:
    """Return the positions of moves as records, and their actions; ``state`` is of the game."""
    records = np.zeros(len(moves), dtype(type(state)))
    for i, move in enumerate(moves):
        if type(move.state) is not type(state):
            raise InputError("a move that was seen is of another game")
        records[i] = to_records(move.state)[0]
    return records, np.array([move.action for move in moves], np.int64)


def believe(
    states: Any, past: Any, actions: Any, rng: Generator, buffers: Any, policy: Any
) -> None:
    """Write a world to ``states[3]``, consistent with ``states[1]``.

    ``past`` and ``actions`` are the others' moves. ``states[4]`` and ``states[5]`` are scratch.
    """
    states[3] = states[1]
    determinize(states[3], rng, buffers.work)
    total = likelihood(states, states[3], past, actions, rng, buffers, policy[SLIPS])
    for _ in range(int(policy[BELIEFS]) - 1):
        states[4] = states[1]
        determinize(states[4], rng, buffers.work)
        weight = likelihood(states, states[4], past, actions, rng, buffers, policy[SLIPS])
        total += weight
        if below(rng, FINE) * total < weight * FINE:
            states[3] = states[4]


def likelihood(
    states: Any, world: Any, past: Any, actions: Any, rng: Generator, buffers: Any, slips: float
) -> float:
    """Return how likely a world makes the others' moves."""
    out = buffers.out
    product = 1.0
    for i in range(len(actions) - 1, -1, -1):
        states[5] = past[i]
        s = states[5]
        if not recall(s, world):  # of the moves before, the world tells still less
            return product
        redact(s, s.turn)
        n = legal(s, out)
        if n > 1:
            chance = slips / n
            if greedy(s, out, n, rng, buffers.work) == actions[i]:
                chance += 1.0 - slips
            product *= chance
    return product
