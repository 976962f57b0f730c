"""Checks of every request, and headers of every response."""

import logging
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from http.cookies import SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from redouble.web.errors import Misdirected, NotYours, TooLarge, WebError
from redouble.web.people.people import COOKIE, COOKIE_SECONDS
from redouble.web.visitor import SAFE

MAX_BODY = 64 * 1024
MAX_UPLOAD = 1_200_000
"""Bytes of the longest upload, a record."""
UPLOADS = ("/replays", "/api/records")
HEALTH = "/health/"
"""Where a machine asks how the server is, by whatever name."""
HTTPS_SECONDS = 365 * 24 * 3600
"""How long browsers come back by HTTPS only."""
MAX_TOLD = 10
"""Hosts without a port of which it is logged."""
_log = logging.getLogger(__name__)

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",  # the cards' transition names and the gauges' values
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
NO_CONTENT = 204
"""The status of a response that these headers have nothing to protect in, such as to a move."""


@dataclass
class Guard:
    """Middleware that refuses foreign origins and long bodies, and sets headers and the cookie."""

    app: ASGIApp
    refuse: ASGIApp
    hosts: Callable[[Scope], Collection[str]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        max_bytes = MAX_UPLOAD if scope["path"] in UPLOADS else MAX_BODY
        taken = 0

        async def limited() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > max_bytes:
                # The one exception that code reading the body passes on.
                raise HTTPException(TooLarge.status, f"the request exceeds {max_bytes} bytes")
            return message

        secure = scope.get("scheme") == "https"

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                if secure:
                    out.setdefault("Strict-Transport-Security", f"max-age={HTTPS_SECONDS}")
                if message["status"] != NO_CONTENT:
                    for name, value in HEADERS.items():
                        out.setdefault(name, value)
                out.setdefault("Cache-Control", "no-store")
                token = scope.get("state", {}).get("set_token")
                if token is not None:
                    out.append("Set-Cookie", _cookie(token, secure))
            await send(message)

        try:
            if not scope["path"].startswith(HEALTH):
                _check_host(self.hosts(scope), headers)
            _check_origin(scope["method"], headers)
            _check_length(headers, max_bytes)
        except WebError as error:
            scope["refused"] = error
            await self.refuse(scope, receive, guarded)
            return
        await self.app(scope, limited, guarded)


def _check_host(allowed: Collection[str], headers: Headers) -> None:
    """Refuse names that aren't ours: a name of another site can be made to lead here."""
    name = headers.get("host", "").lower()
    if allowed and re.sub(r":\d*$", "", name) not in allowed:
        raise Misdirected("this server has another name: use the link that you were given")


def _check_origin(method: str, headers: Headers) -> None:
    """Refuse pages of other sites that act in a visitor's name. Programs send no Origin."""
    if method in SAFE:
        return
    site = headers.get("sec-fetch-site", "")
    if site == "same-origin":  # the browser knows, even behind a proxy that drops the port
        return
    origin, host = headers.get("origin"), headers.get("host", "")
    foreign = site not in ("", "none")
    if origin is not None and not foreign:
        try:
            address = urlsplit(origin)
            foreign = address.netloc != host
        except ValueError:  # not an address
            foreign = True
        else:
            if foreign and host and address.hostname == host:
                _tell_of_port(address.netloc, host)
    if foreign:
        raise NotYours("this request comes from another site: use the pages of this server")


@lru_cache(2 * MAX_TOLD)
def _tell_of_port(origin: str, host: str) -> None:
    """Log once that a proxy probably drops the port, or somebody pretends that it does."""
    if _tell_of_port.cache_info().currsize < MAX_TOLD:
        _log.warning(
            "a page of %s was refused, since its request names the host %s: if a proxy drops the "
            "port, let it pass on the whole Host header",
            origin, host,
        )  # fmt: skip


def _check_length(headers: Headers, max_bytes: int) -> None:
    length = headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > 20:
        raise WebError("the Content-Length isn't a number")
    if int(length) > max_bytes:
        raise TooLarge(f"the request is too long: at most {max_bytes} bytes")


def _cookie(token: str, secure: bool) -> str:
    """Return the cookie that identifies a visitor; with an empty token, one that deletes it."""
    cookie: SimpleCookie = SimpleCookie()
    cookie[COOKIE] = token
    attributes: Iterable[tuple[str, str | int | bool]] = (
        ("path", "/"),
        ("max-age", COOKIE_SECONDS if token else 0),
        ("httponly", True),
        ("samesite", "Lax"),
    )
    for name, value in attributes:
        cookie[COOKIE][name] = value
    if secure:
        cookie[COOKIE]["secure"] = True
    return cookie[COOKIE].OutputString()
