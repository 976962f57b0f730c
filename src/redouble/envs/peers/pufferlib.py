"""PufferLib environments: many games at once, each with one learner against bots.

A :class:`PufferGames` is one environment with an agent in each game, and writes into PufferLib's
arrays, also where processes share them::

    import pufferlib.vector
    from redouble.envs.peers.pufferlib import PufferGames
    env = pufferlib.vector.make(PufferGames, env_kwargs={"game": "NAME", "num_envs": 1024})

PufferLib has no place for masks, so they follow the tensor in each observation. A policy takes them
apart by ``env.size`` and gives illegal actions no probability.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redouble.kernel.extras import needs

with needs("redouble.envs.peers.pufferlib", "rl"):
    import numpy as np
    from gymnasium import spaces

from redouble.bots.levels import USUAL_LEVEL
from redouble.envs.arrays.batch import Batch, against, checked_seed
from redouble.kernel.errors import MissingPackage

try:
    import pufferlib
except ModuleNotFoundError:  # no extra: it asks for one version of PyTorch
    raise MissingPackage(
        "redouble.envs.peers.pufferlib needs the package pufferlib, which is not installed: "
        "install pufferlib-core, as docs/environments.md shows"
    ) from None

__all__ = ["PufferGames"]

Infos = list[dict[str, Any]]


class PufferGames(pufferlib.PufferEnv):  # type: ignore[misc]  # PufferLib ships no types
    """``num_envs`` games, whose learners are PufferLib's agents.

    An observation is ``int8[size + actions]``: the learner's tensor, then 1 for each legal action.
    The reward is that of :class:`~redouble.envs.arrays.batch.BatchStep`, at the end of a game,
    which is dealt anew in the same step. The learner's seat in game ``i`` is ``i % seats`` unless
    ``seat`` names one. Raises :class:`~redouble.kernel.errors.RedoubleError` if an argument can't
    be used.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1024,
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,
        opponents: str = USUAL_LEVEL,
        seat: int | None = None,
        threads: int | None = None,
        max_moves: int = 10_000,
        buf: Any = None,
        seed: int = 0,
    ) -> None:
        self._game, self._seed = game, seed
        self._arguments = {
            **against(game, seats, opponents, seat),
            **{"n": num_envs, "options": options, "threads": threads, "max_moves": max_moves},
        }
        sizes = Batch(game, **self._arguments)
        self.size, self.num_agents = sizes.size, num_envs
        columns = sizes.size + sizes.actions
        self.single_observation_space = spaces.Box(-128, 127, (columns,), np.int8)
        self.single_action_space = spaces.Discrete(sizes.actions)
        super().__init__(buf)

    def reset(self, seed: int | None = None) -> tuple[np.typing.NDArray[np.int8], Infos]:
        """Deal every game. The same ``seed`` gives the same games; None is the environment's."""
        number = checked_seed(self._seed if seed is None else seed)
        shared = {"done": self.terminals, "truncated": self.truncations}
        self._batch = Batch(self._game, seed=str(number), buffers=shared, **self._arguments)
        self._batch.reset()
        self.rewards[:] = 0.0
        return self._show(), []

    def step(
        self, actions: Any
    ) -> tuple[
        np.typing.NDArray[np.int8],
        np.typing.NDArray[np.float32],
        np.typing.NDArray[np.bool_],
        np.typing.NDArray[np.bool_],
        Infos,
    ]:
        """Make a move in every game.

        The infos have the rewards of the games that have just ended. Raises
        :class:`~redouble.kernel.errors.InputError` if a move is not legal.
        """
        seats = self._batch.current().turn.copy()
        step = self._batch.step(actions)
        self.rewards[:] = step.rewards[np.arange(self.num_agents), seats]
        ended = step.done | step.truncated
        infos = [{"reward": self.rewards[ended].tolist()}] if ended.any() else []
        return self._show(), self.rewards, self.terminals, self.truncations, infos

    def _show(self) -> np.typing.NDArray[np.int8]:
        step = self._batch.current()
        self.observations[:, : self.size] = step.observations
        self.observations[:, self.size :] = step.mask
        seen: np.typing.NDArray[np.int8] = self.observations
        return seen

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
