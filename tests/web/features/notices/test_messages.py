"""Messages and calendars: people are told what they asked for, once, when it is true."""

import asyncio
import base64
import contextlib
import json
import re
import zoneinfo
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.contract.game import WORK, Game
from redouble.contract.registry import GAMES
from redouble.kernel.rng import seed_words
from redouble.match.match import Reached
from redouble.web.errors import Stale, StoreError, WebError
from redouble.web.feature import CalendarEntry, features_of
from redouble.web.features.daily.tries import dailies
from redouble.web.features.friends.friends import friends
from redouble.web.features.notices import deliver, letters, reminders
from redouble.web.features.notices.addresses import PER_PERSON, TRIES, Delivery
from redouble.web.features.notices.addresses import addresses as address_rows
from redouble.web.features.notices.calendars import written
from redouble.web.features.notices.letters import letters as letter_rows
from redouble.web.features.notices.push import Push, contact, host_of
from redouble.web.features.notices.reminders import (
    AFTER_SECONDS,
    RAN_OUT,
    Reminders,
    is_their_turn,
    letter_about,
)
from redouble.web.features.notices.sender import GuardedSender
from redouble.web.features.notices.wishes import FINISHED, TURN, WARNED, wishes
from redouble.web.features.premoves.premoves import Premove, Premover, set_premoves
from redouble.web.live import live
from redouble.web.people import mutes
from redouble.web.store import schema
from redouble.web.store.clock import CLOCK
from redouble.web.table import Seat
from redouble.web.table.rest import zone_of
from tests.web.helpers.markup import found_in
from tests.web.helpers.play import Playing, header
from tests.web.helpers.servers import site_of, sites_of
from tests.web.helpers.services import Browser
from tests.web.helpers.visitors import (
    Place,
    Visitor,
    befriend,
    circle_of,
    column,
    execute,
    in_loop,
    invitation,
    live_at,
    play,
    rows,
    seats_for,
    stored,
)

SetClock = Callable[[float], None]
QUICK = GAMES["double-down"]
NOON = 1_800_014_400.0
"""A time at which it is noon in UTC, in January of 2027."""


@dataclass
class Service:
    """A push service: what it was sent, and how it answers; and the clock of the site."""

    clock: SetClock
    """Sets the clock so many seconds after noon."""
    status: int = 201
    sent: list[tuple[str, bytes, dict[str, str]]] = field(default_factory=list)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Service:
    """It is noon; tables begin in 1970."""

    async def send(self: GuardedSender, job: Any) -> Delivery:
        found.sent.append((job["url"], base64.b64decode(job["data"]), job["headers"]))
        return Delivery(deliver.outcome(found.status))

    def set_to(seconds: float) -> None:
        monkeypatch.setattr(type(CLOCK), "now", lambda self: NOON + seconds)

    monkeypatch.setattr(GuardedSender, "send", send)
    monkeypatch.setattr(reminders, "OLDEST_SECONDS", 2 * NOON)
    monkeypatch.setattr(live, "AWAY_SECONDS", -1.0)  # who hasn't the table open is away at once
    found = Service(set_to)
    found.clock(0)
    return found


def look(client: Place) -> int:
    sent: int = in_loop(client, site_of(client).service(Reminders).look)
    return sent


def waiting_for(who: Visitor, other: Visitor) -> str:
    """Make a table at which it is a person's turn; its address."""
    for seats in (seats_for(who, other), seats_for(other, who)):
        table = play(who, QUICK, seats, plies=2)
        if table.turn is not None and table.seats[table.turn].person == who.id:
            return f"/t/{table.header.token}"
    raise AssertionError("it is nobody's turn")


@pytest.fixture
def waited_for(anna: Visitor, ben: Visitor) -> Visitor:
    """Anna, for whom Ben waits, and whose browser is told so."""
    anna.post("/push", 204, **Browser().form())
    waiting_for(anna, ben)
    return anna


