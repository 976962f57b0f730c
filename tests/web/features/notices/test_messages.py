"""Messages: people are told what they asked for, once, when it is true and they want it."""

from __future__ import annotations

import asyncio
import base64
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import http_ece
import pytest
import requests
import sqlalchemy as sa
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from starlette.testclient import TestClient

from redouble.contract.game import WORK, Game
from redouble.contract.registry import GAMES
from redouble.kernel.rng import seed_words
from redouble.match.match import Reached
from redouble.web.errors import StoreError, WebError
from redouble.web.features.notices import letters, reminders
from redouble.web.features.notices.addresses import PER_PERSON, TRIES
from redouble.web.features.notices.push import Push, contact, is_known_service
from redouble.web.features.notices.reminders import (
    AFTER_SECONDS,
    Reminders,
    is_their_turn,
    letter_about,
)
from redouble.web.features.notices.wishes import FINISHED, INVITED, TURN, WARNED
from redouble.web.features.premoves.premoves import Premove, Premover, set_premoves
from redouble.web.live import live
from redouble.web.store import schema
from redouble.web.store.clock import CLOCK
from redouble.web.table import Seat
from tests.web.helpers.play import Playing, header
from tests.web.helpers.servers import site_of, sites_of
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
    sent: int = client.portal.call(site_of(client).service(Reminders).look)
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
    stop = message.pop("stop")
    assert message == {
        "title": "Your turn in Double Down",
        "body": "At the table with Ben.",
        "url": table,
    }
    key = client.post("/push/key").text
    assert f"k={key}" in headers["authorization"]
    for _ in range(2):  # programs that check links look at them
        assert "Stop these messages?" in client.get(stop).text
    assert rows(client, schema.addresses) == 1
    assert "No more messages" in Visitor(client).post(stop, 200)
    assert "No more messages" in client.get(stop).text
    assert rows(client, schema.addresses) == 0


def test_many_who_look_at_the_same_time_send_one_message(
    client: TestClient, service: Service, clock: Callable[[float], None]
) -> None:
    anna, ben = Visitor(client, "Anna"), Visitor(client, "Ben")
    anna.post("/push", 204, **Browser().form())
    waiting_for(client, anna, ben)

    async def looks() -> list[int]:
        return await asyncio.gather(*(s.service(Reminders).look() for s in 2 * sites_of(client)))

    assert client.portal is not None
    assert sum(client.portal.call(looks)) == 1
    assert sum(client.portal.call(looks)) == 0
    assert len(service.sent) == 1


