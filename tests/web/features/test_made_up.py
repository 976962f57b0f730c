"""A made-up feature that is added to the list: all of it is found on the site."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from redouble.web.app import create_app
from redouble.web.feature import FeatureList, Letter
from redouble.web.features.notices import addresses
from redouble.web.features.notices.addresses import Delivery
from redouble.web.features.notices.lanes import Lane
from redouble.web.features.notices.letters import Outgoing
from redouble.web.features.notices.push import Push
from redouble.web.features.notices.reminders import Reminders
from redouble.web.features.notices.wishes import PUSH
from redouble.web.installed import FEATURES
from redouble.web.store import open_store
from tests.web.helpers.guestbook.book import Bell
from tests.web.helpers.guestbook.feature import FEATURE
from tests.web.helpers.programs import Program
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import site_of
from tests.web.helpers.visitors import Visitor, in_loop, stored

ADDED = FeatureList((*FEATURES.installed, FEATURE))


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """A site whose database was made before it had the feature."""
    open_store(tmp_path, FEATURES.tables).close()
    with TestClient(create_app(tmp_path, limits=ROOMY, features=ADDED)) as client:
        yield client


@pytest.fixture
def anna(client: TestClient) -> Visitor:
    """Anna, who has written in the book."""
    anna = Visitor(client, "Anna")
    anna.post("/guestbook", text="Anna <was> here")
    return anna


def test_its_pages_sections_and_interface_are_there(client: TestClient, anna: Visitor) -> None:
    for path in ("/guestbook", "/me"):
        assert "<p>Anna &lt;was&gt; here</p>" in anna.get(path)
    assert json.loads(anna.get("/api/guestbook")) == ["Anna <was> here"]
    assert "/api/guestbook" in client.get("/api/openapi.json").json()["paths"]
    assert Program(client, "Ben").get("/guestbook") == []


def test_tables_show_it_obey_it_and_tell_it(anna: Visitor) -> None:
    here = anna.post("/play/double-down")
    assert '<a class="pill" href="/guestbook">' in anna.get(here)
    anna.do(here, "sign")
    anna.do(here, "resign", seat=0)
    lines = json.loads(anna.get("/api/guestbook"))
    assert lines == ["Anna <was> here", "signed at a table", "played Double Down"]


def test_its_data_belong_to_their_person(anna: Visitor) -> None:
    assert "What you write in the guest book" in anna.get("/privacy")
    assert json.loads(anna.get("/me/export"))["guestbook"] == ["Anna <was> here"]
    anna.post("/me/forget", 200, None, sure="yes")
    assert "Anna &lt;was&gt; here" not in anna.get("/guestbook")


def test_people_who_are_away_are_told_what_it_tells(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Letter] = []

    async def send(self: Push, outgoing: Outgoing) -> Delivery:
        told.append(outgoing.letter)
        return Delivery.SENT

    monkeypatch.setattr(Push, "send", send)
    monkeypatch.setattr(Push, "lane", lambda self, sealed: Lane("push"))
    stored(client, lambda c: addresses.add(c, anna.person.id, PUSH, ("digest", "sealed")))
    anna.post("/me/messages", told=["push-written"], quiet_from="08:00", quiet_until="08:00")
    assert "<legend>You have written in the guest book</legend>" in anna.get("/me/messages")
    for _ in range(2):
        in_loop(client, site_of(client).service(Reminders).look)
    assert [one.body for one in told] == ["Anna <was> here"]


def test_what_it_runs_opens_and_closes_with_the_site(tmp_path: Path) -> None:
    with TestClient(create_app(tmp_path, limits=ROOMY, features=ADDED)) as client:
        client.get("/")
        bell = site_of(client).service(Bell)
        assert bell.rings == ["open"]
    assert bell.rings == ["open", "closed"]
