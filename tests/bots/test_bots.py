"""The bots: legal, blind to what is hidden, and apart from the game's chance."""

from collections import Counter

import numpy as np
import pytest

import redouble
from redouble.bots import BOTS, own_chance
from redouble.bots.levels import LEVELS, USUAL_LEVEL, LevelBot, searches
from redouble.bots.policy import Policy
from redouble.contract.registry import GAMES
from redouble.kernel.rng import seed_words
from redouble.lab.contest import Contest, numbered_words
from redouble.match.match import Match
from tests.helpers.worlds import own_games

by_game = pytest.mark.parametrize("name", list(GAMES))
by_bot = pytest.mark.parametrize("bot", list(BOTS))


@by_game
@by_bot
def test_a_bot_plays_legal_moves_and_leaves_the_match_alone(name: str, bot: str) -> None:
    match = Match(GAMES[name], seed="bots")
    for _ in range(10 if searches(bot) else 60):
        if match.turn is None:
            break
        before = match.state
        action = BOTS[bot].choose(match.observation(), own_chance("bots", match.turn, match.ply))
        assert action in match.legal_moves.actions
        assert match.state == before
        match.push_action(action)


@by_game
@by_bot
def test_a_repeated_decision_is_the_same(name: str, bot: str) -> None:
    match = Match(GAMES[name], seed="again")
    choices = {BOTS[bot].choose(match.observation(), own_chance("again", 0, 0)) for _ in range(5)}
    assert len(choices) == 1


def test_each_decision_has_its_own_randomness() -> None:
    chances = [own_chance(seed, seat, ply) for seed in "ab" for seat in (0, 1) for ply in (0, 1)]
    assert len({tuple(chance) for chance in chances}) == len(chances)
    assert tuple(seed_words("a")) not in {tuple(chance) for chance in chances}


def test_random_plays_every_legal_move_about_equally_often() -> None:
    match = redouble.new("double-down", seats=2, seed="even", deck=None)
    counts = Counter(
        BOTS["random"].choose(match.observation(), own_chance("even", 0, ply))
        for ply in range(4000)
    )
    fair = 4000 / len(match.legal_moves)
    assert set(counts) == set(match.legal_moves.actions)
    assert all(0.85 * fair < count < 1.15 * fair for count in counts.values())


def test_levels_differ_from_one_another_and_the_last_one_searches() -> None:
    policies = list(LEVELS.values())
    mistakes = [policy.mistakes for policy in policies]
    assert mistakes == sorted(mistakes, reverse=True)
    assert len(set(policies)) == len(LEVELS)
    assert [policy.iterations > 0 for policy in policies] == [False] * (len(LEVELS) - 1) + [True]
    assert USUAL_LEVEL in LEVELS


def test_a_level_makes_its_share_of_mistakes() -> None:
    """Half of all decisions at random are a mistake in about half of them that have a choice."""
    bot = LevelBot("careless", Policy(mistakes=0.5))
    observation = Match(GAMES["double-decker"], seed="mistakes").observation()
    best = BOTS["greedy"].choose(observation, own_chance("m", 0, 0))
    chosen = [bot.choose(observation, own_chance("m", 0, ply)) for ply in range(1000)]
    others = sum(action != best for action in chosen) / len(chosen)
    expected = 0.5 * (1 - 1 / len(observation.legal))
    assert abs(others - expected) < 0.07


@pytest.mark.parametrize("name", [name for name in own_games() if GAMES[name].max_seats > 1])
def test_the_heuristic_beats_random_moves(name: str) -> None:
    game, games = GAMES[name], 200
    seats = game.usual_seats
    players = np.array([[seat != n % seats for seat in range(seats)] for n in range(games)], int)
    contest = Contest(game, seats, [Policy(), Policy(mistakes=1.0)])
    shares = contest.play(players, numbered_words("heuristic", 0, games)).utilities()
    assert shares[players == 0].mean() > shares[players == 1].mean() + 0.2
