"""How networks are learned: the seed decides everything, and Ctrl-C loses nothing."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from redouble.bots.learned import FILE, learned_weights
from redouble.contract.registry import GAMES
from scripts import weights
from scripts.weights import Gradient, measure

DOWN = GAMES["double-down"]


@pytest.mark.thorough
def test_a_policy_begins_as_the_expert_and_the_seed_decides_what_it_learns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, less in {"GAMES_PLAYED": 1000, "AT_ONCE": 4096, "JUDGING": 2}.items():
        monkeypatch.setattr(weights, name, less)
    one, other = (Gradient(DOWN, [2], "learn", 16, 0.5, threads) for threads in (2, 1))
    share, error = measure(DOWN, 2, one.rounded()[0], 10_000, "learn")
    assert abs(share - 0.5) < 2 * error
    shares = [one.improve(0.0) for _ in range(16)]
    assert [other.improve(0.0) for _ in range(3)] == shares[:3]
    assert np.mean(shares[-5:]) > np.mean(shares[:5]) + 0.03


def test_what_is_learned_is_hardly_changed_by_rounding() -> None:
    learner = Gradient(DOWN, [2, 3], "round", 16, 0.5)
    (network, unit), exactly = learner.rounded(), learner.network
    for exact, whole, step in (
        (exactly.traits, network.traits, unit),
        (exactly.rows, network.rows, np.abs(exactly.rows).max() / 127),
        (exactly.last, network.last, np.abs(exactly.last).max() / 127),
    ):
        assert np.abs(exact - step * whole).max() <= 0.51 * step


def test_learning_that_was_stopped_goes_on_to_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, less in {"GAMES_PLAYED": 400, "AT_ONCE": 4000, "GAMES_MEASURED": 400}.items():
        monkeypatch.setattr(weights, name, less)
    monkeypatch.setattr(weights, "EVERY", 2)
    improve, updates = Gradient.improve, []

    def stopping(learner: Gradient, progress: float) -> float:
        updates.append(learner.updates)
        if len(updates) == 4:
            raise KeyboardInterrupt
        return improve(learner, progress)

    plan = ["double-down", "--updates", "5", "--neurons", "16", "--later", "0.9", "--seats", "2-3"]
    files = [tmp_path / name / FILE for name in ("stopped", "whole")]
    for file in files:
        file.parent.mkdir()
    weights.main([*plan, "--out", str(files[1])])
    monkeypatch.setattr(Gradient, "improve", stopping)
    with pytest.raises(SystemExit, match="The same command goes on"):
        weights.main([*plan, "--out", str(files[0])])
    with pytest.raises(SystemExit, match="is of another command"):
        weights.main([*plan, "--out", str(files[0]), "--seed", "2"])
    weights.main([*plan, "--out", str(files[0])])
    assert updates == [0, 1, 2, 3, 2, 3, 4]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert [path.name for path in files[0].parent.iterdir()] == [FILE]
    assert "3 players: beats" in capsys.readouterr().out

    weights.main([*plan[:-1], "3", "--out", str(files[0])])
    game = replace(DOWN, folder=files[0].parent)
    assert {seats: list(found.beats) for seats, found in learned_weights(game).items()} == {3: [3]}
    assert "--seats 3 --updates 5 --neurons 16 --later 0.9 --seed 1" in (
        learned_weights(game)[3].command
    )
