"""TextArena's own loop plays every game."""

import re
from random import Random
from typing import Any

import pytest

from redouble.contract.registry import GAMES
from redouble.kernel.errors import InputError, RedoubleError


def made(name: str, **options: Any) -> Any:
    import textarena

    import redouble.envs.peers.textarena  # noqa: F401  # registers the games

    return textarena.make(f"redouble/{name}-v{GAMES[name].version}", **options)


@pytest.mark.parametrize("name", GAMES)
def test_its_loop_plays_a_game(name: str) -> None:
    """With its usual wrappers, the same seed gives the same texts."""
    seats, texts = GAMES[name].usual_seats, []
    for _ in range(2):
        env, chance, seen = made(name, max_moves=60), Random(7), []
        env.reset(num_players=seats, seed=7)
        done = False
        for _ in range(200):
            player, observation = env.get_observation()
            seen.append((player, observation))
            moves = re.findall(r"\[(.+?)\]", observation.rpartition("Legal moves:")[2])
            done, info = env.step(f"I take [{chance.choice(moves)}]")
            assert info["fault"] == ""
            if done:
                break
        assert done
        rewards, game_info = env.close()
        assert sorted(rewards) == list(range(seats))
        assert "The game is over." in game_info[0]["reason"]
        texts.append(seen)
    assert texts[0] == texts[1]
    assert texts[0][0][1].startswith("\n[GAME] You are Player ")


def test_an_answer_is_seen_by_no_other_player() -> None:
    env = made("three-up")
    env.reset(num_players=2, seed=1)
    first, observation = env.get_observation()
    move = re.findall(r"\[(up .+?)\]", observation)[0]
    env.step(f"I hide {move} [{move}]")
    second, observation = env.get_observation()
    assert first != second
    assert "I hide" not in observation


def test_a_player_who_answers_wrongly_again_loses() -> None:
    env = made("double-down")
    env.reset(num_players=2, seed=1)
    loser, _ = env.get_observation()
    assert env.step("no idea")[0] is False
    assert "refused" in env.get_observation()[1]
    assert env.step("still none")[0] is True
    rewards, game_info = env.close()
    assert rewards == {loser: -1.0, 1 - loser: 1.0}
    assert game_info[loser]["invalid_move"]
    with pytest.raises(RedoubleError, match="the game is over"):
        env.step("44")


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(RedoubleError, match="rules"):
        made("double-down", rules="long")
    with pytest.raises(InputError, match="reset"):
        made("double-down").step("44")
    with pytest.raises(RedoubleError, match="2 to 7 players"):
        made("double-down").reset(num_players=9)
