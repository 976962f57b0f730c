"""Learned weights: traits of moves, the weights that come with games, and how they are learned."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from redouble.bots import BOTS, own_chance
from redouble.bots.learned import FILE, learned_weights
from redouble.bots.linear import weights_array, worth
from redouble.bots.policy import Policy
from redouble.commands.app import main
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
from redouble.lab.training import weights as lab_weights
from redouble.lab.training.checkpoint import TrainingError
from redouble.lab.training.gradient import Gradient
from redouble.lab.training.weights import WeightsPlan, WeightsProgress, learn_weights
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
        ({"beats_experts": None}, "weights.json can't be read: 2.beats_experts"),
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


# Learning, stopped and gone on with


class Stopped:
    """Ctrl-C after a number of updates."""

    def __init__(self, updates: int) -> None:
        self.updates = updates

    def __call__(self, progress: WeightsProgress) -> None:
        if progress.updates == self.updates:
            raise KeyboardInterrupt


PLAN = WeightsPlan("double-down", 2, 5, "stopped")


@pytest.mark.parametrize("stop", [1, 2, 3, 5])
def test_learning_that_was_stopped_goes_on_to_the_same_weights(
    stop: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab_weights, "EVERY", 2)
    checkpoint = tmp_path / "it"
    with pytest.raises(KeyboardInterrupt):
        learn_weights(PLAN, Stopped(stop), checkpoint)
    assert checkpoint.exists() == (stop > 1)
    heard: list[WeightsProgress] = []
    found = learn_weights(PLAN, heard.append, checkpoint)
    assert heard[0].updates == {1: 0, 2: 2, 3: 2, 5: 5}[stop]
    assert found == learn_weights(PLAN, lambda progress: None, tmp_path / "another")
    assert found.command == "redouble weights double-down --seats 2 --updates 5 --seed stopped"
    with np.load(checkpoint) as resumed, np.load(tmp_path / "another") as whole:
        assert all((resumed[name] == whole[name]).all() for name in resumed)
    other = replace(PLAN, seed="another")
    with pytest.raises(TrainingError, match="is of training with other settings"):
        learn_weights(other, heard.append, checkpoint)


def test_alone_there_is_nobody_to_learn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    solitaire = replace(GAMES["double-or-quits"], traits=lambda s, action, out: 0, weights=1)
    monkeypatch.setattr(lab_weights, "GAMES", {"double-or-quits": solitaire})
    with pytest.raises(InputError, match="Double or Quits alone has no experts to beat"):
        WeightsPlan("double-or-quits", 1)


def weights_command(monkeypatch: pytest.MonkeyPatch, *words: str) -> object:
    monkeypatch.setattr(sys, "argv", ["redouble", "weights", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def test_the_command_adds_weights_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / FILE
    words = ("double-down", "--updates", "3", "--out", str(file))
    monkeypatch.setattr(Gradient, "improve", interrupted := Mock(side_effect=KeyboardInterrupt))
    assert weights_command(monkeypatch, *words, "--seats", "3") == 130
    assert interrupted.called
    assert "The same command goes on from the last full hundred updates." in capsys.readouterr().err
    monkeypatch.undo()
    for seats in ("3", "2"):
        assert not weights_command(monkeypatch, *words, "--seats", seats)
        out, err = capsys.readouterr()
        first, last = out.splitlines()
        assert first.startswith(f"{seats} players: 3 of 3 updates, ")
        assert last.startswith(f"{seats} players: beats ")
        assert err == f"Written: {file}\n"
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    game = replace(GAMES["double-down"], folder=tmp_path)
    assert sorted(learned_weights(game)) == [2, 3]


@pytest.mark.parametrize(
    ("words", "held", "said"),
    [
        (("double-down", "--seats", "9"), None, "is for 2 to 7 players, not 9"),
        (("double-down", "--updates", "0"), None, "updates cannot be 0"),
        (("three-up",), None, "3UP 3DOWN has no traits"),
        (("double-or-quits",), None, "Double or Quits has no traits"),
        (("double-down",), b"\xde\xad", "weights.json can't be read"),
        (("double-down",), b'{"x": {}}', "weights.json can't be read"),
    ],
)
def test_the_command_says_what_is_wrong(
    words: tuple[str, ...],
    held: bytes | None,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / FILE
    if held is not None:
        file.write_bytes(held)
    assert weights_command(monkeypatch, *words, "--out", str(file)) in (1, 2)
    assert said in capsys.readouterr().err
    assert (file.read_bytes() if file.exists() else None) == held
