"""What searches are made of: playouts, rewards and buffers.

Each seat's reward is the share of its opponents that it beats, a tie counting half. If a playout
reaches its horizon before the game ends, the game's ``evaluate`` gives the rewards.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from redouble.bots.policy import BEST, WHOLE_GAME, Policy
from redouble.contract.driver import play_on
from redouble.contract.game import WORK, Game
from redouble.contract.placeholders import determinize, evaluate, greedy, play, rank
from redouble.kernel.backend import np, to_records
from redouble.kernel.piles import MAX_PLACES
from redouble.kernel.rng import Generator, below
from redouble.kernel.shares import share_beaten, share_leading

# The columns of a policy row.
MISTAKES, ITERATIONS, CARE, HORIZON, BELIEFS, SLIPS, LEARNED, TRUST = range(8)

MOVE = np.dtype([("action", np.int32), ("visits", np.int32), ("prior", np.float64)], align=True)
"""A move that a search tries: how often it did, and what the game's network adds to its share."""


def follow(
    states: Any, rng: Generator, buffers: Any, policy: Any, first: int, results: Any, replies: Any
) -> None:
    """Finish determinizations of the redacted position ``states[1]`` with playouts.

    The action ``first`` is played before; -1 for none. ``results`` gets the seats' rewards, a row
    for each world. ``replies`` gets the seat and the action of the first choice, -1 for none.
    Compiled with :func:`noted_move`.
    """
    for row in range(len(results)):
        states[3] = states[1]
        determinize(states[3], rng, buffers.work)
        replies[row][0] = -1
        replies[row][1] = -1
        finish(states, first, rng, buffers, policy, replies[row], results[row])


def finish(
    states: Any, first: int, rng: Generator, buffers: Any, policy: Any, also: Any, result: Any
) -> None:
    """Finish the world ``states[3]`` with a playout to the horizon, and write the seats' rewards.

    The action ``first`` is played before; -1 for none. ``also`` is what the rule that chooses the
    others needs besides the policy's care.
    """
    states[0] = states[3]
    s = states[0]
    left = int(policy[HORIZON] * s.seats)
    if first >= 0:
        play(s, first)
        left -= 1
    play_on(s, buffers.out, left, rng, (buffers, int(policy[CARE] * 1024), also))
    if s.turn < 0:
        share_ranks(s, buffers.evaluations, result)
    else:
        share_evaluations(s, buffers.evaluations, result)


def next_move(s: Any, out: Any, n: int, rng: Generator, how: Any) -> int:
    """Return a playout's move: ``greedy`` chooses ``care`` of 1024, and chance the others."""
    buffers, care, _ = how
    if n == 1:
        return int(out[0])
    if care and below(rng, 1024) < care:
        return greedy(s, out, n, rng, buffers.work)
    return int(out[below(rng, n)])


def noted_move(s: Any, out: Any, n: int, rng: Generator, how: Any) -> int:
    """Return a playout's move; the first choice is by ``greedy``, and noted with its seat."""
    buffers, _, reply = how
    if n == 1 or reply[0] >= 0:
        return next_move(s, out, n, rng, how)
    reply[0] = s.turn
    reply[1] = greedy(s, out, n, rng, buffers.work)
    return int(reply[1])


def share_ranks(s: Any, ranks: Any, rewards: Any) -> None:
    """Write the rewards of a game that is over."""
    if s.seats == 1:
        share_evaluations(s, ranks, rewards)
        return
    rank(s, ranks)
    for seat in range(s.seats):
        rewards[seat] = share_beaten(ranks, s.seats, seat)


def share_evaluations(s: Any, evaluations: Any, rewards: Any) -> None:
    """Write the rewards by ``evaluate``."""
    evaluate(s, evaluations)
    for seat in range(s.seats):
        rewards[seat] = share_leading(evaluations, s.seats, seat)


def policy_row(policy: Policy, game: Game, seats: int) -> list[float]:
    """Return a policy as an array row for the compiled loops of a game with this many seats.

    What the policy of a best search leaves open, the game says.
    """
    best = policy.method == BEST
    beliefs = game.beliefs.exchanges.get(seats, 0) if game.beliefs and best else 0
    network = game.network if best else None
    learned = network is not None and policy.iterations > 0 and seats in network.playouts
    return [
        policy.mistakes,
        policy.iterations,
        policy.care,
        policy.horizon or game.player.horizon or WHOLE_GAME,
        policy.beliefs or beliefs,
        policy.slips,
        policy.learned or learned,
        policy.trust or (0.0 if network is None else network.trust),
    ]


def buffers_dtype(game: Game) -> np.dtype[Any]:
    """Return the record type of the loops' buffers; each thread has one.

    ``out`` holds the legal actions; ``work`` is scratch for ``determinize`` and ``greedy``;
    ``evaluations`` holds what ``evaluate`` or ``rank`` wrote and ``rewards`` what each seat gets.
    ``order`` lists the moves of a search, the best first. For beliefs, ``holder`` is what
    ``holders`` wrote, ``held`` and ``unseen`` list places in hands and all unseen ones, and
    ``likely`` says how likely the world makes each seat's moves.
    """
    return np.dtype(
        [
            ("out", np.int16, (game.rules.MAX_LEGAL + 1,)),
            ("work", np.int64, (WORK,)),
            ("evaluations", np.int64, (game.max_seats,)),
            ("rewards", np.float64, (game.max_seats,)),
            ("order", np.int16, (game.rules.MAX_LEGAL + 1,)),
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

    def __init__(self, game: Game, seats: int, header: Any) -> None:
        self._game = game
        self.states = to_records(header, 5)
        self.past, self.actions = np.zeros(0, self.states.dtype), np.zeros(0, np.int64)
        self.moves = np.zeros(game.rules.MAX_LEGAL, MOVE)
        """The moves that are tried, that of the heuristic first."""
        self.values = np.zeros((game.rules.MAX_LEGAL, seats), np.float64)
        """[move, seat]: the sum of the rewards."""
        self.buffers = np.zeros(1, buffers_dtype(game))[0]

    @property
    def iterations(self) -> int:
        """Iterations done since the moves were listed."""
        return sum(self.moves["visits"].tolist())

    def twin(self) -> SearchBuffers:
        """Return arrays for other playouts from the same position."""
        other = copy(self)
        other.states = self.states.copy()
        other.buffers = np.zeros(1, buffers_dtype(self._game))[0]
        return other
