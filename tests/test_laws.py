"""Every installed game obeys the laws of ``redouble.testing``, at every seat count.

A game that exists is tested: nothing here names one. ``--long`` plays 25 times as much.
"""

from __future__ import annotations

import pytest

from redouble.testing import LAWS, Law, Setting
from tests.helpers.worlds import settings


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("setting", list(settings(spread=3)), ids=str)
def test_law(setting: Setting, law: Law, effort: int) -> None:
    law(setting, effort)
