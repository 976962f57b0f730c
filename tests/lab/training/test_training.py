"""Training networks: results depend on the seed alone, interrupts lose nothing, and the command."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from redouble.bots.learned import FILE, learned_weights
from redouble.contract.parts import Network
from redouble.contract.registry import GAMES
from redouble.kernel.errors import InputError
from redouble.lab.training import gradient
from redouble.lab.training import weights as lab_weights
from redouble.lab.training.checkpoint import TrainingError
from redouble.lab.training.gradient import Gradient
from redouble.lab.training.weights import WeightsPlan, WeightsProgress, learn_weights
from tests.helpers.command import Run


def test_a_policy_begins_as_the_expert_and_the_seed_decides_what_it_learns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, less in {"GAMES": 1000, "AT_ONCE": 4096, "JUDGING": 2}.items():
        monkeypatch.setattr(gradient, name, less)
    one, other = (
        Gradient(GAMES["double-down"], [2], "learn", 16, 0.5, threads) for threads in (2, 1)
    )
    begun = one.measure(2, 10_000)
    assert abs(begun.share - 0.5) < 2 * begun.error
    shares = [one.improve(0.0) for _ in range(16)]
    assert [other.improve(0.0) for _ in range(3)] == shares[:3]
    assert np.mean(shares[-5:]) > np.mean(shares[:5]) + 0.03


def test_what_is_learned_is_hardly_changed_by_rounding() -> None:
    learner = Gradient(GAMES["double-down"], [2, 3], "round", 16, 0.5)
    (network, unit), exactly = learner.rounded(), learner.network
    for exact, whole, step in (
        (exactly.traits, network.traits, unit),
        (exactly.rows, network.rows, np.abs(exactly.rows).max() / 127),
        (exactly.last, network.last, np.abs(exactly.last).max() / 127),
    ):
        assert np.abs(exact - step * whole).max() <= 0.51 * step


@pytest.fixture
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradient, "GAMES", 400)
    monkeypatch.setattr(gradient, "AT_ONCE", 4000)
    monkeypatch.setattr(lab_weights, "GAMES_MEASURED", 400)


class Stopped:
    """Ctrl-C after a number of updates."""

    def __init__(self, updates: int) -> None:
        self.updates = updates

    def __call__(self, progress: WeightsProgress) -> None:
        if progress.updates == self.updates:
            raise KeyboardInterrupt


PLAN = WeightsPlan("double-down", (2, 3), 5, 16, 0.9, "stopped")


@pytest.mark.usefixtures("few_games")
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
    words = "redouble weights double-down --seats 2-3 --updates 5 --neurons 16 --later 0.9"
    words += " --seed stopped"
    assert found.command == words
    assert list(found.beats) == [2, 3]
    with np.load(checkpoint) as resumed, np.load(tmp_path / "another") as whole:
        assert all((resumed[name] == whole[name]).all() for name in resumed)
    other = replace(PLAN, seed="another")
    with pytest.raises(TrainingError, match="is of training with other settings"):
        learn_weights(other, heard.append, checkpoint)


def test_alone_there_is_nobody_to_learn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network(lambda s, out: 0, 1, lambda s, action, out: 0, 1)
    solitaire = replace(GAMES["double-or-quits"], network=network)
    monkeypatch.setattr(lab_weights, "GAMES", {"double-or-quits": solitaire})
    with pytest.raises(InputError, match="Double or Quits alone has no experts to beat"):
        WeightsPlan("double-or-quits", (1,))


@pytest.mark.usefixtures("few_games")
def test_the_command_adds_weights_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    file = tmp_path / FILE
    words = ("weights", "double-down", "--updates", "3", "--neurons", "8", "--out", str(file))
    improve = Gradient.improve
    monkeypatch.setattr(Gradient, "improve", interrupted := Mock(side_effect=KeyboardInterrupt))
    stopped = run(*words, "--seats", "3")
    assert (stopped.code, interrupted.called) == (130, True)
    assert "The same command goes on from the last line printed." in stopped.err
    monkeypatch.setattr(Gradient, "improve", improve)
    for seats in ("3", "2"):
        code, out, err = run(*words, "--seats", seats)
        assert not code
        first, last = out.splitlines()
        assert first.startswith(f"{seats} players: 3 of 3 updates, ")
        assert last.startswith(f"{seats} players: beats ")
        assert err == f"Written: {file}\n"
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    game = replace(GAMES["double-down"], folder=tmp_path)
    assert sorted(learned_weights(game)) == [2, 3]
    assert not run(*words, "--seats", "3-5").code
    game = replace(GAMES["double-down"], folder=tmp_path, title="Anew")
    assert {n: len(one.beats) for n, one in learned_weights(game).items()} == {
        **{2: 1},
        **dict.fromkeys((3, 4, 5), 3),
    }


@pytest.mark.parametrize(
    ("words", "held", "said"),
    [
        (("double-down", "--seats", "9"), None, "is for 2 to 7 players, not 9"),
        (("double-down", "--updates", "0"), None, "updates cannot be 0"),
        (("double-down", "--seats", "few"), None, "'few' is no number of players"),
        (("double-down", "--seats", "5-3"), None, "seats is empty"),
        (("double-down", "--neurons", "0"), None, "neurons cannot be 0"),
        (("double-down", "--later", "2"), None, "later cannot be 2"),
        (("double-or-quits",), None, "Double or Quits has no features and traits"),
        (("double-down",), b"\xde\xad", "weights.json can't be read"),
        (("double-down",), b'{"x": {}}', "weights.json can't be read"),
    ],
)
def test_the_command_says_what_is_wrong(
    words: tuple[str, ...], held: bytes | None, said: str, tmp_path: Path, run: Run
) -> None:
    file = tmp_path / FILE
    if held is not None:
        file.write_bytes(held)
    code, _, err = run("weights", *words, "--out", str(file))
    assert code in (1, 2)
    assert said in err
    assert (file.read_bytes() if file.exists() else None) == held
