"""Serves the site in a tab of a browser: its requests come from a service worker.

The worker of the page calls :meth:`Tab.ask` with what a page has requested, and gets the response
piece by piece. Cookies stay here, since browsers keep none for such responses.
"""

import asyncio
import contextlib
import gc
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.formparsers import MultiPartParser
from starlette.types import Scope

from redouble.web.app import create_app
from redouble.web.gate.security import MAX_UPLOAD
from redouble.web.limits import LIMITS, Rate
from redouble.web.server.thinker import think_with

HOST = "127.0.0.1"
ALONE = LIMITS.changed(
    f"{each.name.replace('_', '-')}=999999999/1"
    for each in fields(LIMITS)
    if isinstance(each.default, Rate)
)
"""Nobody else is kept waiting by what one does in one's own browser."""
MARKED_UP = ("text/html", "text/event-stream")
LINK = re.compile(rb"""(\s(?:href|src|action|formaction|hx-get|hx-post|data-[a-z-]+)=["'])/(?!/)""")
"""What stands before the first slash of an address of ours in a page."""

WARMING = ("/", "/me", "/daily", "/puzzles", "/replays")
"""Pages that need what most others need."""

Begin = Callable[[int, list[tuple[str, str]]], None]
"""Gets the status and headers of a response."""
Give = Callable[[bytes], None]
"""Is given each piece of a response."""


class _NoWorkers:
    """What stands between the languages where no compiled loop is called."""

    can_run_sync = staticmethod(lambda: False)
    to_js = staticmethod(lambda given: given)


async def page_for_nobody(folder: Path, *addresses: str, prefix: str = "") -> bytes:
    """Return the last of some pages as a first visitor of a new folder gets it."""
    think_with(None, _NoWorkers)
    tab, pieces = Tab(folder, prefix), list[bytes]()
    await tab.open()
    for number, address in enumerate(addresses):
        pieces.clear()
        await tab.ask(number, "GET", address, [], b"", lambda *_: None, pieces.append)
    await tab.close()
    return b"".join(pieces)


async def warm_up() -> None:
    """Import and prepare all that pages need, before the memory of this process is kept."""
    with tempfile.TemporaryDirectory() as folder:
        await page_for_nobody(Path(folder), *WARMING)
    gc.collect()


class Tab:
    """The site of one browser, whose data are in a folder."""

    def __init__(self, folder: Path, prefix: str = "") -> None:
        """Open the site below ``prefix``, such as ``/games``. Raises :class:`StoreError`."""
        MultiPartParser.spool_max_size = MAX_UPLOAD  # a thread would write what is longer to a file
        folder.mkdir(parents=True, exist_ok=True)
        self._app = create_app(folder, limits=ALONE)
        self._context = self._app.router.lifespan_context(self._app)
        self._prefix = prefix
        self._kept = folder / "cookies.json"
        self._cookies: dict[str, str] = {}
        with contextlib.suppress(FileNotFoundError, ValueError):
            self._cookies = json.loads(self._kept.read_text())
        self._running: dict[int, asyncio.Task[None]] = {}

    async def open(self) -> None:
        """Open the folder. Raises :class:`StoreError` if it can't be used."""
        await self._context.__aenter__()

    async def close(self) -> None:
        """Close the site."""
        await self._context.__aexit__(None, None, None)

    async def ask(
        self,
        number: int,
        method: str,
        address: str,
        headers: Sequence[Sequence[str]],
        body: bytes,
        begin: Begin,
        give: Give,
    ) -> None:
        """Answer a request. It ends early when :meth:`cancel` is called with its number."""
        scope = self._scope(method, address, headers)
        task = asyncio.create_task(self._answer(scope, body, begin, give))
        self._running[number] = task
        try:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        finally:
            del self._running[number]

    def cancel(self, number: int) -> None:
        """End a response that nobody reads any more."""
        if number in self._running:
            self._running[number].cancel()

    async def _answer(self, scope: Scope, body: bytes, begin: Begin, give: Give) -> None:
        left = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def receive() -> Any:
            return left.pop() if left else await asyncio.Event().wait()

        marked_up = False

        async def send(message: Any) -> None:
            nonlocal marked_up
            if message["type"] == "http.response.start":
                got = [
                    (name.decode().lower(), value.decode()) for name, value in message["headers"]
                ]
                marked_up = dict(got).get("content-type", "").startswith(MARKED_UP)
                begin(message["status"], list(self._headers(got)))
            elif piece := message.get("body"):
                give(self._moved(piece) if marked_up else piece)

        await self._app(scope, receive, send)

    def _scope(self, method: str, address: str, headers: Sequence[Sequence[str]]) -> Scope:
        path, _, query = address.partition("?")
        sent = [(name.lower().encode(), value.encode()) for name, value in headers]
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [*sent, (b"host", HOST.encode()), (b"cookie", cookies.encode())],
            "client": (HOST, 1),
            "server": (HOST, 80),
            "state": {},
        }

    def _headers(self, headers: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        for name, value in headers:
            if name == "set-cookie":
                self._keep(value)
            elif name in ("location", "hx-redirect") and value.startswith("/"):
                yield name, f"{self._prefix}{value}"
            elif name == "content-security-policy":
                yield name, value.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
            elif name != "content-length":
                yield name, value

    def _moved(self, piece: bytes) -> bytes:
        """Return a piece of a page whose links lead below the prefix."""
        return LINK.sub(rb"\1" + self._prefix.encode() + b"/", piece) if self._prefix else piece

    def _keep(self, header: str) -> None:
        """Keep or forget the cookie of a response."""
        for name, cookie in SimpleCookie(header).items():
            if cookie["max-age"] == "0" or not cookie.value:
                self._cookies.pop(name, None)
            else:
                self._cookies[name] = cookie.value
        new = self._kept.with_suffix(".new")  # half a file would be another visitor
        new.write_text(json.dumps(self._cookies))
        new.replace(self._kept)
