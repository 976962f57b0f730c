"""What all searches have in common: playouts, rewards, nodes and buffers.

Each seat's reward is the share of its opponents that it beats, a tie counting half. If a playout
reaches its horizon before the game ends, the game's ``evaluate`` gives the rewards.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from redouble.bots.policy import BEST, METHODS, WHOLE_GAME, Policy
from redouble.contract.game import WORK, Game
from redouble.contract.placeholders import evaluate, greedy, legal, play, rank
from redouble.kernel.engine import to_records
from redouble.kernel.errors import InputError
from redouble.kernel.piles import MAX_PLACES
from redouble.kernel.rng import Generator, below

SURE_LEAD = 1000
"""A lead in ``evaluate`` that counts as a certain win over that seat."""
DEPTH = 64
"""The maximum depth of the tree in choices; the playout begins below."""

# The columns of a policy row.
MISTAKES, ITERATIONS, CARE, EXPLORE, PATIENCE, WIDEN, HORIZON = range(7)
METHOD, BELIEFS, SLIPS, LEARNED, TRUST = range(7, 12)
# The searches, numbered as in METHODS.
TREE, PLAN, FLAT, PIMC, OBSERVERS = range(5)

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


def finish(s: Any, n: int, left: int, rng: Generator, buffers: Any, policy: Any) -> None:
    """Finish with a playout to the horizon and write the rewards.

    ``greedy`` chooses the policy's share of the moves; the others are random.
    """
    care = int(policy[CARE] * 1024)
    while n and left > 0:
        play(s, next_move(s, n, rng, buffers, care))
        left -= 1
        n = legal(s, buffers.out)
    if s.turn < 0:
        share_ranks(s, buffers.evaluations, buffers.rewards)
    else:
        share_evaluations(s, buffers.evaluations, buffers.rewards)


def next_move(s: Any, n: int, rng: Generator, buffers: Any, care: int) -> int:
    """Return a playout's move: ``greedy`` chooses ``care`` of 1024, and chance the others."""
    out = buffers.out
    if n == 1:
        return int(out[0])
    if care and below(rng, 1024) < care:
        return greedy(s, out, n, rng, buffers.work)
    return int(out[below(rng, n)])


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


def method_of(policy: Policy, game: Game) -> str:
    """Return the method of a policy's search in this game."""
    return game.search if policy.method == BEST else policy.method


def beliefs_of(policy: Policy, game: Game, seats: int) -> int:
    """Return the exchanges that bring a world in line with the past; 0 or 1: no beliefs."""
    return policy.beliefs or (game.beliefs.get(seats, 0) if policy.method == BEST else 0)


def trust_of(policy: Policy, game: Game) -> float:
    """Return what a policy's search gives for a logit of the game's network."""
    return policy.trust or (game.trust if policy.method == BEST else 0.0)


def learned_of(policy: Policy, game: Game, seats: int) -> bool:
    """Return whether a policy leaves its own moves, or those in its playouts, to the network."""
    usual = policy.method == BEST and policy.iterations > 0
    return policy.learned or (usual and seats in game.learned_playouts)


def policy_row(policy: Policy, game: Game, seats: int) -> list[float]:
    """Return a policy as an array row for the compiled loops of a game with this many seats.

    Raises :class:`~redouble.kernel.errors.InputError` if its search can't do what it asks for.
    """
    method, beliefs = method_of(policy, game), beliefs_of(policy, game, seats)
    trust, learned = trust_of(policy, game), learned_of(policy, game, seats)
    for what, wanted in (
        ("beliefs", beliefs > 1),
        ("trust", trust > 0),
        ("learned playouts", learned and policy.iterations > 0),
    ):
        if wanted and method != "flat":
            raise InputError(f"the search {method} has no {what}: only flat has")
    return [
        policy.mistakes,
        policy.iterations,
        policy.care,
        policy.explore,
        policy.patience,
        policy.widen,
        policy.horizon or game.horizon or WHOLE_GAME,
        METHODS.index(method),
        beliefs,
        policy.slips,
        learned,
        trust,
    ]


def buffers_dtype(game: Game) -> np.dtype[Any]:
    """Return the record type of the loops' buffers; each thread has one.

    ``out`` holds the legal actions; ``work`` is scratch for ``determinize`` and ``greedy``;
    ``marks`` has a number for each action, all zero between two choices; ``path`` holds the nodes
    of an iteration and ``at`` where it stands in the tree of each seat, ``evaluations`` what
    ``evaluate`` or ``rank`` wrote and ``rewards`` what each seat gets. ``order`` lists the children
    of the root in a flat search, and ``priors`` what it thinks of each from the beginning. For
    beliefs, ``holder`` is what ``holders`` wrote, ``held`` and ``unseen`` list places in hands and
    all unseen ones, and ``likely`` says how likely the world makes each seat's moves.
    """
    return np.dtype(
        [
            ("out", np.int16, (game.rules.MAX_LEGAL + 1,)),
            ("work", np.int64, (WORK,)),
            ("marks", np.int8, (game.rules.ACTIONS,)),
            ("path", np.int64, (DEPTH + 1,)),
            ("at", np.int64, (game.max_seats,)),
            ("evaluations", np.int64, (game.max_seats,)),
            ("rewards", np.float64, (game.max_seats,)),
            ("order", np.int16, (game.rules.MAX_LEGAL + 1,)),
            ("priors", np.float64, (game.rules.MAX_LEGAL + 1,)),
            ("holder", np.int16, (MAX_PLACES,)),
            ("held", np.int16, (MAX_PLACES,)),
            ("unseen", np.int16, (MAX_PLACES,)),
            ("likely", np.float64, (game.max_seats,)),
            ("base", np.uint64, (4,)),
            ("chance", np.uint64, (4,)),
            ("again", np.uint64, (4,)),
        ],
        align=True,
    )


class SearchBuffers:
    """The arrays of one thread's loops."""

    def __init__(self, game: Game, seats: int, header: Any, room: int) -> None:
        self._game = game
        self.states = to_records(header, 5)
        self.past, self.actions = np.zeros(0, self.states.dtype), np.zeros(0, np.int64)
        self.nodes = np.zeros(room, NODE)
        self.values = np.zeros((room, seats), np.float64)
        self.buffers = np.zeros(1, buffers_dtype(game))[0]

    @property
    def iterations(self) -> int:
        """Iterations done: the visits of node 0 and of the roots beside it."""
        done, root = int(self.nodes["visits"][0]), int(self.nodes["next"][0])
        while root:
            done += int(self.nodes["visits"][root])
            root = int(self.nodes["next"][root])
        return done

    def clear(self, seat: int) -> None:
        """Cut the tree back to its root, where this seat is to move."""
        self.nodes[0] = 0
        self.nodes[0]["seat"] = seat
        self.values[0] = 0.0

    def children(self, node: int = 0) -> list[int]:
        """Return the children of a node, the last one added first."""
        found = []
        child = int(self.nodes["first"][node])
        while child:
            found.append(child)
            child = int(self.nodes["next"][child])
        return found

    def twin(self, room: int = 0) -> SearchBuffers:
        """Return arrays for other playouts from the same position.

        With ``room``, they have a tree of their own, which can grow to that many nodes.
        """
        other = copy(self)
        other.states = self.states.copy()
        other.buffers = np.zeros(1, buffers_dtype(self._game))[0]
        if room:
            other.nodes = np.zeros(room, NODE)
            other.values = np.zeros((room, self.values.shape[1]), np.float64)
        return other
