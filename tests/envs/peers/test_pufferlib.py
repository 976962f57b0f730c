"""PufferLib's vectors play every game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from redouble.bots.levels import USUAL_LEVEL
from redouble.contract.registry import GAMES
from redouble.envs.arrays.batch import Batch
from redouble.kernel.errors import InputError

pytest.importorskip("pufferlib", reason="PufferLib isn't installed: pip install pufferlib-core")


def games(game: str, **arguments: Any) -> Any:
    from redouble.envs.peers.pufferlib import PufferGames

    return PufferGames(game, **arguments)


def legal_ones(env: Any, seen: Any, dice: np.random.Generator) -> Any:
    mask = seen[:, env.size :]
    return (dice.random(mask.shape) * mask).argmax(1)


@pytest.mark.parametrize("name", GAMES)
def test_its_games_are_those_of_a_batch(name: str) -> None:
    import pufferlib.vector

    seats = GAMES[name].usual_seats
    env = pufferlib.vector.make(games, env_args=[name], env_kwargs={"num_envs": 8})
    assert env.num_agents == 8
    bots: dict[str, Any] = {} if seats == 1 else {"opponents": USUAL_LEVEL}
    batch = Batch(name, seats, 8, seed="7", max_moves=10_000, **bots)
    dice = np.random.default_rng(1)
    seen, step, ended = env.reset(seed=7)[0], batch.reset(), 0
    for _ in range(200):
        assert np.array_equal(seen, np.hstack([step.observations, step.mask]))
        chosen, seat = legal_ones(env, seen, dice), step.turn.copy()
        step = batch.step(chosen)
        seen, rewards, terminals, truncations, infos = env.step(chosen)
        assert np.array_equal(rewards, step.rewards[np.arange(8), seat])
        assert np.array_equal(terminals, step.done)
        assert np.array_equal(truncations, step.truncated)
        assert [len(info["reward"]) for info in infos] == [step.done.sum()] * bool(step.done.any())
        ended += step.done.sum()
    assert ended


def test_it_writes_where_processes_share() -> None:
    import pufferlib.vector

    from redouble.envs.peers.pufferlib import PufferGames

    kwargs: dict[str, Any] = {
        "game": "double-down",
        "num_envs": 4,
        "seats": 2,
        "opponents": "novice",
    }
    two: dict[str, Any] = {"backend": "Multiprocessing", "num_envs": 2, "num_workers": 2}
    env = pufferlib.vector.make(PufferGames, env_kwargs=kwargs, **two)
    try:
        seen = env.reset(seed=3)[0]
        dice, size = np.random.default_rng(1), games(**kwargs).size
        for _ in range(50):
            mask = seen[:, size:]
            assert mask.any(axis=1).all()
            seen = env.step((dice.random(mask.shape) * mask).argmax(1))[0]
        assert seen.shape[0] == 8
    finally:
        env.close()


def test_an_illegal_move_changes_nothing() -> None:
    env = games("double-down", num_envs=2, seats=2)
    seen = env.reset()[0].copy()
    with pytest.raises(InputError, match=r"actions\[0\] cannot be"):
        env.step(seen[:, env.size :].argmin(1))
    assert np.array_equal(env.observations, seen)
