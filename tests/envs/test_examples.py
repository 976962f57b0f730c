"""The example loops run, with any game, and are as short as they promise."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
LONGEST = 30
"""Lines of an example, so that it is read at a glance."""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("batch_loop double-down 10", "after 10 steps: mean reward "),
        ("gymnasium_loop double-down 3", "3 games of double-down: mean reward "),
        ("gymnasium_loop double-or-quits 3", "3 games of double-or-quits: mean reward "),
        ("pettingzoo_loop double-down", "seat_3: "),
        ("pettingzoo_loop double-dominoes", "seat_3: "),
    ],
)
def test_an_example_runs(
    words: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *arguments = words.split()
    path = EXAMPLES / f"{name}.py"
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST
    monkeypatch.setattr(sys, "argv", [str(path), *arguments])
    runpy.run_path(str(path), run_name="__main__")
    assert said in capsys.readouterr().out