def test_a_message_is_sent_by_another_process_if_one_is_killed(
    client: TestClient,
    service: Service,
    clock: Callable[[float], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    anna, ben = Visitor(client, "Anna"), Visitor(client, "Ben")
    anna.post("/push", 204, **Browser().form())
    waiting_for(client, anna, ben)
    push = site_of(client).service(Push)
    send = push.send

    async def killed(batch: object) -> None:
        raise WebError("the process is killed between claim and send")

    monkeypatch.setattr(push, "send", killed)
    with pytest.raises(WebError):
        look(client)
    monkeypatch.setattr(push, "send", send)
    assert look(client) == 0, "another process is sending"
    clock(letters.AGAIN_SECONDS + 1)
    assert look(client) == 1
    clock(10 * letters.AGAIN_SECONDS)
    assert look(client) == 0
    assert len(service.sent) == 1


@pytest.mark.parametrize("step", ["find", "address", "send", "settle"])
def test_a_database_that_is_away_for_a_moment_costs_no_message_and_repeats_none(
    client: TestClient,
    service: Service,
    clock: Callable[[float], None],
    monkeypatch: pytest.MonkeyPatch,
    step: str,
) -> None:
    anna, ben = Visitor(client, "Anna"), Visitor(client, "Ben")
    anna.post("/push", 204, **Browser().form())
    waiting_for(client, anna, ben)
    found = site_of(client).service(Reminders)
    failing = {
        "find": (found, "_find"),
        "address": (letters, "address_to"),
        "send": (letters, "claim"),
        "settle": (reminders, "_settle"),
    }[step]

    def away(*_: object, **__: object) -> Any:
        raise StoreError("the database is away")

    with monkeypatch.context() as patched:
        patched.setattr(*failing, away)
        for _ in range(3):
            with pytest.raises(StoreError):
                look(client)
    clock(2 * letters.AGAIN_SECONDS)
    look(client)
    clock(4 * letters.AGAIN_SECONDS)
    assert look(client) == 0
    assert len(service.sent) == 1


def test_nobody_is_told_at_night_or_at_once_or_after_stopping(
    client: TestClient,
    service: Service,
    clock: Callable[[float], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    anna, ben = Visitor(client, "Anna"), Visitor(client, "Ben")
    anna.post("/push", 204, **Browser().form("Pacific/Auckland"))  # where it is one in the morning
    waiting_for(client, anna, ben)
    monkeypatch.setattr(reminders, "AFTER_SECONDS", 2 * NOON)
    assert look(client) == 0
    assert rows(client, schema.letters) == 0
    monkeypatch.setattr(reminders, "AFTER_SECONDS", AFTER_SECONDS)
    assert look(client) == 0
    assert rows(client, schema.letters) == 1
    assert "Stop these messages" in anna.get("/me/messages")
    anna.post("/push/stop")
    clock(12 * 3600)
    assert look(client) == 0
    assert not service.sent
    assert "Stop these messages" not in anna.get("/me/messages")


@pytest.mark.parametrize(("status", "left"), [(410, 0), (404, 0), (500, 1), (302, 1)])
def test_an_address_that_is_gone_or_fails_often_is_forgotten(
    client: TestClient, service: Service, clock: Callable[[float], None], status: int, left: int
) -> None:
    anna, ben = Visitor(client, "Anna"), Visitor(client, "Ben")
    anna.post("/push", 204, **Browser().form())
    waiting_for(client, anna, ben)
    service.status = status
    at = 0.0
    for message in range(TRIES):
        assert rows(client, schema.addresses) == (left if message else 1)
        for pause in (0.0, *letters.PAUSES, 0.0):
            clock(at := at + pause + 1)
            assert look(client) == 0
        assert len(service.sent) == (letters.TRIES * (message + 1) if left else 1)
        waiting_for(client, anna, ben)
    assert rows(client, schema.addresses) == 0


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
    for number in range(PER_PERSON["push"] + 2):
        anna.post("/push", 204, **Browser(f"address-{number}").form())
    anna.post("/push", 204, **Browser("address-6").form())
    kept = stored(client, lambda c: c.execute(sa.select(schema.addresses)).all())
    assert len(kept) == PER_PERSON["push"]
    assert "googleapis" not in str(kept)
    push = site_of(client).service(Push)
    opened = {one.endpoint for row in kept if (one := push.opened(row.sealed))}
    latest = range(2, PER_PERSON["push"] + 2)
    assert opened == {f"https://fcm.googleapis.com/address-{n}" for n in latest}
    exported = json.loads(anna.get("/me/export"))
    assert len(exported["addresses"]) == PER_PERSON["push"]
    assert exported["wishes"]["push"] == ["turn"]
    assert "https://fcm.googleapis.com/address-6" in exported["addresses"][-1]["address"]
    for wrong in ({"auth": "x"}, {"p256dh": "%"}, {"auth": ""}, {"p256dh": "A" * 300}):
        anna.post("/push", 400, **Browser().form() | wrong)
    anna.post("/me/forget", 200, sure="yes")
    assert rows(client, schema.addresses) == 0


def test_services_learn_how_to_reach_the_operator() -> None:
    assert contact("Anna, anna@example.org, room 7") == "mailto:anna@example.org"
    assert contact("see https://example.org/us") == "https://example.org/us"
    assert contact("Anna") == "mailto:redouble@localhost"


def told(service: Service, browser: Browser) -> list[str]:
    """The titles of the messages that a browser got, which are forgotten then."""
    found = [browser.read(body)["title"] for _, body, _ in service.sent]
    service.sent.clear()
    return found


def wish(who: Visitor, *kinds: str, **times: Any) -> Browser:
    """Let a person be told these kinds in a new browser."""
    browser = Browser(who.person.id)
    who.post("/push", 204, **browser.form())
    who.post("/me/messages", told=[f"push-{kind}" for kind in kinds], **times)
    return browser


def slow_table(anna: Visitor, ben: Visitor) -> tuple[str, Visitor, Visitor]:
    """The address of a table with a day for a move, who is on turn there, and who isn't."""
    seats: dict[str, Any] = {"seat-0": "me", "seat-1": "friend"}
    table = anna.post("/new/double-down", players=2, clock="1-day", **seats)
    invite = live_at(anna.client, table).table.header.invite
    ben.post(f"/join/{invite}")
    state = live_at(anna.client, table).table
    assert state.thinking is not None
    first, second = (
        (anna, ben) if state.seats[state.thinking].person == anna.person.id else (ben, anna)
    )
    return table, first, second


@pytest.mark.parametrize(
    ("quiet", "minutes", "left"),
    [
        (("22:00", "22:00"), 18 * 60, "5 h"),
        (("22:00", "08:00"), 20 * 60, "3 h"),
        (("21:00", "11:45"), 9 * 60 - 10, "15 h"),
    ],
)
def test_a_warning_comes_once_and_never_too_late(
    client: TestClient,
    service: Service,
    clock: Callable[[float], None],
    quiet: tuple[str, str],
    minutes: int,
    left: str,
) -> None:
    _, first, second = slow_table(Visitor(client, "Anna"), Visitor(client, "Ben"))
    browser = wish(first, "warned", quiet_from=quiet[0], quiet_until=quiet[1])
    wish(second, "warned")
    clock(minutes * 60 - 60)
    assert look(client) == 0
    clock(minutes * 60 + 60)
    assert look(client) == 1
    assert told(service, browser) == [f"{left} left for your move in Double Down"]
    clock(21 * 3600)
    assert look(client) == 0


def test_a_warning_waits_for_the_end_of_a_pause(
    client: TestClient, service: Service, clock: Callable[[float], None]
) -> None:
    anna, ben = Visitor(client, "Anna"), Visitor(client, "Ben")
    table, first, _ = slow_table(anna, ben)
    browser = wish(first, "warned", quiet_from="00:00", quiet_until="00:00")
    clock(3600)
    assert look(client) == 0
    anna.post(f"{table}/do", command="pause", seat=0)
    ben.post(f"{table}/do", command="agree-to-pause", seat=1)
    clock(18 * 3600 + 60)
    assert look(client) == 0
    ben.post(f"{table}/do", command="end-pause", seat=1)
    clock(34 * 3600)
    assert look(client) == 0
    clock(37 * 3600)
    assert look(client) == 1
    assert "h left for your move" in told(service, browser)[0]


def test_a_turn_that_was_played_meanwhile_is_never_told(
    client: TestClient, service: Service, clock: Callable[[float], None]
) -> None:
    table, first, _ = slow_table(Visitor(client, "Anna"), Visitor(client, "Ben"))
    wish(first, "turn", "warned", quiet_from="11:00", quiet_until="13:00")
    clock(120)
    assert look(client) == 0
    assert rows(client, schema.letters) == 2
    live = live_at(client, table)
    first.post(f"{table}/move", move=live.table.match.legal_moves[0], ply=live.table.ply)
    for hours in (1, 19, 23):
        clock(hours * 3600 + 1)
        assert look(client) == 0
    assert not service.sent


@pytest.mark.parametrize("skew", [0, -30], ids=["at once", "with another clock"])
def test_a_turn_that_follows_the_one_told_before_at_once_is_told(
    client: TestClient, service: Service, clock: Callable[[float], None], skew: int
) -> None:
    table, first, second = slow_table(Visitor(client, "Anna"), Visitor(client, "Ben"))
    wish(first, "turn")
    clock(120)
    assert look(client) == 1
    clock(120 + skew)
    live = live_at(client, table)
    for one in (first, second):
        one.post(f"{table}/move", move=live.table.match.legal_moves[0], ply=live.table.ply)
    assert is_their_turn(live.table, first.person.id)
    clock(120 + AFTER_SECONDS - 30)
    assert look(client) == (1 if skew else 0)
    clock(300)
    assert look(client) == (0 if skew else 1)


@pytest.mark.parametrize("legal", [True, False], ids=["is made", "cannot be made"])
def test_a_turn_at_which_a_move_in_advance_is_late_is_told_only_if_it_cannot_be_made(
    client: TestClient, service: Service, clock: Callable[[float], None], legal: bool
) -> None:
    table, first, _ = slow_table(Visitor(client, "Anna"), Visitor(client, "Ben"))
    wish(first, "turn")
    live, store = live_at(client, table), site_of(client).store
    move = Premove(move=live.table.match.legal_moves[0] if legal else "99")
    seat, person = live.table.thinking or 0, first.person.id
    assert client.portal is not None
    client.portal.call(store.run, lambda c: set_premoves(c, live.table, seat, person, [move]))
    clock(3600)  # after an outage, say: both are due
    assert look(client) == (0 if legal else 1)
    mover = Premover(store, site_of(client).tables, (0.0, 0.0))
    for _ in range(2):
        client.portal.call(mover.look)
    assert (live_at(client, table).table.thinking != seat) is legal
    clock(2 * 3600)
    assert look(client) == 0


def test_a_slow_game_that_ends_is_told_and_a_quick_one_is_not(
    client: TestClient, service: Service, clock: Callable[[float], None]
) -> None:
    anna, ben = Visitor(client, "Anna"), Visitor(client, "Ben")
    browser = wish(anna, "finished")
    table, _, _ = slow_table(anna, ben)
    for one in (ben, anna):
        one.post(f"{table}/do", command="resign")
    assert live_at(client, table).table.over
    play(client, QUICK, seats_for(anna, ben))
    clock(120)
    assert look(client) == 1
    assert told(service, browser) == ["Your game of Double Down is over"]
    assert look(client) == 0


def test_a_friend_and_a_rematch_invite(
    client: TestClient, service: Service, clock: Callable[[float], None]
) -> None:
    anna, ben = Visitor(client, "Anna"), Visitor(client, "Ben")
    before = f"/t/{play(client, QUICK, seats_for(anna, ben)).header.token}"
    browser = wish(ben, "invited")
    wish(anna, "invited")
    for one, other in ((anna, 1), (ben, 0)):
        one.post(f"{before}/do", command="befriend", other=other)
    pair = stored(client, lambda c: c.execute(sa.select(schema.friends.c.id)).scalar_one())
    muted = {"id": "mute", "person": anna.person.id, "muted": ben.person.id}
    stored(client, lambda c: c.execute(sa.insert(schema.mutes).values(muted)) and None)
    ben.post(f"/friends/{pair}/invite")  # which Anna doesn't hear
    anna.post(f"/friends/{pair}/invite")
    anna.post(f"{before}/rematch")
    assert look(client) == 0
    clock(120)
    assert look(client) == 2
    assert sorted(told(service, browser)) == [
        "Anna invites you to Double Down",
        "Anna invites you to Double Down",
    ]
    assert look(client) == 0


def test_deals_of_the_day_and_a_summary_come_at_their_times(
    client: TestClient, service: Service, clock: Callable[[float], None]
) -> None:
    anna, ben = Visitor(client, "Anna"), Visitor(client, "Ben")
    browser = wish(anna, "turn", "summary", "daily", daily_at="13:00", summary_at="14:00")
    waiting_for(client, anna, ben)
    assert look(client) == 0, "a turn waits for the summary"
    for hours in (1, 2):
        clock(hours * 3600 + 1)
        assert look(client) == 1
        assert look(client) == 0
    [deals, summary] = [browser.read(body) for _, body, _ in service.sent]
    assert deals["title"] == "The daily deals wait for you"
    assert summary["title"] == "1 game waits for you"
    assert summary["body"] == "Your turn: Double Down with Ben."
    service.sent.clear()
    clock(24 * 3600)
    day = {"day": "2027-01-16", "game": "double-down", "person": anna.person.id, "begun": NOON}
    tried = {"won": False, "resigned": False, "tried": []}
    stored(client, lambda c: c.execute(sa.insert(schema.dailies).values(day | tried)) and None)
    anna.post("/push/stop")
    wish(anna, "daily", "summary", daily_at="13:00", summary_at="14:00")
    clock(25 * 3600 + 1)
    assert look(client) == 0, "a daily deal was begun"


@pytest.mark.parametrize(
    "form",
    [
        {"quiet_from": "25:00"},
        {"daily_at": "1\u0662:00"},
        {"zone": "../../etc/passwd"},
        {"zone": "Nowhere/City"},
        {"told": "smoke-turn"},
        {"told": "push-cards"},
    ],
)
def test_wishes_are_checked(client: TestClient, form: dict[str, Any]) -> None:
    anna = Visitor(client, "Anna")
    assert "notice" in anna.post("/me/messages", 400, **form)
    assert rows(client, schema.wishes) == 0
    anna.post("/me/messages", zone="Europe/Berlin", told=["push-turn", "push-daily"])
    assert 'value="Europe/Berlin"' in anna.get("/me/messages")


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_words_are_the_same_in_worlds_that_a_seat_cannot_tell_apart(game: Game) -> None:
    seats = game.usual_seats
    playing = Playing(header(game, [Seat(f"P{n}", f"person-{n}") for n in range(seats)]))
    different = 0
    for plies in (3, 6, 12):
        playing.play_on(Random(plies), plies)
        real = playing.table
        if real.over:
            break
        for seat in range(seats):
            state = real.match.seen_by(seat)
            game.rules.determinize(state, seed_words("other"), [0] * WORK)
            twin = real.copy()
            twin.match._here = Reached(game, state)
            different += twin.match.state != real.match.state
            for kind in (TURN, INVITED, FINISHED, WARNED):
                said = [letter_about(kind, one, f"person-{seat}", NOON) for one in (real, twin)]
                assert said[0] == said[1]
    assert different
