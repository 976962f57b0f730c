"""What a game exports: its rules, whole random games, its heuristic player, search and solver.

These are the loops that a server compiles while people play (:mod:`redouble.analysis.prepare`), and
the rules themselves. Each is listed with what it is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from redouble.analysis import solve
from redouble.analysis.review import thorough_policy
from redouble.bots.learned import learned_weights
from redouble.bots.levels import LEVELS
from redouble.bots.search import beliefs, flat, network, playouts
from redouble.contract.driver import playouts as play_games
from redouble.contract.driver import quick_move
from redouble.contract.game import WORK, Game
from redouble.contract.placeholders import functions
from redouble.kernel.engine import dtype, to_records
from redouble.kernel.portable import REAL, WHOLE, Buffer, Bundle, Exported

POSITION = "position"
"""The name of the record of a game's state."""
GENERATOR = Buffer(np.dtype(np.uint64), (4,))
POLICY = Buffer(np.dtype(np.float64), (playouts.TRUST + 1,))
NETWORK = Bundle(
    network.SparseNetwork,
    {
        name: Buffer(np.dtype(network.STORED[name]), shape)
        for name, shape in {
            "traits": ("trait_weights",),
            "rows": ("network_height", "neurons"),
            "last": ("neurons",),
            "begun": ("neurons",),
            "sums": ("neurons",),
        }.items()
    },
)


def exports(game: Game) -> list[Exported]:
    """Return everything that a game exports."""
    return [*_rules(game), *_search(game), *_solver(game)]


def records(game: Game) -> dict[str, np.dtype[Any]]:
    """Return the records that a game's loops work on, by name."""
    return {
        POSITION: dtype(game.rules.Position),
        "buffers": playouts.buffers_dtype(game),
        "move": playouts.MOVE,
    }


def headers(game: Game) -> bytes:
    """Return a position to deal from for each number of seats, from 0 to the most.

    They have the usual options, or those that a number of seats needs. Other numbers have zeros.
    """
    found = np.zeros(game.max_seats + 1, dtype(game.rules.Position))
    for seats in range(game.min_seats, game.max_seats + 1):
        found[seats] = to_records(game.header(seats, game.needed_options(seats)))[0]
    return found.tobytes()


def _rules(game: Game) -> Iterator[Exported]:
    rules, state = game.rules, _states(game)
    s, out = state(), _actions(game)
    numbers = Buffer(np.dtype(np.int64), (game.max_seats,))
    work = Buffer(np.dtype(np.int64), (WORK,))
    yield Exported("setup", rules.setup, {"s": s})
    yield Exported("legal", rules.legal, {"s": s, "out": out})
    yield Exported("play", rules.play, {"s": s, "action": WHOLE})
    yield Exported("rank", rules.rank, {"s": s, "out": numbers})
    yield Exported("score", rules.score, {"s": s, "out": numbers})
    yield Exported("redact", rules.redact, {"s": s, "seat": WHOLE})
    yield Exported("determinize", rules.determinize, {"s": s, "rng": GENERATOR, "work": work})
    yield Exported("hidden", rules.hidden, {"s": s, "action": WHOLE})
    yield Exported("evaluate", game.player.evaluate, {"s": s, "out": numbers})
    bound = functions(game)
    yield Exported(
        "quick_move",
        quick_move,
        {
            **{"s": s, "out": out, "n": WHOLE, "rng": GENERATOR},
            **{"scratch": state(1), "work": work, "mistakes": REAL},
        },
        bound,
    )
    yield Exported(
        "playouts",
        play_games,
        {"states": state(2), "rng": GENERATOR, "out": out, "games": WHOLE, "max_moves": WHOLE},
        bound,
        wide=True,
    )


