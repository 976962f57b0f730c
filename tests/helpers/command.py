"""``redouble`` in the test's own process: what it prints, and how it ends."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest

from redouble.commands.app import main


class Ran:
    """The exit code and output of one run."""

    def __init__(self, code: object, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


Run = Callable[..., Ran]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run_main(*arguments: str, typed: str = "") -> Ran:
        monkeypatch.setattr(sys, "argv", ["redouble", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return Ran(ended.value.code, out, err)

    return run_main
