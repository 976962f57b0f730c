"""The application: wires the pages, the interface for programs and the guard together."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError, UnknownGame
from redouble.kernel.version import __version__
from redouble.web.drawing.addresses import STATIC
from redouble.web.errors import (
    KeyReused,
    NotFound,
    NotYours,
    NotYourSeat,
    Outdated,
    Stale,
    StoreError,
    TooLarge,
    Unknown,
    WebError,
)
from redouble.web.feature import FeatureList
from redouble.web.gate.fields import in_words, wrong_field
from redouble.web.gate.journal import REQUEST_HEADER, Journal, request_number
from redouble.web.gate.security import HEADERS, Guard
from redouble.web.gate.throttle import Throttle
from redouble.web.installed import FEATURES
from redouble.web.limits import LIMITS, Limits
from redouble.web.pages import ROUTERS
from redouble.web.site import Service, Site, titles_of_games
from redouble.web.visitor import SAFE, marked, visitor
from redouble.web.visitor.links import without_end

INTERFACE = "/api/"
"""What the addresses of the interface for programs begin with."""
COMPRESS_FROM = 500
"""Bytes; shorter responses are sent uncompressed."""
FIELDS_NAMED = 5
"""Wrong fields that the refusal of a request names."""
SOON = 60
"""Seconds after which a page of a passing problem loads itself again; after more, it doesn't."""
MAX_DETAIL = 600
"""Characters of an error message, which may quote what was sent."""

PLAINLY = {
    "Not Found": "there is nothing at this address",
    "Method Not Allowed": "this address doesn't accept this kind of request",
    "There was an error parsing the body": "the body of the request can't be read",
}
"""Messages of the libraries, as sentences."""


def create_app(
    folder: Path,
    opened: Site | None = None,
    compile_after: float | None = None,
    limits: Limits = LIMITS,
    features: FeatureList = FEATURES,
) -> App:
    """Return the site whose data are in ``folder`` as an ASGI application.

    The folder is opened when the application starts, which raises :class:`StoreError` if it can't
    be used. A site that is ``opened`` already is closed when the application ends. Given
    ``compile_after``, the code of all games is compiled in the background that many seconds after
    the start.
    """

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        site = opened or open_site(folder, limits, features=features)
        app.state.site = site
        if compile_after is not None:
            site.compiler.compile_all(compile_after)
        services = [one for one in site.services.values() if isinstance(one, Service)]
        work = [
            *(site.tables.sweep(), site.tables.timekeeper.follow()),
            *(site.exchange.follow(), site.people.sweep()),
            *(one.follow() for one in services),
        ]
        sweepers = [asyncio.create_task(one) for one in work]
        try:
            yield
        finally:
            for sweeper in sweepers:
                sweeper.cancel()
            for one in services:
                one.stop()
            await site.compiler.close()
            for one in services:
                await one.close()
            for last in (site.searches, site.imports, site.renderings, site.tables):
                await last.close()
            with contextlib.suppress(StoreError):  # the disk is full
                await site.people.keep_seen()
            site.store.close()

    app = App(
        title="Redouble",
        version=__version__,
        summary="Tables of tabletop games, for programs.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        # Its own spans would hold addresses of tables and of people; ours are in tracing.py.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    for router in (*ROUTERS, *features.pages):
        app.router.routes.extend(router.routes)  # included, each would be built again
    app.features = features
    app.mount("/static", _Kept(directory=STATIC), name="static")
    app.add_exception_handler(RedoubleError, _answer)
    app.add_exception_handler(RequestValidationError, _wrong_form)
    app.add_exception_handler(UnicodeEncodeError, _answer)
    app.add_exception_handler(HTTPException, _no_page)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _our_fault)
    app.add_middleware(_Compress, minimum_size=COMPRESS_FROM, compresslevel=6)
    app.add_middleware(Throttle, refuse=_Refuse(app))
    app.add_middleware(
        Guard, refuse=_Refuse(app), hosts=lambda scope: scope["app"].state.site.hosts
    )
    app.add_middleware(Journal, watcher=lambda scope: scope["app"].state.site.watchers)
    app.add_middleware(Head)
    return app


def open_site(
    folder: Path,
    limits: Limits = LIMITS,
    database: str = "",
    shared: bool = False,
    features: FeatureList = FEATURES,
) -> Site:
    """Open the data folder of a site, with its features. See :meth:`Site.open`."""
    site = Site.open(
        *(folder, limits, database, shared),
        tables=features.tables,
        hooks=features.hooks,
        seals=features.seals,
        templates=features.templates,
    )
    try:
        features.begin(site)
    except StoreError:
        site.store.close()
        raise
    return site


