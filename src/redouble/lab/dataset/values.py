"""What each legal move is worth: in every world of a sample, and on average.

A world is a determinization: a full position that the seat to move can't tell from the real one.
Every legal move is tried in the same worlds, with the same random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redouble.analysis.solve import POSITIONS, careful, winnable
from redouble.bots.inputs import check_generator, check_observation
from redouble.bots.policy import WHOLE_GAME, Policy
from redouble.bots.search.flat import Rounds, number_world
from redouble.bots.search.playouts import SearchBuffers, policy_row
from redouble.contract.game import WORK
from redouble.contract.placeholders import determinize, functions, play
from redouble.kernel import checks
from redouble.kernel.engine import compiled, to_records
from redouble.kernel.errors import InputError
from redouble.kernel.rng import Generator, seed_words
from redouble.match.match import Observation

__all__ = ["WorldAnswers", "searched", "solved"]

Array = np.ndarray[Any, np.dtype[Any]]

MAX_WORLDS = 100_000
PLAYOUTS = Policy(horizon=WHOLE_GAME)
"""How a search finishes a world: by the game's heuristic, to the end of the game."""


@dataclass(frozen=True)
class WorldAnswers:
    """Worlds, and what came of each legal move in them."""

    worlds: np.typing.NDArray[np.void]
    """[worlds]: records of positions."""
    shares: np.typing.NDArray[np.float64]
    """float64[worlds, legal moves]: the share of opponents that the seat to move beat, a tie
    counting half; for one player, 1 if the game was won and 0 if not."""
    winnable: np.typing.NDArray[np.int8] | None = None
    """int8[worlds, legal moves]: for one player, whether the world can be won after the move by
    somebody who knows the stock: 1, 0, or -1 if the solver can't tell."""

    def __post_init__(self) -> None:
        for name, axes in (("worlds", 1), ("shares", 2), ("winnable", 2)):
            array = getattr(self, name)
            if array is None and name == "winnable":
                continue
            if not isinstance(array, np.ndarray) or array.ndim != axes or len(array) < 2:
                raise InputError(f"{name} is not an array with {axes} axes and at least 2 worlds")
        if self.shares.dtype.kind != "f":
            raise InputError("shares are not floating-point numbers: give shares from 0 to 1")

    @property
    def means(self) -> np.typing.NDArray[np.float64]:
        """float64[legal moves]: the mean share."""
        means: np.typing.NDArray[np.float64] = self.shares.mean(axis=0)
        return means

    @property
    def errors(self) -> np.typing.NDArray[np.float64]:
        """float64[legal moves]: the standard error of the mean share."""
        errors: np.typing.NDArray[np.float64] = (
            self.shares.std(axis=0, ddof=1) / len(self.shares) ** 0.5
        )
        return errors


def list_worlds(states: Any, base: Generator, buffers: Any, kept: Any) -> None:
    """Write the worlds of a flat search from the redacted position ``states[1]``, in order."""
    for world in range(len(kept)):
        number_world(buffers.chance, base, world)
        kept[world] = states[1]
        determinize(kept[world], buffers.chance, buffers.work)


def solve_worlds(
    states: Any,
    rng: Generator,
    out: Any,
    scratch: Any,
    work: Any,
    actions: Any,
    kept: Any,
    won: Any,
    exact: Any,
    max_positions: int,
) -> None:
    """Draw worlds of the redacted ``states[1]``; play and solve them after each action."""
    for world in range(len(kept)):
        kept[world] = states[1]
        determinize(kept[world], rng, scratch)
        for i in range(len(actions)):
            states[0] = kept[world]
            play(states[0], actions[i])
            won[world, i] = careful(states[0], rng, out, work, max_positions) == 1
        solve_moves(states, kept, world, out, work, actions, exact[world], max_positions)


