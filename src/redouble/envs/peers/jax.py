"""Games inside JAX programs: compiled steps that ``jit``, ``scan`` and loops call, on processors.

A state is a tree of arrays, and a step is a pure function of it::

    from redouble.envs.peers.jax import JaxGames
    games = JaxGames("NAME", n=1024)
    state = games.init("a seed")
    state = jax.jit(games.step)(state, actions)

XLA calls the loop of :mod:`redouble.envs.arrays.batch` through its foreign function interface, so
nothing passes through Python between two steps, and the games are those of ``Batch``.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any, NamedTuple

from redouble.kernel.extras import needs

with needs("redouble.envs.peers.jax", "jax"):
    import jax
    import jax.numpy as jnp
    import numpy as np
    from numba import cfunc, njit, types
    from numba.extending import intrinsic
    from numba.np.numpy_support import carray

from redouble.contract.game import WORK, Game
from redouble.envs.arrays.batch import (
    CUT_OFF,
    MAX_MOVES,
    OVER,
    STAY,
    Batch,
    BatchArrays,
    first_illegal,
    step_all,
)
from redouble.kernel.engine import compiled

__all__ = ["GamesState", "JaxGames"]

# Where XLA's structures have what a handler reads, in words of 64 bits (xla/ffi/api/c_api.h).
EXTENSION, INPUTS, OUTPUTS = 1, 9, 14
OF_METADATA, METADATA = 1, 3
DATA, DIMENSIONS = 3, 5
VERSION, VERSION_AT = 3 << 32, 3
"""Version 0.3 of the interface, and where a handler's metadata has it."""
CAPSULES: list[Any] = []
"""What XLA may call as long as the process lives."""


class GamesState(NamedTuple):
    """``n`` games: what their seats to move see and can do, and everything else about them.

    The first part is that of :class:`~redouble.envs.arrays.batch.BatchStep`.
    """

    observations: Any
    """int8[n, size]"""
    mask: Any
    """bool[n, actions]"""
    legal: Any
    """int16[n, MAX_LEGAL + 1]"""
    counts: Any
    """int32[n]"""
    turn: Any
    """int8[n]"""
    rewards: Any
    """float32[n, seats]"""
    ends: Any
    """int8[n]: 0 while the game goes on, 1 when it has just ended, 2 when it was cut off."""
    final_observations: Any
    """int8[n, size]"""
    records: Any
    """uint8[n, bytes]: the positions, which show every card."""
    moves: Any
    """int32[n]: moves since the deal."""
    sources: Any
    """uint32[n, 8]: the generators of the deals."""
    chance: Any
    """uint32[n, 8]: those of the bots."""

    @property
    def done(self) -> Any:
        """Return which games have just ended: bool[n]."""
        return self.ends == OVER

    @property
    def truncated(self) -> Any:
        """Return which games were just cut off: bool[n]."""
        return self.ends == CUT_OFF


class JaxGames:
    """``n`` games with the same seats and options.

    The arguments are those of :class:`~redouble.envs.arrays.batch.Batch`, and so are the errors.
    """

    def __init__(
        self,
        game: str | Game,
        seats: int | None = None,
        n: int = 1024,
        options: Mapping[str, Any] | None = None,
        *,
        opponents: str | None = None,
        learner: int | None = None,
        max_moves: int = MAX_MOVES,
    ) -> None:
        self._arguments: dict[str, Any] = {
            **{"game": game, "seats": seats, "n": n, "options": options, "threads": 1},
            **{"opponents": opponents, "learner": learner, "max_moves": max_moves},
        }
        batch = Batch(**self._arguments)
        self.game, self.seats, self.n = batch.game, batch.seats, n
        self.size, self.actions = batch.size, batch.actions
        games = batch.arrays()
        self._fixed = jnp.asarray(games.learners), jnp.asarray(games.header.view(np.uint8))
        self._target = f"redouble {id(self)}"
        capsule = _capsule(_handler(batch.rules(), games))
        jax.ffi.register_ffi_target(self._target, capsule, platform="cpu")

    def init(self, seed: str = "") -> GamesState:
        """Deal every game; the deals depend on the seed and the game's number."""
        batch = Batch(seed=seed, **self._arguments)
        step, games = batch.reset(), batch.arrays()
        shown = step.observations, step.mask, step.legal, step.counts, step.turn, step.rewards
        records = games.states.view(np.uint8).reshape(self.n, -1)
        generators = games.sources.view(np.uint32), games.chance.view(np.uint32)
        rest = games.ends, step.final_observations, records, games.moves, *generators
        return GamesState(*(jnp.array(each) for each in (*shown, *rest)))

    def step(self, state: GamesState, actions: Any) -> GamesState:
        """Make a move in every game: ``actions`` is int32[n]. A game that ends is dealt anew.

        A game whose action isn't legal stays as it is: nothing can be raised inside a program.
        """
        kinds = [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in state]
        own = {k: k for k in range(len(kinds))}
        call = jax.ffi.ffi_call(self._target, kinds, input_output_aliases=own)
        return GamesState(*call(*state, actions.astype(np.int32), *self._fixed))

    def sample(self, key: Any, state: GamesState) -> Any:
        """Return a legal action of each game, each equally likely: int32[n]."""
        chosen = jax.random.randint(key, (self.n,), 0, state.counts)
        picked = jnp.take_along_axis(state.legal, chosen[:, None], axis=1)[:, 0]
        return picked.astype(jnp.int32)


