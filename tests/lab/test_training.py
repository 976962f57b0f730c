"""Training: what is learned, that it can be stopped and resumed, and that it plays."""

from __future__ import annotations

import io
import os
import pickle
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from redouble.commands.app import main
from redouble.contract.registry import GAMES
from redouble.envs.agent import Agent
from redouble.kernel.errors import RedoubleError
from redouble.lab.arena.entrants import entrants
from redouble.lab.arena.tournament import Tournament
from redouble.lab.selfplay import SelfPlay, self_play
from redouble.lab.shards import Shard, Threads
from redouble.lab.training import run as training
from redouble.lab.training.lessons import Lessons, joined
from redouble.lab.training.network import Encoding, Network, forward
from redouble.lab.training.run import (
    Learner,
    TrainingError,
    TrainingPlan,
    TrainingProgress,
    TrainingRound,
    softmax,
    train,
)

GAME = "double-down"
ONE = Threads(1)


def plan(**changes: Any) -> TrainingPlan:
    short = {"imitate": 2, "improve": 2, "positions": 200, "iterations": 12, "seed": "short"}
    return TrainingPlan(**{"game": GAME, "seats": 2, **short, **changes})


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give few lessons a round."""
    monkeypatch.setattr(training, "IMITATED", 6000)
    monkeypatch.setattr(training, "GAMES_SEEN", 40)


def same(one: Agent, other: Agent) -> bool:
    layers = zip(one.layers, other.layers, strict=True)
    equal = all(np.array_equal(a, b) for pair in layers for a, b in zip(*pair, strict=True))
    return equal and one.training == other.training


# The parts


def test_the_layers_of_an_encoding_give_its_features() -> None:
    seen = self_play(GAME, ["random"], 20, 3, executor=ONE).samples().observations
    encoding = Encoding.of(seen)
    assert encoding.exact.any()
    assert not encoding.exact.all()
    values = seen.astype(np.float64)
    for weights, bias in encoding.layers():
        values = np.maximum(values @ weights + bias, 0.0)
    np.testing.assert_array_equal(values, encoding.features(seen))


def test_a_network_learns_down_the_slope_of_its_loss() -> None:
    dice = np.random.default_rng(1)
    network = Network((5, 7, 6, 3), dice)
    network.arrays = [np.array(dice.normal(0, 0.5, one.shape)) for one in network.arrays]
    features, target = dice.random((4, 5)), np.array([0, 2, 1, 1])

    def loss() -> float:
        chances = softmax(forward(network.arrays, features)[-1])
        return float(-np.log(chances[np.arange(4), target]).sum())

    values = forward(network.arrays, features)
    slope = softmax(values[-1])
    slope[np.arange(4), target] -= 1.0
    network.means = [np.zeros(array.shape) for array in network.arrays]
    network.squares = [np.zeros(array.shape) for array in network.arrays]
    network.learn(values, slope, 0.0)
    for array, mean in zip(network.arrays, network.means, strict=True):
        place = np.unravel_index(np.abs(mean).argmax(), mean.shape)
        before, step = array[place], 1e-5
        array[place] = before + step
        above = loss()
        array[place] = before - step
        below = loss()
        array[place] = before
        assert (above - below) / (2 * step) == pytest.approx(10 * mean[place], rel=1e-4)


def test_lessons_become_tables() -> None:
    one = Lessons(
        np.array([[1], [2]], np.int8),
        np.array([2, 3], np.int32),
        np.array([0, 3, 1, 2, 3], np.int16),
        np.array([0.5, 1.0, 0.25, 0.75, 0.0], np.float32),
    )
    table = joined([one, one], 1).at(np.array([3, 0]), 4)
    assert table.observations.tolist() == [[2], [1]]
    assert table.allowed.tolist() == [[False, True, True, True], [True, False, False, True]]
    assert table.values.tolist() == [[0.0, 0.25, 0.75, 0.0], [0.5, 0.0, 0.0, 1.0]]


@pytest.mark.parametrize("number", [0, 3])
def test_lessons_are_about_legal_moves_of_the_learners_games(number: int) -> None:
    learner = Learner(plan(), ONE)
    learner.rounds = [TrainingRound("expert", 1, 1.0, 0.0)] * number
    job = learner.job()
    assert pickle.loads(pickle.dumps(job)).seed == job.seed == f"short round {number + 1}"
    shard = next(iter(job.shards()))
    lessons = job.player(lambda: False)(shard)
    again = job.player(lambda: False)(Shard("lessons", 0, 1))
    other = job.player(lambda: False)(Shard("lessons", 1, 1))
    assert np.array_equal(lessons.values, again.values)
    assert not np.array_equal(lessons.observations, other.observations)
    assert (lessons.counts > 1).all()
    assert len(lessons.legal) == len(lessons.values) == lessons.counts.sum()
    assert lessons.values.min() >= 0.0
    assert lessons.values.max() <= 1.0
    if number == 0:
        assert lessons.values.sum() == len(lessons), "the expert makes one move"


# Training


def test_any_number_of_threads_trains_the_same_agent() -> None:
    one, two = (train(plan(), Threads(n)) for n in (1, 2))
    assert same(one, two)
    assert not same(one, train(plan(seed="another"), ONE))


@pytest.mark.parametrize("stop", [0, 1, 3])
def test_training_that_was_stopped_goes_on_to_the_same_agent(stop: int, tmp_path: Path) -> None:
    checkpoint = tmp_path / "it.training"

    def press(progress: TrainingProgress) -> None:
        if len(progress.rounds) == stop:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(plan(), ONE, press, checkpoint)
    assert checkpoint.exists() == bool(stop)
    heard: list[TrainingProgress] = []
    agent = train(plan(), ONE, heard.append, checkpoint)
    assert len(heard[0].rounds) == stop
    assert same(agent, train(plan(), ONE))


def test_imitation_learns_the_experts_moves() -> None:
    agent = train(plan(imitate=4, improve=0), ONE)
    assert agent.training is not None
    first, *_, last = agent.training["rounds"]
    assert first["agreed"] < 0.5
    assert last["agreed"] > 0.8


def test_the_search_makes_an_agent_miss_less() -> None:
    agent = train(plan(imitate=1, improve=6, positions=3000), ONE)
    assert agent.training is not None
    missed = [one["missed"] for one in agent.training["rounds"] if one["teacher"] == "search"]
    assert len(missed) == 6
    assert missed[-1] < 0.8 * missed[0]


def test_a_solitaire_can_be_learned() -> None:
    agent = train(plan(game="double-or-quits", seats=1, options={"free-flip": True}), ONE)
    assert agent.training is not None
    assert " --seats 1 --option free-flip=true --imitate 2 " in agent.training["command"]


def test_what_cannot_be_learned_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TrainingError, match="25,229 actions: a network of at most 80,000 weights"):
        train(plan(game="double-dominoes", seats=2), ONE)
    monkeypatch.setattr(SelfPlay, "decisions", 0)
    with pytest.raises(TrainingError, match="Double Down has no choices with these options"):
        train(plan(), ONE)


@pytest.mark.parametrize(
    "wrong",
    [{"seats": 99}, {"imitate": -1}, {"iterations": 0}, {"positions": 0}, {"options": {"x": 1}}],
)
def test_a_plan_of_wrong_numbers_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(RedoubleError):
        plan(**wrong)


def test_a_checkpoint_of_something_else_is_refused(tmp_path: Path) -> None:
    checkpoint = tmp_path / "it.training"
    train(plan(imitate=1, improve=0), ONE, checkpoint=checkpoint)
    with pytest.raises(TrainingError, match="is of training with other settings"):
        train(plan(), ONE, checkpoint=checkpoint)
    held = io.BytesIO()
    np.savez(held, about=np.array("{}"))
    for damaged in (b"", b"PK", checkpoint.read_bytes()[:1000], held.getvalue()):
        checkpoint.write_bytes(damaged)
        with pytest.raises(TrainingError, match="isn't a checkpoint, or is damaged: delete it"):
            train(plan(), ONE, checkpoint=checkpoint)


# The command

Run = Callable[..., tuple[object, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: str) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", ["redouble", "train", GAME, "--seats", "2", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return run


def test_the_command_writes_an_agent_that_plays(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "ada.npz"
    words = ("--imitate", "4", "--improve", "1", "--positions", "200", "--iterations", "12")
    code, out, err = run(*words, "--seed", "two words", "--out", str(file))
    assert not code
    assert out.count("round ") == 5
    assert out.splitlines()[4].startswith("round 5 of 5: ")
    assert err == f"Written: {file}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["ada.npz"]
    assert file.stat().st_size < 200_000
    agent = Agent.load(file)
    assert agent.training is not None
    assert agent.training["command"] == (
        "redouble train double-down --seats 2 --imitate 4 --improve 1 --positions 200"
        " --iterations 12 --seed 'two words'"
    )
    bots = entrants([f"agent:{file}", "random"])
    results = Tournament(GAMES[GAME], bots, 20, seed="trained").play(executor=ONE)
    assert results.standings is not None
    assert results.standings.lines[0].name == "agent ada"


def test_the_command_goes_on_after_ctrl_c(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ada.npz"
    words = ("--imitate", "2", "--improve", "0", "--seed", "x", "--out", str(file))
    write = Learner.write

    def interrupted(self: Learner, path: Path) -> None:
        write(self, path)
        os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patched:
        patched.setattr(Learner, "write", interrupted)
        code, _, err = run(*words)
    assert code == 130
    assert "The same command goes on from the last complete round." in err
    assert [path.name for path in tmp_path.iterdir()] == ["ada.npz.training"]
    code, out, _ = run(*words)
    assert not code
    assert out.startswith("round 2 of 2: ")
    assert same(
        Agent.load(file), train(plan(improve=0, seed="x", positions=60_000, iterations=400), ONE)
    )
