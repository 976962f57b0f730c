"""Gymnasium environments: one learner against bots, in one game or in many at once.

Importing this module registers an environment for every installed game, such as
``redouble/NAME-v1``; the number is the version of the game's rules::

    import gymnasium
    env = gymnasium.make("redouble.envs.peers.gymnasium:redouble/NAME-v1", opponents="expert")

The interface is Gymnasium's (https://gymnasium.farama.org). Which actions are legal is in
``info["action_mask"]``. An illegal action loses the game at once.
"""

from collections.abc import Mapping
from typing import Any

from redouble.kernel.extras import needs

with needs("redouble.envs.peers.gymnasium", "rl"):
    import gymnasium
    import numpy as np
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

from redouble.bots.levels import USUAL_LEVEL
from redouble.contract.registry import GAMES
from redouble.envs.arrays import batch
from redouble.kernel import checks
from redouble.kernel.errors import InputError

__all__ = ["GameEnv", "GamesEnv"]

Info = dict[str, Any]


class GameEnv(gymnasium.Env[np.typing.NDArray[np.int8], np.int64]):
    """One game: the learner plays one seat, and bots of a level play the others.

    An observation is the learner's tensor, ``int8[size]``, and an action the number of a move. The
    reward is that of :class:`~redouble.envs.arrays.batch.BatchStep`, at the end of the game. A game
    for one has no bots. Raises :class:`~redouble.kernel.errors.RedoubleError` if an argument cannot
    be used.
    """

    def __init__(
        self,
        game: str,
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,
        opponents: str = USUAL_LEVEL,
        seat: int = 0,
        max_moves: int = 10_000,
        render_mode: str | None = None,
    ) -> None:
        batch.check_render_mode(render_mode)
        mode = AutoresetMode.DISABLED
        self._games = GamesEnv(game, 1, seats, options, opponents, seat, None, max_moves, mode)
        self._playing = False
        self.observation_space = self._games.single_observation_space
        self.action_space = self._games.single_action_space
        self.game, self.seats = game, self._games.seats
        self.seat = seat if self.seats > 1 else 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.typing.NDArray[np.int8], Info]:
        """Deal a new game. With a ``seed``, it and the games after it are always the same.

        Raises :class:`InputError` if the seed is not a whole number from 0 on.
        """
        super().reset(seed=batch.checked_seed(seed))
        seen, infos = self._games.reset(seed=seed)
        self._playing = True
        return seen[0], {"action_mask": infos["action_mask"][0]}

    def step(self, action: Any) -> tuple[np.typing.NDArray[np.int8], float, bool, bool, Info]:
        """Make a move, then those of the bots up to the learner's next one.

        Raises :class:`InputError` if ``action`` is not a number of the action space, or the game
        is over.
        """
        if not self._playing:
            raise InputError("the game is over or has not begun: call reset() first")
        mask = self.action_masks()
        if not self.action_space.contains(action):
            raise InputError(f"action cannot be {checks.quoted(action)}: give 0 to {len(mask) - 1}")
        if not mask[action]:
            self._playing = False
            info = {"action_mask": np.zeros(len(mask), np.int8), "illegal": True}
            return self._games.current().observations[0].copy(), batch.LOST, True, False, info
        seen, rewards, done, truncated, infos = self._games.step(np.array([action], np.int32))
        self._playing = not (done[0] or truncated[0])
        info = {"action_mask": infos["action_mask"][0]}
        return seen[0], float(rewards[0]), bool(done[0]), bool(truncated[0]), info

    def action_masks(self) -> np.typing.NDArray[np.bool_]:
        """Return which actions are legal, as sb3-contrib's MaskablePPO asks for it."""
        mask: np.typing.NDArray[np.bool_] = self._games.current().mask[0].copy()
        return mask


class _Actions(spaces.MultiDiscrete):
    """An action for each game, whose masks can be the rows of an array."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Return random actions: legal ones if a mask for each game is given."""
        rows = (each if each is None else tuple(each) for each in (mask, probability))
        return super().sample(*rows)


