"""The test run's own option, ``--long``: the laws play 25 times as much."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings

# No deadline: the first call of a compiled twin compiles it. Derandomized: a run is repeatable.
settings.register_profile("redouble", deadline=None, derandomize=True)
settings.load_profile("redouble")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="let the laws play 25 times as much")


def pytest_configure(config: pytest.Config) -> None:
    """Let programs that tests start be interrupted, also where this process ignores SIGINT.

    What a process ignores, its children ignore; what it handles, they don't inherit.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda number, frame: None)


@pytest.fixture(scope="session")
def effort(request: pytest.FixtureRequest) -> int:
    """How many times the usual amount the laws play."""
    return 25 if request.config.getoption("--long") else 1
