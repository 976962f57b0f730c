"""Messages to addresses of people's choice: none goes into the operator's network."""

import asyncio
import html
import json
import re
import socketserver
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

import pytest
import requests
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.kernel.settings import Settings
from redouble.web.errors import WebError
from redouble.web.feature import Letter
from redouble.web.features.notices import deliver, letters, reminders
from redouble.web.features.notices.addresses import MAX_CODES, TRIES, Delivery, addresses
from redouble.web.features.notices.lanes import AT_ONCE, Lane
from redouble.web.features.notices.letters import Outgoing
from redouble.web.features.notices.letters import letters as letter_rows
from redouble.web.features.notices.own import EXAMPLE, OwnAddresses, counted_as
from redouble.web.features.notices.reminders import Reminders
from redouble.web.features.notices.sender import GuardedSender
from redouble.web.features.notices.wishes import CODE
from redouble.web.limits import LIMITS
from redouble.web.people.seal import Seal
from redouble.web.server.serve import ServeError, serve
from redouble.web.site import Telling
from redouble.web.store.clock import CLOCK
from tests.web.helpers.markup import found_in
from tests.web.helpers.servers import site_of, sites_of
from tests.web.helpers.services import Hook, listening, listening_hook
from tests.web.helpers.visitors import Place, Visitor, execute, in_loop, rows, stored

HOOK = "jsons://hook.example.org/me"
MAIL_SERVER = "mailtos://user:word@example.org"


TELLING = Telling(site_address="https://games.example.org", mail=MAIL_SERVER)


def own(sender: GuardedSender | None = None, **more: Any) -> OwnAddresses:
    telling = replace(TELLING, **more)
    return OwnAddresses(Seal(["key" * 20]), b"key", lambda: telling, sender or GuardedSender())


@pytest.fixture
def sender() -> Iterator[GuardedSender]:
    found = GuardedSender()
    yield found
    found.close()


def sent_by(by: OwnAddresses, *batch: Outgoing) -> list[Delivery]:
    async def send() -> list[Delivery]:
        return await asyncio.gather(*map(by.send, batch))

    return asyncio.run(send())


ADDRESSES = (
    "anna@example.org",
    "tgram://123456789:abcdefg_hijklmnopqrstuvwxyzabcdefghi/-12315544",
    "matrixs://token@matrix.example.org:8448/#room",
    "ntfys://ntfy.sh/my-topic",
    "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js",
    "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/general",
    HOOK,
)


@pytest.mark.parametrize("address", ADDRESSES)
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
    batch = [outgoing(by, HOOK), Outgoing("sealed with another key", Letter("", "", "", by=()), "")]
    assert sent_by(by, *batch) == [Delivery.OFF, Delivery.GONE]


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


def outgoing(by: OwnAddresses, address: str) -> Outgoing:
    letter = Letter("Your turn in Double Down", "At the table with @everyone.", "/t/x", by=())
    return Outgoing(by.sealed("anna", address)[1], letter, "/stop/link")


ACTING = {
    "discord": r"(?<!\\)[*_~`|<>#\[\]()]",
    "tgram": r"<(?!/?b>)|<b>x",  # the title is bold
    "slack": "[<>]",
}
"""What is no plain text at a service; the other ones read all text as it is."""
READ: dict[str, Callable[[str], str]] = {
    "discord": lambda text: re.sub(r"\\(.)", r"\1", text),
    **dict.fromkeys(("tgram", "slack"), html.unescape),
}
"""How a service shows what it is sent."""
HOSTILE = (
    *("@everyone", "@here", "<@123>", "<!channel>", "@room", "<b>x</b>", '<a href="x">y</a>'),
    *(
        "[prize](http://evil.example)",
        "<http://evil.example|prize>",
        "tg://user?id=1",
        *("evil.example", "💩.example", "www.evil.example/x", "https://evil.example"),
        "mailto:a@evil.example",
    ),
    *("**b** _i_ `c` ~~s~~ ||x||", "# h", "> q", "&lt;b&gt;", "\\*", ":smile:", "J. R. & Söhne"),
)

