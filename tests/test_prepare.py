"""Compiling beforehand: by a command, and beside a server until it stops."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest

from redouble.analysis import prepare


def redouble(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "redouble", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_game_is_made_ready() -> None:
    done = redouble("prepare", "double-down")
    assert done.stdout == "Double Down ... ready\n"
    assert done.returncode == 0


def test_a_game_that_there_is_not_cannot_be_made_ready() -> None:
    done = redouble("prepare", "chess")
    assert done.returncode == 2
    assert "chess" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_runs_in_the_background_ends_with_what_it_runs_beside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[subprocess.Popen[Any]] = []
    real = subprocess.Popen

    def remembered(*args: Any, **kwargs: Any) -> subprocess.Popen[Any]:
        started.append(real(*args, **kwargs))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", remembered)
    with prepare.in_background():
        assert isinstance(started[0].args, list)
        assert started[0].args[-1] == "prepare"
        time.sleep(0.1)
    assert started[0].poll() is not None
