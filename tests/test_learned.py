"""Learned weights: traits of moves, the weights that come with games, and how they are learned."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from redouble.bots import BOTS, own_chance
from redouble.bots.learned import FILE, learned_weights
from redouble.bots.linear import weights_array, worth
from redouble.bots.policy import Policy
from redouble.contract.game import WORK, Game
from redouble.contract.placeholders import functions
from redouble.contract.registry import GAMES
from redouble.games.double_decker.rules import NUMBERS
from redouble.games.double_decker.traits import (
    BEATS,
    DEEDS,
    GIFT,
    LEADS,
    OPENS,
    PASSES,
    RANKS,
    REFUSED,
    STAGE,
    STAGES,
    STAYS_BELOW,
    WEIGHTS,
)
from redouble.games.double_down.traits import (
    DOUBLE,
    FIRST,
    LIVES,
    NEVER_ADD,
    ONE_NEXT,
    OWN_NEXT,
    SAFE,
    TWO_NEXT,
)
from redouble.kernel.engine import compiled, to_records
from redouble.kernel.errors import InputError
from redouble.lab.contest import MOVES, Contest
from redouble.lab.training.gradient import Gradient
from redouble.match.match import Match
from redouble.testing import settings_of

TAUGHT = [name for name, game in GAMES.items() if game.traits is not None]
by_game = pytest.mark.parametrize("name", TAUGHT)


def seen(game: Game, state: Any, action: int) -> list[int]:
    """The traits of a legal move."""
    assert game.traits is not None
    out = [0] * WORK
    return out[: game.traits(state, action, out)]


@by_game
def test_traits_are_numbers_of_weights_and_look_at_nothing_hidden(name: str) -> None:
    game, dice = GAMES[name], random.Random(1)
    met: set[int] = set()
    for setting in settings_of(game, 3):
        match = Match(game, setting.seats, "traits", dict(setting.options))
        while match.turn is not None and match.ply < 300:
            known = match.observation()
            for action in known.legal:
                found = seen(game, match.state, action)
                assert len(set(found)) == len(found)
                assert all(0 <= one < game.weights for one in found)
                assert seen(game, known.state, action) == found
                met.update(found)
            match.push_action(dice.choice(match.legal_moves.actions))
    assert len(met) > game.weights / 2


@by_game
def test_weights_beat_experts_at_every_number_of_seats(name: str) -> None:
    game = GAMES[name]
    assert sorted(learned_weights(game)) == list(range(game.min_seats, game.max_seats + 1))
    for seats, found in learned_weights(game).items():
        assert f"--seats {seats} " in found.command
        assert found.beats_experts
        reached = Gradient(game, seats, "test").measure(8000, weights_array(game, seats))
        assert reached.share - reached.error > 0.5
    assert (game.folder / FILE).stat().st_size < 200_000


@by_game
def test_bots_and_compiled_games_decide_alike(name: str) -> None:
    """And by the highest sum of weights, not as the heuristic does everywhere."""
    game, seats = GAMES[name], GAMES[name].usual_seats
    contest = Contest(game, seats, [Policy(learned=True)])
    results, moves = contest.record([[0] * seats], ["alike"])
    match = Match(game, seats, "alike")
    differ = 0
    for action in moves[: results.counts[0, MOVES]]:
        observation = match.observation()
        chance = own_chance("alike", observation.seat, match.ply)
        assert BOTS["learned"].choose(observation, chance) == action
        differ += BOTS["greedy"].choose(observation, chance) != action
        match.push_action(int(action))
    assert match.turn is None
    assert differ > 5


@by_game
def test_a_compiled_sum_has_the_weights_of_the_traits(name: str) -> None:
    game = GAMES[name]
    weights = weights_array(game, game.usual_seats)
    match = Match(game, game.usual_seats, "sums")
    loop = compiled(worth, **functions(game))
    for action in match.legal_moves.actions:
        usual = sum(weights[k] for k in seen(game, match.state, action))
        record, work = to_records(match.state)[0], np.zeros(WORK, np.int64)
        assert loop(record, action, -1, weights, work) == usual
        assert loop(record, action, action, weights, work) == usual + weights[-1]


def test_a_policy_begins_as_the_expert_and_the_seed_decides_what_it_learns() -> None:
    one, other = (Gradient(GAMES["double-decker"], 4, "learn") for _ in range(2))
    begun = one.measure(10_000)
    assert abs(begun.share - 0.5) < 2 * begun.error
    shares = [one.improve(0.0) for _ in range(40)]
    assert [other.improve(0.0) for _ in range(3)] == shares[:3]
    assert np.mean(shares[-5:]) > np.mean(shares[:5]) + 0.03


def test_a_game_without_traits_learns_nothing_and_its_bot_plays_the_heuristic() -> None:
    for name, game in GAMES.items():
        if name not in TAUGHT:
            assert learned_weights(game) == {}
            observation = Match(game, game.usual_seats, "none").observation()
            chance = own_chance("none", observation.seat, 0)
            heuristic = BOTS["greedy"].choose(observation, list(chance))
            assert BOTS["learned"].choose(observation, list(chance)) == heuristic
            with pytest.raises(InputError, match="has no traits"):
                Gradient(game, game.usual_seats, "1")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"beats_experts": None}, "beats_experts"),
        ({"weights": [1, "2"]}, "weights"),
        ({"weights": [1, 2]}, "has 2 weights for 2 seats: give 474"),
        ({"games": 0}, "games"),
    ],
)
def test_a_broken_file_of_weights_is_refused(
    changes: Mapping[str, Any], said: str, tmp_path: Path
) -> None:
    game = replace(GAMES["double-down"], folder=tmp_path)
    entry = {"command": "x", "beats_experts": "x", "games": 1, "weights": [0] * 474, **changes}
    (tmp_path / FILE).write_text(json.dumps({"2": entry}))
    with pytest.raises(InputError, match=said):
        learned_weights(game)


def named(match: Match, move: str) -> set[int]:
    action = match.game.text.parse(match.state, move)
    return set(seen(match.game, match.state, action))


def test_traits_of_double_down_tell_what_a_card_does() -> None:
    deck = GAMES["double-down"].text.box(2, GAMES["double-down"].check_options(2, {}))
    names = [GAMES["double-down"].text.CARDS[face] for face in deck]
    wanted = ["11", "33", "22", "0", "66", "5", "x2", "10", "9", "turn"]
    rest = list(names)
    for card in wanted:
        rest.remove(card)
    match = Match(GAMES["double-down"], 2, "traits", {"ages": [22, 30]}, deck=[*wanted, *rest])
    assert match.turn == 0  # it holds 11, 22, 66, x2 and 9
    lives = LIVES * 4 + 4
    assert DOUBLE + lives in named(match, "11")
    assert DOUBLE + lives not in named(match, "9")
    assert ONE_NEXT + 9 + 10 in named(match, "9")
    assert TWO_NEXT + 0 + 10 in named(match, "x2")
    assert NEVER_ADD + 0 in named(match, "x2")
    assert NEVER_ADD + 1 in named(match, "9")
    assert SAFE + 4 in named(match, "9")  # then 11 makes 20, 22 makes 31, 66 makes 75
    assert SAFE + 1 in named(match, "x2")  # then only 9 is no double
    match.push("x2")
    assert FIRST + 9 not in named(match, "33")
    assert OWN_NEXT + 33 + 10 in named(match, "33")


def test_traits_of_double_decker_tell_what_a_card_does() -> None:
    game = GAMES["double-decker"]
    match = Match(game, 4, "deeds")
    deeds: dict[int, set[int]] = {}
    dice = random.Random(2)
    while match.turn is not None and match.ply < 40:
        s = match.state
        for card in match.legal_moves.actions:
            found = seen(game, s, card)
            lying = s.lying[card // NUMBERS]
            if s.played == 0:
                deed = LEADS
            elif not lying:
                deed = PASSES if s.colors == 2 else OPENS
            else:
                deed = BEATS if 1 << card % NUMBERS > lying else STAYS_BELOW
            deeds.setdefault(deed, set()).add((found[1] - STAGE) // (RANKS * STAGES))
            gifts = range(GIFT, REFUSED)
            assert any(one in gifts for one in found) == (deed == STAYS_BELOW)
            refused = range(REFUSED, WEIGHTS)
            assert any(one in refused for one in found) == (deed == OPENS)
        match.push_action(dice.choice(match.legal_moves.actions))
    assert deeds == {deed: {deed} for deed in range(DEEDS)}
