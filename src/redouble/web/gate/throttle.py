"""Refuses the requests of clients who ask for too much; see :mod:`redouble.web.limits`."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from redouble.web.errors import Busy, StoreError, TooMuch, WebError
from redouble.web.gate.security import SAFE
from redouble.web.limits import Rate
from redouble.web.site import Site
from redouble.web.visitor import client_of, site_of, visitor, welcome

STREAM = re.compile(r"/t/[^/]+/stream|/api/tables/[^/]+/stream")
"""The addresses of streams, which stay open."""
CLASSES = {
    "new_tables": (
        re.compile(r"/(play|new|deals)/.+|/daily/[^/]+/deal/.+|/t/[^/]+/rematch"),
        re.compile(r"/api/tables(/[^/]+/rematch)?|/api/daily/[^/]+"),
    ),
    "searches": (re.compile(r"/[rt]/[^/]+/review|/api/(tables|records)/[^/]+/(hint|review)"),),
    "uploads": (re.compile(r"/replays|/api/records"),),
}
"""Posts that cost more than others, by their addresses."""
SEARCHING = re.compile(r"/t/[^/]+(/hint|/solver)?|/deals/.+")
"""Pages that may search; those of tables and deals do so only with one of these parameters."""
ASKING = re.compile(r"(^|&)(hint|solve|difficulty)=[^&0]")
REFUSALS = Rate(50, 50)
"""How often a client is refused at once."""
MAX_UPLOADS = 50
"""Uploads that are being read or checked: to parse what they send takes a millisecond or two."""
HOLD_SECONDS = 1.0
"""How long a client that goes on waits for each further refusal."""
SAID = {
    "requests": "there are too many requests from your address",
    "posts": "that was too quick",
    "new_tables": "you have made many tables in a short time",
    "searches": "you have asked for many hints and reviews in a short time",
    "uploads": "you have imported many games in a short time",
}


class Throttle:
    """Middleware that holds clients to the site's limits."""

    def __init__(self, app: ASGIApp, refuse: ASGIApp) -> None:
        self._app = app
        self._refuse = refuse
        self._uploads = 0

    @contextmanager
    def _uploading(self) -> Iterator[None]:
        """Count an upload that is being read or checked. Raises :class:`Busy` for one too many."""
        if self._uploads >= MAX_UPLOADS:
            raise Busy("the server is busy with other imported games: try again in a few seconds")
        self._uploads += 1
        try:
            yield
        finally:
            self._uploads -= 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        site: Site = request.app.state.site
        try:
            await _check_rates(site, request)
            if STREAM.fullmatch(scope["path"]):
                with site.streams.opened(*await _who_follows(site, request)):
                    await self._app(scope, receive, send)
            elif scope["method"] in SAFE:
                await self._app(scope, receive, send)
            elif class_of(scope["method"], scope["path"]) == "uploads":
                with self._uploading():
                    await self._change(scope, receive, send)
            else:
                await self._change(scope, receive, send)
        except (TooMuch, Busy) as error:
            await _slow_down(site, client_of(request))
            scope["refused"] = error
            await self._refuse(scope, receive, send)
        except StoreError as error:  # who sent the request can't be looked up
            scope["refused"] = error
            await self._refuse(scope, receive, send)

    async def _change(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request that may come from a new guest, who is stored only if it succeeds."""
        refused = False

        async def welcoming(message: Message) -> None:
            nonlocal refused
            if refused:
                return
            if message["type"] == "http.response.start":
                if message["status"] in (TooMuch.status, Busy.status):
                    await _slow_down(site_of(Request(scope)), client_of(Request(scope)))
                try:
                    await welcome(scope, succeeded=message["status"] < 400)
                except WebError as error:
                    refused = True
                    scope["refused"] = error
                    await self._refuse(scope, receive, send)
                    return
            await send(message)

        try:
            await self._app(scope, receive, welcoming)
        finally:
            await welcome(scope, succeeded=False)


async def _slow_down(site: Site, client: str) -> None:
    """Wait before a client is refused again, so that it takes little of the server's time."""
    if site.rates.take([("refusals", client, REFUSALS)])[0] > 0:
        await asyncio.sleep(HOLD_SECONDS)


def class_of(method: str, path: str, query: str = "") -> str:
    """Return the class of a request that costs more than others; empty for any other one."""
    if method in SAFE:
        found = SEARCHING.fullmatch(path)
        if found and (path.endswith(("/hint", "/solver")) or ASKING.search(query)):
            return "searches"
        return ""
    for name, patterns in CLASSES.items():
        if any(pattern.fullmatch(path) for pattern in patterns):
            return name
    return ""


async def _check_rates(site: Site, request: Request) -> None:
    """Count a request. Raises :class:`TooMuch` when there are too many.

    Raises :class:`Busy` for an upload that would be refused, before it is read.
    """
    method, client = request.method, client_of(request)
    query = request.scope["query_string"].decode("latin-1")
    which = class_of(method, request.scope["path"], query)
    names = ["posts"] * (method not in SAFE) + [which] * bool(which)
    wanted = [("requests", client, site.limits.requests_per_address)]
    if names:
        person = await visitor(request)
        for name in names:
            wanted.append((name, client, _rate(site, f"{name}_per_address")))
            if person is not None:
                wanted.append((name, f"person {person.id}", _rate(site, f"{name}_per_person")))
    seconds, name = site.rates.take(wanted)
    if seconds > 0:
        wait = math.ceil(seconds)
        raise TooMuch(f"{SAID[name]}: wait {wait} s, then try again", retry_after=wait)
    if "uploads" in names:
        site.imports.check()


def _rate(site: Site, name: str) -> Rate:
    rate: Rate = getattr(site.limits, name)
    return rate


async def _who_follows(site: Site, request: Request) -> list[tuple[str, int, str]]:
    limits = site.limits
    said = "too many tables are open at your address: close some"
    wanted = [(f"address {client_of(request)}", limits.streams_per_address, said)]
    person = await visitor(request)
    if person is not None:
        said = "you have too many tables open: close some"
        wanted.append((f"person {person.id}", limits.streams_per_person, said))
    return wanted
