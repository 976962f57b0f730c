"""Full garbage collections are rare while the site runs, and normal once it has stopped."""

import gc
import time
import weakref
from collections.abc import Iterator

import pytest

from redouble.web.server.tuning import NEVER, rare_collections
from tests.conftest import freeze_garbage


@pytest.fixture(autouse=True)
def frozen_again() -> Iterator[None]:
    gc.unfreeze()
    yield
    freeze_garbage()


class Knot:
    """An object that only a collection frees."""

    def __init__(self) -> None:
        self.itself = self


def old_knot() -> weakref.ref[Knot]:
    """A knot that survived a collection and is garbage now."""
    found = weakref.ref(kept := Knot())
    gc.collect(1)
    del kept
    return found


def test_only_young_garbage_is_collected_immediately() -> None:
    usual = gc.get_threshold()
    with rare_collections(every=3600):
        assert gc.get_threshold()[2] == NEVER
        assert gc.get_freeze_count() > 1000
        young, old = weakref.ref(Knot()), old_knot()
        gc.collect(1)
        assert young() is None
        assert old() is not None
    assert gc.get_threshold() == usual
    assert gc.get_freeze_count() == 0


def test_old_garbage_is_collected_eventually() -> None:
    with rare_collections(every=0.05):
        old, until = old_knot(), time.monotonic() + 120
        while old() is not None and time.monotonic() < until:
            time.sleep(0.02)
        assert old() is None


def test_stopping_does_not_wait_for_the_interval() -> None:
    begun = time.monotonic()
    with rare_collections():
        pass
    assert time.monotonic() - begun < 20
