"""What a server tells its operator: log lines with the number of their request, and one for each.

A line never holds a token or a person: it names the route of a request, and not its address, since
whoever has a table's address can open it.
"""

import json
import logging
import secrets
import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from redouble.web.watchers import Watcher

REQUEST_HEADER = "X-Request-Id"
UNKNOWN = "unknown"
"""Stands for the route of a request that has none."""
METHODS, OTHER = {"GET", "HEAD", "POST", "OPTIONS"}, "other"
"""The methods that are named, and what stands for the others: anybody can send any."""
_request: ContextVar[str] = ContextVar("request", default="")
_access = logging.getLogger("redouble.access")
# It warns of each odd byte of a form, of which any client can send millions; the answer says so.
logging.getLogger("python_multipart").setLevel(logging.ERROR)


@dataclass
class Journal:
    """Middleware that numbers requests, and tells a ``watcher`` how each ended."""

    app: ASGIApp
    watcher: Callable[[Scope], Watcher]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        number = secrets.token_hex(8)
        _request.set(number)  # the server runs each request in a task of its own
        begun, answered = time.perf_counter(), False

        def note(status: int) -> None:
            nonlocal answered
            answered = True
            seconds = time.perf_counter() - begun
            method = scope["method"] if scope["method"] in METHODS else OTHER
            self.watcher(scope).answered(method, route_of(scope), status, seconds)

        async def numbered(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[REQUEST_HEADER] = number
                note(message["status"])
            await send(message)

        try:
            await self.app(scope, receive, numbered)
        except Exception:
            if not answered:
                note(500)  # the answer is made outside of here
            raise


def request_number() -> str:
    """Return the number of the request that is being served."""
    return _request.get()


def route_of(scope: Scope) -> str:
    """Return the pattern of a request's address, without what stands in its place."""
    route = getattr(scope.get("route"), "path", "")
    if route:
        return str(route)
    return "/static" if scope["path"].startswith("/static/") else UNKNOWN


class RequestLog(Watcher):
    """Logs each request that has been answered."""

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        _access.info(
            "%s %s %d", method, route, status,
            extra={"method": method, "route": route, "status": status,
                   "milliseconds": round(1000 * seconds, 1)},
        )  # fmt: skip


class JsonLines(logging.Formatter):
    """Formats log records as lines of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if number := _request.get():
            line["request"] = number
        for name in ("method", "route", "status", "milliseconds"):
            if hasattr(record, name):
                line[name] = getattr(record, name)
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)  # escapes what terminals obey


def log_as_json() -> None:
    """Write all log lines of this process as JSON to standard error, one for each request too."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    for name in ("redouble", "uvicorn"):
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True
    logging.getLogger("redouble").setLevel(logging.INFO)
