"""Decisions by a small network, compiled together with a game's rules.

:mod:`redouble.bots.learned` says what the network is and decides by it in plain Python. As in the
networks of chess programs (Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions
for Computer Shogi", 2018), few inputs are 1 and all others 0, so the first layer is a sum of rows.
What the position adds is the same for all moves and is added up once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from redouble.bots.learned import LearnedWeights, learned_weights, network_of
from redouble.contract.game import Game
from redouble.contract.placeholders import features, greedy, legal, traits
from redouble.kernel.backend import np
from redouble.kernel.rng import Generator


class SparseNetwork(NamedTuple):
    """The weights of a network, and scratch for what its neurons add up to.

    A network that plays has whole numbers, one that learns float32.
    """

    traits: Any
    """[traits + 1]: the weight of each trait; the last trait is that of the heuristic's move."""
    rows: Any
    """[features + traits + 1, neurons]"""
    last: Any
    """[neurons]"""
    begun: Any
    """[neurons]: what a position adds up to."""
    sums: Any
    """[neurons]: what a move adds up to in it."""

    def twin(self) -> SparseNetwork:
        """Return the same weights with scratch of their own, for another thread."""
        return self._replace(begun=self.begun.copy(), sums=self.sums.copy())

    @property
    def weights(self) -> tuple[Any, Any, Any]:
        """What learning changes."""
        return self[:3]


STORED = {"traits": np.int32, "rows": np.int8, "last": np.int8, "begun": np.int32, "sums": np.int32}
"""The number types of a network that plays."""


def empty_network(
    features: int, traits: int, neurons: int, kinds: Mapping[str, Any] = STORED
) -> SparseNetwork:
    """Return a network of zeros; ``kinds`` are the number types of its fields, in their order."""
    shapes = (traits + 1,), (features + traits + 1, neurons), *[(neurons,)] * 3
    return SparseNetwork(*map(np.zeros, shapes, kinds.values()))


def prefer(s: Any, out: Any, n: int, rng: Generator, network: Any, work: Any) -> int:
    """Return the legal action with the highest score, of equal ones the first."""
    # The engine doesn't inline a function of this length: within a search, it's 5 % faster apart.
    right = greedy(s, out, n, rng, work)
    n = legal(s, out)  # the heuristic may leave them in another order
    m = features(s, work)
    start_sums(network, work, m)
    best = 0
    m = list_traits(s, out[0], right, network, work)
    highest = worth(network, work, m)
    for i in range(1, n):
        m = list_traits(s, out[i], right, network, work)
        score = worth(network, work, m)
        if score > highest:
            best = i
            highest = score
    return int(out[best])


def start_sums(network: Any, numbers: Any, n: int) -> None:
    """Add up the rows of a position's features."""
    begun = network.begun
    for j in range(len(begun)):
        begun[j] = 0
    for k in range(n):
        row = network.rows[numbers[k]]
        for j in range(len(begun)):
            begun[j] += row[j]


def list_traits(s: Any, action: int, right: int, network: Any, out: Any) -> int:
    """Write a move's traits; ``right`` is the heuristic's move. Return their number."""
    n = traits(s, action, out)
    if action == right:
        out[n] = len(network.traits) - 1
        n += 1
    return n


def worth(network: Any, numbers: Any, n: int) -> Any:
    """Return the score of a move with these traits, after :func:`start_sums` in its position."""
    begun, sums = network.begun, network.sums
    features = len(network.rows) - len(network.traits)
    for j in range(len(sums)):
        sums[j] = begun[j]
    score = 0 * network.traits[0]
    for k in range(n):
        score += network.traits[numbers[k]]
        row = network.rows[features + numbers[k]]
        for j in range(len(sums)):
            sums[j] += row[j]
    return score + output(sums, network.last)


def output(sums: Any, last: Any) -> Any:
    """Return what neurons that add up to ``sums`` give."""
    found = 0 * last[0]  # a number of the network's kind
    for j in range(len(last)):
        if sums[j] > 0:
            found += sums[j] * last[j]
    return found


def stored_network(game: Game, seats: int) -> SparseNetwork:
    """Return the network that comes with a game for this many seats; one without rows for none.

    Each call gives it scratch of its own. Raises :class:`~redouble.kernel.errors.InputError` if the
    file is broken.
    """
    return _stored(game, seats).twin()


@cache
def _stored(game: Game, seats: int) -> SparseNetwork:
    found = learned_weights(game).get(seats)
    return empty_network(-1, 0, 1) if found is None else as_network(found, game)


def as_network(weights: LearnedWeights, game: Game) -> SparseNetwork:
    """Return weights as a network that plays a game."""
    rows, last = weights.layers
    sees = network_of(game)
    network = empty_network(sees.feature_count, sees.trait_count, len(last))
    network.traits[:], network.last[:] = weights.traits, last
    for i, row in enumerate(network.rows):
        row[:] = rows[i * len(last) : (i + 1) * len(last)]
    return network
