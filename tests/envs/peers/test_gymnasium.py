"""The Gymnasium environments: Gymnasium's own checks, and what goes beyond them."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from redouble.contract.registry import GAMES
from redouble.envs.peers.gymnasium import GameEnv, GamesEnv
from redouble.kernel.errors import InputError, RedoubleError

PLAYED = (("double-down", 2), ("double-or-quits", 1))
"""One game for several and one for one: the others differ in nothing that is tested here. All
tests have two players, since each number of them compiles anew."""


def play(env: GameEnv, seed: int, games: int = 3) -> list[Any]:
    """Play random legal moves for some games; everything that the environment said."""
    said: list[Any] = []
    dice = np.random.default_rng(seed)
    seen, info = env.reset(seed=seed)
    while games:
        legal = np.flatnonzero(info["action_mask"])
        seen, reward, terminated, truncated, info = env.step(dice.choice(legal))
        said.append((seen.tolist(), reward, terminated, truncated))
        if terminated or truncated:
            games -= 1
            seen, info = env.reset()
    return said


@pytest.mark.parametrize("played", PLAYED)
def test_gymnasiums_own_checks_pass(played: tuple[str, int]) -> None:
    check_env(GameEnv(*played), skip_render_check=True)


@pytest.mark.parametrize("played", PLAYED)
def test_a_seed_repeats_all_games(played: tuple[str, int]) -> None:
    games, again, others = (play(GameEnv(*played), seed) for seed in (5, 5, 6))
    assert games == again
    assert games != others


def test_every_game_is_registered() -> None:
    for name, game in GAMES.items():
        spec = gymnasium.spec(f"redouble/{name}-v{game.version}")
        assert spec.kwargs == {"game": name}
    env = gymnasium.make("redouble/double-down-v2", seats=2, opponents="novice")
    assert env.observation_space.shape == (217,)


def test_rewards_come_at_the_end_and_are_those_of_a_place() -> None:
    rewards = [reward for *_, reward, _, _ in play(GameEnv("double-down", seats=2), 8, games=6)]
    assert {0.0} < set(rewards) <= {-1.0, 0.0, 1.0}


def test_an_illegal_action_loses_the_game_and_another_number_is_refused() -> None:
    env = GameEnv("double-down", seats=2)
    _, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    assert not env.action_masks()[illegal]
    with pytest.raises(InputError, match="give 0 to 20"):
        env.step(21)
    _, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated, info["illegal"]) == (-1.0, True, False, True)
    assert not info["action_mask"].any()
    with pytest.raises(InputError, match=r"call reset\(\) first"):
        env.step(0)


def test_many_games_go_on_after_their_ends() -> None:
    envs = gymnasium.make_vec("redouble/double-down-v2", num_envs=6, seats=2, opponents="expert")
    assert isinstance(envs, GamesEnv)
    envs.action_space.seed(2)
    _, infos = envs.reset(seed=2)
    rewards: list[float] = []
    for _ in range(150):
        masks = infos["action_mask"]  # as they are, or as the tuple that Gymnasium asks for
        actions = envs.action_space.sample(mask=masks if len(rewards) % 2 else tuple(masks))
        assert envs.action_space.contains(actions)
        seen, made, terminated, _, infos = envs.step(actions)
        assert seen.shape == envs.observation_space.shape
        assert not made[~terminated].any()
        rewards += made[terminated].tolist()
        if terminated.any():
            assert (infos["_final_obs"] == terminated).all()
            assert all(infos["final_obs"][i].shape == (217,) for i in np.flatnonzero(terminated))
    assert len(rewards) > 20
    assert set(rewards) <= {-1.0, 1.0}
    assert sum(rewards) < 0, "random play loses to experts"


def test_an_illegal_action_of_many_games_is_refused() -> None:
    envs = GamesEnv("double-down", 3, seats=2)
    envs.reset(seed=1)
    with pytest.raises(InputError, match=r"actions\[0\] cannot be 20"):
        envs.step(np.array([20, 20, 20]))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"game": "chess"}, "chess"),
        ({"game": "double-down", "seats": 2, "seat": 2}, "seat cannot be 2"),
        ({"game": "double-down", "render_mode": "human"}, "there is none"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(RedoubleError, match=complaint):
        GameEnv(**arguments)


def followed(mode: str, steps: int = 400) -> list[list[tuple[Any, ...]]]:
    """What each of some games shows and pays, step by step, without what only the mode shows."""
    envs = GamesEnv("double-down", 4, seats=2, opponents="novice", autoreset_mode=mode)
    seen, infos = envs.reset(seed=7)
    found: list[list[tuple[Any, ...]]] = [[(seen[i].tolist(),)] for i in range(4)]
    over = np.zeros(4, bool)
    for _ in range(steps):
        actions = infos["action_mask"].argmax(1)  # in every mode the same, of a game that goes on
        before = over
        seen, rewards, done, truncated, infos = envs.step(actions)
        over = (done | truncated) & (mode != "SAME_STEP")
        for i in range(4):
            last = infos["final_obs"][i] if mode == "SAME_STEP" and done[i] else seen[i]
            if not before[i]:
                found[i].append((last.tolist(), float(rewards[i]), bool(done[i])))
            else:
                assert (float(rewards[i]), bool(done[i])) == (0.0, False)
                found[i].append((seen[i].tolist(),))
            if mode == "SAME_STEP" and done[i]:
                found[i].append((seen[i].tolist(),))
        assert not infos["action_mask"][over].any()
        if mode == "DISABLED" and over.any():
            with pytest.raises(InputError, match="is over: call reset"):
                envs.step(actions)
            seen, infos = envs.reset(options={"reset_mask": over})
            for ended in np.flatnonzero(over):
                found[ended].append((seen[ended].tolist(),))
            over = np.zeros(4, bool)
    return found


def test_every_mode_shows_the_same_games() -> None:
    same, later, by_hand = map(followed, ("SAME_STEP", "NEXT_STEP", "DISABLED"))
    for one, other, third in zip(same, later, by_hand, strict=True):
        assert sum(len(row) == 1 for row in other) > 10
        assert one[: len(other)] == other
        assert one[: len(third)] == third[: len(one)]


def test_games_are_dealt_anew_one_by_one() -> None:
    envs = GamesEnv("double-down", 3, seats=2, autoreset_mode="DISABLED")
    before, _ = envs.reset(seed=3)
    mask = np.array([False, True, False])
    after, _ = envs.reset(options={"reset_mask": mask})
    assert (before != after).any(1).tolist() == mask.tolist()
    for wrong in (np.array([True]), [True, False, 3], "all"):
        with pytest.raises(InputError, match="give 3 of True and False"):
            envs.reset(options={"reset_mask": wrong})
    with pytest.raises(InputError, match="a seed is for all games"):
        envs.reset(seed=1, options={"reset_mask": mask})
    with pytest.raises(InputError, match="NEXT_STEP"):
        GamesEnv("double-down", autoreset_mode="soon")
