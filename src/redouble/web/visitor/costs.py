"""What a request costs its sender: the class of its route, and the limits of that class.

Each route names its class, as in ``@router.get("/me", Cost.RENDERING)``.
People with a cookie or token have allowances of their own. Visitors without one share those of
their address.
"""

import contextlib
import math
import re
from collections.abc import AsyncIterator, Callable, Mapping
from enum import Enum
from typing import Any, TypeVar

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from starlette.types import Receive, Scope, Send

from redouble.web.errors import TooMuch
from redouble.web.limits import Allowance, Rate
from redouble.web.visitor import SAFE, client_of, site_of, visitor
from redouble.web.visitor.once import once

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
ASKING = re.compile(r"(^|&)(hint|solve|difficulty)=[^&0]")
"""The parameters of an address with which a page searches."""


class Cost(Enum):
    """The classes of routes, by what takes the most time."""

    FILE = "file"
    """The same for everybody: costs almost nothing."""
    PAGE = "page"
    """Drawn in a few milliseconds, or a change that is as quick."""
    RENDERING = "rendering"
    """Drawn from a whole game or many of them: few at a time for each client."""
    SEARCH = "search"
    """Takes a search: few at a time for each client."""
    TABLE = "table"
    """Makes a table."""
    UPLOAD = "upload"
    """Plays an imported game again: few at a time for each client."""
    STREAM = "stream"
    """Stays open."""


RATES = {Cost.TABLE: "new_tables", Cost.SEARCH: "searches", Cost.UPLOAD: "uploads"}
"""The limits of classes, besides those of all requests."""
FEW_AT_A_TIME = {Cost.RENDERING, Cost.SEARCH, Cost.UPLOAD}
MAX_UPLOADS = 50
"""Uploads that are being read or checked: to parse what they send takes a millisecond or two."""
SAID = {
    "posts": "that was too quick",
    "new_tables": "you have made many tables in a short time",
    "searches": "you have asked for many hints and reviews in a short time",
    "uploads": "you have imported many games in a short time",
}


class Costed(APIRoute):
    """A route that is held to the limits of its class, before what was sent is read."""

    def __init__(
        self, path: str, endpoint: Callable[..., Any], cost: Cost, asking: Cost, **more: Any
    ) -> None:
        super().__init__(path, endpoint, **more)
        self.cost, self.cost_of_asking = cost, asking

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in (self.methods or ()):
            await super().handle(scope, receive, send)
            return
        asks = ASKING.search(scope["query_string"].decode("latin-1")) is not None
        cost = self.cost_of_asking if asks else self.cost
        async with _admitted(Request(scope, receive), cost):
            if scope["method"] in SAFE:
                await super().handle(scope, receive, send)
            else:
                await once(scope, receive, send, super().handle)


class Router:
    """Routes and their classes."""

    def __init__(self, prefix: str = "", **more: Any) -> None:
        """Begin all paths with a ``prefix``, and describe all routes alike by ``more``."""
        self.routes: list[BaseRoute] = []
        self._prefix, self._more = prefix, more

    def get(
        self, path: str, cost: Cost, asking: Cost | None = None, **more: Any
    ) -> Callable[[Endpoint], Endpoint]:
        """Declare a page, with another class for addresses that ask for a search."""
        return self._declared("GET", path, cost, asking or cost, more)

    def post(self, path: str, cost: Cost, **more: Any) -> Callable[[Endpoint], Endpoint]:
        """Declare what is done with a form."""
        return self._declared("POST", path, cost, cost, more)

    def _declared(
        self, method: str, path: str, cost: Cost, asking: Cost, more: Mapping[str, Any]
    ) -> Callable[[Endpoint], Endpoint]:
        def declare(endpoint: Endpoint) -> Endpoint:
            described = {**self._more, **more}
            at = f"{self._prefix}{path}"
            self.routes.append(Costed(at, endpoint, cost, asking, methods=[method], **described))
            return endpoint

        return declare


async def payer(request: Request) -> str:
    """Return who pays for a request: a known person, or the address of a visitor without cookie."""
    person = await visitor(request)
    return f"person {person.id}" if person else f"address {client_of(request)}"


@contextlib.asynccontextmanager
async def _admitted(request: Request, cost: Cost) -> AsyncIterator[None]:
    """Count a request against the limits of its class while it is served.

    Raises :class:`TooMuch`, and :class:`Busy` for an upload that would be refused once it is read.
    """
    site, who = site_of(request), await payer(request)
    by = "person" if who.startswith("person ") else "address"

    def allowance(name: str) -> Allowance:
        rate: Rate = getattr(site.limits, f"{name}_per_{by}")
        return name, who, rate

    names = ["posts"] if request.method not in SAFE else []
    if cost in RATES:
        names.append(RATES[cost])
    seconds, name = site.rates.take(map(allowance, names))
    if seconds > 0:
        wait = math.ceil(seconds)
        raise TooMuch(f"{SAID[name]}: wait {wait} s, then try again", retry_after=wait)
    async with contextlib.AsyncExitStack() as held:
        if cost is Cost.UPLOAD:
            site.imports.check()
            held.enter_context(site.imports.reading(MAX_UPLOADS))
        if cost in FEW_AT_A_TIME:
            await held.enter_async_context(site.slots.held(who, paced=cost is Cost.RENDERING))
        elif cost is Cost.STREAM:
            most: int = getattr(site.limits, f"streams_per_{by}")
            held.enter_context(site.streams.opened(who, most))
        yield
