"""Inspect runs its own evaluation with a scripted model, without a network."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import redouble
from redouble.kernel.errors import RedoubleError
from tests.helpers.places import ROOT

inspect_ai = pytest.importorskip(
    "inspect_ai", reason="Inspect isn't installed: pip install inspect-ai"
)


def play(game: str, **options: Any) -> Any:
    """The task of the example."""
    return runpy.run_path(str(ROOT / "examples" / "inspect_task.py"))["play"](game, **options)


def evaluated(task: Any, folder: Path, answer: str = "") -> Any:
    """The log of an evaluation; the model plays the first move listed, or always answers this."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def say(messages: Any, *rest: Any) -> Any:
        moves = re.findall(r"\[(.+?)\]", messages[-1].text.rpartition("Legal moves:")[2])
        output = ModelOutput.from_content("mockllm", answer or f"I play [{moves[0]}].")
        output.usage = ModelUsage(input_tokens=3, output_tokens=2, total_tokens=5)
        return output

    model = get_model("mockllm/model", custom_outputs=say)
    [log] = inspect_ai.eval(task, model=model, log_dir=str(folder), display="none")
    assert log.status == "success", log.error
    return log


@pytest.mark.parametrize(("name", "seats"), [("double-down", 3), ("double-or-quits", 1)])
def test_it_evaluates_a_model(name: str, seats: int, tmp_path: Path) -> None:
    log = evaluated(play(name, seats=seats, opponents="novice", deals=2), tmp_path)
    assert len(log.samples) == 2 * seats
    for sample in log.samples:
        score = sample.scores["rewards"]
        match = redouble.replay(redouble.Record.parse(score.metadata["record"]))
        assert match.outcome is not None
        assert score.metadata["answers"]["illegal"] == 0
        assert -1.0 <= score.value <= 1.0
        assert sample.model_usage
    assert set(log.results.scores[0].metrics) == {"mean", "stderr"}


def test_a_model_that_answers_nothing_forfeits(tmp_path: Path) -> None:
    log = evaluated(play("double-down", seats=2, deals=1), tmp_path, "Default output")
    assert [one.scores["rewards"].value for one in log.samples] == [-1.0, -1.0]


def test_wrong_arguments_are_named() -> None:
    usual: dict[str, Any] = {"game": "double-down", "seats": 2}
    for wrong, said in (
        ({"game": "chess"}, "no game 'chess'"),
        ({"opponents": "wizard"}, "no bot 'wizard'"),
        ({"rules": "long"}, "rules"),
    ):
        with pytest.raises(RedoubleError, match=said):
            play(**(usual | wrong))
