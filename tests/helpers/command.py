"""``redouble`` in the test's own process: what it prints, and how it ends."""

import io
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from redouble.commands.app import main


class Ran(NamedTuple):
    """The exit code and output of one run."""

    code: object
    out: str
    err: str

    def refusal(self) -> str:
        """Return the one sentence that says what is wrong; nothing else was printed."""
        assert (self.code, self.out) == (2, "")
        assert self.err.startswith("redouble: ")
        assert self.err.endswith(".\n")
        assert self.err.count("\n") == 1
        return self.err


Run = Callable[..., Ran]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run_main(*arguments: str, typed: str = "") -> Ran:
        monkeypatch.setattr(sys, "argv", ["redouble", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as ended:
            main()
        return Ran(ended.value.code, *capsys.readouterr())

    return run_main
