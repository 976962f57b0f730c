"""How compiled loops play: deal a game, list its legal actions, let a rule choose one, play it.

Simulations, tournaments, searches, batches, self-play and lessons are this driver, compiled with a
rule that takes the place of :func:`choose`. Each part compiles together with a game's rules, for
every target.
"""

from __future__ import annotations

from typing import Any

from redouble.contract.placeholders import greedy, legal, play, redact, setup
from redouble.kernel.backend import put
from redouble.kernel.rng import Generator, below, reseed

MAX_MOVES = 1_000_000
"""Moves after which a game is given up; no game comes near it."""
STOP = -1
"""Instead of an action: the driver returns with the game as it is."""


def deal(states: Any, i: int, header: Any, seed: Any) -> None:
    """Deal ``states[i]`` from a header and the four words of its generator."""
    put(states, i, header)
    for k in range(4):
        states[i].rng[k] = seed[k]
    setup(states[i])


def deal_next(states: Any, i: int, header: Any, source: Generator) -> None:
    """Deal ``states[i]`` from a header, with chance drawn from a generator."""
    put(states, i, header)
    reseed(states[i].rng, source)
    setup(states[i])


def choose(s: Any, out: Any, n: int, rng: Generator, how: Any) -> int:
    """Return one of the ``n`` legal actions in ``out``, or STOP.

    At random, unless another rule is bound to this name. ``how`` is what it needs besides.
    """
    return int(out[below(rng, n)])


def play_on(s: Any, out: Any, left: int, rng: Generator, how: Any) -> int:
    """Play until the game is over, ``left`` moves are made or the rule stops; return those left."""
    n = legal(s, out)
    while n and left > 0:
        action = choose(s, out, n, rng, how)
        if action == STOP:
            break
        play(s, action)
        left -= 1
        n = legal(s, out)
    return left


def playouts(states: Any, rng: Generator, out: Any, games: int, max_moves: int) -> int:
    """Play random games in ``states[0]`` from the header in ``states[1]``; return their moves."""
    return playouts_from(states[1:], states, rng, out, games, max_moves)


def playouts_from(
    header: Any, states: Any, rng: Generator, out: Any, games: int, max_moves: int
) -> int:
    """Play random games in ``states[0]`` from the one in ``header``; return their moves."""
    moves = 0
    for _ in range(games):
        deal_next(states, 0, header[0], rng)
        left = play_on(states[0], out, max_moves, rng, 0)
        moves += max_moves - left
    return moves


def slips(rng: Generator, mistakes: float) -> bool:
    """Return whether a bot makes one of its random moves; ``mistakes`` is their share."""
    return mistakes > 0.0 and below(rng, 1024) < int(mistakes * 1024)


def quick_move(
    s: Any, out: Any, n: int, rng: Generator, scratch: Any, work: Any, mistakes: float
) -> int:
    """Return the move of a bot without search, from the redacted copy that ``scratch[0]`` gets."""
    if n == 1:
        return int(out[0])
    if slips(rng, mistakes):
        return int(out[below(rng, n)])
    put(scratch, 0, s)
    redact(scratch[0], s.turn)
    return greedy(scratch[0], out, n, rng, work)
