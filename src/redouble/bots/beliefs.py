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
from typing import Any

import numpy as np

from redouble.bots.playouts import BELIEFS, SLIPS
from redouble.contract.placeholders import determinize, greedy, hidden, legal, recall, redact
from redouble.kernel.engine import dtype, to_records
from redouble.kernel.rng import Generator, below
from redouble.kernel.state import State
from redouble.match.match import SeenMove

FINE = 1 << 24
"""Steps of a chance."""
NEGLIGIBLE = 1e-4
"""A world that is less likely than this share of those before it isn't looked at to the end."""


def as_arrays(moves: Sequence[SeenMove], state: State) -> tuple[Any, Any]:
    """Return the positions of moves as records, and their actions; ``state`` is of the game."""
    records = np.zeros(len(moves), dtype(type(state)))
    for i, move in enumerate(moves):
        records[i] = to_records(move.state)[0]
    return records, np.array([move.action for move in moves], np.int64)


def remember(states: Any, history: Any, made: Any, plies: int, past: Any, actions: Any) -> int:
    """Write the others' moves that the seat to move in ``states[1]`` has seen; return their number.

    ``history`` and ``made`` are rings of the positions before all moves so far, ``plies`` many, and
    of these moves; ``states[2]`` is the position here. The latest move comes last in ``past`` and
    ``actions``, in the last places. ``states[5]`` is scratch. It finds what
    :meth:`~redouble.match.match.Match.seen_moves` does.
    """
    seat = states[1].turn
    n = 0
    for back in range(1, min(plies, len(history)) + 1):
        i = (plies - back) % len(history)
        states[5] = history[i]
        s = states[5]
        if s.turn == seat or hidden(s, made[i]):
            continue
        redact(s, seat)
        past[len(past) - 1 - n] = states[5]
        if not recall(s, states[2]):
            return n
        actions[len(past) - 1 - n] = made[i]
        n += 1
    return n


def believe(
    states: Any, past: Any, actions: Any, rng: Generator, buffers: Any, policy: Any
) -> None:
    """Write a world to ``states[3]``, consistent with ``states[1]``.

    ``past`` and ``actions`` are the others' moves. ``states[4]`` and ``states[5]`` are scratch.
    """
    states[3] = states[1]
    determinize(states[3], rng, buffers.work)
    if len(actions) == 0:
        return
    slips = policy[SLIPS]
    total = likelihood(states, states[3], past, actions, rng, buffers, slips, 0.0)
    for _ in range(int(policy[BELIEFS]) - 1):
        states[4] = states[1]
        determinize(states[4], rng, buffers.work)
        least = NEGLIGIBLE * total
        weight = likelihood(states, states[4], past, actions, rng, buffers, slips, least)
        total += weight
        if below(rng, FINE) * total < weight * FINE:
            states[3] = states[4]


def likelihood(
    states: Any,
    world: Any,
    past: Any,
    actions: Any,
    rng: Generator,
    buffers: Any,
    slips: float,
    least: float,
) -> float:
    """Return how likely a world makes the others' moves; 0 as soon as it is below ``least``."""
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
            if product < least:
                return 0.0
    return product
