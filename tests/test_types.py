"""The types: mypy accepts all of the code, the tests included."""

import fcntl

import pytest

from redouble.kernel.engine import cache_root
from tests.helpers.places import ROOT
from tests.helpers.programs import python


@pytest.mark.timeout(900)  # without its cache, mypy takes a minute of a core
def test_the_types_are_right() -> None:
    """Its cache is kept beside compiled code, for every clone on this machine."""
    cache = cache_root() / "mypy"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two runs can't write the cache at a time
        done = python("-m", "mypy", "--cache-dir", str(cache), cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
