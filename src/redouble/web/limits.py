"""What one client may ask of a server, all in one place; ``docs/hosting.md`` lists the same."""

from __future__ import annotations

import ipaddress
import logging
import resource
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace

from redouble.kernel.errors import RedoubleError

RESERVED_FILES = 128
"""Open files that aren't clients: the database, the compiler, connections that are being refused.
"""
MANY_FILES = 65_536
"""The limit of open files to ask for where the machine has none."""
MIN_CONNECTIONS = 16
QUIET_SECONDS = 60.0
"""Of refusals alike, one in this time is logged, with the number of the others."""
MAX_LOGGED = 1_000
_log = logging.getLogger(__name__)


class LimitError(RedoubleError):
    """A limit was set to something that isn't one."""


@dataclass(frozen=True)
class Limits:
    """The limits of a server. An address is an IPv4 address, or a network /64 of IPv6."""

    connections: int = 10_000
    """Open connections; fewer where the machine allows fewer open files."""
    connections_per_address: int = 200
    """Open connections of one address: a browser has about six."""
    streams_per_address: int = 100
    """Open tables that are followed live, from one address."""
    streams_per_person: int = 30
    """Open tables that one person follows live."""
    header_seconds: int = 10
    """Seconds for sending the head of a request, from the start of the connection or request."""
    body_seconds: int = 60
    """Seconds for sending the body of a request."""
    stalled_seconds: int = 30
    """Seconds in which a client may read nothing of what it is being sent."""
    header_bytes: int = 32_768
    """Bytes in the head of a request."""

    def changed(self, settings: Iterable[str]) -> Limits:
        """Return the limits with settings like ``streams-per-person=50``.

        Raises :class:`LimitError` if one can't be understood.
        """
        names = {field.name.replace("_", "-"): field.name for field in fields(self)}
        found: dict[str, int] = {}
        for setting in settings:
            name, _, value = setting.partition("=")
            if name not in names:
                raise LimitError(f"there is no limit {name!r}: choose from {', '.join(names)}")
            if not value.isdecimal() or not 0 < len(value) < 10 or not int(value):
                raise LimitError(f"limit {name}: {value!r} isn't a whole number from 1")
            found[names[name]] = int(value)
        return replace(self, **found)


LIMITS = Limits()


def network_of(address: str) -> str:
    """Return what is counted as one client: an IPv4 address, or the /64 network of an IPv6 one."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))


def raise_open_files() -> int:
    """Raise this process's limit of open files as far as it may, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MANY_FILES if hard == resource.RLIM_INFINITY else hard
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        except (OSError, ValueError) as error:
            _log.warning("at most %d files can be open: %s", soft, error)
    return MANY_FILES if soft == resource.RLIM_INFINITY else soft


def capacity(limits: Limits, open_files: int) -> int:
    """Return how many connections can be open at once."""
    return min(limits.connections, max(open_files - RESERVED_FILES, MIN_CONNECTIONS))


class Refusals:
    """Logs what is refused, but not so often that the log itself fills the disk."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._logged: dict[tuple[str, str], tuple[float, int]] = {}

    def note(self, what: str, client: str) -> None:
        """Note that a client was refused."""
        now, key = self._clock(), (what, client)
        at, more = self._logged.get(key, (now - QUIET_SECONDS, 0))
        if now - at < QUIET_SECONDS:
            self._logged[key] = (at, more + 1)
            return
        if len(self._logged) >= MAX_LOGGED:
            self._logged = {
                one: said for one, said in self._logged.items() if now - said[0] < QUIET_SECONDS
            }
            if len(self._logged) >= MAX_LOGGED:
                return
        self._logged[key] = (now, 0)
        _log.warning("%s: refused %s%s", client, what, f", and {more} times before" * bool(more))
