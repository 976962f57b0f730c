"""Connections: how many a client may have, and how long it may take to send a request.

Uvicorn keeps a connection for as long as its client likes to send a request, and as many as there
are. So one client could take all of them with half a request each. Here a connection that is too
much is answered and closed at once, unless one that waits for a request can make way for it. The
others have timers: for the head of a request, for its body, and for reading what is sent.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from redouble.web.gate.throttle import CONNECTION
from redouble.web.limits import Limits, Proxies, Refusals, network_of

RETRY_SECONDS = 10
"""How long a refused client is asked to wait."""
FORWARDED = (b"x-forwarded-for", b"x-forwarded-proto")
"""What a proxy says about its client."""
MAX_TOLD = 10
"""Addresses of which it is logged that their word doesn't count."""
_log = logging.getLogger(__name__)
LINGER_SECONDS = 2.0
"""How long a refused client may take to read why."""
MAX_LINGERING = 64
"""Refused connections that wait for that; the others are closed at once."""


@dataclass(frozen=True)
class Refusal:
    """Why a connection isn't served."""

    status: HTTPStatus
    text: str
    logged: str


FULL = Refusal(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "The server is full: try again in a few seconds.",
    "a connection: the server is full",
)
TOO_MANY = Refusal(
    HTTPStatus.TOO_MANY_REQUESTS,
    "There are too many connections from your address: close some pages, then try again.",
    "a connection: the address has too many",
)
SLOW = Refusal(
    HTTPStatus.REQUEST_TIMEOUT,
    "The request took too long to arrive: send it again.",
    "a request that took too long to arrive",
)
LONG_HEAD = Refusal(
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    "The head of the request is too long: delete this site's cookies, or use a shorter address.",
    "a request with too long a head",
)