def test_who_is_waited_for_is_told_once_and_nothing_secret(
    service: Service, client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    browser = Browser()
    anna.post("/push", 204, **browser.form())
    table = waiting_for(anna, ben)
    assert look(client) == 1
    assert look(client) == 0, "a turn is told twice"
    [(url, body, headers)] = service.sent
    assert url == browser.form()["endpoint"]
    assert headers["Authorization"].startswith("vapid t=")
    message = browser.read(body)
    stop = message.pop("stop")
    assert message == {
        "title": "Your turn in Double Down",
        "body": "At the table with Ben.",
        "url": table,
    }
    key = client.post("/push/key").text
    assert f"k={key}" in headers["Authorization"]
    for _ in range(2):  # programs that check links look at them
        assert "Stop these messages?" in client.get(stop).text
    assert rows(client, address_rows) == 1
    assert "No more messages" in Visitor(client).post(stop, 200)
    assert "No more messages" in client.get(stop).text
    assert rows(client, address_rows) == 0


def test_many_who_look_at_once_send_one_message(service: Service, waited_for: Visitor) -> None:

    async def looks() -> list[int]:
        return await asyncio.gather(
            *(s.service(Reminders).look() for s in 2 * sites_of(waited_for))
        )

    assert sum(in_loop(waited_for, looks)) == 1
    assert sum(in_loop(waited_for, looks)) == 0
    assert len(service.sent) == 1


def test_a_message_is_sent_by_another_process_if_one_is_killed(
    service: Service, waited_for: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    push = site_of(waited_for).service(Push)
    send = push.send

    async def killed(batch: object) -> None:
        raise WebError("the process is killed between claim and send")

    monkeypatch.setattr(push, "send", killed)
    with pytest.raises(WebError):
        look(waited_for)
    monkeypatch.setattr(push, "send", send)
    assert look(waited_for) == 0, "another process is sending"
    service.clock(letters.AGAIN_SECONDS + 1)
    assert look(waited_for) == 1
    service.clock(10 * letters.AGAIN_SECONDS)
    assert look(waited_for) == 0
    assert len(service.sent) == 1


@pytest.mark.parametrize("step", ["find", "address", "send", "settle"])
def test_a_database_that_is_away_for_a_moment_costs_no_message_and_repeats_none(
    service: Service, waited_for: Visitor, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    found = site_of(waited_for).service(Reminders)
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
            with contextlib.suppress(StoreError):
                look(waited_for)
    assert len(service.sent) == (step == "settle")
    service.clock(2 * letters.AGAIN_SECONDS)
    look(waited_for)
    service.clock(4 * letters.AGAIN_SECONDS)
    assert look(waited_for) == 0
    assert len(service.sent) == 1


def test_nobody_is_told_at_night_or_at_once_or_after_stopping(
    service: Service, anna: Visitor, ben: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna.post("/push", 204, **Browser().form("Pacific/Auckland"))  # where it is one in the morning
    waiting_for(anna, ben)
    monkeypatch.setattr(reminders, "AFTER_SECONDS", 2 * NOON)
    assert look(anna) == 0
    assert rows(anna, letter_rows) == 0
    monkeypatch.setattr(reminders, "AFTER_SECONDS", AFTER_SECONDS)
    assert look(anna) == 0
    assert rows(anna, letter_rows) == 1
    assert "Stop these messages" in anna.get("/me/messages")
    anna.post("/push/stop")
    service.clock(12 * 3600)
    assert look(anna) == 0
    assert not service.sent
    assert "Stop these messages" not in anna.get("/me/messages")


@pytest.mark.parametrize(("status", "left"), [(410, 0), (404, 0), (500, 1), (302, 1)])
def test_an_address_that_is_gone_or_fails_often_is_forgotten(
    service: Service, anna: Visitor, ben: Visitor, status: int, left: int
) -> None:
    anna.post("/push", 204, **Browser().form())
    waiting_for(anna, ben)
    service.status = status
    at = 0.0
    for message in range(TRIES):
        assert rows(anna, address_rows) == (left if message else 1)
        for pause in (0.0, *letters.PAUSES, 0.0):
            service.clock(at := at + pause + 1)
            assert look(anna) == 0
        assert len(service.sent) == (letters.TRIES * (message + 1) if left else 1)
        waiting_for(anna, ben)
    assert rows(anna, address_rows) == 0


def test_no_message_goes_elsewhere(anna: Visitor) -> None:
    for endpoint in [
        "http://fcm.googleapis.com/x",
        "https://127.0.0.1/x",
        "https://fcm.googleapis.com.evil.example/x",
        "https://evilpush.apple.com.example/x",
        "https://xpush.apple.com/x",
        "https://fcm.googleapis.com:8443/x",
        "https://fcm.googleapis.com@10.0.0.1/x",
        "https://user:word@fcm.googleapis.com/x",
        "https://127.0.0.77\\.fcm.googleapis.com/x",
        "https://127.0.0.1#.fcm.googleapis.com/x",
        "https://127.0.0.1?.fcm.googleapis.com/x",
        "https://127.0.0.1/.fcm.googleapis.com/x",
        "https://127.0.0.1%2f.fcm.googleapis.com/x",
        "https://fcm.googleapis.com/x\n",
        "https://fcm.googleapis.com/x\\@10.0.0.1/",
        "https://fcm.google\tapis.com/x",
        "https://2130706433.1/x",
        "https://[::1]/x",
        "https://[::ffff:127.0.0.1]/x",
        "https://fcm.googleapis.com:x/",
        "file:///etc/passwd",
        "",
    ]:
        assert host_of(endpoint) is None
        form = Browser().form() | {"endpoint": endpoint}
        assert "address for messages" in anna.post("/push", 400, **form)


def test_addresses_are_few_and_sealed(anna: Visitor) -> None:
    for number in range(PER_PERSON["push"] + 2):
        anna.post("/push", 204, **Browser(f"address-{number}").form())
    anna.post("/push", 204, **Browser("address-6").form())
    kept = stored(anna, lambda c: c.execute(sa.select(address_rows)).all())
    assert len(kept) == PER_PERSON["push"]
    assert "googleapis" not in str(kept)
    push = site_of(anna).service(Push)
    opened = {one.endpoint for row in kept if (one := push.opened(row.sealed))}
    latest = range(2, PER_PERSON["push"] + 2)
    assert opened == {f"https://fcm.googleapis.com/address-{n}" for n in latest}
    exported = json.loads(anna.get("/me/export"))["addresses"]
    assert "https://fcm.googleapis.com/address-6" in exported[-1]["address"]
    for wrong in ({"auth": "x"}, {"p256dh": "%"}, {"auth": ""}, {"p256dh": "A" * 300}):
        anna.post("/push", 400, **Browser().form() | wrong)


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


def calendar(one: Visitor) -> str:
    """The address of a person's calendar."""
    return found_in(r'value="http://[^/"]*(/calendar/[^"]+\.ics)"', one.get("/me/messages"))


@pytest.fixture
def no_system_zones() -> Iterator[None]:
    """A system without time zones, where those of the package tzdata count."""
    for path in ((), None):
        zoneinfo.reset_tzpath(path)
        zoneinfo.ZoneInfo.clear_cache()
        zone_of.cache_clear()
        if path is not None:
            yield


@pytest.mark.usefixtures("no_system_zones")
def test_a_planned_game_is_in_the_calendars_and_told_once(
    service: Service, anna: Visitor, ben: Visitor
) -> None:
    """To those who come and those who didn't answer, but not about somebody they have muted."""
    people = {name: anna.other(name) for name in ("Carl", "Dora", "Eve")}
    circle = circle_of(anna, ben, *people.values())
    shown = {"Anna": True, "Ben": True, "Carl": False, "Dora": True, "Eve": False}
    people |= {"Anna": anna, "Ben": ben}
    here = anna.post(
        f"{circle}/evenings", game=QUICK.name, at="2027-01-15T20:30", zone="Europe/Berlin"
    )
    assert '<time class="local" datetime="2027-01-15T19:30:00+00:00">' in ben.get(here)
    people["Carl"].post(f"{here}/players", plays="no")
    people["Dora"].post(f"{here}/players", plays="no")
    people["Dora"].post(f"{here}/players", plays="yes")
    for name in ("Dora", "Eve"):
        stored(anna, partial(mutes.mute, person=people[name].id, other=anna.id))
    page = " ".join(re.sub("<[^>]+>", " ", ben.get(here)).split())
    assert "Anna yes Dora yes Carl no Ben no answer Eve no answer" in page
    browsers = {name: wish(one, "invited") for name, one in people.items()}
    for name, one in people.items():
        one.post("/me/calendar", do="renew")
        entries = read(anna.client.get(calendar(one)).text)
        planned = [(entry["DTSTART"], entry["SUMMARY"]) for entry in entries]
        assert planned == [("20270115T193000Z", "Double Down with Friday club")] * shown[name]
    sent = []
    for seconds in (6 * 3600, 6.5 * 3600, 6.5 * 3600 + 60, 7 * 3600, 8 * 3600):
        service.clock(seconds)
        sent.append(look(anna))
    assert sent == [0, sum(shown.values()), 0, 0, 0]
    endpoints = {f"https://fcm.googleapis.com/{browsers[name].name}": name for name in shown}
    for url, body, _ in service.sent:
        assert shown[endpoints[url]]
        said = browsers[endpoints[url]].read(body)["title"]
        assert said == "Double Down with Friday club in 60 minutes"


@pytest.mark.parametrize("days", [10, 400, -400])
def test_messages_go_on_after_a_long_outage_or_a_step_of_the_clock(
    service: Service, anna: Visitor, ben: Visitor, days: int
) -> None:
    table, first, _ = slow_table(anna, ben)
    quiet = {"quiet_from": "11:00", "quiet_until": "12:30"}
    browser = wish(first, "turn", "daily", daily_at="13:00", **quiet)
    service.clock(120)
    assert look(anna) == 0, "it is quiet"
    service.clock(3600 * (24 * days + 1) + 1)
    look(anna)
    assert "The daily deals wait for you" in told(service, browser) or days < 0
    live = live_at(anna, table)
    first.post(f"{table}/move", move=live.table.match.legal_moves[0], ply=live.table.ply)
    service.clock(3600 * (24 * days + 25) + 1)
    look(anna)
    assert "The daily deals wait for you" in told(service, browser)


def test_a_person_who_stays_away_is_told_whatever_they_chose(
    service: Service, anna: Visitor
) -> None:
    browser = wish(anna)
    execute(anna, sa.update(schema.people).values(warned=NOON))
    service.clock(120)
    assert look(anna) == 1
    assert told(service, browser) == ["You haven't played for a long time"]
    assert look(anna) == 0


def slow_table(anna: Visitor, ben: Visitor, **how: str) -> tuple[str, Visitor, Visitor]:
    """The address of a table with a day for a move, who is on turn there, and who isn't."""
    table = anna.table("double-down", ben, clock="1-day", **how)
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
    service: Service,
    client: TestClient,
    anna: Visitor,
    ben: Visitor,
    quiet: tuple[str, str],
    minutes: int,
    left: str,
) -> None:
    _, first, second = slow_table(anna, ben)
    browser = wish(first, "warned", quiet_from=quiet[0], quiet_until=quiet[1])
    wish(second, "warned")
    service.clock(minutes * 60 - 60)
    assert look(client) == 0
    service.clock(minutes * 60 + 60)
    assert look(client) == 1
    assert told(service, browser) == [f"{left} left for your move in Double Down"]
    service.clock(21 * 3600)
    assert look(client) == 0


def test_a_warning_waits_until_a_pause_ends(service: Service, anna: Visitor, ben: Visitor) -> None:
    table, first, _ = slow_table(anna, ben)
    browser = wish(first, "warned", quiet_from="00:00", quiet_until="00:00")
    service.clock(3600)
    assert look(anna) == 0
    anna.do(table, "pause", seat=0)
    ben.do(table, "agree-to-pause", seat=1)
    service.clock(18 * 3600 + 60)
    assert look(anna) == 0
    ben.do(table, "end-pause", seat=1)
    service.clock(34 * 3600)
    assert look(anna) == 0
    service.clock(37 * 3600)
    assert look(anna) == 1
    assert "h left for your move" in told(service, browser)[0]


def test_a_turn_that_was_played_meanwhile_is_never_told(
    service: Service, client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    table, first, _ = slow_table(anna, ben)
    wish(first, "turn", "warned", quiet_from="11:00", quiet_until="13:00")
    service.clock(120)
    assert look(client) == 0
    assert rows(client, letter_rows) == 2
    live = live_at(client, table)
    first.post(f"{table}/move", move=live.table.match.legal_moves[0], ply=live.table.ply)
    for hours in (1, 19, 23):
        service.clock(hours * 3600 + 1)
        assert look(client) == 0
    assert not service.sent


@pytest.mark.parametrize("skew", [0, -30], ids=["at once", "with another clock"])
def test_a_turn_that_follows_the_one_told_before_at_once_is_told(
    service: Service, client: TestClient, anna: Visitor, ben: Visitor, skew: int
) -> None:
    table, first, second = slow_table(anna, ben)
    wish(first, "turn")
    service.clock(120)
    assert look(client) == 1
    service.clock(120 + skew)
    for one in (first, second):
        live = live_at(client, table)
        one.post(f"{table}/move", move=live.table.match.legal_moves[0], ply=live.table.ply)
    assert is_their_turn(live_at(client, table).table, first.person.id)
    service.clock(120 + AFTER_SECONDS - 30)
    assert look(client) == (1 if skew else 0)
    service.clock(300)
    assert look(client) == (0 if skew else 1)


@pytest.mark.parametrize("legal", [True, False], ids=["is made", "cannot be made"])
def test_a_turn_at_which_a_move_in_advance_is_late_is_told_only_if_it_cannot_be_made(
    service: Service, client: TestClient, anna: Visitor, ben: Visitor, legal: bool
) -> None:
    table, first, _ = slow_table(anna, ben)
    wish(first, "turn")
    live, store = live_at(client, table), site_of(client).store
    move = Premove(move=live.table.match.legal_moves[0] if legal else "99")
    seat, person = live.table.thinking or 0, first.person.id
    in_loop(client, store.run, lambda c: set_premoves(c, live.table, seat, person, [move]))
    service.clock(3600)  # after an outage, say: both are due
    assert look(client) == (0 if legal else 1)
    mover = Premover(store, site_of(client).tables, (0.0, 0.0))
    for _ in range(2):
        in_loop(client, mover.look)
    assert (live_at(client, table).table.thinking != seat) is legal
    service.clock(2 * 3600)
    assert look(client) == 0


def test_a_slow_game_that_ends_is_told_and_a_quick_one_is_not(
    service: Service, anna: Visitor, ben: Visitor
) -> None:
    browser = wish(anna, "finished")
    table, _, _ = slow_table(anna, ben)
    for one in (ben, anna):
        one.do(table, "resign")
    assert live_at(anna, table).table.over
    found = play(anna, QUICK, seats_for(anna, ben))
    assert found.match.outcome is not None
    service.clock(120)
    assert look(anna) == 1
    [message] = [browser.read(body) for _, body, _ in service.sent]
    assert message["title"] == "Your game of Double Down is over"
    assert look(anna) == 0
    assert message["body"] == "At the table with Ben."  # nobody has won
    for winner in (False, True):
        place = found.match.outcome.won.index(winner)
        person = found.seats[place].person or ""
        letter = letter_about(FINISHED, found, person, NOON)
        assert letter is not None
        assert letter.body.startswith("You won.") is winner


@pytest.mark.parametrize("then", RAN_OUT)
def test_who_runs_out_of_time_is_told_what_a_bot_has_done(
    service: Service, anna: Visitor, ben: Visitor, then: str
) -> None:
    table, first, second = slow_table(anna, ben, then=then)
    browser = wish(first, "warned")
    wish(second, "warned")
    service.clock(25 * 3600)
    with contextlib.suppress(Stale):  # the server has acted itself
        in_loop(anna, site_of(anna).tables.robots.time_out, live_at(anna, table))
    assert look(anna) == 1
    [message] = [browser.read(body) for _, body, _ in service.sent]
    assert message["title"] == "Your time ran out in Double Down"
    assert message["body"].startswith(RAN_OUT[then])
    assert look(anna) == 0


def test_a_friend_and_a_rematch_invite(service: Service, anna: Visitor, ben: Visitor) -> None:
    before = f"/t/{play(anna, QUICK, seats_for(anna, ben)).header.token}"
    browser = wish(ben, "invited")
    wish(anna, "invited")
    for one, other in ((anna, 1), (ben, 0)):
        one.do(before, "befriend", other=other)
    pair = stored(anna, lambda c: c.execute(sa.select(friends.c.id)).scalar_one())
    anna.post(f"/friends/{pair}/invite")
    anna.post(f"{before}/rematch")
    assert look(anna) == 0
    service.clock(120)
    assert look(anna) == 2
    assert sorted(told(service, browser)) == [
        "Anna invites you to Double Down",
        "Anna invites you to Double Down",
    ]
    assert look(anna) == 0


FROM_PEOPLE, FROM_CLOCKS = (
    {TURN, FINISHED, "invited", "company"},
    {WARNED, "summary", "daily", "absent"},
)
"""The kinds of messages: those that somebody's doing causes, and those that only time does."""


@pytest.mark.parametrize("how", ["heard", "mute", "block"])
def test_nothing_of_a_muted_player_arrives(
    service: Service, anna: Visitor, ben: Visitor, how: str
) -> None:
    """Ben does everything that reaches or names Anna, as every kind of message and page shows."""
    site, before = site_of(anna), f"/t/{play(anna, QUICK, seats_for(anna, ben)).header.token}"
    assert {
        *site.service(Reminders).kinds,
        *(one.name for one in features_of(site).messages),
    } == FROM_PEOPLE | FROM_CLOCKS
    circle, pair = circle_of(anna, ben), befriend(anna, ben)
    slow, _, _ = slow_table(anna, ben)
    browser = wish(anna, TURN, FINISHED, WARNED, "invited")
    if how != "heard":
        anna.do(before, how, other=1)
    waiting_for(anna, ben)
    for one in (anna, ben):
        one.do(slow, "resign")
    while slow_table(anna, ben)[1] is not anna:
        pass
    ben.post(f"{before}/rematch")
    ben.post(f"{circle}/tables", game=QUICK.name)
    ben.post(f"/friends/{pair}/invite", 404 if how == "block" else 303)
    service.clock(-60)
    anna.post("/people", game=QUICK.name, tell="yes")
    service.clock(0)
    ben.post("/people", game=QUICK.name)
    look(anna)
    public = ben.table(QUICK.name, "friend", public="yes")
    pages, apart = (anna.get("/people"), anna.get("/me/news")), how == "block"
    if apart:
        anna.post(invitation(ben, public), 403)
    for at in (120, 20 * 3600):
        service.clock(at)
        look(anna)
    anna.post("/me/messages", told=["push-summary", "push-daily"], summary_at="12:30")
    service.clock(31 * 3600)
    look(anna)
    read = [browser.read(body) for _, body, _ in service.sent]
    sent = sa.select(letter_rows.c.kind).where(letter_rows.c.address.is_not(None))
    kinds = set(column(anna, sent.filter_by(person=anna.id)))
    assert kinds == (FROM_PEOPLE if how == "heard" else set()) | FROM_CLOCKS - {"absent"}
    for text in (*map(str, read), *pages):
        assert ("Ben" in text) <= (how == "heard"), text
    assert len(pages[1].split("Ben invites you")) == (4 if how == "heard" else 1)
    assert ("Anna" in ben.get("/")) != apart
    ben.get(f"{before}/players/0/profile", 404 if apart else 200)
    ben.post("/people", game=QUICK.name)
    assert (anna.post("/people", game=QUICK.name) == "/people") == (how != "heard")


def test_a_person_gets_few_messages_a_day_whatever_happens(
    service: Service, anna: Visitor, ben: Visitor
) -> None:
    browser = wish(anna, TURN)
    for _ in range(letters.MOST_A_DAY + 5):
        waiting_for(anna, ben)
    assert look(anna) + look(anna) == letters.MOST_A_DAY
    assert told(service, browser)[-1] == "This is the last message for today"
    service.clock(24 * 3600 + 1)
    waiting_for(anna, ben)
    assert look(anna) == 1


def test_deals_of_the_day_and_a_summary_come_at_their_times(
    service: Service, anna: Visitor, ben: Visitor
) -> None:
    browser = wish(anna, "turn", "summary", "daily", daily_at="13:00", summary_at="14:00")
    waiting_for(anna, ben)
    assert look(anna) == 0, "a turn waits for the summary"
    for hours in (1, 2):
        service.clock(hours * 3600 + 1)
        assert look(anna) == 1
        assert look(anna) == 0
    [deals, summary] = [browser.read(body) for _, body, _ in service.sent]
    assert deals["title"] == "The daily deals wait for you"
    assert summary["title"] == "1 game waits for you"
    assert summary["body"] == "Your turn: Double Down with Ben."
    service.sent.clear()
    service.clock(24 * 3600)
    day = {"day": "2027-01-16", "game": "double-down", "person": anna.person.id, "begun": NOON}
    tried = {"won": False, "resigned": False, "tried": []}
    execute(anna, sa.insert(dailies).values(day | tried))
    anna.post("/push/stop")
    wish(anna, "daily", "summary", daily_at="13:00", summary_at="14:00")
    service.clock(25 * 3600 + 1)
    assert look(anna) == 0, "a daily deal was begun"


def test_wishes_are_checked(anna: Visitor) -> None:
    for form in [
        {"quiet_from": "25:00"},
        {"daily_at": "1\u0662:00"},
        {"zone": "../../etc/passwd"},
        {"zone": "Nowhere/City"},
        {"told": "smoke-turn"},
        {"told": "push-cards"},
    ]:
        assert "notice" in anna.post("/me/messages", 400, None, **form)
        assert rows(anna, wishes) == 0
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
            for kind in (TURN, FINISHED, WARNED):
                said = [letter_about(kind, one, f"person-{seat}", NOON) for one in (real, twin)]
                assert said[0] == said[1]
    assert different


def read(text: str) -> list[dict[str, str]]:
    """The entries of a calendar, as a program reads them."""
    assert text.endswith("\r\n")
    assert max(len(line.encode()) for line in text.split("\r\n")) <= 75
    lines = re.sub("\r\n[ \t]", "", text).split("\r\n")[:-1]
    assert (lines[0], lines[-1]) == ("BEGIN:VCALENDAR", "END:VCALENDAR")
    entries: list[dict[str, str]] = []
    for line in lines:
        name, colon, value = line.partition(":")
        assert colon, line
        if line == "BEGIN:VEVENT":
            entries.append({})
        elif entries and name != "END":
            plain = re.sub(r"\\(.)", lambda found: found[1].replace("n", "\n"), value)
            entries[-1][name.partition(";")[0]] = plain
    for entry in entries:
        assert {"UID", "DTSTAMP", "DTSTART", "DTEND", "SUMMARY", "URL"} <= set(entry)
    assert len({entry["UID"] for entry in entries}) == len(entries)
    return entries


def test_any_text_can_be_read_again() -> None:
    for title in ("a,b;c\\d", "\\n is no line", "line\nline", "ä€🂡" * 40, "x" * 300):
        entry = CalendarEntry("one", title, "/t/x", 1_800_014_400.0, 0.0)
        [found] = read(written([entry], "https://example.org"))
        assert found["URL"] == "https://example.org/t/x"
        assert found["SUMMARY"] == title
        assert found["DTEND"] == "20270115T120000Z"
        assert found["DTSTAMP"] == "19700101T000000Z"


def test_calendars_are_private(client: TestClient, anna: Visitor, ben: Visitor) -> None:
    links = {clock: anna.table("double-down", ben, clock=clock) for clock in ("1-day", "2-minutes")}
    for one in (anna, ben):
        one.post("/me/calendar", do="renew")
    table = live_at(client, links["1-day"]).table
    first, second = (
        (anna, ben) if table.thinking == table.seats_of(anna.person.id)[0] else (ben, anna)
    )

    client.cookies.clear()
    [entry] = read(client.get(calendar(first)).text)
    assert entry["SUMMARY"] == f"Your move in Double Down, with {second.person.name}"
    assert entry["URL"].endswith(links["1-day"])
    assert read(client.get(calendar(second)).text) == []
    second.post("/me/calendar", do="save", daily="yes")
    client.cookies.clear()
    answer = client.get(calendar(second))
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    assert [one["SUMMARY"] for one in read(answer.text)] == ["The daily deals wait for you"]
    before = calendar(first)
    first.post("/me/calendar", do="renew")
    client.cookies.clear()
    kept = calendar(first)
    for wrong in (before, kept.replace(".ics", "0.ics"), f"{kept[:-8]}0000.ics", "/calendar/x.ics"):
        assert client.get(wrong).status_code == 404
    assert client.get(kept).status_code == 200
    first.post("/me/calendar", do="remove")
    assert client.get(kept).status_code == 404