def _search(game: Game) -> Iterator[Exported]:
    bound = functions(game)
    known = records(game)
    states, buffers = _states(game)(5), Buffer(known["buffers"])
    moves = Buffer(known["move"], (game.rules.MAX_LEGAL,))
    values = Buffer(np.dtype(np.float64), (game.rules.MAX_LEGAL, "seats"))
    results = Buffer(np.dtype(np.float64), ("rows", "seats"))
    order = _actions(game)
    yield Exported(
        "begin",
        flat.begin,
        {
            **{"states": states, "moves": moves, "values": values, "rng": GENERATOR},
            **{"buffers": buffers, "only": Buffer(np.dtype(np.int64), ("chosen",))},
        },
        bound,
    )
    if game.network is not None:
        yield Exported(
            "think_first",
            flat.think_first,
            {
                **{"states": states, "moves": moves, "n": WHOLE, "buffers": buffers},
                **{"network": NETWORK, "scale": REAL},
            },
            bound,
        )
    past = {
        "past": Buffer(states.element, ("seen",)),
        "actions": Buffer(np.dtype(np.int64), ("seen",)),
    }
    for believes, learned in sorted(_searches(game)):
        choices: dict[str, Any] = {"choose": flat.network_move if learned else playouts.next_move}
        if believes:
            choices["draw_world"] = beliefs.believe
        yield Exported(
            "try_worlds" + "_believing" * believes + "_learned" * learned,
            flat.try_worlds,
            {
                **{"states": states, "moves": moves, "order": order, "m": WHOLE},
                **{"base": GENERATOR, "first": WHOLE, "buffers": buffers, "policy": POLICY},
                **{"network": NETWORK, **past, "results": results},
            },
            bound | choices,
        )
    tried = {"moves": moves, "values": values, "order": order}
    yield Exported("add_up", flat.add_up, {**tried, "m": WHOLE, "results": results})
    yield Exported("halve", flat.halve, {**tried, "seat": WHOLE, "m": WHOLE})
    yield Exported(
        "follow",
        playouts.follow,
        {
            **{"states": states, "rng": GENERATOR, "buffers": buffers, "policy": POLICY},
            **{"first": WHOLE, "results": results},
            "replies": Buffer(np.dtype(np.int64), ("rows", 2)),
        },
        bound | {"choose": playouts.noted_move},
    )


def _searches(game: Game) -> set[tuple[bool, bool]]:
    """Return whether searches of levels and reviews have beliefs and networks, for all seats."""
    found = {(False, False)}
    levels = [each for each in LEVELS.values() if each.iterations]
    for seats in range(game.min_seats, game.max_seats + 1):
        for policy in (*levels, thorough_policy(game, seats)):
            row = playouts.policy_row(policy, game, seats)
            learned = row[playouts.LEARNED] and seats in learned_weights(game)
            found.add((row[playouts.BELIEFS] > 1, bool(learned)))
    return found


def _solver(game: Game) -> Iterator[Exported]:
    solver, state = game.solver, _states(game)
    if solver is None:
        return
    whole = partial(Buffer, np.dtype(np.int64))
    out, work = whole((solver.MAX_MOVES + 1,)), whole((solver.WORK,))
    position = {"s": state(), "out": out, "work": work, "max_positions": WHOLE}
    yield Exported("solve", solver.solve, position)
    yield Exported("winnable", solver.winnable, position)
    yield Exported(
        "count_slipping_wins",
        solve.count_slipping_wins,
        {"states": state(2), "rng": GENERATOR, "out": out, "work": work, "games": WHOLE},
        {"human": solver.human},
    )
    yield Exported(
        "weigh",
        solve.weigh,
        {
            **{"states": state(3), "rng": GENERATOR, "out": out, "scratch": whole((WORK,))},
            **{"work": work, "wins": whole(("n",)), "actions": whole(("n",)), "n": WHOLE},
            **{"worlds": WHOLE, "max_positions": WHOLE},
        },
        {"determinize": game.rules.determinize, "play": game.rules.play, "careful": solver.careful},
    )


def _states(game: Game) -> Any:
    """Return a function that makes a buffer for one position, or for an array of a given shape."""
    state = dtype(game.rules.Position)
    return lambda *shape: Buffer(state, shape or None)


def _actions(game: Game) -> Buffer:
    """Return the type of a list of legal actions, with room for one more."""
    return Buffer(np.dtype(np.int16), (game.rules.MAX_LEGAL + 1,))
