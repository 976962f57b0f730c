"""Push messages: who is waited for is told once, in words that only their browser can read."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import http_ece
import pytest
import requests
import sqlalchemy as sa
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.live import live, reminders
from redouble.web.live.reminders import AFTER_SECONDS, is_night
from redouble.web.people.push import PER_PERSON, TRIES, contact, is_known_service
from redouble.web.store import schema
from redouble.web.store.clock import CLOCK
from tests.web.helpers.servers import site_of
from tests.web.helpers.visitors import Visitor, live_at, play, rows, seats_for, stored

QUICK = GAMES["double-down"]
NOON = 1_800_014_400.0
"""A time at which it is noon in UTC, in January of 2027."""


@dataclass
class Browser:
    """A browser's keys and what its push service was sent."""

    name: str = "one"
    key: Any = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    auth: bytes = field(default_factory=lambda: os.urandom(16))

    def form(self, zone: str = "UTC") -> dict[str, Any]:
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {
            "endpoint": f"https://fcm.googleapis.com/{self.name}",
            "p256dh": base64.urlsafe_b64encode(point).decode().rstrip("="),
            "auth": base64.urlsafe_b64encode(self.auth).decode().rstrip("="),
            "zone": zone,
        }

    def read(self, body: bytes) -> dict[str, str]:
        text = http_ece.decrypt(body, private_key=self.key, auth_secret=self.auth)
        found: dict[str, str] = json.loads(text)
        return found


@dataclass
class Service:
    """A push service: what it was sent, and how it answers."""

    status: int = 201
    sent: list[tuple[str, bytes, dict[str, str]]] = field(default_factory=list)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Service:
    found = Service()

    def post(self: requests.Session, url: str, **more: Any) -> requests.Response:
        found.sent.append((url, more["data"], dict(more["headers"])))
        answer = requests.Response()
        answer.status_code = found.status
        return answer

    monkeypatch.setattr(requests.Session, "post", post)
    monkeypatch.setattr(reminders, "BETWEEN_TRIES", 0.0)
    return found


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Set the site's clock so many seconds after noon; tables begin in 1970."""
    monkeypatch.setattr(reminders, "OLDEST_SECONDS", 2 * NOON)
    monkeypatch.setattr(reminders, "is_believed", lambda *_: True)
    monkeypatch.setattr(live, "AWAY_SECONDS", -1.0)  # who hasn't the table open is away at once

    def set_to(seconds: float) -> None:
        monkeypatch.setattr(type(CLOCK), "now", lambda self: NOON + seconds)

    set_to(0)
    return set_to


def look(client: TestClient) -> int:
    assert client.portal is not None
    sent: int = client.portal.call(site_of(client).reminders.look)
    return sent


def waiting_for(client: TestClient, who: Visitor, other: Visitor) -> str:
    """Make a table at which it is a person's turn; its address."""
    for seats in (seats_for(who, other), seats_for(other, who)):
        table = play(client, QUICK, seats, plies=2)
        turn = table.turn
        if turn is not None and table.seats[turn].person == who.person.id:
            return f"/t/{table.header.token}"
    raise AssertionError("it is nobody's turn")


def test_who_is_waited_for_is_told_once_and_nothing_secret(
    client: TestClient, service: Service, clock: Callable[[float], None]
) -> None:
    anna, ben, browser = Visitor(client, "Anna"), Visitor(client, "Ben"), Browser()
    anna.post("/push", 204, **browser.form())
    table = waiting_for(client, anna, ben)
    assert look(client) == 1
    assert look(client) == 0, "a turn is told twice"
    [(url, body, headers)] = service.sent
    assert url == browser.form()["endpoint"]
    assert headers["authorization"].startswith("vapid t=")
    message = browser.read(body)
    assert message == {
        "title": "Your turn in Double Down",
        "body": "At the table with Ben.",
        "url": table,
    }
    key = client.post("/push/key").text
    assert f"k={key}" in headers["authorization"]


def test_a_turn_is_told_by_one_process_and_again_if_that_is_killed(
    client: TestClient, service: Service, clock: Callable[[float], None]
) -> None:
    anna, ben = Visitor(client, "Anna"), Visitor(client, "Ben")
    anna.post("/push", 204, **Browser().form())
    table = waiting_for(client, anna, ben).removeprefix("/t/")
    begun = {
        "token": table,
        "ply": live_at(client, table).table.last_move,
        "person": anna.person.id,
    }
    stored(
        client,
        lambda c: (
            c.execute(sa.insert(schema.reminders).values(begun | {"at": NOON, "sent": False}))
            and None
        ),
    )
    assert look(client) == 0, "another process is sending"
    clock(reminders.AGAIN_SECONDS + 1)
    assert look(client) == 1
    assert look(client) == 0


