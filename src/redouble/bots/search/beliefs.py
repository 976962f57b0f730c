"""Beliefs: what the others played tells which hands they hold.

A model of the others says how likely each of their earlier moves was in a world: they play the
game's heuristic, and now and then a random move, a slip. A world begins as ``determinize`` deals
it. Then unseen cards are exchanged, one of a hand for any other. An exchange that makes the moves
of the hands concerned more likely is kept. One that makes them less likely is kept with the ratio
as its chance, or taken back. This is the method of Metropolis and others ("Equation of State
Calculations by Fast Computing Machines", 1953): the more exchanges, the closer worlds come to what
the moves tell. Each world begins anew, so worlds are independent, and with few exchanges the model
can't mislead a search far. Weighing worlds by opponents' moves is known from bridge and skat
(Ginsberg, "GIB", 2001; Solinas, Rebstock and Buro, "Improving Search with Supervised Learning in
Trick-Based Card Games", 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redouble.bots.search.playouts import BELIEFS, SLIPS
from redouble.contract.placeholders import (
    determinize,
    exchange_unseen,
    greedy,
    hidden,
    holders,
    legal,
    recall,
    redact,
)
from redouble.kernel.backend import dtype, np, to_records
from redouble.kernel.piles import IN_SIGHT
from redouble.kernel.rng import Generator, below
from redouble.kernel.state import NOBODY, State
from redouble.match.match import SeenMove

FINE = 1 << 24
"""Steps of a chance."""
LEAST_LIKELY = 1e-100
"""No past is less likely than this: products of two stay above zero."""


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
    ``actions``, in the last places. ``states[4]`` is scratch. It finds what
    :meth:`~redouble.match.match.Match.seen_moves` does.
    """
    seat = states[1].turn
    n = 0
    for back in range(1, min(plies, len(history)) + 1):
        i = (plies - back) % len(history)
        states[4] = history[i]
        s = states[4]
        if s.turn == seat or hidden(s, made[i]):
            continue
        redact(s, seat)
        past[len(past) - 1 - n] = states[4]
        if not recall(s, states[2]):
            return n
        actions[len(past) - 1 - n] = made[i]
        n += 1
    return n


def believe(
    states: Any, past: Any, actions: Any, rng: Generator, buffers: Any, policy: Any
) -> None:
    """Write a world to ``states[3]``, consistent with ``states[1]``.

    ``past`` and ``actions`` are the others' moves. ``states[4]`` is scratch.
    """
    states[3] = states[1]
    determinize(states[3], rng, buffers.work)
    seen = states[1]
    held, unseen = list_places(seen, buffers)
    if len(actions) == 0 or held == 0:
        return
    world, likely, slips = states[3], buffers.likely, policy[SLIPS]
    for seat in range(seen.seats):
        likely[seat] = likelihood(states, past, actions, seat, rng, buffers, slips, 0.0)
    for _ in range(int(policy[BELIEFS])):
        first = buffers.held[below(rng, held)]
        second = buffers.unseen[below(rng, unseen)]
        if first == second or not exchange_unseen(world, first, second):
            continue
        one = int(buffers.holder[first])
        other = int(buffers.holder[second])
        both = other >= 0 and other != one
        # The new world is accepted if its likelihood is at least this.
        least = (below(rng, FINE) + 0.5) / FINE * likely[one]
        if both:
            least *= likely[other]
        now = likelihood(states, past, actions, one, rng, buffers, slips, least)
        rest = 1.0
        if both and now >= least:
            rest = likelihood(states, past, actions, other, rng, buffers, slips, least / now)
        if now * rest < least:
            exchange_unseen(world, first, second)
        else:
            likely[one] = now
            if both:
                likely[other] = rest


def list_places(seen: Any, buffers: Any) -> tuple[int, int]:
    """List the places of unseen cards, and those of them in hands; return how many of either."""
    n = holders(seen, buffers.holder)
    held = 0
    unseen = 0
    for place in range(n):
        holder = buffers.holder[place]
        if holder != IN_SIGHT:
            buffers.unseen[unseen] = place
            unseen += 1
            if holder != NOBODY:
                buffers.held[held] = place
                held += 1
    return held, unseen


def likelihood(
    states: Any,
    past: Any,
    actions: Any,
    seat: int,
    rng: Generator,
    buffers: Any,
    slips: float,
    least: float,
) -> float:
    """Return how likely the world ``states[3]`` makes the moves of a seat.

    Return 0 as soon as it is below ``least``. ``states[4]`` is scratch.
    """
    out = buffers.out
    product = 1.0
    for i in range(len(actions) - 1, -1, -1):
        if past[i].turn != seat:
            continue
        states[4] = past[i]
        s = states[4]
        if not recall(s, states[3]):  # of the moves before, the world tells still less
            return product
        redact(s, seat)
        n = legal(s, out)
        if n > 1:
            chance = slips / n
            if greedy(s, out, n, rng, buffers.work) == actions[i]:
                chance += 1.0 - slips
            product = max(product * chance, LEAST_LIKELY)
            if product < least:
                return 0.0
    return product
