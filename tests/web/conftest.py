"""A site and its visitors.

Hints come from a short search in this process, so that nothing depends on the clock.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.web import store
from redouble.web.features.account import retention
from redouble.web.installed import FEATURES
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
        open_store(cluster.address(EMPTY), FEATURES.tables).close()
        yield cluster


@pytest.fixture(scope="session", autouse=True)
def database_of(request: pytest.FixtureRequest) -> Iterator[Callable[[Path], str]]:
    """The address of the database of a data folder: none, as SQLite lies in the folder.

    With ``--database postgresql`` each folder has a database there.
    """
    option = request.config.option
    if option.database == "sqlite":
        yield lambda folder: ""
        return
    with on_postgresql(request.getfixturevalue("cluster"), option.servers) as address:
        yield address


@pytest.fixture(autouse=True)
def two_servers(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let a site have two servers in the cases of tests that ask for it by ``ALSO_ON_TWO``."""
    if getattr(request, "param", False):
        with on_postgresql(request.getfixturevalue("cluster"), 2):
            yield
    else:
        yield


_numbers = count()


@contextmanager
def on_postgresql(cluster: Cluster, number: int) -> Iterator[Callable[[Path], str]]:
    """Let sites have so many servers, and a database of the cluster for each data folder.

    Yields a function that returns the database's address. The servers share it with each other.
    """
    addresses: dict[Path, str] = {}

    class Served(PostgresqlDatabase):
        """The database of a folder."""

        def __init__(self, folder: Path, tables: Iterable[sa.Table]) -> None:
            super().__init__(address(folder), tables, shared=number > 1)

    def environment(folder: Path) -> dict[str, str]:
        told = {"REDOUBLE_DATABASE": address(folder)}
        if number > 1:
            told["REDOUBLE_WORKERS"] = f"{number}"
        return told

    def address(folder: Path) -> str:
        folder = folder.resolve()
        if folder not in addresses:
            addresses[folder] = cluster.create(f"folder_{next(_numbers)}", EMPTY)
        return addresses[folder]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "SqliteDatabase", Served)
        patch.setattr(servers, "number", number)
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
