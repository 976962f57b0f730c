"""Information-set Monte Carlo tree search, compiled together with a game's rules.

The method is single-observer ISMCTS (Cowling, Powley and Whitehouse, "Information Set Monte Carlo
Tree Search", 2012). Each iteration draws a new determinization, descends a tree shared by all
determinizations along the moves that are legal in this one, adds a node and finishes with a
playout. UCB1 selects among the legal children; in place of the parent's visits it uses the number
of times that a child was available. Forced moves have no node.

With the method ``plan``, only the seat that searches chooses in the tree: in the nodes of the
others the game's heuristic does. :mod:`redouble.bots.observers` has a tree for each seat.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

from redouble.bots.playouts import DEPTH, EXPLORE, HORIZON, METHOD, PATIENCE, PLAN, WIDEN, finish
from redouble.contract.placeholders import determinize, greedy, legal, play
from redouble.kernel.rng import Generator, below


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
    out, work, path = buffers.out, buffers.work, buffers.path
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
        add_rewards(nodes, values, depth, s.seats, buffers)
    return used


def add_rewards(nodes: Any, values: Any, depth: int, seats: int, buffers: Any) -> None:
    """Add an iteration's rewards to the nodes of its path, the root and ``depth`` more."""
    path, rewards = buffers.path, buffers.rewards
    for i in range(depth + 1):
        nodes[path[i]].visits += 1
        for seat in range(seats):
            values[path[i], seat] += rewards[seat]


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
    if policy[METHOD] == PLAN and seat != nodes[0].seat:
        out[0] = greedy(s, out, n, rng, buffers.work)
        n = 1
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
            best = -greedy(s, out, n, rng, buffers.work) if n > 1 else -out[0]
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
    empty(nodes, values, child, action, seat, seats)
    nodes[child].parent = parent
    nodes[child].next = nodes[parent].first
    nodes[parent].first = child


def empty(nodes: Any, values: Any, node: int, action: int, seat: int, seats: int) -> None:
    """Make a node that stands alone and has no visits."""
    nodes[node].action = action
    nodes[node].seat = seat
    nodes[node].parent = 0
    nodes[node].first = 0
    nodes[node].next = 0
    nodes[node].visits = 0
    nodes[node].available = 1
    for i in range(seats):
        values[node, i] = 0.0
