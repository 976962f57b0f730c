"""What one client may ask of a server, and what it is told when that is too much."""

import asyncio
import contextlib
import gc
import http.client
import json
import re
import resource
import socket
import threading
import time
import weakref
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from http import HTTPStatus
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

import redouble
from redouble.contract.registry import GAMES
from redouble.web import limits as limits_module
from redouble.web.errors import Busy, TooMuch
from redouble.web.features.study.saved import records
from redouble.web.gate import throttle
from redouble.web.gate.connections import (
    FULL,
    MAX_LINGERING,
    TOO_MANY,
    Connection,
    Door,
    protocol_of,
)
from redouble.web.limits import (
    LIMITS,
    LimitError,
    Limits,
    Proxies,
    Rate,
    Rates,
    Refusals,
    network_of,
)
from redouble.web.server.tuning import MANY_FILES, capacity, raise_open_files
from redouble.web.site import Site as RealSite
from redouble.web.store import schema
from redouble.web.table.talk import CHAT_BURST
from redouble.web.thinking.pools import Pool, Streams
from redouble.web.visitor import costs
from tests.helpers.places import ROOT
from tests.helpers.tables import play_on
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.server import port_of, process
from tests.web.helpers.servers import counted_alone, counted_later, create_app, site_of
from tests.web.helpers.visitors import Visitor, in_loop, mark_of, rows

HOSTING = ROOT / "docs" / "hosting.md"
GAME = next(iter(GAMES))
HALF = b"GET / HTTP/1.1\r\nHost: x\r\n"


def test_every_limit_is_documented_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| ([^|]+?) \|", HOSTING.read_text("utf-8"), re.M))
    assert rows == {
        field.name.replace("_", "-"): _shown(getattr(LIMITS, field.name))
        for field in fields(LIMITS)
    }


def _shown(value: int | Rate) -> str:
    return str(value) if isinstance(value, Rate) else f"{value:,}"


def test_limits_are_changed_by_name() -> None:
    changed = LIMITS.changed(["streams-per-person=3", "new-guests-per-address=5/60"])
    assert changed == Limits(streams_per_person=3, new_guests_per_address=Rate(5, 60))
    assert LIMITS.changed([]) == LIMITS


@pytest.mark.parametrize(
    "setting",
    ["", "streams", "streams-per-person", "header_seconds=1"]
    + [f"header-seconds={number}" for number in ("", "0", "-1", "1.5", "1/2", "9999999999")]
    + [f"new-guests-per-address={rate}" for rate in ("", "1", "/", "1/", "0/1", "1/0", "1/2/3")],
)
def test_a_setting_that_is_none_is_refused(setting: str) -> None:
    with pytest.raises(LimitError):
        LIMITS.changed([setting])


def test_addresses_of_one_client_are_counted_together() -> None:
    assert network_of("192.0.2.1") != network_of("192.0.2.2")
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1")
    assert network_of("2001:db8::1") != network_of("2001:db8:0:1::1")
    assert network_of("::ffff:192.0.2.1") == "192.0.2.1"
    assert network_of("fe80::1%eth0") == network_of("fe80::2")
    assert network_of("testclient") == "testclient"


def test_the_limit_of_open_files_is_raised_and_leaves_room_for_the_database(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, both: asked.append(both))
    for soft, hard, got in [
        (256, 4096, 4096),
        (4096, 4096, 4096),
        (256, resource.RLIM_INFINITY, MANY_FILES),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, MANY_FILES),
    ]:
        monkeypatch.setattr(resource, "getrlimit", lambda _, both=(soft, hard): both)
        assert raise_open_files() == got
    assert asked == [(4096, 4096), (MANY_FILES, resource.RLIM_INFINITY)]
    assert capacity(LIMITS, 1024) < 1024
    assert capacity(LIMITS, 10**6) == LIMITS.connections
    assert capacity(LIMITS, 0) > 0


