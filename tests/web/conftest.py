"""Hints here come from a short search in this process, so that nothing depends on the clock."""

from __future__ import annotations

import pytest

from redouble.web import compiler, hints


async def _nothing(worker: compiler.Worker, work: compiler.Work) -> None:
    """Stand in for a worker process."""


@pytest.fixture(autouse=True)
def think_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler.Worker, "compile", _nothing)
    monkeypatch.setattr(hints, "PATIENCE", 300.0)
    monkeypatch.setattr(hints, "EFFORT", 40)
