"""A PettingZoo environment: every seat of a game is an agent.

The interface is PettingZoo's for turn-based games (https://pettingzoo.farama.org/api/aec)::

    from redouble.envs.peers import pettingzoo
    env = pettingzoo.env("NAME", seats=4)

An observation holds the agent's tensor and the mask of its legal actions. An illegal action ends
the game: :func:`env` sees to it, as it does in PettingZoo's own games.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from redouble.kernel.extras import needs

with needs("redouble.envs.peers.pettingzoo", "rl"):
    import numpy as np
    from gymnasium import spaces
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers

from redouble.contract.registry import GAMES
from redouble.envs.arrays.batch import LARGEST_SEED, LOST, check_render_mode, checked_seed, placings
from redouble.envs.arrays.observation import observation, tensor_size
from redouble.kernel import checks
from redouble.kernel.errors import InputError
from redouble.match.match import numbered

__all__ = ["AgentsEnv", "env"]


def env(
    game: str,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    max_cycles: int = 10_000,
    render_mode: str | None = None,
) -> Any:
    """Return an :class:`AgentsEnv` in which an illegal action ends the game."""
    raw = AgentsEnv(game, seats, options, max_cycles, render_mode)
    lenient = wrappers.TerminateIllegalWrapper(raw, illegal_reward=LOST)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(lenient))


class AgentsEnv(AECEnv):  # type: ignore[misc]  # PettingZoo ships no types
    """A game whose agents ``seat_0``, ``seat_1``, ... take turns.

    The reward of an agent is 0 until the end, then that of
    :class:`~redouble.envs.arrays.batch.BatchStep`. After ``max_cycles`` moves the game is cut off.
    Raises :class:`~redouble.kernel.errors.RedoubleError` if an argument cannot be used.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "redouble_v1",
        "render_modes": [],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: str,
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,
        max_cycles: int = 10_000,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        check_render_mode(render_mode)
        self.game = GAMES[checks.text(game, "game")]
        self.seats = self.game.usual_seats if seats is None else seats
        self._options = self.game.check_options(self.seats, {} if options is None else options)
        self._max_cycles = checks.whole(max_cycles, "max_cycles", 1)
        self.render_mode = None
        self.possible_agents = [f"seat_{seat}" for seat in range(self.seats)]
        self.agents: list[str] = []
        actions = self.game.actions(self._options, self.seats)
        size = tensor_size(self.game, self.seats)
        seen, mask = spaces.Box(-128, 127, (size,), np.int8), spaces.Box(0, 1, (actions,), np.int8)
        self._seen = spaces.Dict({"observation": seen, "action_mask": mask})
        self._actions = spaces.Discrete(actions)
        self._chance = seeding.np_random(None)[0]

    def observation_space(self, agent: str) -> Any:
        self._seat(agent)
        return self._seen

    def action_space(self, agent: str) -> Any:
        self._seat(agent)
        return self._actions

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game. With a ``seed``, it and the games after it are always the same.

        Raises :class:`InputError` if the seed is not a whole number from 0 on.
        """
        if seed is not None:
            self._chance = seeding.np_random(checked_seed(seed))[0]
        number = int(self._chance.integers(LARGEST_SEED + 1))
        self._state = self.game.header(self.seats, self._options, str(number))
        self.game.rules.setup(self._state)
        self._moves = 0
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self._state.turn]

    def _check_begun(self) -> None:
        if not hasattr(self, "agent_selection"):
            raise InputError("no game has begun: call reset() first")

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the agent's tensor and mask; whoever is not to move has no legal actions."""
        seat = self._seat(agent)
        self._check_begun()
        mask = np.zeros(int(self._actions.n), np.int8)
        if seat == self._state.turn and not self.truncations.get(agent):
            mask[self._legal()] = 1
        seen = np.array(observation(self.game, self._state, seat), np.int8)
        return {"observation": seen, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Make the move of the agent whose turn it is.

        Raises :class:`InputError` if it is not legal or no game has begun, and changes nothing.
        """
        self._check_begun()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if not self._actions.contains(action) or int(action) not in self._legal():
            legal = numbered(self._legal(), partial(self.game.text.name, self._state))
            raise InputError(
                f"action cannot be {checks.quoted(action)}: legal for {agent} are {legal}"
            )
        self._cumulative_rewards[agent] = 0.0
        self.game.rules.play(self._state, int(action))
        self._moves += 1
        self._clear_rewards()
        if self._state.turn < 0:
            made = placings(self.game, self._state)
            self.rewards = dict(zip(self.possible_agents, made, strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            if self._moves >= self._max_cycles:
                self.truncations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.possible_agents[self._state.turn]
        self._accumulate_rewards()

    def render(self) -> None:
        """Draw nothing: there are no render modes."""

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _seat(self, agent: str) -> int:
        return self.possible_agents.index(checks.one_of(agent, self.possible_agents, "agent"))

    def _legal(self) -> list[int]:
        out = [0] * (self.game.rules.MAX_LEGAL + 1)
        return out[: self.game.rules.legal(self._state, out)]