@dataclass(eq=False)
class Door:
    """Counts the open connections of a server, and lets new ones in or not."""

    limits: Limits
    capacity: int
    proxies: Proxies = field(default_factory=Proxies)
    refusals: Refusals = field(default_factory=Refusals)
    open: int = field(default=0, init=False)
    lingering: int = field(default=0, init=False)
    _by_client: Counter[str] = field(default_factory=Counter, init=False)
    _waiting: defaultdict[str, dict[Connection, None]] = field(
        default_factory=lambda: defaultdict(dict), init=False
    )
    """The connections of each client without a request, the longest waiting first."""
    _told: set[str] = field(default_factory=set, init=False)

    def enter(self, address: str) -> Refusal | None:
        """Count a client's new connection, unless it is refused: then return why.

        One that waits for a request makes way for it. A proxy may have any number, since many
        clients come through it.
        """
        client = network_of(address)
        if self.open >= self.capacity:
            most = max(self._waiting, key=lambda one: len(self._waiting[one]), default="")
            if not self._made_room(most):
                return FULL
        too_many = self._by_client[client] >= self.limits.connections_per_address
        if too_many and address not in self.proxies and not self._made_room(client):
            return TOO_MANY
        self.open += 1
        self._by_client[client] += 1
        return None

    def leave(self, client: str) -> None:
        """Note that a connection that was let in has ended."""
        self.open -= 1
        self._count_out(client)

    def waits(self, connection: Connection) -> None:
        """Note that a connection has no request."""
        self._waiting[connection.owner][connection] = None

    def works(self, connection: Connection) -> None:
        """Note that a connection has a request, or has ended."""
        waiting = self._waiting[connection.owner]
        waiting.pop(connection, None)
        if not waiting:
            del self._waiting[connection.owner]

    def recognize(self, connection: Connection, person: str) -> None:
        """Count a connection for a known person, and no longer for the address they share."""
        full = self._by_client[person] >= self.limits.connections_per_person
        if connection.owner != person and not full:
            self._count_out(connection.owner)
            connection.owner = person
            self._by_client[person] += 1

    def _made_room(self, client: str) -> bool:
        """End a connection of a client that waits, first of all one that has never asked."""
        waiting = self._waiting.get(client, {})
        found = next((one for one in waiting if not one.has_asked), next(iter(waiting), None))
        if found is not None:
            self.refusals.note("to wait longer for a request: others need the connection", client)
            found.make_way()
        return found is not None

    def _count_out(self, client: str) -> None:
        self._by_client[client] -= 1
        if not self._by_client[client]:
            del self._by_client[client]

    def check_forwarded(self, address: str, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Log once for an address that it forwards requests but isn't trusted to.

        Anybody can send such headers, so only the first few addresses are logged.
        """
        if len(self._told) >= MAX_TOLD or address in self._told:
            return
        if any(name in FORWARDED for name, _ in headers) and address not in self.proxies:
            self._told.add(address)
            _log.warning(
                "%s sends X-Forwarded headers, which are ignored: if it is your proxy, add"
                " --trusted-proxy %s",
                address,
                address,
            )


class Stage(Enum):
    """What is expected of a client."""

    NOTHING = "nothing"
    HEAD = "head"
    BODY = "body"


def protocol_of(door: Door) -> type[Connection]:
    """Return the protocol of a server with this door, for Uvicorn."""
    return type("Connection", (Connection,), {"door": door})


class Connection(HttpToolsProtocol):
    """A client's connection, which ends when the client takes too long."""

    door: Door

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stage = Stage.NOTHING
        self.peer = ""
        """The address of the client."""
        self.owner = ""
        """The address or the person that the connection is counted for."""
        self.has_asked = False
        self.logger = _Quiet(self)  # type: ignore[assignment]
        self._admitted = self._refused = False
        self._lingering = False
        self._received = self._began = False
        self._head_bytes = 0
        self._late: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.peer = self.client[0] if self.client else ""
        refusal = self.door.enter(self.peer)
        if refusal is None:
            self._admitted = True
            self.owner = network_of(self.peer)
            self.door.waits(self)
            self._expect(Stage.HEAD)
        else:
            self._turn_away(refusal)

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect(Stage.NOTHING)
        _cancel(self._stalled)
        self._stalled = None
        self._leave()
        if self._lingering:
            self.door.lingering -= 1
        self._lingering = False
        self._refused = True
        super().connection_lost(exc)

    def make_way(self) -> None:
        """End the connection, which has no request, for another one."""
        self._refused = True
        self._leave()
        self.transport.close()

    def recognize(self, person: str) -> None:
        """Note who sends the requests of this connection."""
        if self._admitted:
            self.door.recognize(self, person)

    def _leave(self) -> None:
        if self._admitted:
            self.door.works(self)
            self.door.leave(self.owner)
        self._admitted = False

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        self._received = True
        if self._stage is Stage.NOTHING:
            self._expect(Stage.HEAD)
        going_on, self._began = self._stage is Stage.HEAD, False
        super().data_received(data)
        if going_on and not self._began and self._stage is Stage.HEAD:
            self._count_head(len(data))  # it may be a header without an end

    def on_message_begin(self) -> None:
        self._began = True
        if self._stage is not Stage.HEAD:
            self._expect(Stage.HEAD)
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._count_head(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._stage is Stage.HEAD:  # else a trailer, which nobody has checked
            super().on_header(name, value)
        self._count_head(len(name) + len(value))

    def on_headers_complete(self) -> None:
        self.door.check_forwarded(self.peer, self.headers)
        if not self._refused:
            self.door.works(self)
            self.has_asked = True
            self._expect(Stage.BODY)
            self.scope["state"][CONNECTION] = self
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        if not self._refused:
            self._expect(Stage.NOTHING)
            super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._admitted and self.cycle is not None and self.cycle.response_complete:
            self.door.waits(self)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(self.door.limits.stalled_seconds, self._give_up)

    def resume_writing(self) -> None:
        super().resume_writing()
        _cancel(self._stalled)
        self._stalled = None

    def _expect(self, stage: Stage) -> None:
        _cancel(self._late)
        self._late = None
        if stage is Stage.HEAD:
            self._head_bytes = 0
            self._late = self.loop.call_later(self.door.limits.header_seconds, self._too_late)
        elif stage is Stage.BODY:
            self._late = self.loop.call_later(self.door.limits.body_seconds, self._too_late)
        self._stage = stage

    def _count_head(self, more: int) -> None:
        self._head_bytes += more
        if self._head_bytes > self.door.limits.header_bytes:
            self._refuse(LONG_HEAD)

    def _too_late(self) -> None:
        if self._received:
            self._refuse(SLOW)
        else:  # browsers open connections that they may not need
            self.transport.close()

    def _give_up(self) -> None:
        self.door.refusals.note("to wait longer for a client to read", self.peer)
        self.transport.abort()

    def _refuse(self, refusal: Refusal) -> None:
        """End the connection: with an answer, unless there is one already."""
        if self._refused or self.transport.is_closing():
            return
        self._refused = True
        self.door.refusals.note(refusal.logged, self.peer)
        last = self.cycle
        answered = last is not None and (
            not last.response_complete if self._stage is Stage.HEAD else last.response_started
        )
        if not answered:
            self.transport.write(_response(refusal))
        self.transport.close()

    def _turn_away(self, refusal: Refusal) -> None:
        """Say why, and wait a little: closing at once can lose what was said."""
        self._refused = True
        self.door.refusals.note(refusal.logged, self.peer)
        self.transport.write(_response(refusal))
        if self.door.lingering < MAX_LINGERING and self.transport.can_write_eof():
            self._lingering = True
            self.door.lingering += 1
            self.transport.write_eof()
            self._late = self.loop.call_later(LINGER_SECONDS, self.transport.close)
        else:
            self.transport.close()


class _Quiet(logging.LoggerAdapter[logging.Logger]):
    """Uvicorn's log, but what is wrong with a client's requests is logged once a minute."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection.logger, {})
        self._connection = connection

    @property
    def level(self) -> int:
        """The level of the log, which Uvicorn compares."""
        return self.logger.level

    def warning(self, msg: object, *args: object, **more: object) -> None:
        said = f"{msg}".partition(".")[0].lower()
        self._connection.door.refusals.note(f"a request: {said}", self._connection.peer)

    def process(self, msg: Any, kwargs: Any) -> tuple[Any, Any]:
        return msg, kwargs


def _response(refusal: Refusal) -> bytes:
    body = f"{refusal.text}\n".encode()
    status = refusal.status
    retry = status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
    head = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(body)}",
        *([f"Retry-After: {RETRY_SECONDS}", f"Refresh: {RETRY_SECONDS}"] if retry else []),
        "Cache-Control: no-store",
        "Connection: close",
    ]
    return "\r\n".join([*head, "", ""]).encode() + body


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
