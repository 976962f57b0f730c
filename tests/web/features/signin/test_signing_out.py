"""A session that ends, in whatever way, takes with it what that device would be sent."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.web.features.account.retention import prune
from redouble.web.features.notices.letters import PAUSES
from redouble.web.features.notices.push import Push
from redouble.web.features.notices.reminders import Reminders
from redouble.web.features.notices.sender import GuardedSender
from redouble.web.people.sessions import MAX_SESSIONS, begin
from redouble.web.store import schema
from redouble.web.store.clock import CLOCK
from tests.web.helpers.servers import site_of, sites_of
from tests.web.helpers.services import Browser, listening_hook
from tests.web.helpers.visitors import Visitor, execute, in_loop, new_code, stored

NOON = 1_800_014_400.0


@dataclass
class Devices:
    """Two devices of a person, of which one signs out."""

    phone: Visitor
    laptop: Visitor

    def leave_idle(self) -> None:
        mine = schema.sessions.c.id == self.phone.person.session
        execute(self.phone, sa.update(schema.sessions).where(mine).values(seen=0.0))

    def sign_in_often(self) -> None:
        self.leave_idle()
        me = self.laptop.id

        def often(connection: sa.Connection) -> None:
            for _ in range(MAX_SESSIONS - 1):
                begin(connection, me, "another")

        stored(self.laptop, often)

    def stay_away(self) -> None:
        self.leave_idle()
        in_loop(self.phone, prune, site_of(self.phone), CLOCK.now())


WAYS: dict[str, Callable[[Devices], Any]] = {
    "here": lambda d: d.phone.post("/me/out"),
    "on-the-list": lambda d: d.laptop.post(f"/me/devices/{d.phone.person.session}/end"),
    "everywhere-else": lambda d: d.laptop.post("/me/devices/end"),
    "by-a-program": lambda d: d.laptop.ask(f"/me/devices/{d.phone.person.session}/end", {}),
    "too-many": Devices.sign_in_often,
    "idle": Devices.stay_away,
    "deleted": lambda d: d.laptop.post("/me/forget", 200, sure="yes"),
    "adopted": lambda d: d.laptop.post("/link", code=new_code(d.laptop.other("Other"))),
}


def test_a_session_that_ends_is_sent_nothing_more(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was on its way to a device isn't tried again, its streams end, and so do its codes."""
    now, request = [NOON], Push._request
    monkeypatch.setattr(type(CLOCK), "now", lambda self: now[0])

    def look() -> set[str]:
        hook.heard.clear()
        in_loop(client, site_of(client).service(Reminders).look)
        return {path.removeprefix("/") for path, _ in hook.heard}

    with listening_hook() as hook:

        def to_hook(self: Push, address: Any, *more: Any) -> dict[str, object]:
            url = f"http://127.0.0.1:{hook.port}/{address.endpoint.rpartition('/')[2]}"
            return {**request(self, address, *more), "url": url}

        monkeypatch.setattr(Push, "_request", to_hook)
        for site in sites_of(client):
            site.service(GuardedSender).also = [("127.0.0.1", hook.port)]
        found, codes, streams = {}, {}, {}
        for way in WAYS:
            found[way] = Devices(Visitor(client), Visitor(client, "Guest"))
            phone, laptop = found[way].phone, found[way].laptop
            phone.post("/link", code=new_code(laptop))
            for name, one in vars(found[way]).items():
                one.post("/push", 204, **Browser(f"{way}-{name}").form())
            codes[way] = new_code(phone)
            streams[way] = site_of(client).tables.news(phone.person)
            assert in_loop(client, anext, streams[way])
        execute(client, sa.update(schema.people).values(warned=NOON - 600))
        hook.status = 500
        assert look() == {f"{way}-{name}" for way in WAYS for name in ("phone", "laptop")}
        hook.status = 200
        for way, end in WAYS.items():
            end(found[way])

        async def until_all_end() -> None:
            async with asyncio.timeout(20):
                for stream in streams.values():
                    async for _ in stream:
                        pass

        in_loop(client, until_all_end)
        for way in WAYS:
            assert "You haven't played yet" in found[way].phone.get("/me")
            assert "wrong, used" in Visitor(client).post("/link", 404, code=codes[way])
        now[0] += PAUSES[0] + 1
        assert look() == {f"{way}-laptop" for way in WAYS if way != "deleted"}
