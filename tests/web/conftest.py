"""Hints here come from a short search in this process, so that nothing depends on the clock."""

from __future__ import annotations

import pytest

from redouble.contract.game import Game
from redouble.web import thinking


async def _nothing(game: Game) -> None:
    """In place of compiling in a process of its own."""


@pytest.fixture(autouse=True)
def think_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinking, "_compile_aside", _nothing)
    monkeypatch.setattr(thinking, "PATIENCE", 300.0)
    monkeypatch.setattr(thinking, "EFFORT", 40)