def test_a_door_lets_in_as_many_as_there_is_room_for() -> None:
    door = Door(Limits(connections_per_address=3), capacity=5, proxies=Proxies(["10.0.0.0/31"]))
    assert [door.enter("a") for _ in range(4)] == [None, None, None, TOO_MANY]
    assert [door.enter("10.0.0.1"), door.enter("b"), door.enter("c")] == [None, None, FULL]
    door.leave("a")
    assert [door.enter("b"), door.enter("b")] == [None, FULL]
    for client in ("a", "a", "b", "b", "10.0.0.1"):
        door.leave(client)
    assert [door.enter("10.0.0.1") for _ in range(5)] == [None] * 5


def test_refusals_are_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    refusals = Refusals(clock=lambda: now)
    for _ in range(100):
        refusals.note("a guest", "192.0.2.1")
    refusals.note("a guest", "192.0.2.2")
    now = limits_module.QUIET_SECONDS
    refusals.note("a guest", "192.0.2.1")
    assert [one.getMessage() for one in caplog.records] == [
        "192.0.2.1: refused a guest",
        "192.0.2.2: refused a guest",
        "192.0.2.1: refused a guest, and 99 times before",
    ]
    for number in range(5_000):
        refusals.note("a guest", f"{number}")
    assert len(caplog.records) <= 3 + limits_module.MAX_LOGGED


# Connections. The clock of these tests is a loop whose timers are called by hand.


@dataclass(eq=False)
class Timer:
    at: float
    call: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


