"""What one client may ask of a server, all in one place; ``docs/hosting.md`` lists the same."""

from __future__ import annotations

import hashlib
import ipaddress
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from functools import lru_cache

from redouble.kernel.errors import RedoubleError
from redouble.web.watchers import Watcher

MANY_CLIENTS = 20_000
"""Allowances to remember before those that are complete again are forgotten."""
KEPT_NETWORKS = 4096
"""Addresses whose network is kept, since a client sends many requests."""
QUIET_SECONDS = 60.0
"""Of refusals alike, one in this time is logged, with the number of the others."""
MAX_LOGGED = 1_000
_log = logging.getLogger(__name__)


class LimitError(RedoubleError):
    """A limit was set to something that isn't one."""


@dataclass(frozen=True)
class Rate:
    """How often something may happen: ``count`` times at once, and then evenly over time."""

    count: int
    seconds: int

    def __str__(self) -> str:
        return f"{self.count}/{self.seconds}"


Allowance = tuple[str, str, Rate]
"""The name of a rate, the client who uses it up, and the rate."""
Allowances = list[Allowance]


@dataclass(frozen=True)
class Limits:
    """The limits of a server. An address is an IPv4 address, or a network /64 of IPv6."""

    connections: int = 10_000
    """Open connections; fewer where the machine allows fewer open files."""
    connections_per_address: int = 600
    """Open connections of one address: a browser has about six."""
    connections_per_person: int = 60
    """Open connections of a known person, which don't count for their address."""
    streams_per_address: int = 100
    """Open tables that visitors without a cookie follow live, from one address."""
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
    files_per_address: Rate = Rate(20_000, 20)
    """Static files for one address; further ones count as pages."""
    health_per_address: Rate = Rate(100, 10)
    """Questions of one address how the server is."""
    requests_per_address: Rate = Rate(2000, 20)
    """Requests for pages from visitors without a cookie."""
    requests_per_person: Rate = Rate(1000, 20)
    """Requests for pages of one person."""
    posts_per_address: Rate = Rate(1000, 20)
    """Requests that change something, from visitors without a cookie."""
    posts_per_person: Rate = Rate(400, 20)
    """The same of one person: even a quick program makes fewer moves."""
    work_per_address: Rate = Rate(5000, 20)
    """Milliseconds of processor time for everyone at one address, and for streams none."""
    work_per_person: Rate = Rate(2000, 20)
    """The same for one person, who always has a tenth of it."""
    renderings_per_client: int = 2
    """Long pages, searches and imports of one client that are worked on at the same time."""
    new_tables_per_address: Rate = Rate(120, 60)
    """New tables of visitors without a cookie."""
    new_tables_per_person: Rate = Rate(40, 60)
    """New tables of one person, who may look for a good deal."""
    searches_per_address: Rate = Rate(240, 60)
    """Hints, reviews, and questions to the solver, which all take a search."""
    searches_per_person: Rate = Rate(90, 60)
    """The same for one person: a page that waits for a hint asks every two seconds."""
    uploads_per_address: Rate = Rate(40, 60)
    """Imported games, each of which is played again."""
    uploads_per_person: Rate = Rate(20, 60)
    """The same for one person."""
    new_guests_per_address: Rate = Rate(100, 3600)
    """New guests: a school class, but no flood."""
    new_guests: Rate = Rate(600, 60)
    """New guests from all addresses."""
    wrong_codes: Rate = Rate(10, 60)
    """Wrong codes for linking a device, of one person or, from new visitors, of one address."""
    messages_tried_per_person: Rate = Rate(5, 86_400)
    """Codes that one person has sent to addresses for messages."""
    messages_tried_per_address: Rate = Rate(20, 86_400)
    """The same of everyone at one network address."""
    codes_to_an_address: Rate = Rate(3, 86_400)
    """Codes that one address for messages is sent, whoever asks."""
    tables_per_person: int = 200
    """Unfinished tables that one person hosts or plays at."""
    bot_tables_per_person: int = 5
    """Unfinished tables of bots alone that one person hosts."""
    bot_tables: int = 50
    """Tables at which only bots are playing, whoever hosts them."""
    bot_table_milliseconds: int = 200
    """The least time that bots take for a move where no person plays."""
    searches_waiting: int = 40
    """Hints and questions to the solver that wait for a free core."""
    uploads_waiting: int = 20
    """Imported games that wait to be checked, one at a time."""
    records_per_person: int = 200
    """Imported games of one person."""
    record_bytes: int = 200_000
    """Bytes of an imported game; a game of ten thousand moves has half as many."""
    database_megabytes: int = 20_000
    """Megabytes in the database; beyond, nothing new begins, but games go on."""
    free_megabytes: int = 200
    """Free megabytes on its disk; the same with fewer."""
    guest_days: int = 90
    """Days of absence after which a guest who has left nothing to come back for is forgotten."""
    account_days: int = 1095
    """The same for everyone else, who are notified a month before where they have an address."""
    waiting_table_days: int = 30
    """Days without a change after which a table whose game hasn't begun is deleted."""
    unfinished_table_days: int = 365
    """The same for a game that nobody continues."""
    bot_table_days: int = 7
    """The same for a table of bots alone, also when its game is over."""

    def changed(self, settings: Iterable[str]) -> Limits:
        """Return the limits with settings like ``streams-per-person=50``.

        Raises :class:`LimitError` if one can't be understood.
        """
        names = {field.name.replace("_", "-"): field.name for field in fields(self)}
        found: dict[str, int | Rate] = {}
        for setting in settings:
            name, _, value = setting.partition("=")
            if name not in names:
                raise LimitError(f"there is no limit {name!r}: choose from {', '.join(names)}")
            if isinstance(getattr(self, names[name]), Rate):
                count, slash, seconds = value.partition("/")
                if not slash or not (_is_number(count) and _is_number(seconds)):
                    raise LimitError(f"limit {name}: {value!r} isn't a rate such as 100/60")
                found[names[name]] = Rate(int(count), int(seconds))
            elif not _is_number(value):
                raise LimitError(f"limit {name}: {value!r} isn't a whole number from 1")
            else:
                found[names[name]] = int(value)
        return replace(self, **found)  # type: ignore[arg-type]


