"""Information-set Monte Carlo tree search with a tree for each seat.

The method is multiple-observer ISMCTS (Cowling, Powley and Whitehouse, "Information Set Monte Carlo
Tree Search", 2012): the branches of a seat's tree are the moves as it sees them, and each seat
chooses by its own tree.

There all worlds come from what the searching seat knows. It has the same hand in each, so the
others would learn to play as if they knew it. Here an iteration teaches one seat, in a world that
this seat can't tell from the real one, and only its tree learns. The others make the moves that
they have found best so far. Every second iteration teaches the seat that searches.
"""

from __future__ import annotations

from typing import Any

from redouble.bots.playouts import DEPTH, HORIZON, finish
from redouble.bots.tree import add, add_rewards, choose, empty
from redouble.contract.placeholders import determinize, greedy, hidden, legal, play, redact
from redouble.kernel.rng import Generator

UNSEEN = -1
"""The branch of a move that a seat can't tell from others."""


def grow_trees(
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

    All is as in :func:`redouble.bots.tree.grow`, but the roots of the other seats' trees are the
    siblings of node 0. An iteration adds a node to one tree, or a root.
    """
    out, work, path, at = buffers.out, buffers.work, buffers.path, buffers.at
    searcher = nodes[0].seat
    for _ in range(iterations):
        states[0] = states[1]
        s = states[0]
        determinize(s, rng, work)
        left = int(policy[HORIZON] * s.seats)
        if first >= 0:
            play(s, first)
            left -= 1
        pupil = next_pupil(nodes, searcher, s.seats)
        if pupil != searcher and s.turn >= 0:
            redact(s, pupil)
            determinize(s, rng, work)
        for seat in range(s.seats):
            at[seat] = root_of(nodes, seat)
        inside = at[pupil] >= 0
        if not inside:
            add_root(nodes, values, used, pupil, s.seats)
            at[pupil] = used
            used += 1
        depth = 0
        path[0] = at[pupil]
        n = legal(s, out)
        while n and inside and left > 0:
            if n == 1:
                action = out[0]
            else:
                mover = s.turn
                if mover == pupil:
                    child = choose(s, nodes, values, at[mover], n, rng, buffers, policy)
                    action = nodes[child].action if child > 0 else -child
                else:
                    action = best_so_far(s, nodes, at[mover], n, rng, buffers)
                secret = hidden(s, action)
                for seat in range(s.seats):
                    if at[seat] >= 0:
                        branch = UNSEEN if secret and seat != mover else action
                        child = child_of(nodes, at[seat], mover, branch)
                        if child < 0 and seat == pupil:
                            child = used
                            add(nodes, values, at[seat], child, branch, mover, s.seats)
                            used += 1
                            inside = False
                        at[seat] = child
                depth += 1
                path[depth] = at[pupil]
                if depth == DEPTH:
                    inside = False
            play(s, action)
            left -= 1
            n = legal(s, out)
        finish(s, n, left, rng, buffers, policy)
        add_rewards(nodes, values, depth, s.seats, buffers)
    return used


def next_pupil(nodes: Any, searcher: int, seats: int) -> int:
    """Return the seat that the next iteration teaches: the searcher, then another, in turn."""
    done = 0
    root = 0
    while root >= 0:
        done += nodes[root].visits
        root = nodes[root].next if nodes[root].next else -1
    if seats == 1 or done % 2 == 0:
        return searcher
    return (searcher + 1 + done // 2 % (seats - 1)) % seats


def root_of(nodes: Any, seat: int) -> int:
    """Return the root of a seat's tree, -1 if it has none yet."""
    root = 0
    while nodes[root].seat != seat:
        root = nodes[root].next
        if root == 0:
            return -1
    return root


def add_root(nodes: Any, values: Any, root: int, seat: int, seats: int) -> None:
    """Add the root of a seat's tree, beside node 0."""
    empty(nodes, values, root, UNSEEN, seat, seats)
    nodes[root].next = nodes[0].next
    nodes[0].next = root


def child_of(nodes: Any, node: int, mover: int, branch: int) -> int:
    """Return the node that a branch leads to, -1 if there is none."""
    child = nodes[node].first
    while child:
        if nodes[child].action == branch and nodes[child].seat == mover:
            return int(child)
        child = nodes[child].next
    return -1


def best_so_far(s: Any, nodes: Any, node: int, n: int, rng: Generator, buffers: Any) -> int:
    """Return the legal move that the seat to move has tried most; else ``greedy``'s.

    ``node`` is that of its own tree, or -1 if play has left it.
    """
    out, marks = buffers.out, buffers.marks
    best = -1
    most = 0
    if node >= 0:
        for i in range(n):
            marks[out[i]] = 1
        child = nodes[node].first
        while child:
            action = nodes[child].action
            if nodes[child].seat == s.turn and marks[action] and nodes[child].visits > most:
                most = nodes[child].visits
                best = action
            child = nodes[child].next
        for i in range(n):
            marks[out[i]] = 0
    return int(best) if best >= 0 else greedy(s, out, n, rng, buffers.work)