class Clock:
    """An event loop that only keeps timers."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[Timer] = []

    def call_later(self, seconds: float, call: Callable[[], None]) -> Timer:
        self.timers.append(Timer(self.now + seconds, call))
        return self.timers[-1]

    def create_task(self, work: Coroutine[Any, Any, None]) -> Future[None]:
        """A task that is never run."""
        work.close()
        return Future()

    def go(self, seconds: float) -> None:
        self.now += seconds
        for timer in [one for one in self.timers if one.at <= self.now]:
            self.timers.remove(timer)
            if not timer.cancelled:
                timer.call()


class Wire(asyncio.Transport):
    """A transport that keeps what is written."""

    def __init__(self, client: str) -> None:
        super().__init__({"peername": (client, 1), "sockname": ("127.0.0.1", 80)})
        self.sent = b""
        self.ended = False

    def write(self, data: Any) -> None:
        self.sent += bytes(data)

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        pass

    def is_closing(self) -> bool:
        return self.ended

    def close(self) -> None:
        self.ended = True

    abort = close

    def pause_reading(self) -> None:
        pass

    resume_reading = pause_reading

    @property
    def status(self) -> int:
        return int(self.sent.split()[1]) if self.sent else 0


class Site:
    """Connections to a server, without a network."""

    def __init__(self, limits: Limits, most: int = 100) -> None:
        from uvicorn import Config
        from uvicorn.server import ServerState

        self.door = Door(limits, most)
        self.clock = Clock()
        self._protocol = protocol_of(self.door)
        self._config = Config(
            app=lambda scope: None, log_config=None, ws="none", proxy_headers=False
        )
        self._state = ServerState()

    def connect(self, client: str = "192.0.2.1") -> tuple[Connection, Wire]:
        new = self._protocol(
            config=self._config,
            server_state=self._state,
            app_state={},
            _loop=self.clock,
        )
        wire = Wire(client)
        new.connection_made(wire)
        return new, wire


FEW = Limits(header_seconds=10, body_seconds=60, stalled_seconds=30, connections_per_address=3)


@pytest.mark.parametrize(
    "begun", [b"", b"G", b"GET / HTTP/1.1\r\n", HALF, HALF + b"Cookie: x", b"\r\n"]
)
def test_a_head_that_is_never_finished_ends_the_connection(begun: bytes) -> None:
    site = Site(FEW)
    connection, wire = site.connect()
    for _ in range(9):
        site.clock.go(1)
        connection.data_received(begun[:1])
        begun = begun[1:]
    connection.data_received(begun)
    assert not wire.is_closing()
    site.clock.go(1)
    assert wire.is_closing()
    assert wire.status == (HTTPStatus.REQUEST_TIMEOUT if connection._received else 0)
    connection.connection_lost(None)
    assert site.door.open == 0


def test_a_connection_that_never_sends_is_closed_without_a_word() -> None:
    site = Site(FEW)
    _, wire = site.connect()
    site.clock.go(10)
    assert wire.is_closing()
    assert wire.sent == b""


@pytest.mark.parametrize("length", [b"Content-Length: 9", b"Transfer-Encoding: chunked"])
def test_a_body_that_is_never_finished_ends_the_connection(length: bytes) -> None:
    site = Site(FEW)
    connection, wire = site.connect()
    connection.data_received(b"POST / HTTP/1.1\r\nHost: x\r\n" + length + b"\r\n\r\n1")
    for _ in range(5):
        site.clock.go(10)
        assert not wire.is_closing()
    site.clock.go(10)
    assert wire.is_closing()
    assert wire.status == HTTPStatus.REQUEST_TIMEOUT


def test_a_whole_request_has_no_timer_and_the_next_one_has() -> None:
    site = Site(FEW)
    connection, wire = site.connect()
    connection.data_received(HALF + b"\r\n")
    site.clock.go(1000)  # a stream stays open
    assert not wire.is_closing()
    connection.data_received(b"GET")
    site.clock.go(10)
    assert wire.is_closing()
    assert wire.sent == b""  # it would stand in the middle of the stream


@pytest.mark.parametrize("parts", [1, 2, 50, 40_000])
def test_a_long_head_is_refused_however_it_comes(parts: int) -> None:
    site = Site(FEW)
    connection, wire = site.connect()
    head = HALF + b"X-Long: " + b"x" * 40_000
    head += b"\r\n\r\n" if parts < 3 else b""  # or a header without an end
    step = -(-len(head) // parts)
    for at in range(0, len(head), step):
        connection.data_received(head[at : at + step])
    assert wire.status == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
    assert wire.is_closing()
    assert connection.cycle is None  # nothing reached the application


def test_headers_after_a_body_are_counted_too() -> None:
    site = Site(FEW)
    connection, wire = site.connect()
    connection.data_received(HALF + b"Transfer-Encoding: chunked\r\n\r\n0\r\n")
    for number in range(5_000):
        connection.data_received(b"X-%d: more\r\n" % number)
    assert wire.is_closing()
    assert len(connection.headers) < 4_000


def test_a_client_that_reads_nothing_is_cut_off() -> None:
    site = Site(FEW)
    connection, wire = site.connect()
    connection.data_received(HALF + b"\r\n")
    connection.pause_writing()
    site.clock.go(29)
    connection.resume_writing()
    site.clock.go(29)
    assert not wire.is_closing()
    connection.pause_writing()
    site.clock.go(30)
    assert wire.is_closing()


ASKED = HALF + b"\r\n"
"""A whole request, which is never answered here."""


def asking(site: Site, client: str) -> tuple[Connection, Wire]:
    connection, wire = site.connect(client)
    connection.data_received(ASKED)
    return connection, wire


def test_a_refused_connection_is_told_why_and_counts_for_nothing() -> None:
    site = Site(FEW, most=5)
    here = [asking(site, "192.0.2.1") for _ in range(3 + 2 * MAX_LINGERING)]
    there = [asking(site, "192.0.2.2") for _ in range(3)]
    assert [wire.status for _, wire in here[:3] + there[:2]] == [0] * 5
    assert {wire.status for _, wire in here[3:]} == {HTTPStatus.TOO_MANY_REQUESTS}
    assert there[2][1].status == HTTPStatus.SERVICE_UNAVAILABLE
    assert all(b"\r\nRetry-After: 10\r\n" in wire.sent for _, wire in here[3:] + there[2:])
    assert sum(not wire.is_closing() for _, wire in here[3:]) == MAX_LINGERING
    refused, wire = here[3]
    assert refused.cycle is None
    site.clock.go(2)
    assert wire.is_closing()
    for connection, _ in here + there:
        connection.connection_lost(None)
    assert (site.door.open, site.door.lingering) == (0, 0)
    assert not site.door._waiting
    assert not site.door._by_client


def test_a_connection_without_a_request_makes_way_for_a_new_one() -> None:
    site = Site(FEW, most=5)
    busy, _ = asking(site, "192.0.2.1")
    halves = [site.connect("192.0.2.1") for _ in range(40)]
    for connection, _ in halves:
        connection.data_received(HALF)
    assert [wire.is_closing() for _, wire in halves] == [True] * 38 + [False] * 2
    _, classmate = asking(site, "192.0.2.1")
    assert classmate.status == 0
    assert not busy.transport.is_closing()
    assert site.door.open == 3
    flood = [site.connect(f"192.0.3.{number // 3}") for number in range(40)]
    assert asking(site, "192.0.2.9")[1].status == 0  # on a full server, too
    for connection, _ in flood + halves:
        connection.connection_lost(None)
    assert site.door.open == 3


def test_connections_of_a_known_person_do_not_count_for_their_address() -> None:
    site = Site(replace(FEW, connections_per_person=4))
    mine = [asking(site, "192.0.2.1") for _ in range(3)]
    for connection, _ in mine:
        connection.recognize("person Anna")
    others = [asking(site, "192.0.2.1") for _ in range(4)]
    assert [wire.status for _, wire in others] == [0, 0, 0, HTTPStatus.TOO_MANY_REQUESTS]
    for connection, _ in others[:3]:
        connection.recognize("person Anna")
    assert site.door._by_client == {"person Anna": 4, "192.0.2.1": 2}
    for connection, _ in mine + others:
        connection.connection_lost(None)
    assert not site.door._by_client


def test_a_trailer_is_no_header() -> None:
    site = Site(FEW)
    connection, _ = site.connect()
    head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    trailer = b"Authorization: Bearer x\r\nX-Forwarded-For: 1.2.3.4\r\n"
    connection.data_received(head + b"1\r\na\r\n0\r\n" + trailer + b"\r\n")
    assert connection.cycle is not None
    assert [name for name, _ in connection.cycle.scope["headers"]] == [
        b"host",
        b"transfer-encoding",
    ]


@pytest.mark.parametrize(
    "sent",
    [
        b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
        b"nonsense\r\n\r\n",
    ],
)
def test_odd_requests_do_not_fill_the_log(sent: bytes, caplog: pytest.LogCaptureFixture) -> None:
    site = Site(FEW)
    for _ in range(50):
        connection, _ = site.connect()
        connection.data_received(sent)
        connection.connection_lost(None)
    assert len(caplog.records) <= 2, caplog.messages


# A server.


def get(port: int, source: str = "127.0.0.1") -> int:
    connection = http.client.HTTPConnection(
        "127.0.0.1", port, timeout=30, source_address=(source, 0)
    )
    with contextlib.closing(connection):
        connection.request("GET", "/")
        return connection.getresponse().status


def another_address() -> str:
    """A second address of this machine; macOS has only one."""
    try:
        with socket.socket() as tried:
            tried.bind(("127.0.0.2", 0))
    except OSError:
        return ""
    return "127.0.0.2"


@counted_alone
def test_a_client_with_hundreds_of_half_sent_requests_shuts_nobody_out(tmp_path: Path) -> None:
    limits = ("--limit", "connections-per-address=50", "--limit", "header-seconds=2")
    with (
        process("--port", "0", "--data", str(tmp_path), *limits) as server,
        contextlib.ExitStack() as held,
    ):
        port = port_of(server.first_line())
        begun = time.monotonic()
        for number in range(300):
            half = held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
            with contextlib.suppress(OSError):  # refused already
                half.sendall(HALF if number % 2 else b"")
        if other := another_address():
            assert get(port, other) == 200
        until = begun + 60
        while (status := _tried(port)) != 200:  # as soon as the time of the halves is up
            assert time.monotonic() < until, status
            time.sleep(0.2)


def _tried(port: int) -> int:
    try:
        return get(port)
    except (ConnectionError, http.client.HTTPException):
        return 0


@pytest.mark.thorough
@counted_alone
def test_forty_newcomers_at_one_address_lose_no_file(tmp_path: Path) -> None:
    async def come(address: str) -> None:
        at_once = httpx2.Limits(max_connections=6, keepalive_expiry=2)  # the server ends idle ones
        async with httpx2.AsyncClient(
            base_url=address, limits=at_once, timeout=100, follow_redirects=True
        ) as browser:

            async def ask(method: str, path: str, data: Any = None) -> httpx2.Response:
                """Ask again, as browsers do, where the server was ending the idle connection."""
                with contextlib.suppress(httpx2.RemoteProtocolError):
                    return await browser.request(method, path, data=data)
                return await browser.request(method, path, data=data)

            async def shown(answer: httpx2.Response) -> str:
                assert answer.status_code == 200
                files = set(
                    re.findall(r'(?:src|href)="(/(?:static|games|icons)/[^"]+)', answer.text)
                )
                assert len(files) > 3
                for file in await asyncio.gather(*(ask("GET", file) for file in files)):
                    assert file.status_code == 200
                return answer.text

            home = await shown(await ask("GET", "/"))
            seats = {"seat-0": "me", "seat-1": "friend", "once": mark_of(home)}
            await shown(await ask("POST", "/new/double-down", {"players": "2", **seats}))

    async def main(address: str) -> None:
        await asyncio.gather(*(come(address) for _ in range(40)))

    with process("--port", "0", "--data", str(tmp_path)) as server:
        asyncio.run(main(f"http://127.0.0.1:{port_of(server.first_line())}"))


@counted_alone
def test_a_flood_shuts_no_classmate_out(tmp_path: Path) -> None:
    """Half-sent requests and more pages than allowed, from the address of a school."""
    seats = {"players": "2", "seat-0": "me", "seat-1": "friend"}
    done, refused = threading.Event(), threading.Event()

    def flood() -> None:
        with httpx2.Client(base_url=address, timeout=60) as client:
            while not done.is_set():
                if client.get("/").status_code == TooMuch.status:
                    refused.set()

    limits = ("--limit", "requests-per-address=60/3", "--limit", "work-per-address=1000/10")
    with (
        process("--port", "0", "--data", str(tmp_path), *limits) as server,
        contextlib.ExitStack() as held,
        ThreadPoolExecutor() as threads,
    ):
        port = port_of(server.first_line())
        address = f"http://127.0.0.1:{port}"
        anna, newcomer = (
            held.enter_context(httpx2.Client(base_url=address, timeout=60)) for _ in range(2)
        )
        table = anna.post("/new/double-down", data=seats).headers["location"]
        invite = re.search(r"/join/[\w-]+", anna.get(table).text)
        assert invite
        for _ in range(210):
            half = held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
            half.sendall(HALF)
        floods = [threads.submit(flood) for _ in range(8)]
        try:
            assert refused.wait(60)
            until = time.monotonic() + 60
            for path in ("/", invite[0]):
                while (answer := newcomer.get(path)).status_code != 200:
                    assert answer.status_code == TooMuch.status
                    assert time.monotonic() < until
                    assert "tries again on its own" in answer.text
                    time.sleep(float(answer.headers["refresh"]))
                assert anna.get(table).status_code == 200  # whoever is known, at once
            joined = newcomer.post(invite[0], data={"name": "Ben"})
            assert joined.headers["location"] == table
            assert newcomer.get(table).status_code == 200
        finally:
            done.set()
        for one in floods:
            one.result(30)


def test_a_server_has_the_limits_of_its_options(tmp_path: Path) -> None:
    with process("--data", str(tmp_path), "--limit", "streams=3") as server:
        status, said = server.ended()
        assert status == 2
        assert "there is no limit 'streams': choose from connections," in " ".join(said.split())


# Streams.


def test_streams_are_counted_for_each_client_while_they_are_open() -> None:
    streams = Streams()
    with streams.opened("a", 2):
        with streams.opened("a", 2), pytest.raises(TooMuch), streams.opened("a", 2):
            pass
        with streams.opened("b", 2), streams.opened("a", 2):
            pass
    assert not streams._open


@pytest.fixture
def strict(tmp_path: Path) -> Iterator[TestClient]:
    limits = Limits(streams_per_address=2, streams_per_person=1)
    with TestClient(create_app(tmp_path, limits=limits)) as client:
        yield client


@counted_alone
def test_a_page_and_a_program_are_told_that_too_many_tables_are_open(strict: TestClient) -> None:
    anna = Visitor(strict, "Anna")
    made = strict.post(f"/play/{GAME}", headers=anna._headers(), follow_redirects=False)
    page = made.headers["location"]
    streams, token = site_of(strict).streams, page.removeprefix("/t/")
    site_of(strict).tables.closing.set()  # streams end after their first event
    headers = anna._headers()
    with streams.opened(f"person {person_of(strict)}", 9):
        for path in (f"{page}/stream", f"/api/tables/{token}/stream"):
            refused = strict.get(path, headers=headers)
            assert refused.status_code == 429
            assert int(refused.headers["retry-after"]) > 0
            assert "tables" in refused.text
            assert "content-security-policy" in refused.headers
            assert strict.get(path).status_code == 200  # somebody else at this address
        assert strict.get(page, headers=headers).status_code == 200
    assert strict.get(f"{page}/stream", headers=headers).status_code == 200
    assert not streams._open


def person_of(client: TestClient) -> str:
    (live,) = site_of(client).tables.memory
    return next(seat.person for seat in live.table.seats if seat.person)


# Rates.


def test_a_rate_allows_so_many_at_once_and_then_evenly() -> None:
    now = 100.0
    rates, rate = Rates(lambda: now), Rate(5, 10)
    wanted = [("posts", "a", rate)]
    assert [rates.take(wanted)[0] for _ in range(7)] == [0.0] * 5 + [2.0, 2.0]
    assert rates.take([("posts", "b", rate)])[0] == 0
    now = 102.0
    assert [rates.take(wanted)[0] for _ in range(2)] == [0.0, 2.0]
    now = 1000.0
    assert [rates.take(wanted)[0] for _ in range(6)] == [0.0] * 5 + [2.0]


def test_what_is_refused_by_one_rate_counts_for_none() -> None:
    rates = Rates(lambda: 0.0)
    narrow, wide = ("tables", "a", Rate(1, 60)), ("posts", "a", Rate(2, 20))
    assert rates.take([wide, narrow])[0] == 0
    assert rates.take([wide, narrow]) == (60.0, "tables")
    assert rates.take([wide])[0] == 0
    assert rates.take([wide]) == (10.0, "posts")


def test_clients_who_have_gone_are_forgotten() -> None:
    now = 0.0
    rates = Rates(lambda: now)
    for number in range(3 * limits_module.MANY_CLIENTS):
        rates.take([("posts", f"{number}", Rate(10, 10))])
        now += 1e-3
    assert len(rates._full_at) <= limits_module.MANY_CLIENTS


@counted_later
def test_who_makes_too_many_tables_is_told_to_wait_and_nobody_else(tmp_path: Path) -> None:
    limits = Limits(new_tables_per_person=Rate(2, 6000), new_tables_per_address=Rate(5, 6000))
    with TestClient(create_app(tmp_path, limits=limits), follow_redirects=False) as client:
        anna, ben, cleo = (Visitor(client, name) for name in ("Anna", "Ben", "Cleo"))
        for who, expected in [(anna, 303), (anna, 303), (anna, 429), (ben, 303), (ben, 303)]:
            made = client.post(f"/play/{GAME}", headers=who._headers())
            assert made.status_code == expected
        form = {"game": GAME, "seats": [{"kind": "bot"}, {"kind": "bot"}]}
        refused = client.post("/api/tables", json=form, headers=anna._headers())
        assert refused.status_code == 429
        assert refused.json()["detail"].startswith(
            "you have made many tables in a short time: wait "
        )
        assert 0 < int(refused.headers["retry-after"]) <= 6000
        page = client.post(f"/play/{GAME}", headers=ben._headers())
        assert page.status_code == 429
        assert "You have made many tables in a short time: wait" in page.text
        assert page.headers["content-type"].startswith("text/html")
        assert client.post(f"/play/{GAME}", headers=cleo._headers()).status_code == 303
        found = [client.post(f"/play/{GAME}", headers={"cookie": ""}) for _ in range(6)]
        assert [one.status_code for one in found] == [303] * 5 + [429]  # new visitors
        assert client.get("/", headers=anna._headers()).status_code == 200


@counted_later
def test_guests_are_counted_only_when_they_are_made(tmp_path: Path) -> None:
    limits = Limits(new_guests_per_address=Rate(2, 6000))
    with TestClient(create_app(tmp_path, limits=limits), follow_redirects=False) as client:
        for _ in range(5):  # posts that fail make no guest
            assert client.post("/me/name", data={"name": ""}).status_code == 400
        assert rows(client, schema.people) == 0
        for name in ("Ben", "Anna"):
            client.cookies.clear()
            assert client.post("/me/name", data={"name": name}).status_code == 303
        assert rows(client, schema.people) == 2
        assert client.post("/me/name", data={"name": "Ann"}).status_code == 303
        client.cookies.clear()
        refused = client.post("/me/name", data={"name": "Cleo"})
        assert refused.status_code == 429
        assert "new players" in refused.text
        assert int(refused.headers["retry-after"]) > 0
        assert rows(client, schema.people) == 2
        assert client.post(f"/play/{GAME}").status_code == 303  # doesn't suffer from that flood


def finished(seed: str) -> str:
    match = redouble.new(PAIR, seats=2, seed=seed)
    return str(play_on(match, Random(seed)).record())


Forms = list[tuple[str, dict[str, Any]]]
PAIR = "double-down"
NARROW = Limits(tables_per_person=1, records_per_person=1)


def a_form(anna: Visitor) -> Forms:
    return [(f"/new/{PAIR}", {"seat-0": "me", "seat-1": "bot greedy"})] * 2


def play_now(anna: Visitor) -> Forms:
    return [(f"/play/{PAIR}", {})] * 2


def imported(anna: Visitor) -> Forms:
    return [("/replays", {"text": finished(seed)}) for seed in ("1", "2")]


def codes(anna: Visitor) -> Forms:
    return [("/link", {"code": "AAAAAAAA"})] * (LIMITS.wrong_codes.count + 1)


def chat(anna: Visitor) -> Forms:
    page = anna.post(f"/play/{PAIR}")
    forms = [{"command": "say", "seat": 0, "text": f"{number}"} for number in range(CHAT_BURST + 1)]
    return [(f"{page}/do", form) for form in forms]


@counted_later
@pytest.mark.parametrize("forms", [a_form, play_now, imported, codes, chat])
def test_whoever_reaches_a_limit_is_told_when_to_try_again_and_the_log_tells_who(
    tmp_path: Path, forms: Callable[[Visitor], Forms], caplog: pytest.LogCaptureFixture
) -> None:
    with TestClient(create_app(tmp_path, limits=NARROW), follow_redirects=False) as client:
        anna = Visitor(client, "Anna")
        *first, last = [
            client.post(path, data=form, headers=anna._headers()) for path, form in forms(anna)
        ]
        assert not [one.text for one in first if one.status_code == 429]
        assert last.status_code == 429, last.text
        assert int(last.headers["retry-after"]) > 0
        lines = [one.getMessage() for one in caplog.records if "refused" in one.getMessage()]
        assert len(lines) == 1, lines
        assert re.fullmatch(r"testclient: refused POST: [a-z0-9 ]+", lines[0])


@pytest.mark.parametrize("path", [f"/new/{PAIR}", f"/play/{PAIR}", "/me/name"])
def test_a_server_without_room_says_when_to_try_again_and_logs_it(
    tmp_path: Path, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    limits = replace(ROOMY, database_megabytes=0)
    with TestClient(create_app(tmp_path, limits=limits), follow_redirects=False) as client:
        form = {"seat-0": "me", "seat-1": "bot greedy", "name": "Anna"}
        refused = client.post(path, data=form)
        assert refused.status_code == 503, refused.text
        assert int(refused.headers["retry-after"]) > 0
        assert "keeps as much as it may" in refused.text
        assert "testclient: refused POST: the server keeps as much as it may" in caplog.messages


# Thinking, and what is kept.


def test_uploads_that_are_being_read_are_few(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costs, "MAX_UPLOADS", 0)
    refused = client.post("/api/records", content=b"{")
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "10")
    monkeypatch.setattr(costs, "MAX_UPLOADS", 1)
    assert [client.post("/replays").status_code for _ in range(3)] == [400] * 3


@counted_alone
def test_what_a_refused_request_has_sent_is_freed_at_once(tmp_path: Path) -> None:
    class Sent:
        """What a request sends."""

        async def __call__(self) -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        pass

    app = create_app(tmp_path, limits=replace(ROOMY, requests_per_address=Rate(1, 6000)))
    with TestClient(app) as client:
        assert client.get("/privacy").status_code == 200

        async def refused() -> bool:
            sent = Sent()
            freed = weakref.ref(sent)
            scope = {
                "type": "http", "method": "GET", "path": "/privacy", "query_string": b"",
                "headers": [(b"host", b"x")], "client": ("testclient", 1), "server": ("x", 80),
                "scheme": "http", "http_version": "1.1", "root_path": "", "state": {},
            }  # fmt: skip
            await app(scope, sent, send)
            del sent, scope
            return freed() is None

        gc.disable()
        try:
            assert in_loop(client, refused)
        finally:
            gc.enable()


@counted_alone
def test_imported_games_are_checked_one_at_a_time_and_few_may_wait(tmp_path: Path) -> None:
    limits = replace(ROOMY, uploads_waiting=1)
    with TestClient(create_app(tmp_path, limits=limits)) as client:
        site, free = site_of(client), threading.Event()

        async def checked() -> list[str]:
            waiting = [asyncio.ensure_future(site.imports.run(free.wait, 10)) for _ in range(2)]
            await asyncio.sleep(0)
            with pytest.raises(Busy, match="busy with other imported games"):
                await site.imports.run(str)
            transport = httpx2.ASGITransport(client.app)
            async with httpx2.AsyncClient(transport=transport, base_url="http://x") as one:
                for path in ("/replays", "/api/records"):  # before what was sent is read
                    answer = await one.post(path, content=b"{" * 100)
                    assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")
            free.set()
            return [str(done) for done in await asyncio.gather(*waiting)]

        assert site.imports.threads == 1
        assert in_loop(client, checked) == ["True", "True"]


def test_work_that_waits_too_long_in_the_queue_is_refused_at_once() -> None:
    async def main() -> None:
        pool, go = Pool("test", max_waiting=2), threading.Event()
        try:
            work = [asyncio.ensure_future(pool.run(go.wait)) for _ in range(pool.threads + 2)]
            await asyncio.sleep(0)  # all have begun to wait
            with pytest.raises(Busy) as refused:
                await pool.run(go.wait)
            assert refused.value.retry_after > 0
            await asyncio.to_thread(lambda: None)  # what isn't in the pool needn't wait
            go.set()
            assert all(await asyncio.gather(*work))
            assert await pool.run(len, "abc") == 3
        finally:
            go.set()
            await pool.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": "x" * 900_000}, "the seed is too long: at most 200 characters"),
        ({"seats": ["x" * 501, "y"]}, "a name is too long: at most 500 characters"),
        ({"moves": "x" * 250_000}, "the record is too long: at most 200000 bytes"),
    ],
)
def test_an_imported_game_is_as_long_as_a_game_can_be(
    client: TestClient, changes: dict[str, Any], said: str
) -> None:
    anna = Visitor(client, "Anna")
    seats = ["a"] * GAMES[GAME].usual_seats
    record = {"game": GAME, "rules": GAMES[GAME].version, "seats": seats, "seed": "s", "moves": ""}
    line = json.dumps(record | changes)
    sent = client.post("/api/records", json={"record": line}, headers=anna._headers())
    assert sent.status_code == 400
    assert said in sent.json()["detail"]
    page = client.post("/replays", data={"text": line}, headers=anna._headers())
    assert page.status_code == 400
    assert said in page.text
    assert rows(client, records) == 0


@counted_alone
def test_a_client_that_ignores_refusals_waits_for_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[str] = []

    async def note(site: RealSite, client: str) -> None:
        await slow_down(site, client)
        waited.append(client)

    slow_down = throttle._slow_down
    monkeypatch.setattr(throttle, "_slow_down", note)
    monkeypatch.setattr(throttle, "REFUSALS", Rate(2, 6000))
    monkeypatch.setattr(throttle, "HOLD_SECONDS", 0.2)
    limits = replace(ROOMY, new_guests_per_address=Rate(1, 6000))
    with TestClient(create_app(tmp_path, limits=limits)) as client:
        assert client.post("/api/guests").status_code == 201
        began = time.perf_counter()
        assert [client.post("/api/guests").status_code for _ in range(3)] == [429] * 3
        assert time.perf_counter() - began >= 0.2  # for the third
    assert waited == ["testclient"] * 3