def _cast(context: Any, address: Any) -> Any:
    """Turn a number into the address that it is."""

    def cast(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), cast


_pointer: Any = intrinsic(_cast)  # typed as Any: Numba's own types leave out the context


@njit
def _words(address: int, n: int) -> Any:
    return carray(_pointer(address), n, np.int64)


@njit
def _array(buffers: Any, k: int, kind: Any) -> Any:
    """Return buffer ``k`` as an array with two axes, of which the second may have one row."""
    buffer = _words(buffers[k], DIMENSIONS + 1)
    lengths = _words(buffer[DIMENSIONS], buffer[DIMENSIONS - 1])
    columns = lengths[1] if len(lengths) > 1 else 1
    return carray(_pointer(buffer[DATA]), (lengths[0], columns), kind)


@njit
def _kept(old: Any, new: Any, k: int, kind: Any) -> Any:
    """Return result ``k`` as an array, with what the argument has."""
    made = _array(new, k, kind)
    if _words(old[k], DATA + 1)[DATA] != _words(new[k], DATA + 1)[DATA]:
        made[:] = _array(old, k, kind)
    return made


def _handler(rules: Mapping[str, Any], games: BatchArrays) -> Any:
    """Return what XLA calls: a C function that makes a move in each game."""
    step, first = compiled(step_all, **rules), compiled(first_illegal)
    record, mistakes, max_moves = games.header.dtype, games.mistakes, games.max_moves
    ranks, values = len(games.ranks), len(games.values)

    def handle(frame: int) -> int:
        call = _words(frame, OUTPUTS + 1)
        if call[EXTENSION] != 0:
            extension = _words(call[EXTENSION], METADATA + 1)
            if extension[1] & 0xFFFFFFFF == OF_METADATA:
                _words(extension[METADATA], VERSION_AT + 1)[VERSION_AT] = VERSION
                return 0
        old, new = _words(call[INPUTS], 15), _words(call[OUTPUTS], 12)
        chosen = _array(old, 12, np.int32)[:, 0].copy()
        batch = BatchArrays(
            states=_kept(old, new, 8, np.uint8).reshape(-1).view(record),
            header=_array(old, 14, np.uint8).reshape(-1).view(record),
            sources=_kept(old, new, 10, np.uint32).view(np.uint64),
            dice=_array(old, 10, np.uint32).view(np.uint64),
            chance=_kept(old, new, 11, np.uint32).view(np.uint64),
            learners=_array(old, 13, np.int8)[:, 0],
            actions=chosen,
            sampled=chosen,
            lists=_kept(old, new, 2, np.int16),
            counts=_kept(old, new, 3, np.int32).reshape(-1),
            turns=_kept(old, new, 4, np.int8).reshape(-1),
            moves=_kept(old, new, 9, np.int32).reshape(-1),
            mask=_kept(old, new, 1, np.bool_),
            observations=_kept(old, new, 0, np.int8),
            finals=_kept(old, new, 7, np.int8),
            rewards=_kept(old, new, 5, np.float32),
            ends=_kept(old, new, 6, np.int8).reshape(-1),
            scratch=np.empty(1, record),
            work=np.zeros(WORK, np.int64),
            ranks=np.zeros(ranks, np.int64),
            values=np.zeros(values, np.float64),
            mistakes=mistakes,
            max_moves=max_moves,
        )
        n = len(chosen)
        i = first(chosen, batch.lists, batch.counts, 0, n)
        while i >= 0:
            chosen[i] = STAY
            i = first(chosen, batch.lists, batch.counts, i, n)
        step(batch, 0, n)
        return 0

    return cfunc(types.int64(types.int64))(handle)


def _capsule(handler: Any) -> Any:
    CAPSULES.append(handler)
    return jax.ffi.pycapsule(ctypes.c_void_p(handler.address))