CALLED = (
    "@everyone",
    "@here",
    "@room",
    "@123",
    "@evil",
    "://evil",
    "tg://",
    "evil.example",
    "💩.example",
)
"""What would call somebody or be a link."""


@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")  # in Apprise
@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_plain_text_at_every_service(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []

    def request(self: requests.Session, method: str, url: str, **more: Any) -> requests.Response:
        sent.append(str(more.get("data") or more.get("json") or ""))
        answer = requests.Response()
        answer.status_code = 200
        answer._content = b'{"room_id": "!x:y", "user_id": "@a:b"}'
        return answer

    monkeypatch.setattr(requests.Session, "request", request)
    by = own()
    letter = Letter(f"{name} invites you", f"At the table with {name}.", "/t/x", by=())
    mail = by._job(Outgoing("", letter, "/stop/x"), ADDRESSES[0], mail=True)
    assert not any(called in f"{mail}" for called in CALLED)
    for address in ADDRESSES[1:]:
        scheme = address.partition("://")[0]
        job = by._job(Outgoing("", letter, "/stop/x"), address, mail=False)
        deliver.send(dict(job))
        payload = json.loads(sent[-1])
        flat = payload | (payload.get("attachments") or [{}])[0]
        keys = ("title", "body", "text", "content", "message")
        (text,) = {" ".join(f"{flat[key]}" for key in keys if key in flat)}
        said = text.partition(TELLING.site_address)[0]
        assert f"{name} invites you" in READ.get(scheme, str)(said).replace("\u200b", ""), scheme
        assert not re.search(ACTING.get(scheme, "^$"), said), (scheme, said)
        assert not any(called in said for called in CALLED), (scheme, said)


@pytest.fixture
def hook() -> Iterator[type[Hook]]:
    with listening_hook() as found:
        yield found


def test_no_connection_leads_into_the_network(sender: GuardedSender, hook: type[Hook]) -> None:
    by, port = own(sender), hook.port
    hosts = ("127.0.0.1", "localhost", "2130706433", "0x7f000001", "127.1", "0.0.0.0")
    urls = [f"{host}:{port}" for host in (*hosts, "[::ffff:127.0.0.1]", "127.0.0.1\\.example.org")]
    assert set(sent_by(by, *(outgoing(by, f"json://{one}/x") for one in urls))) == {Delivery.FAILED}

    def pushed(*addresses: str) -> list[Delivery]:
        async def send() -> list[Delivery]:
            jobs = ({"url": one, "data": "aGVsbG8=", "headers": {}} for one in addresses)
            return await asyncio.gather(*map(sender.send, jobs))

        return asyncio.run(send())

    assert set(pushed(*(f"http://{one}/x" for one in urls))) == {Delivery.FAILED}
    assert hook.heard == []
    sender.close()
    sender.also = [("127.0.0.1", port)]  # as only tests allow
    batch = [outgoing(by, f"json://127.0.0.1:{port}/{path}") for path in ("x", "moved")]
    assert sent_by(by, *batch) == [Delivery.SENT, Delivery.FAILED]
    here = (f"http://127.0.0.1:{port}/push-{path}" for path in ("x", "moved", "gone"))
    assert pushed(*here) == [Delivery.SENT, Delivery.FAILED, Delivery.GONE]
    heard = dict(hook.heard)
    assert sorted(heard) == ["/moved", "/push-gone", "/push-moved", "/push-x", "/x"]
    assert b"https://games.example.org/stop/link" in heard["/x"]
    assert b"@everyone" not in heard["/x"]
    sender.seconds = 1.0
    assert sent_by(by, outgoing(by, f"json://127.0.0.1:{port}/slow")) == [Delivery.FAILED]
    assert hook.cut.wait(20), "the connection of a message that takes too long isn't cut"


@pytest.mark.parametrize(("slow", "good"), [(1, 19), (8, 12)])
def test_slow_services_hold_up_and_harm_nobody_else(
    anna: Visitor, hook: type[Hook], monkeypatch: pytest.MonkeyPatch, slow: int, good: int
) -> None:
    site = site_of(anna)
    site.telling = TELLING
    by, found = site.service(OwnAddresses), site.service(Reminders)
    site.service(GuardedSender).also = [("127.0.0.1", hook.port)]
    monkeypatch.setattr(reminders, "CLOSING_SECONDS", 0.0)
    paths = [f"slow/{n}" for n in range(slow)] + [f"good/{n}" for n in range(good)]
    urls = [f"json://127.0.0.1:{hook.port}/{path}" for path in paths]
    lanes = {url: Lane("slow" if "slow" in url else url, chosen=True) for url in urls}
    seal = site.service(Seal)
    monkeypatch.setattr(by, "lane", lambda sealed: lanes[seal.open(sealed) or ""])

    def job(connection: sa.Connection) -> None:
        for url in urls:
            row = {"digest": url, "stop": url, "sealed": seal.close(url), "person": anna.person.id}
            more = {"channel": "own", "made": 0.0, "failed": 0, "confirmed": False, "tries": 0}
            connection.execute(sa.insert(addresses).values(row | more))
            now = CLOCK.now()
            letters.queue(connection, CODE, anna.person.id, url, now, now, address=url)

    async def look() -> None:
        waiting: Collection[asyncio.Task[bool]] = await found.begin()
        sent = 0
        while sent < good:  # the slow ones never end
            done, waiting = await asyncio.wait(waiting, return_when="FIRST_COMPLETED")
            sent += sum(one.result() for one in done)
        assert len(waiting) == slow
        found.stop()
        await found.close()

    stored(anna, job)
    in_loop(anna, look)
    kept = stored(anna, lambda c: c.execute(sa.select(letter_rows)).all())
    ends = [(row.tries, row.at is None) for row in kept if "good" in row.about]
    assert ends == [(1, True)] * good
    tries = sum(row.tries for row in kept if "slow" in row.about)
    assert tries == min(slow, AT_ONCE), "a message that wasn't begun is no try"
    assert all(row.at > CLOCK.now() for row in kept if "slow" in row.about)
    assert rows(anna, addresses) == slow + good


def test_what_cannot_be_sent_is_no_try_and_what_is_off_harms_no_address(
    anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for site in sites_of(anna):
        monkeypatch.setattr(site, "telling", TELLING)
    anna.post("/me/messages/address", address=HOOK)
    for became in (Delivery.UNSENT, Delivery.OFF):

        async def send(self: GuardedSender, job: object, became: Delivery = became) -> Delivery:
            return became

        monkeypatch.setattr(GuardedSender, "send", send)
        for _ in range(TRIES + 1):
            execute(anna, sa.update(letter_rows).values(at=0.0, tries=TRIES - 1))
            look(anna)
            [row] = stored(anna, lambda c: c.execute(sa.select(letter_rows)).all())
            assert (row.at is None) is (became is Delivery.OFF)
    [row] = stored(anna, lambda c: c.execute(sa.select(addresses)).all())
    assert row.failed == 0


def test_mail_goes_through_the_operators_server(sender: GuardedSender) -> None:
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
        by = own(sender, mail=f"mailto://127.0.0.1:{port}?from=games@example.org&mode=insecure")
        assert sent_by(by, outgoing(by, "anna@example.org")) == [Delivery.SENT]
    text = "\n".join(heard)
    assert "rcpt to:<anna@example.org>" in text.lower()
    assert "Subject: Your turn in Double Down (games.example.org)" in text
    assert "List-Unsubscribe: <https://games.example.org/stop/link>" in text


@pytest.fixture
def sent(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """What was sent to addresses."""
    found: list[dict[str, str]] = []

    async def send(self: GuardedSender, job: dict[str, str]) -> Delivery:
        found.append(job)
        return Delivery.SENT

    monkeypatch.setattr(GuardedSender, "send", send)
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
    code = found_in(r"Your code is (\d+) \(games\.example\.org\)", message["title"])
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
