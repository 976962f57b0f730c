"""The PettingZoo environment: PettingZoo's own tests, and what goes beyond them."""

from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from redouble.contract.registry import GAMES
from redouble.envs.arrays.observation import observation
from redouble.envs.peers.pettingzoo import AgentsEnv, env
from redouble.kernel.errors import InputError, RedoubleError


@pytest.mark.filterwarnings("ignore:Observation:UserWarning")  # a mask makes it a dictionary
@pytest.mark.parametrize("game", GAMES)
def test_pettingzoos_own_tests_pass(game: str) -> None:
    api_test(env(game), num_cycles=60)
    seed_test(lambda: env(game), num_cycles=20)


def test_a_game_is_cut_off_after_so_many_moves() -> None:
    game = AgentsEnv("double-down", seats=2, max_cycles=3)
    game.reset(seed=2)
    for _ in range(3):
        assert not any(game.truncations.values())
        game.step(int(np.flatnonzero(game.observe(game.agent_selection)["action_mask"])[0]))
    assert all(game.truncations.values())
    assert not any(game.terminations.values())


def test_each_agent_sees_its_own_observation_and_the_placing_is_its_reward() -> None:
    game = AgentsEnv("double-down", seats=3)
    game.reset(seed=7)
    dice = np.random.default_rng(7)
    while game.agents and not any(game.terminations.values()):
        seat = game.possible_agents.index(game.agent_selection)
        seen = game.observe(game.agent_selection)
        state = game._state
        assert seen["observation"].tolist() == observation(game.game, state, seat)
        other = game.possible_agents[(seat + 1) % 3]
        assert not game.observe(other)["action_mask"].any()
        game.step(int(dice.choice(np.flatnonzero(seen["action_mask"]))))
    assert sorted(game.rewards.values()) == [-1.0, 0.0, 1.0]


def test_an_illegal_action_ends_the_game_or_is_refused() -> None:
    raw = AgentsEnv("double-down", seats=2)
    raw.reset(seed=1)
    with pytest.raises(InputError, match=r"legal for seat_\d are \d+ \('"):
        raw.step(20)
    wrapped = env("double-down", seats=2)
    wrapped.reset(seed=1)
    mover = wrapped.agent_selection
    wrapped.step(20)
    assert all(wrapped.terminations.values())
    assert wrapped.rewards[mover] == -1.0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"game": "double-down", "seats": 9}, "2 to 7"),
        ({"game": "double-down", "max_cycles": 0}, "max_cycles cannot be 0"),
        ({"game": "double-down", "render_mode": "human"}, "there is none"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(RedoubleError, match=complaint):
        AgentsEnv(**arguments)
