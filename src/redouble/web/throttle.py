"""Refuses the requests of clients who ask for too much; see :mod:`redouble.web.limits`."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from redouble.web.errors import TooMuch
from redouble.web.limits import network_of
from redouble.web.site import Site, visitor

STREAM = re.compile(r"/t/[^/]+/stream|/api/tables/[^/]+/stream")
"""The addresses of streams, which stay open."""
STREAM_RETRY_SECONDS = 30


class Streams:
    """Counts the open streams of each address and person."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @contextlib.contextmanager
    def opened(self, *wanted: tuple[str, int, str]) -> Iterator[None]:
        """Count a stream while it is open, for each key with its limit and what to say at it.

        Raises :class:`TooMuch`.
        """
        for key, most, said in wanted:
            if self._open[key] >= most:
                raise TooMuch(said, retry_after=STREAM_RETRY_SECONDS)
        keys = [key for key, _, _ in wanted]
        self._open.update(keys)
        try:
            yield
        finally:
            self._open.subtract(keys)
            for key in keys:
                if not self._open[key]:
                    del self._open[key]


class Throttle:
    """Middleware that holds clients to the site's limits."""

    def __init__(self, app: ASGIApp, refuse: ASGIApp) -> None:
        self._app = app
        self._refuse = refuse
        self._streams = Streams()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        site: Site = request.app.state.site
        client = network_of(request.client.host if request.client else "")
        try:
            if STREAM.fullmatch(scope["path"]):
                with self._streams.opened(*await _who_follows(site, request, client)):
                    await self._app(scope, receive, send)
            else:
                await self._app(scope, receive, send)
        except TooMuch as error:
            site.refusals.note(f"{scope['method']}: {error}", client)
            scope["refused"] = error
            await self._refuse(scope, receive, send)


async def _who_follows(site: Site, request: Request, client: str) -> list[tuple[str, int, str]]:
    limits = site.limits
    said = "too many tables are open at your address: close some"
    wanted = [(f"address {client}", limits.streams_per_address, said)]
    person = await visitor(request)
    if person is not None:
        said = "you have too many tables open: close some"
        wanted.append((f"person {person.id}", limits.streams_per_person, said))
    return wanted
