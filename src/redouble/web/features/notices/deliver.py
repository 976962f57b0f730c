"""A program that sends messages to addresses of people's choice, and to nothing else.

It runs apart from the server, because it checks each connection of its process: before any socket
connects, whichever library opened it, Python tells the hook here which address it connects to.
That is a number by then, so no name, redirect or way to write a number gets past it. Only public
addresses that aren't this machine's are let through.

It reads one JSON object from standard input and writes a line ``NUMBER yes|no`` for each message.
The one exception is mail: it goes through the server that the operator has named, wherever it is.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import resource
import socket
import sys
import threading
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Any

AT_ONCE = 8
"""Messages that are sent at the same time: one that hangs holds up no other."""
MAX_MEMORY = 1 << 30
"""Bytes of memory, at most: what is answered can be endless."""
MAX_SECONDS = 20
"""Seconds of processor time."""
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


class Unreachable(OSError):
    """A connection that messages may not make."""


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
            if not getattr(_here, "checking", False) and not getattr(_here, "trusted", False):
                check_peer(arguments[0], arguments[1], also)
        elif event.startswith(_STARTS):
            raise Unreachable("no other program is started")

    sys.addaudithook(hook)


def send(job: dict[str, str]) -> bool:
    """Send a message, and return whether it was taken."""
    import apprise
    from apprise.plugins.email import NotifyEmail

    asset = apprise.AppriseAsset(
        app_id="Redouble", app_desc="Redouble", app_url="", http_redirects=False,
        storage_mode="memory",
    )  # fmt: skip
    if not job["mail"]:
        service = apprise.Apprise.instantiate(job["to"], asset=asset, suppress_exceptions=True)
        return service is not None and bool(
            service.notify(body=job["body"], title=job["title"], body_format="text")
        )
    mail: Any = NotifyEmail  # its functions have no types
    parsed = mail.parse_url(job["mail"])
    if not parsed:
        return False
    stop = {"List-Unsubscribe": f"<{job['stop']}>"}
    stop["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    parsed |= {"targets": [job["to"]], "headers": stop, "format": "text"}
    _here.trusted = True  # the host is the operator's choice, and mail knows no redirects
    try:
        return bool(
            mail(**parsed, asset=asset).notify(
                body=job["body"], title=job["title"], body_format="text"
            )
        )
    finally:
        _here.trusted = False


def main() -> None:
    """Send the messages of standard input."""
    with contextlib.suppress(ValueError, OSError):  # systems that can't
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    given = json.load(sys.stdin)
    guard({(host, port) for host, port in given["also"]})
    lock = threading.Lock()

    def one(number: int, job: dict[str, str]) -> None:
        sent = False
        with contextlib.suppress(Exception):  # whatever a library doesn't expect
            sent = send(job)
        with lock:
            print(number, "yes" if sent else "no", flush=True)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for number, job in enumerate(given["jobs"]):
            pool.submit(one, number, job)


if __name__ == "__main__":
    main()
