"""Messages to addresses of people's choice: none goes into the operator's network."""

from __future__ import annotations

import asyncio
import http.server
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from redouble.kernel.settings import Settings
from redouble.web.errors import WebError
from redouble.web.feature import Letter
from redouble.web.features.notices import deliver
from redouble.web.features.notices.addresses import MAX_CODES, Delivery, addresses
from redouble.web.features.notices.letters import Outgoing
from redouble.web.features.notices.own import EXAMPLE, OwnAddresses, counted_as
from redouble.web.features.notices.reminders import Reminders
from redouble.web.limits import LIMITS
from redouble.web.people.seal import Seal
from redouble.web.server.serve import ServeError, serve
from redouble.web.site import Telling
from tests.web.helpers.servers import sites_of
from tests.web.helpers.visitors import Place, Visitor, in_loop, rows

HOOK = "jsons://hook.example.org/me"
MAIL_SERVER = "mailtos://user:word@example.org"


TELLING = Telling(site_address="https://games.example.org", mail=MAIL_SERVER)


def own(**more: Any) -> OwnAddresses:
    telling = replace(TELLING, **more)
    return OwnAddresses(Seal(["key" * 20]), b"key", lambda: telling)


@pytest.mark.parametrize(
    "address",
    [
        "anna@example.org",
        "tgram://123456789:abcdefg_hijklmnopqrstuvwxyzabcdefghi/-12315544",
        "matrixs://token@matrix.example.org:8448/#room",
        "ntfys://ntfy.sh/my-topic",
        "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js",
        "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/general",
        HOOK,
    ],
)
def test_addresses_of_mail_and_of_services_are_taken(address: str) -> None:
    assert own().checked(f" {address} ") == address
    assert own().checked(EXAMPLE) == EXAMPLE
    digest, sealed = own().sealed("anna", address)
    assert address not in sealed
    assert digest != own().sealed("ben", address)[0]
    assert own().checked(address.replace("example", "EXAMPLE")) == address
    for secret in ("hijklm", "token", "my-topic", "8qBe7", "cOXr", "/me"):
        assert secret not in own().described(sealed)


@pytest.mark.parametrize(
    "address",
    [
        "json://hook.example.org/me",
        "jsons://127.0.0.1/me",
        "jsons://2130706433/me",
        "jsons://0x7f.1/me",
        "jsons://[::1]/me",
        "jsons://localhost/me",
        "jsons://hook.example.org:25/me",
        "jsons://hook.example.org/me?method=GET",
        "jsons://hook.example.org/me#x",
        "jsons://hook.example.org@10.0.0.1/",
        "jsons://hook.example.org\\@10.0.0.1/",
        "jsons://hook.exämple.org/",
        "jsons://hook.example.org/a\\nb",
        "mailtos://user:word@example.org?smtp=10.0.0.1",
        "syslog://local7",
        "file:///etc/passwd",
        "anna@localhost",
        "anna@example.org, ben@example.org",
        "anna@example.org?cc=ben@example.org",
        "matrixs://token@matrix.example.org/#room?discovery=no",
        "",
        "x" * 500,
    ],
)
def test_nothing_else_is(address: str) -> None:
    with pytest.raises(WebError):
        own().checked(address)


def test_mail_with_a_tag_goes_to_the_same_person_and_what_is_left_out_is_kept() -> None:
    assert counted_as("anna+a@example.org") == "anna@example.org"
    assert counted_as(HOOK) == HOOK
    with pytest.raises(WebError):
        own(mail="").checked("anna@example.org")
    with pytest.raises(WebError):
        own(ways=frozenset({"mail"})).checked(HOOK)
    assert not own(site_address="").available
    by = own(ways=frozenset({"mail"}))
    batch = [outgoing(by, HOOK), Outgoing("sealed with another key", Letter("", "", ""), "")]
    assert asyncio.run(by.send(batch)) == [Delivery.OFF, Delivery.GONE]


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0"),
        *("100.64.0.1", "192.0.0.8", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1"),
        *("fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:10.0.0.1", "::7f00:1"),
        *("2002:7f00:1::", "64:ff9b::10.0.0.1", "64:ff9b:1::a00:1", "fec0::1", "2001:db8::1"),
        *("localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", ""),
    ],
)
def test_an_address_of_a_network_is_not_public(address: str) -> None:
    assert not deliver.is_public(address)
    assert deliver.is_public("93.184.215.14")
    assert deliver.is_public("2606:2800:21f:cb07:6820:80da:af6b:8b2c")
    assert deliver.is_public("64:ff9b::93.184.215.14")


@contextmanager
def listening(handler: type[socketserver.BaseRequestHandler]) -> Iterator[int]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join(10)


def outgoing(by: OwnAddresses, address: str) -> Outgoing:
    letter = Letter("Your turn in Double Down", "At the table with @everyone.", "/t/x")
    return Outgoing(by.sealed("anna", address)[1], letter, "/stop/link")


