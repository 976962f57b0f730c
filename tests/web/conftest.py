"""A site and its visitors.

Hints come from a short search in this process, so that nothing depends on the clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from redouble.web import compiler, hints, retention
from redouble.web.app import create_app
from tests.web.roomy import ROOMY
from tests.web.visitors import Visitor


async def _nothing(worker: compiler.Worker, work: compiler.Work) -> None:
    """Stand in for a worker process."""


@pytest.fixture(autouse=True)
def think_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler.Worker, "compile", _nothing)
    monkeypatch.setattr(hints, "PATIENCE", 300.0)
    monkeypatch.setattr(hints, "EFFORT", 40)
    # The tables of tests are of 1970: compiling may take so long that they would be deleted.
    monkeypatch.setattr(retention, "FIRST_SECONDS", 24 * 3600.0)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        yield client


@pytest.fixture
def anna(client: TestClient) -> Visitor:
    return Visitor(client, "Anna")


@pytest.fixture
def ben(client: TestClient) -> Visitor:
    return Visitor(client, "Ben")
