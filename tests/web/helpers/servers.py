"""What serves the site of a test: one server, or several that take its requests in turn.

Tests make their sites with :func:`create_app` of this module. With ``--servers 2`` such a site has
two servers with one PostgreSQL database, as ``redouble serve --workers 2`` has, and every second
request goes to the other one, streams included. They share nothing but the database and the key;
that they run in one event loop only makes it simple to look into them.
"""

import contextlib
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from redouble.web import app
from redouble.web.installed import FEATURES
from redouble.web.limits import LIMITS, Limits
from redouble.web.site import Site
from redouble.web.store.sqlite import FILE, SqliteDatabase

number = 1
"""How many servers a site has; the session sets it to ``--servers``."""

ALSO_ON_TWO = pytest.mark.parametrize(
    "two_servers",
    [
        pytest.param(False, id="one server"),
        pytest.param(True, id="two", marks=pytest.mark.thorough),
    ],
    indirect=True,
)
"""Runs tests on two servers as well. The other tests of sites run on two by an option only."""
counted_alone = pytest.mark.one_server("each server counts this for itself")
present_later = pytest.mark.one_server("a server learns a second later who is at another one")
counted_later = pytest.mark.one_server("a server learns a second later what another has counted")


def alone(folder: Path) -> dict[str, str]:
    """What the environment tells ``redouble serve``: nothing, as SQLite lies in its folder."""
    return {}


environment = alone
"""The same by ``--database`` and ``--servers``; the session sets it."""


class Several(Starlette):
    """Servers of one database: each request goes to the next of them."""

    def __init__(self, apps: Sequence[FastAPI]) -> None:
        super().__init__(lifespan=self._running)
        self.apps = apps
        self._turns = cycle(apps)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await next(self._turns)(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    @contextlib.asynccontextmanager
    async def _running(self, _: Starlette) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            for one in self.apps:
                await stack.enter_async_context(one.router.lifespan_context(one))
            yield


@cache
def _empty_database() -> bytes:
    """What the file of a new site holds: to create it takes longer than most requests."""
    with tempfile.TemporaryDirectory() as folder:
        SqliteDatabase(Path(folder), FEATURES.tables).close()
        return Path(folder, FILE).read_bytes()


def create_app(
    folder: Path, limits: Limits = LIMITS, opened: Callable[[], Site] | None = None
) -> FastAPI | Several:
    """The site of a data folder; ``opened`` opens it for each server, if not as usual."""
    if environment is alone and folder.is_dir() and not (folder / FILE).exists():
        (folder / FILE).write_bytes(_empty_database())
    apps = [app.create_app(folder, opened and opened(), limits=limits) for _ in range(number)]
    return apps[0] if number == 1 else Several(apps)


def sites_of(client: Any) -> list[Site]:
    """The site of a client, a visitor or an application as each of its servers has it in memory."""
    client = getattr(client, "client", client)  # of a visitor
    served: Any = client.app if isinstance(client, TestClient) else client
    apps = served.apps if isinstance(served, Several) else [served]
    return [one.state.site for one in apps]


def site_of(client: Any) -> Site:
    """The site as the first of its servers has it in memory.

    What another server has changed is there once it has been asked for, as by ``tables.get``.
    """
    return sites_of(client)[0]


def cut_streams(client: Any) -> None:
    """Let each stream end after its first event, at every server."""
    for site in sites_of(client):
        site.tables.closing.set()