class GamesEnv(
    VectorEnv[np.typing.NDArray[np.int8], np.typing.NDArray[np.int32], np.typing.NDArray[Any]]
):
    """Many games at once, each with one learner's seat: a vector of :class:`GameEnv`.

    By default a game that ends is dealt anew in the same step, and its last observation is in
    ``infos["final_obs"]``. ``autoreset_mode`` chooses another one of Gymnasium's modes: with
    ``NEXT_STEP`` the next step deals it anew instead of a move, and with ``DISABLED`` it is over
    until ``reset(options={"reset_mask": ...})`` names it. The learner's seat in game ``i`` is
    ``i % seats`` unless ``seat`` names one.

    An illegal action raises :class:`InputError` and changes nothing: ``infos["action_mask"]``
    says which are legal, and ``action_space.sample(mask=infos["action_mask"])`` chooses among them.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,
        opponents: str = USUAL_LEVEL,
        seat: int | None = None,
        threads: int | None = None,
        max_moves: int = 10_000,
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
    ) -> None:
        if not isinstance(autoreset_mode, AutoresetMode):
            names = [mode.name for mode in AutoresetMode]
            autoreset_mode = AutoresetMode[checks.one_of(autoreset_mode, names, "autoreset_mode")]
        self._mode = autoreset_mode
        self._arguments = {
            **batch.against(game, seats, opponents, seat),
            "n": num_envs,
            "options": options,
            "threads": threads,
            "max_moves": max_moves,
        }
        self._batch = batch.Batch(game, **self._arguments)
        self.metadata = {"render_modes": [], "autoreset_mode": self._mode}
        self.game, self.seats, self.num_envs = game, self._batch.seats, num_envs
        self.single_observation_space = spaces.Box(-128, 127, (self._batch.size,), np.int8)
        self.single_action_space = spaces.Discrete(self._batch.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = _Actions(np.full(num_envs, self._batch.actions))

    def current(self) -> batch.BatchStep:
        """Return what the games show now; the next step writes over it."""
        return self._batch.current()

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.typing.NDArray[np.int8], Info]:
        """Deal every game anew. With a ``seed``, these and the games after them are the same.

        ``options={"reset_mask": ...}``, bool[num_envs], deals only the games that it marks.

        Raises :class:`InputError` if the seed is not one whole number from 0 on, or the mask can't
        be used.
        """
        if options is not None and not isinstance(options, Mapping):
            raise checks.wrong("options", options, "a mapping", InputError)
        if options and options.get("reset_mask") is not None:
            return self._reset_some(options["reset_mask"], seed)
        first = self._np_random is None
        super().reset(seed=batch.checked_seed(seed))
        if seed is not None or first:
            number = int(self.np_random.integers(batch.LARGEST_SEED + 1))
            self._batch = batch.Batch(self.game, seed=str(number), **self._arguments)
        step = self._batch.reset()
        self._over = np.zeros(self.num_envs, np.bool_)
        self._seen = step.observations.copy()
        return self._seen.copy(), {"action_mask": step.mask.astype(np.int8)}

    def _reset_some(self, mask: Any, seed: Any) -> tuple[np.typing.NDArray[np.int8], Info]:
        """Deal anew the games that a mask marks; those that are over were dealt already."""
        if seed is not None:
            raise InputError("a seed is for all games: leave out options['reset_mask']")
        mask = batch.array_of(mask)
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise InputError(
                f"options['reset_mask'] can't be used: give {self.num_envs} of True and False"
            )
        step = self._batch.reset(mask & ~self._over)
        self._over &= ~mask
        self._seen[mask] = step.observations[mask]
        masks = step.mask.astype(np.int8)
        masks[self._over] = 0
        return self._seen.copy(), {"action_mask": masks}

    def step(
        self, actions: Any
    ) -> tuple[
        np.typing.NDArray[np.int8],
        np.typing.NDArray[np.float64],
        np.typing.NDArray[np.bool_],
        np.typing.NDArray[np.bool_],
        Info,
    ]:
        """Make a move in every game. Raises :class:`InputError` if one is not legal."""
        if self._mode == AutoresetMode.DISABLED and self._over.any():
            over = int(np.flatnonzero(self._over)[0])
            raise InputError(f"game {over} is over: call reset(options={{'reset_mask': ...}})")
        seats = self._batch.current().turn.copy()
        step = self._batch.step(actions, ~self._over if self._over.any() else None)
        rewards = step.rewards[np.arange(self.num_envs), seats].astype(np.float64)
        seen, masks = step.observations.copy(), step.mask.astype(np.int8)
        infos: Info = {"action_mask": masks}
        ended = step.done | step.truncated
        if self._mode == AutoresetMode.SAME_STEP:
            if ended.any():
                final = np.full(self.num_envs, None, object)
                for i in np.flatnonzero(ended):
                    final[i] = step.final_observations[i].copy()
                infos["final_obs"], infos["_final_obs"] = final, ended
        else:
            self._over = ended
            seen[ended], masks[ended] = step.final_observations[ended], 0
            self._seen = seen.copy()
        return seen, rewards, step.done.copy(), step.truncated.copy(), infos


for _name, _game in GAMES.items():
    gymnasium.register(
        f"redouble/{_name}-v{_game.version}",
        f"{__name__}:GameEnv",
        vector_entry_point=f"{__name__}:GamesEnv",
        kwargs={"game": _name},
        disable_env_checker=True,  # it warns of a mask in the info that other steps have not
    )
