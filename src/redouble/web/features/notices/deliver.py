"""A program that sends messages to addresses of people's choice, and to nothing else.

It runs apart from the server, because it checks each connection of its process: before any socket
connects, whichever library opened it, Python tells the hook here which address it connects to.
That is a number by then, so no name, redirect or way to write a number gets past it. Only public
addresses that aren't this machine's are let through.

It reads a JSON object a line from standard input: first what else may be reached, then messages and
the numbers of those that take too long. It writes a line ``NUMBER sent|gone|failed`` for each
message. Each is sent by its own thread, so none waits for another.
The one exception is mail: it goes through the server that the operator has named, wherever it is.
"""

from __future__ import annotations

import base64
import contextlib
import io
import ipaddress
import json
import socket
import sys
import threading
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

MAX_MEMORY = 1 << 30
"""Bytes of memory, at most."""
MAX_STACK = 1 << 19
"""Bytes that a thread may use for calls."""
MAX_SECONDS = 600
"""Seconds of processor time."""
MAX_ANSWER = 1 << 16
"""Bytes that are read of an answer, where it says whether the message was taken."""
ANSWERED = ("matrixs", "slack", "tgram")
"""Services of Apprise whose answers say that. For the others, the status is enough."""
PAUSE_SECONDS = 10.0
"""How long a push service may be silent."""
NOT_PUBLIC = tuple(
    ipaddress.ip_network(one)
    for one in ("192.0.0.0/24", "192.88.99.0/24", "64:ff9b:1::/48", "fec0::/10", "::/96")
)
"""What Python's tables call public in some versions."""
TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
"""IPv6 addresses that stand for IPv4 ones at a translator of the network."""
_STARTS = ("subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "pty.")
"""Events of a process that starts another one, which would be unchecked."""
_here = threading.local()
_writing = threading.Lock()


class Unreachable(OSError):
    """A connection that messages may not make."""


@dataclass
class Sending:
    """A message while it is sent: its connections, which can be cut."""

    reads: bool = False
    """Whether its answers are read."""
    stopped: bool = False
    connections: list[socket.socket] = field(default_factory=list)

    def connect(self, sock: socket.socket) -> None:
        """Note a connection that is about to be made."""
        if self.stopped:
            raise Unreachable("this message has taken too long")
        self.connections.append(sock.dup())  # encryption takes over the one given

    def stop(self) -> None:
        """Cut the connections of a message that takes too long."""
        self.stopped = True
        for one in self.connections:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Forget the connections."""
        for one in self.connections:
            one.close()


def is_public(text: str) -> bool:
    """Return whether an address, which has to be a number, is one of the public internet."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:  # a name, which would be looked up after the check
        return False
    if isinstance(address, ipaddress.IPv6Address):
        if address.scope_id:
            return False
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if inner is None and address in TRANSLATED:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(f"{inner}")
    if any(address in one for one in NOT_PUBLIC):
        return False
    odd = address.is_multicast or address.is_reserved or address.is_unspecified
    return address.is_global and not odd


def is_own(text: str, family: int) -> bool:
    """Return whether an address is this machine's: then packets to it would come from it."""
    with contextlib.closing(socket.socket(family, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect((text, 9))  # sends nothing
        except OSError:
            return False
        return bool(probe.getsockname()[0] == text)


def check_peer(sock: socket.socket, peer: Any, also: Collection[tuple[str, int]]) -> None:
    """Raise :class:`Unreachable` unless a socket may connect there; ``also`` may be, too."""
    if sock.family not in (socket.AF_INET, socket.AF_INET6) or not isinstance(peer, tuple):
        raise Unreachable("only connections to the internet are made")
    host, port = peer[:2]
    if (host, port) in also:
        return
    if not isinstance(host, str) or not is_public(host):
        raise Unreachable("this isn't a public address")
    _here.checking = True
    try:
        if is_own(host, sock.family):
            raise Unreachable("this is the server's own address")
    finally:
        _here.checking = False


def guard(also: Collection[tuple[str, int]]) -> None:
    """Check every connection of this process from now on; that can't be undone."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
            if not getattr(_here, "checking", False):
                if not getattr(_here, "trusted", False):
                    check_peer(arguments[0], arguments[1], also)
                if event == "socket.connect" and hasattr(_here, "sending"):
                    _here.sending.connect(arguments[0])
        elif event.startswith(_STARTS):
            raise Unreachable("no other program is started")

    sys.addaudithook(hook)


def read_little() -> None:
    """Let no answer be read further than it is needed; it could be endless, or come in drips."""
    from requests import PreparedRequest, Response, adapters, sessions

    class Adapter(adapters.HTTPAdapter):
        def send(self, request: PreparedRequest, *arguments: Any, **options: Any) -> Response:
            response = super().send(request, *arguments, **options | {"stream": True})
            with contextlib.closing(response.raw) as raw:
                reads = _here.sending.reads
                response.raw = io.BytesIO(raw.read(MAX_ANSWER, True) if reads else b"")
            return response

    vars(sessions)["HTTPAdapter"] = Adapter  # which every session then takes


def outcome(status: int) -> str:
    """Return what the status of a push service's answer means."""
    if status in (404, 410):
        return "gone"
    return "sent" if 200 <= status < 300 else "failed"


def push(job: dict[str, Any]) -> str:
    """Send what is encrypted for a browser to its push service."""
    import requests

    with requests.Session() as session:
        session.trust_env = False
        answer = session.post(
            job["url"],
            base64.b64decode(job["data"]),
            headers=job["headers"],
            timeout=PAUSE_SECONDS,
            allow_redirects=False,
        )
    return outcome(answer.status_code)


def send(job: dict[str, Any]) -> str:
    """Send a message, and return what became of it."""
    if "url" in job:
        return push(job)
    import apprise
    from apprise.plugins.email import NotifyEmail

    asset = apprise.AppriseAsset(
        app_id="Redouble", app_desc="Redouble", app_url="", http_redirects=False,
        storage_mode="memory",
    )  # fmt: skip
    service: Any = None
    mail: Any = NotifyEmail  # its functions have no types
    if not job["mail"]:
        service = apprise.Apprise.instantiate(job["to"], asset=asset, suppress_exceptions=True)
    elif parsed := mail.parse_url(job["mail"]):
        stop = {"List-Unsubscribe": f"<{job['stop']}>"}
        stop["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        parsed |= {"targets": [job["to"]], "headers": stop, "format": "text"}
        service = mail(**parsed, asset=asset)
        _here.trusted = True  # the host is the operator's choice, and mail knows no redirects
    taken = service and service.notify(body=job["body"], title=job["title"], body_format="text")
    return "sent" if taken else "failed"


def work(number: int, job: dict[str, Any], sending: Sending) -> None:
    """Send a message in its thread, and write what became of it."""
    _here.sending = sending
    sending.reads = job.get("to", "").startswith(ANSWERED)
    became = "failed"
    with contextlib.suppress(Exception):  # whatever a library doesn't expect
        became = send(job)
    sending.close()
    with _writing:
        print(number, became, flush=True)


def main() -> None:
    """Send the messages of standard input until it ends."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # systems that can't
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    threading.stack_size(MAX_STACK)
    guard({(host, port) for host, port in json.loads(sys.stdin.readline())})
    read_little()
    messages: dict[int, Sending] = {}

    def one(number: int, job: dict[str, Any]) -> None:
        work(number, job, messages[number])
        del messages[number]

    for line in sys.stdin:
        number, job = json.loads(line)
        if job is not None:
            messages[number] = Sending()
            threading.Thread(target=one, args=(number, job), daemon=True).start()
        elif late := messages.get(number):
            late.stop()


if __name__ == "__main__":
    main()
