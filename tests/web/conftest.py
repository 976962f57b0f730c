"""A site and its visitors.

Hints come from a short search in this process, so that nothing depends on the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from redouble.web import store
from redouble.web.features.account import retention
from redouble.web.store import open_store
from redouble.web.store.postgresql import PostgresqlDatabase
from redouble.web.thinking import compiler, hints
from tests.web.helpers import servers
from tests.web.helpers.postgresql import EMPTY, Cluster, running
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app
from tests.web.helpers.visitors import Visitor


async def _nothing(worker: compiler.Worker, work: compiler.Work) -> None:
    """Stand in for a worker process."""


@pytest.fixture(autouse=True)
def think_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler.Worker, "compile", _nothing)
    monkeypatch.setattr(hints, "PATIENCE", 300.0)
    monkeypatch.setattr(hints, "EFFORT", 40)
    # The tables of tests are of 1970: compiling may take so long that they would be deleted.
    monkeypatch.setattr(retention, "FIRST_SECONDS", 24 * 3600.0)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL server, with a database called ``empty`` to copy."""
    with running() as cluster:
        cluster.create(EMPTY)
        open_store(cluster.address(EMPTY)).close()
        yield cluster


@pytest.fixture(scope="session", autouse=True)
def database_of(request: pytest.FixtureRequest) -> Iterator[Callable[[Path], str]]:
    """The address of the database of a data folder: none, as SQLite lies in the folder.

    With ``--database postgresql`` each folder has a database there, and sites use it instead. They
    share it with each other if there are several ``--servers``.
    """
    option = request.config.option
    if option.database == "sqlite":
        yield lambda folder: ""
        return
    cluster: Cluster = request.getfixturevalue("cluster")
    addresses: dict[Path, str] = {}

    class Served(PostgresqlDatabase):
        """The database of a folder."""

        def __init__(self, folder: Path) -> None:
            super().__init__(address(folder), shared=option.servers > 1)

    def environment(folder: Path) -> dict[str, str]:
        told = {"REDOUBLE_DATABASE": address(folder)}
        if option.servers > 1:
            told["REDOUBLE_WORKERS"] = f"{option.servers}"
        return told

    def address(folder: Path) -> str:
        folder = folder.resolve()
        if folder not in addresses:
            addresses[folder] = cluster.create(f"folder_{len(addresses)}", EMPTY)
        return addresses[folder]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "SqliteDatabase", Served)
        patch.setattr(servers, "number", option.servers)
        patch.setattr(servers, "environment", environment)
        yield address


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