def _is_number(text: str) -> bool:
    return text.isdecimal() and 0 < len(text) < 10 and int(text) > 0


OWN = ("requests", "refusals", "files", "work", "share of work")
"""Rates that each server counts on its own, since they are about its own work."""


class Rates:
    """How often each client has done something lately, by a clock that is never set back.

    For each client and rate this keeps one number: when its allowance will be complete again.
    Servers tell each other these numbers through their database, so a client is kept by a digest
    that means nothing without their ``key``: neither an address nor a person is written there.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, key: bytes = b"") -> None:
        self._clock = clock
        self._key = hashlib.sha256(key).digest()
        self._full_at: dict[tuple[str, str], float] = {}
        self._prune_at = MANY_CLIENTS
        self._spent: defaultdict[tuple[str, str], float] = defaultdict(float)

    def wait(self, wanted: Iterable[Allowance]) -> tuple[float, str]:
        """Return how many seconds a client has to wait, and for which rate.

        The time is 0 if there is nothing to wait for.
        """
        now = self._clock()
        waits = ((self._wait(now, one, self._digest(who), rate), one) for one, who, rate in wanted)
        return max(waits, default=(0.0, ""))

    def take(self, wanted: Iterable[Allowance]) -> tuple[float, str]:
        """Return the same as :meth:`wait`; if there is nothing to wait for, count it as done.

        Take before anything is awaited, since others ask meanwhile, and give back what fails.
        """
        wanted = list(wanted)
        seconds, name = self.wait(wanted)
        if seconds <= 0:
            for which, who, rate in wanted:
                self._use(which, self._digest(who), rate.seconds / rate.count)
        return seconds, name

    def give_back(self, wanted: Iterable[Allowance]) -> None:
        """Count what was taken as not done after all."""
        for which, who, rate in wanted:
            self._use(which, self._digest(who), -rate.seconds / rate.count)

    def spend(self, allowance: Allowance, amount: float) -> None:
        """Count what was done, also beyond the rate: then the client waits for longer."""
        which, who, rate = allowance
        self._use(which, self._digest(who), amount * rate.seconds / rate.count)

    def take_spent(self) -> list[tuple[str, str, float]]:
        """Return what clients have used up of their rates since the last call, in seconds.

        Each is a rate, the digest of a client, and the seconds.
        """
        spent, self._spent = self._spent, defaultdict(float)
        return [(which, client, seconds) for (which, client), seconds in spent.items()]

    def add(self, which: str, client: str, seconds: float) -> None:
        """Count what the client of a digest has used up of a rate at another server."""
        now = self._clock()
        self._full_at[which, client] = max(self._full_at.get((which, client), now), now) + seconds
        self._prune(now)

    def _use(self, which: str, client: str, seconds: float) -> None:
        self.add(which, client, seconds)
        if which not in OWN:
            self._spent[which, client] += seconds

    def _digest(self, who: str) -> str:
        return hashlib.blake2b(who.encode(), key=self._key, digest_size=12).hexdigest()

    def _wait(self, now: float, which: str, client: str, rate: Rate) -> float:
        behind = self._full_at.get((which, client), now) - now
        return max(0.0, behind + rate.seconds / rate.count - rate.seconds)

    def _prune(self, now: float) -> None:
        if len(self._full_at) >= self._prune_at:
            self._full_at = {key: at for key, at in self._full_at.items() if at > now}
            self._prune_at = max(MANY_CLIENTS, 2 * len(self._full_at))


LIMITS = Limits()
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@lru_cache(maxsize=KEPT_NETWORKS)
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


class Proxies:
    """The proxies whose word about their clients counts, by address or network.

    Raises :class:`LimitError` for what is neither.
    """

    def __init__(self, trusted: Iterable[str] = ()) -> None:
        try:
            given = [ipaddress.ip_network(one, strict=False) for one in trusted]
        except ValueError as error:
            raise LimitError(f"trusted proxy: {error}") from None
        self._networks = [form for one in given for form in _forms(one)]
        self.addresses = [str(one) for one in self._networks]

    def __contains__(self, address: str) -> bool:
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in self._networks)


def _forms(network: _Network) -> list[_Network]:
    """Return a network with its other form: a server of IPv6 sees IPv4 as ``::ffff:192.0.2.1``."""
    if isinstance(network, ipaddress.IPv4Network):
        mapped = ipaddress.ip_network(f"::ffff:{network.network_address}/{96 + network.prefixlen}")
        return [network, mapped]
    ipv4 = network.network_address.ipv4_mapped
    if ipv4 is None or network.prefixlen < 96:
        return [network]
    return [network, ipaddress.ip_network(f"{ipv4}/{network.prefixlen - 96}")]


class Refusals:
    """Logs what is refused, but not so often that the log itself fills the disk."""

    def __init__(
        self, watcher: Watcher | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._watcher = watcher or Watcher()
        self._clock = clock
        self._logged: dict[tuple[str, str], tuple[float, int]] = {}

    def note(self, what: str, client: str) -> None:
        """Note that a client was refused."""
        self._watcher.refused()
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