def solve_moves(
    states: Any,
    worlds: Any,
    world: int,
    out: Any,
    work: Any,
    actions: Any,
    exact: Any,
    max_positions: int,
) -> None:
    """Write what the solver's ``winnable`` returns for a position after each action."""
    for i in range(len(actions)):
        states[0] = worlds[world]
        play(states[0], actions[i])
        exact[i] = winnable(states[0], out, work, max_positions)


def searched(observation: Observation, rng: Generator, worlds: int) -> WorldAnswers:
    """Return what a flat search finds in this number of worlds, for several players.

    The game's heuristic plays each world to the end for all players. With the same
    generator a :class:`~redouble.bots.search.Search` by :data:`PLAYOUTS` finds the same means.
    Raises :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
    """
    observation = _checked(observation, worlds)
    words = np.array(check_generator(rng), np.uint64)
    game, seats = observation.game, observation.state.seats
    a = SearchBuffers(game, seats, observation.state)
    rounds = Rounds(game, a, words, np.array(policy_row(PLAYOUTS, game, seats), np.float64))
    found = rounds.try_moves(worlds).reshape(worlds, rounds.moves, seats)
    shares = found[:, np.argsort(a.moves["action"][: rounds.moves]), observation.seat]
    kept = np.zeros(worlds, a.states.dtype)
    compiled(list_worlds, **functions(game))(a.states, a.buffers["base"], a.buffers, kept)
    return WorldAnswers(kept, shares)


def solved(observation: Observation, seed: str, worlds: int) -> WorldAnswers:
    """Return what the solver finds in this number of worlds, for one player.

    Its ``careful`` player, who doesn't know the stock, finishes each world; the means are those of
    :meth:`~redouble.analysis.solve.Solving.chances` with this seed. Raises
    :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
    """
    observation = _checked(observation, worlds)
    checks.text(seed, "seed")
    game, actions = observation.game, np.array(observation.legal, np.int64)
    states, solver = to_records(observation.state, 2), game.solver
    if solver is None or observation.state.seats > 1:
        raise InputError("the game has no solver for this position: give one of a solitaire game")
    kept, shape = np.zeros(worlds, states.dtype), (worlds, len(actions))
    won, exact = np.zeros(shape, np.float64), np.zeros(shape, np.int8)
    rng = np.array(seed_words(f"chances {seed}"), np.uint64)
    loop = compiled(
        solve_worlds,
        determinize=game.rules.determinize,
        play=game.rules.play,
        careful=solver.careful,
        winnable=solver.winnable,
    )
    out, work, scratch = _solver_buffers(solver)
    loop(states, rng, out, scratch, work, actions, kept, won, exact, POSITIONS)
    return WorldAnswers(kept, won, _told(exact, solver))


def winnable_after(game: Any, state: Any, legal: Any) -> Array:
    """Return for each legal move of a full position whether it can be won after it.

    int8[legal moves]: 1, 0, or -1 if the solver can't tell.
    """
    solver, actions = game.solver, np.array(legal, np.int64)
    states, exact = to_records(state, 2), np.zeros(len(actions), np.int8)
    out, work, _ = _solver_buffers(solver)
    loop = compiled(solve_moves, play=game.rules.play, winnable=solver.winnable)
    loop(states, states, 1, out, work, actions, exact, POSITIONS)
    return _told(exact, solver)


def _solver_buffers(solver: Any) -> tuple[Array, Array, Array]:
    sizes = solver.MAX_MOVES + 1, solver.WORK, WORK
    out, work, scratch = (np.zeros(size, np.int64) for size in sizes)
    return out, work, scratch


def _told(exact: Array, solver: Any) -> Array:
    told: Array = np.where(exact == solver.UNDECIDED, -1, exact != solver.LOST).astype(np.int8)
    return told


def _checked(observation: Observation, worlds: int) -> Observation:
    checks.whole(worlds, "worlds", 2, MAX_WORLDS)
    found = check_observation(observation)
    if not found.legal:
        raise InputError("the seat has no legal move: ask the seat on turn")
    return found