def test_no_connection_leads_into_the_network() -> None:
    heard: list[tuple[str, bytes]] = []

    class Hook(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append((self.path, self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(302 if self.path == "/moved" else 200)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    with listening(Hook) as port:
        by = own()
        hosts = ("127.0.0.1", "localhost", "2130706433", "0x7f000001", "127.1", "0.0.0.0")
        batch = [outgoing(by, f"json://{host}:{port}/x") for host in (*hosts, "[::ffff:127.0.0.1]")]
        assert set(asyncio.run(by.send(batch))) == {Delivery.FAILED}
        assert heard == []
        by.also = [("127.0.0.1", port)]  # as only tests allow
        batch = [outgoing(by, f"json://127.0.0.1:{port}/{path}") for path in ("x", "moved")]
        assert asyncio.run(by.send(batch)) == [Delivery.SENT, Delivery.FAILED]
    assert sorted(path for path, _ in heard) == ["/moved", "/x"]
    assert b"https://games.example.org/stop/link" in heard[0][1]
    assert b"@everyone" not in heard[0][1]


def test_mail_goes_through_the_operators_server() -> None:
    heard: list[str] = []

    class Mail(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 here\r\n")
            within = False
            for raw in self.rfile:
                line = raw.decode().rstrip("\r\n")
                heard.append(line)
                if within and line != ".":
                    continue
                within = line.upper() == "DATA"
                self.wfile.write(b"354 go on\r\n" if within else b"250 fine\r\n")
                if line.upper() == "QUIT":
                    return

    with listening(Mail) as port:
        by = own(mail=f"mailto://127.0.0.1:{port}?from=games@example.org&mode=insecure")
        assert asyncio.run(by.send([outgoing(by, "anna@example.org")])) == [Delivery.SENT]
    text = "\n".join(heard)
    assert "rcpt to:<anna@example.org>" in text.lower()
    assert "Subject: Your turn in Double Down" in text
    assert "List-Unsubscribe: <https://games.example.org/stop/link>" in text


@pytest.fixture
def sent(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """What was sent to addresses."""
    found: list[dict[str, str]] = []

    def run(self: OwnAddresses, jobs: list[dict[str, str]]) -> set[int]:
        found.extend(jobs)
        return set(range(len(jobs)))

    monkeypatch.setattr(OwnAddresses, "_run", run)
    for site in sites_of(client):
        site.telling = TELLING
    return found


def look(client: Place) -> None:
    in_loop(client, sites_of(client)[0].service(Reminders).look)


def test_an_address_gets_a_code_and_nothing_else_before_it_is_entered(
    client: TestClient, sent: list[dict[str, str]]
) -> None:
    anna, eve = Visitor(client, "Anna"), Visitor(client, "Eve")
    assert "isn&#39;t an address" in anna.post("/me/messages/address", 400, address="ntfy")
    anna.post("/me/messages/address", address="Anna@example.org")
    assert "sent a code to <b>anna@example.org</b>" in anna.get("/me/messages")
    anna.post("/me/messages", told=["own-turn", "own-summary"])
    for _ in range(2):
        look(client)
    [message] = sent
    code = message["title"].removeprefix("Your code is ")
    assert message["to"] == "anna@example.org"
    assert "https://games.example.org/stop/" in message["body"]
    eve.post("/me/messages/confirm", 400, code=code)
    anna.post("/me/messages/confirm", 400, code="1")
    anna.post("/me/messages/confirm", code=f"{code[:4]} {code[4:]}", zone="Europe/Berlin")
    assert "Messages go to <b>anna@example.org</b>" in anna.get("/me/messages")
    stop = message["stop"].removeprefix("https://games.example.org")
    assert "Stop these messages?" in client.get(stop).text
    assert rows(client, addresses) == 1
    client.cookies.clear()
    assert client.post(stop, data={"List-Unsubscribe": "One-Click"}).status_code == 200
    assert rows(client, addresses) == 0


def test_codes_are_few_and_cannot_be_guessed(anna: Visitor, sent: list[dict[str, str]]) -> None:
    anna.post("/me/messages/address", address=HOOK)
    for _ in range(MAX_CODES + 1):
        anna.post("/me/messages/confirm", 400, code="12345678")
    assert rows(anna, addresses) == 0
    for site in sites_of(anna):
        site.limits = replace(site.limits, codes_to_an_address=LIMITS.codes_to_an_address)
    for number in range(4):
        address = f"victim+{number}@example.org"
        status = 303 if number < 3 else 429
        anna.other("Eve").post("/me/messages/address", status, address=address)


def test_an_operator_leaves_ways_out(anna: Visitor, sent: list[dict[str, str]]) -> None:
    assert EXAMPLE in anna.get("/me/messages")
    for site in sites_of(anna):
        site.telling = replace(TELLING, ways=frozenset({"mail"}))
    assert EXAMPLE not in anna.get("/me/messages")
    assert "An email address." in anna.get("/me/messages")
    for site in sites_of(anna):
        site.telling = Telling(frozenset())
    assert "This server sends no messages" in anna.get("/me/messages")
    for wrong in (
        Settings(messages="smoke"),
        Settings(site_address="ftp://x"),
        Settings(mail="smtp://x"),
    ):
        with pytest.raises(ServeError):
            serve(wrong)
