"""What a game exports: its rules, whole random games, its heuristic player, search and solver.

These are the loops that a server compiles while people play (:mod:`redouble.analysis.prepare`), and
the rules themselves. Each is listed with what it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from redouble.analysis import solve
from redouble.analysis.review import thorough_policy
from redouble.bots.learned import learned_weights
from redouble.bots.levels import LEVELS
from redouble.bots.search import beliefs, flat, network, playouts
from redouble.contract import placeholders
from redouble.contract.driver import playouts as play_games
from redouble.contract.driver import quick_move
from redouble.contract.game import WORK, Game
from redouble.contract.placeholders import functions
from redouble.kernel.engine import dtype, to_records
from redouble.kernel.portable import REAL, WHOLE, Argument, Buffer, Bundle, Exported

POSITION = "position"
"""The name of the record of a game's state."""
GENERATOR = Buffer(np.dtype(np.uint64), (4,))
whole = partial(Buffer, np.dtype(np.int64))
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
    numbers, work = whole((game.max_seats,)), whole((WORK,))
    known: dict[str, Argument] = {
        **{"s": state(), "out": _actions(game), "n": WHOLE, "action": WHOLE, "seat": WHOLE},
        **{"rng": GENERATOR, "work": work, "scratch": state(1), "mistakes": REAL},
        **{"states": state(2), "games": WHOLE, "max_moves": WHOLE},
    }
    for name in ("setup", "legal", "play", "rank", "score", "redact", "determinize", "hidden"):
        given = known | {"out": numbers} if name in ("rank", "score") else known
        yield _export(getattr(placeholders, name), given, function=getattr(rules, name))
    evaluated = known | {"out": numbers}
    yield _export(placeholders.evaluate, evaluated, function=game.player.evaluate)
    bound = functions(game)
    yield _export(quick_move, known, bound)
    yield _export(play_games, known, bound, wide=True)


def _search(game: Game) -> Iterator[Exported]:
    bound, record = functions(game), records(game)
    states = _states(game)(5)
    known: dict[str, Argument] = {
        **{"states": states, "moves": Buffer(record["move"], (game.rules.MAX_LEGAL,))},
        **{"values": Buffer(np.dtype(np.float64), (game.rules.MAX_LEGAL, "seats"))},
        **{"results": Buffer(np.dtype(np.float64), ("rows", "seats")), "order": _actions(game)},
        **{"buffers": Buffer(record["buffers"]), "only": whole(("chosen",)), "network": NETWORK},
        **{"past": Buffer(states.element, ("seen",)), "actions": whole(("seen",))},
        **{"replies": whole(("rows", 2)), "rng": GENERATOR, "base": GENERATOR, "policy": POLICY},
        **{"scale": REAL, **dict.fromkeys(("n", "m", "first", "seat"), WHOLE)},
    }
    yield _export(flat.begin, known, bound)
    if game.network is not None:
        yield _export(flat.think_first, known, bound)
    for believes, learned in sorted(_searches(game)):
        choices: dict[str, Any] = {"choose": flat.network_move if learned else playouts.next_move}
        if believes:
            choices["draw_world"] = beliefs.believe
        name = "try_worlds" + "_believing" * believes + "_learned" * learned
        yield _export(flat.try_worlds, known, bound | choices, name=name)
    yield _export(flat.add_up, known)
    yield _export(flat.halve, known)
    yield _export(playouts.follow, known, bound | {"choose": playouts.noted_move})


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
    known: dict[str, Argument] = {
        **{"s": state(), "out": whole((solver.MAX_MOVES + 1,)), "work": whole((solver.WORK,))},
        **{"rng": GENERATOR, "scratch": whole((WORK,)), "wins": whole(("n",)), "n": WHOLE},
        **{"actions": whole(("n",)), "games": WHOLE, "worlds": WHOLE, "max_positions": WHOLE},
    }
    yield _export(solve.winnable, known, function=solver.solve, name="solve")
    yield _export(solve.winnable, known, function=solver.winnable)
    human = {"human": solver.human}
    yield _export(solve.count_slipping_wins, known | {"states": state(2)}, human)
    bound = {name: functions(game)[name] for name in ("determinize", "play")}
    bound["careful"] = solver.careful
    yield _export(solve.weigh, known | {"states": state(3)}, bound)


def _export(
    loop: Callable[..., Any],
    known: Mapping[str, Argument],
    bound: Mapping[str, Callable[..., Any]] | None = None,
    function: Callable[..., Any] | None = None,
    name: str = "",
    wide: bool = False,
) -> Exported:
    """Return an exported loop, or the ``function`` of a game that stands for it.

    It is given those of the ``known`` arguments that the loop's parameters are named after.
    """
    arguments = {each: known[each] for each in signature(loop).parameters}
    return Exported(name or loop.__name__, function or loop, arguments, bound or {}, wide)


def _states(game: Game) -> Any:
    """Return a function that makes a buffer for one position, or for an array of a given shape."""
    state = dtype(game.rules.Position)
    return lambda *shape: Buffer(state, shape or None)


def _actions(game: Game) -> Buffer:
    """Return the type of a list of legal actions, with room for one more."""
    return Buffer(np.dtype(np.int16), (game.rules.MAX_LEGAL + 1,))
