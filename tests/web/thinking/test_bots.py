"""The bots at tables: a table outlives a bot that its server no longer has."""

from __future__ import annotations

import pytest

from redouble.bots import BOTS
from redouble.bots.levels import USUAL_LEVEL
from redouble.web.thinking.bots import bot_at_table


def test_without_its_bot_a_table_goes_on_with_a_usual_one(caplog: pytest.LogCaptureFixture) -> None:
    assert bot_at_table("master") is BOTS["master"]
    assert bot_at_table("ivy") is BOTS[USUAL_LEVEL] is bot_at_table("ivy")
    assert caplog.text.count("there is no bot named ivy: a club bot plays instead") == 1
