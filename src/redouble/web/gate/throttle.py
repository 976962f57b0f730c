"""Holds clients to what they may ask for: requests, and the time that these take the server.

The limits of each class of routes are in :mod:`redouble.web.visitor.costs`.
"""

import asyncio
import math
import time
from dataclasses import dataclass

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from redouble.web.errors import Banned, Busy, StoreError, TooMuch, WebError
from redouble.web.limits import Allowance, Rate
from redouble.web.site import Site
from redouble.web.visitor import SAFE, client_of, site_of, welcome
from redouble.web.visitor.costs import payer
from redouble.web.watchers import Meter, measured_by

FILES = (
    "/static/",
    "/games/",
    "/icons/",
    "/manifest.webmanifest",
    "/service-worker.js",
    "/offline",
)
"""The addresses of routes of ``Cost.FILE`` and of mounted files, which begin so."""
HEALTH = "/health/"
"""Where a machine asks how the server is; it is answered whatever else its address asks for."""
REFUSALS = Rate(50, 50)
"""How often a client is refused at once."""
HOLD_SECONDS = 1.0
"""How long a client that goes on waits for each further refusal."""
FORM_SECONDS = 10.0
"""How long a form of a new visitor waits until their address may do more."""
LOOK_SECONDS = 0.2
CONNECTION = "connection"
"""The connection of a request, in its state."""
WORK = "work"
OWN_SHARE = 10
"""Of a person's time on the server, a tenth is theirs however busy their address is."""


@dataclass
class Throttle:
    """Middleware that holds clients to the site's limits, and stores new guests."""

    app: ASGIApp
    refuse: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        site: Site = request.app.state.site
        try:
            if scope["path"].startswith(HEALTH):
                asked = "health", f"address {client_of(request)}", site.limits.health_per_address
                if (seconds := site.rates.take([asked])[0]) > 0:
                    raise TooMuch("you ask too often: try again in a second", math.ceil(seconds))
                await self.app(scope, receive, send)
                return
            if scope["path"].startswith(FILES):
                # Once an address has had its many files, they cost what pages do.
                files = "files", f"address {client_of(request)}", site.limits.files_per_address
                if site.rates.take([files])[0] <= 0:
                    await self.app(scope, receive, send)
                    return
            who = await payer(request)
            connection = scope.get("state", {}).get(CONNECTION)
            if connection is not None and who.startswith("person "):
                connection.recognize(who)
            await _admit(site, request, who)
        except (TooMuch, Busy, Banned, StoreError) as error:  # or the sender can't be looked up
            if isinstance(error, (TooMuch, Busy)):
                await _slow_down(site, client_of(request))
            scope["refused"] = error
            await self.refuse(scope, receive, send)
            return
        meter = Meter()
        try:
            await measured_by(meter, self._serve(scope, receive, send))
        finally:
            for allowance in _work(site, request, who):
                site.rates.spend(allowance, 1000 * meter.seconds)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
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
                    await self.refuse(scope, receive, send)
                    return
            await send(message)

        try:
            await self.app(scope, receive, welcoming)
        finally:
            await welcome(scope, succeeded=False)


async def _slow_down(site: Site, client: str) -> None:
    """Wait before a client is refused again, so that it takes little of the server's time."""
    if site.rates.take([("refusals", client, REFUSALS)])[0] > 0:
        await asyncio.sleep(HOLD_SECONDS)


async def _admit(site: Site, request: Request, who: str) -> None:
    """Count a request, and raise as :func:`_check` does.

    A new visitor's form waits a little: unlike a page, a browser doesn't send it again on its own.
    """
    forms = request.method not in SAFE and not who.startswith("person ")
    until = time.monotonic() + (FORM_SECONDS if forms else 0.0)
    while True:
        try:
            _check(site, request, who)
        except TooMuch as error:
            if time.monotonic() + error.retry_after > until:
                raise
        else:
            return
        await asyncio.sleep(LOOK_SECONDS)


def _check(site: Site, request: Request, who: str) -> None:
    """Count a request. Raises :class:`TooMuch` for one too many, or for too much work before it.

    Whoever changes something is counted apart, by :mod:`redouble.web.visitor.costs`.
    """
    if request.method in SAFE:
        limits = site.limits
        known = who.startswith("person ")
        rate = limits.requests_per_person if known else limits.requests_per_address
        seconds, _ = site.rates.take([("requests", who, rate)])
        _refuse_for(seconds, "there are too many requests from your address")
    own, *fair = _work(site, request, who)
    waits = [site.rates.wait([one])[0] for one in fair]
    seconds = max(site.rates.wait([own])[0], min(waits, default=0.0))
    _refuse_for(seconds, "your requests have taken the server long")


def _refuse_for(seconds: float, said: str) -> None:
    if seconds > 0:
        wait = math.ceil(seconds)
        raise TooMuch(f"{said}: wait {wait} s, then try again", retry_after=wait)


def _work(site: Site, request: Request, who: str) -> list[Allowance]:
    """Return whose time on the server a request takes, in milliseconds.

    A known person needs time of their own, and either of their address or of their sure share.
    """
    address = WORK, f"address {client_of(request)}", site.limits.work_per_address
    if who == address[1]:
        return [address]
    rate = site.limits.work_per_person
    share = Rate(max(rate.count // OWN_SHARE, 1), rate.seconds)
    return [(WORK, who, rate), address, (f"share of {WORK}", who, share)]
