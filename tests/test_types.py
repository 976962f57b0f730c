"""The types: mypy accepts all of the code, the tests included."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.helpers.places import ROOT


@pytest.mark.timeout(900)  # without its cache, mypy takes a minute of a core
def test_the_types_are_right() -> None:
    command = [sys.executable, "-m", "mypy"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