class App(FastAPI):
    """An application that loads the interface for programs when it is first asked for.

    The interface takes a third of the time that the rest takes to load, and pages don't need it.
    """

    features: FeatureList
    _interface_loaded = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(INTERFACE):
            self._load_interface()
        await super().__call__(scope, receive, send)

    def warm_up(self) -> None:
        """Load what else the first requests would wait for: the interface and all games.

        So a process that takes over from another one answers at once.
        """
        list(GAMES.values())
        self._load_interface()

    def openapi(self) -> dict[str, Any]:
        """Return the description of the interface, with its problems as they are sent."""
        from redouble.web.api import docs

        self._load_interface()
        if self.openapi_schema is None:
            docs.tell_problems(super().openapi())
        return super().openapi()

    def _load_interface(self) -> None:
        if self._interface_loaded:
            return
        from redouble.web import api

        for router in (*api.ROUTERS, *self.features.interface):
            self.router.routes.extend(router.routes)
        self.description = api.docs.DESCRIPTION
        self.openapi_tags = api.docs.TAGS
        self._interface_loaded = True


class _Kept(StaticFiles):
    """Static files, cached for good because their address changes with their content."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        """Find a script without the digest in front of its name."""
        return super().lookup_path(re.sub(r"^[0-9a-f]{12}\b.", "", path))

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


@dataclass
class Head:
    """Answers HEAD wherever there is GET, with the same headers and no body."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return
        begun, asked = asyncio.Event(), False

        async def ends() -> Message:
            """Receive the request, and then the end of the connection, which ends a stream."""
            nonlocal asked
            if not asked:
                asked = True
                return await receive()
            await begun.wait()
            return {"type": "http.disconnect"}

        async def only_head(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                begun.set()

        await self.app({**scope, "method": "GET"}, ends, only_head)


class _Compress(GZipMiddleware):
    """Compresses responses, except those that hold a hand and a chat.

    See :mod:`redouble.web.gate.compression`, which compresses the pages of tables.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(f"{INTERFACE}tables"):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


@dataclass
class _Refuse:
    """Responds to requests that the guard has refused."""

    app: FastAPI

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope.setdefault("app", self.app)
        # What stays in the scope would hold the frames of the refusal, and with them what was sent.
        response = await _answer(Request(scope, receive), scope.pop("refused"))
        await response(scope, receive, send)


async def _wrong_form(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = error.errors()[:FIELDS_NAMED]
    said = "; ".join(map(in_words, errors))
    if link := _meant(request):
        return RedirectResponse(link, 303)
    if not request.url.path.startswith(INTERFACE):
        return await _reply(request, 422, "The form isn't filled in correctly", said)
    route = request.scope.get("route")
    if isinstance(route, APIRoute):
        said = f"{said}: see /api/docs#{route.unique_id}"
    return _problem(
        422, "The request isn't as described", said, fields=list(map(wrong_field, errors))
    )


async def _no_page(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    titles = {404: NotFound.title, 413: TooLarge.title}
    title = titles.get(error.status_code, WebError.title)
    if error.status_code == NotFound.status and (link := _meant(request)):
        return RedirectResponse(link, 303)
    said = PLAINLY.get(str(error.detail), str(error.detail))
    response = await _reply(request, error.status_code, title, said)
    response.headers.update(error.headers or {})
    return response


async def _gone(request: Request, error: Exception) -> Response:
    return Response(status_code=400)  # nobody reads it


async def _our_fault(request: Request, error: Exception) -> Response:
    number = request_number()
    said = f"this is our fault, not yours; your games are safe. Its number is {number}"
    response = await _reply(request, 500, "Something went wrong", said)
    response.headers[REQUEST_HEADER] = number
    response.headers.update(HEADERS)  # this response bypasses the guard
    response.headers["Cache-Control"] = "no-store"
    return response


async def _answer(request: Request, error: Exception) -> Response:
    """Respond to what can't be done."""
    if isinstance(error, UnicodeEncodeError):
        error = WebError("the text contains half a character: send valid Unicode")
    assert isinstance(error, RedoubleError)
    kind = error if isinstance(error, WebError) else WebError()
    for_programs, table = request.url.path.startswith(INTERFACE), request.path_params.get("table")
    status, title, way = kind.status, kind.title, None
    detail = str(error) if for_programs else error.in_words
    if isinstance(error, Stale) and for_programs and table:
        detail = f"{error.for_programs}. Get /api/tables/{table} and use its ply"
    elif isinstance(error, KeyReused) and for_programs:
        wrong = {"name": "Idempotency-Key", "where": "header", "message": "was used before"}
        return _problem(status, title, detail, fields=[wrong])
    elif isinstance(error, UnknownGame):
        status = NotFound.status
        if not for_programs:
            detail = f"there is no game of that name: choose one of {titles_of_games()}"
    if status == NotFound.status:
        if link := _meant(request):
            return RedirectResponse(link, 303)
        title = title if isinstance(error, Outdated) else NotFound.title
    if isinstance(error, Outdated):
        way = f"/t/{error.token}/record", "Download the record"
    watch = request.url.path if re.fullmatch("/t/[^/]+", request.url.path) else ""
    if isinstance(error, NotYours) and watch:
        way = watch, "Watch the game"
    again = kind.retry_after if request.method == "GET" else 0
    response = marked(await _reply(request, status, title, detail, way, again), request, error)
    if isinstance(error, NotYourSeat) and not for_programs and not watch:
        # A page that has lost its seat becomes a spectator's.
        response.headers["HX-Redirect"] = "/".join(request.url.path.split("/")[:3])
    return response


async def _reply(
    request: Request,
    status: int,
    title: str,
    detail: str,
    way: tuple[str, str] | None = None,
    again: int = 0,
) -> Response:
    """Return a problem as JSON for programs, a line for our scripts, or a page for people.

    The page leads back, unless it has a better ``way`` to go on, an address and what it says. It
    loads itself ``again`` after some seconds, if that is soon.
    """
    if request.url.path.startswith(INTERFACE):
        return _problem(status, title, detail)
    detail = _sendable(detail)
    sentence = detail[:1].upper() + detail[1:]
    if "hx-request" in request.headers:
        return PlainTextResponse(f"{sentence}.", status, {"HX-Reswap": "none"})
    site: Site | None = getattr(request.app.state, "site", None)
    if site is None:
        return PlainTextResponse(f"{title}: {sentence}.", status)
    back, label = way or ("/", "All games")
    parts = request.url.path.split("/")
    if way is None and len(parts) > 3 and parts[1] == "t":
        seat = request.query_params.get("seat", "")
        back = f"/t/{parts[2]}" + (f"?seat={seat}" if seat.isdigit() else "")
        label = "Back to the table"
    again = again if again <= SOON else 0
    person = None
    if status < 500:
        with contextlib.suppress(RedoubleError):
            person = await visitor(request)
    page = site.page(
        "error.html", status, title=title, message=f"{sentence}.", back=back, back_label=label,
        again=again, person=person,
    )  # fmt: skip
    if again:
        page.headers["Refresh"] = f"{again}"
    return page


def _problem(
    status: int, title: str, detail: str, fields: list[dict[str, str]] | None = None
) -> Response:
    """Return a problem for programs, as RFC 9457 has it, with the fields that are wrong."""
    said = {"type": "about:blank", "title": title, "status": status, "detail": _sendable(detail)}
    if fields is not None:
        sent = [{key: _sendable(text) for key, text in field.items()} for field in fields]
        said = {**said, "fields": sent}
    headers = {"WWW-Authenticate": "Bearer"} if status == Unknown.status else None
    return JSONResponse(said, status, headers, media_type="application/problem+json")


def _sendable(text: str) -> str:
    """Return a text that may quote what was sent, as valid Unicode of a bounded length."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= MAX_DETAIL else f"{text[:MAX_DETAIL]}..."


def _meant(request: Request) -> str:
    """Return the address that a link was meant to have which took along what stood behind it.

    Messengers make a full stop or bracket part of a link. Empty if there was none.
    """
    # What parses an address leaves out line breaks, so this isn't that of ``request.url``.
    path, query = unquote(request.scope["path"]), unquote(request.url.query)
    meant = without_end(path), without_end(query)
    if request.method not in SAFE or path.startswith(INTERFACE) or not meant[0]:
        return ""
    if meant == (path, query):
        return ""
    here = "/" + meant[0].lstrip("/\\")  # never another site
    return quote(here) + (f"?{quote(meant[1], safe='=&,')}" if meant[1] else "")
