"""Every installed game obeys the laws of ``redouble.testing``, at every seat count.

A game that exists is tested: nothing here names one. ``--long`` plays 25 times as much.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pytest

from redouble.testing import LAWS, Law, Setting
from tests.helpers.cases import case
from tests.helpers.worlds import settings

(L8,) = (law for law in LAWS if law.__name__.startswith("l8_"))
"""The law that compiles the rules."""


def chosen() -> Iterator[Any]:
    """Yield settings; the usual run has one for each seat count, with default options or not."""
    groups = groupby(settings(spread=1), key=lambda setting: (setting.name, setting.seats))
    found = [(seats, [str(setting) for setting in group]) for (_, seats), group in groups]
    usual = {names[seats % len(names)] for seats, names in found}
    for setting in settings(spread=2):
        thorough = [] if str(setting) in usual else [pytest.mark.thorough]
        yield pytest.param(setting, id=str(setting), marks=thorough)


@pytest.mark.parametrize("laws", [[L8], [law for law in LAWS if law is not L8]], ids=["l8", "rest"])
@pytest.mark.parametrize("setting", list(chosen()))
def test_laws(setting: Setting, laws: list[Law], effort: int) -> None:
    """All but one together: nearly two thousand tests would take longer to find than to run."""
    for law in laws:
        with case(law.__name__):
            law(setting, effort)
