"""The test run's own option, ``--long``: a million plies a game instead of some thousands."""

from __future__ import annotations

import pytest
from hypothesis import settings

# No deadline: the first call of a compiled twin compiles it. Derandomized: a run is repeatable.
settings.register_profile("redouble", deadline=None, derandomize=True)
settings.load_profile("redouble")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="play a million plies of each game")


@pytest.fixture
def plies(request: pytest.FixtureRequest) -> int:
    """Plies that a law is tried over in each setting."""
    return 50_000 if request.config.getoption("--long") else 2000


@pytest.fixture
def often(request: pytest.FixtureRequest) -> int:
    """How many times as many games as usual a slow law is tried over."""
    return 10 if request.config.getoption("--long") else 1