def test_nobody_is_told_at_night_or_at_once_or_after_stopping(
    client: TestClient,
    service: Service,
    clock: Callable[[float], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    anna, ben = Visitor(client, "Anna"), Visitor(client, "Ben")
    anna.post("/push", 204, **Browser().form("Pacific/Auckland"))  # where it is one in the morning
    waiting_for(client, anna, ben)
    assert look(client) == 0
    clock(8 * 3600)
    monkeypatch.setattr(reminders, "AFTER_SECONDS", 2 * NOON)
    assert look(client) == 0
    monkeypatch.setattr(reminders, "AFTER_SECONDS", AFTER_SECONDS)
    assert "Stop these messages" in anna.get("/me")
    anna.post("/push/stop")
    assert look(client) == 0
    assert not service.sent
    assert "Stop these messages" not in anna.get("/me")


def test_night_is_where_people_are() -> None:
    assert is_night("Pacific/Auckland", NOON)
    assert not is_night("Europe/Berlin", NOON)
    assert not is_night("no/such/place", NOON)
    assert not is_night("../../etc/passwd", NOON)


@pytest.mark.parametrize(("status", "left"), [(410, 0), (404, 0), (500, 1), (302, 1)])
def test_an_address_that_is_gone_or_fails_often_is_forgotten(
    client: TestClient, service: Service, clock: Callable[[float], None], status: int, left: int
) -> None:
    anna, ben = Visitor(client, "Anna"), Visitor(client, "Ben")
    anna.post("/push", 204, **Browser().form())
    waiting_for(client, anna, ben)
    service.status = status
    assert look(client) == 0
    assert rows(client, schema.push_addresses) == left
    assert len(service.sent) == (1 if left == 0 else reminders.TRIES)
    for _ in range(TRIES):
        waiting_for(client, anna, ben)
        look(client)
    assert rows(client, schema.push_addresses) == 0


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://fcm.googleapis.com/x",
        "https://127.0.0.1/x",
        "https://fcm.googleapis.com.evil.example/x",
        "https://evilpush.apple.com.example/x",
        "https://xpush.apple.com/x",
        "https://fcm.googleapis.com:8443/x",
        "https://fcm.googleapis.com@10.0.0.1/x",
        "https://user:word@fcm.googleapis.com/x",
        "https://[::1]/x",
        "https://fcm.googleapis.com:x/",
        "file:///etc/passwd",
        "",
    ],
)
def test_no_message_goes_elsewhere(client: TestClient, endpoint: str) -> None:
    assert not is_known_service(endpoint)
    form = Browser().form() | {"endpoint": endpoint}
    assert "address for messages" in Visitor(client, "Anna").post("/push", 400, **form)


def test_addresses_are_few_sealed_exported_and_deleted(client: TestClient) -> None:
    anna = Visitor(client, "Anna")
    for number in range(PER_PERSON + 2):
        anna.post("/push", 204, **Browser(f"address-{number}").form())
    anna.post("/push", 204, **Browser("address-6").form())
    kept = stored(client, lambda c: c.execute(sa.select(schema.push_addresses)).all())
    assert len(kept) == PER_PERSON
    assert "googleapis" not in str(kept)
    push = site_of(client).reminders.push
    opened = {one.endpoint for row in kept if (one := push.opened(row.sealed))}
    assert opened == {f"https://fcm.googleapis.com/address-{n}" for n in range(2, PER_PERSON + 2)}
    assert len(json.loads(anna.get("/me/export"))["messages"]) == PER_PERSON
    for wrong in ({"auth": "x"}, {"p256dh": "%"}, {"auth": ""}, {"p256dh": "A" * 300}):
        anna.post("/push", 400, **Browser().form() | wrong)
    anna.post("/me/forget", 200, sure="yes")
    assert rows(client, schema.push_addresses) == 0


def test_services_learn_how_to_reach_the_operator() -> None:
    assert contact("Anna, anna@example.org, room 7") == "mailto:anna@example.org"
    assert contact("see https://example.org/us") == "https://example.org/us"
    assert contact("Anna") == "mailto:redouble@localhost"
