"""Finding people by pages and programs: who is listed, who is asked, and what begins."""

import asyncio
import contextlib
import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.match.fair import digest
from redouble.web.features.meeting import page, seekers
from redouble.web.features.meeting.groups import SearchWishes
from redouble.web.features.meeting.meeting import Meetings
from redouble.web.features.meeting.seekers import HERE_SECONDS, LEAVING_SECONDS
from redouble.web.live import live
from redouble.web.people import mutes
from redouble.web.people.people import Person
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import seats
from redouble.web.table.clocks import usual_control
from tests.web.helpers.markup import found_in
from tests.web.helpers.servers import ALSO_ON_TWO, present_later, site_of, sites_of
from tests.web.helpers.visitors import Visitor, in_loop, invitation, live_at, stored

GAME = "double-down"
Wait = Callable[[float], None]


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Wait:
    """Lets seconds pass for everybody who looks for people."""
    passed = 0.0

    def wait(seconds: float) -> None:
        nonlocal passed
        passed += seconds

    now = type(CLOCK).now
    monkeypatch.setattr(type(CLOCK), "now", lambda self: now(self) + passed)
    return wait


def look(who: Visitor, *games: str, **form: Any) -> str:
    """Where the button leads: to the table that is found, or back to the page."""
    return who.post("/people", 303, None, game=list(games or [GAME]), **form)


def found(who: Visitor) -> str:
    """The table that an open page leads to when it is loaded again."""
    headers = who._headers()
    answer = who.client.get("/people", headers=headers, follow_redirects=False)
    return str(answer.headers.get("location", ""))


@ALSO_ON_TWO
def test_nobody_waits_past_others_who_arrive_at_the_same_time_elsewhere(client: TestClient) -> None:
    """Several people come at once, to whichever server, with wishes that overlap."""
    sites, random = sites_of(client), Random("meeting")
    games = [game.name for game in GAMES.values() if game.max_seats > 1]

    async def come(number: int) -> tuple[Person, SearchWishes]:
        site = sites[number % len(sites)]
        wishes = SearchWishes(frozenset(random.sample(games, 2)), random.choice((2, 2, 3)))
        person = await site.people.new(f"Guest {number}")
        await site.service(Meetings).look(person, wishes)
        return person, wishes

    async def meet() -> None:
        store, wanted = sites[0].store, dict[str, SearchWishes]()
        for first in range(0, 24, 4):
            here = await asyncio.gather(*map(come, range(first, first + 4)))
            wanted |= {person.id: wishes for person, wishes in here}
            around = await store.run(seekers.crowd)
            waiting = {one.person for one in around.met_by("")}
            assert not any(around.group_of(one) for one in waiting), "they wait past each other"
        met = await store.run(lambda c: c.execute(sa.select(seats.c.person, seats.c.token)).all())
        assert sorted(one.person for one in met) == sorted(wanted.keys() - waiting), "each once"
        assert len(met) > 12
        for token in {one.token for one in met}:
            table = (await sites[-1].tables.get(token)).table
            for person in table.people():
                wishes = wanted[person]
                assert table.game.name in wishes.games
                assert wishes.least <= len(table.people())

    in_loop(client, meet)


def test_two_strangers_need_two_taps(anna: Visitor, ben: Visitor) -> None:
    """The games that both like, by the usual clock, for two, rated; the cards are fair."""
    assert 'href="/people">Find people</a>' in anna.get("/")
    form = anna.get("/people")
    for game in GAMES.values():
        several = game.max_seats > 1
        assert (f'value="{game.name}" checked' in form) == several
        assert (usual_control(game).words in form) or not several
    share = "ab" * 32
    assert look(anna, GAME, "three-up", promise=digest(share)) == "/people"
    assert "Looking for people…" in anna.get("/people")
    assert "<b>1 waiting</b> for" in ben.get("/")
    shown = ben.get("/people")
    assert "Anna" in shown
    assert "Double Down, 3UP 3DOWN · 2 players or more · rated or casual" in shown
    assert anna.person.id not in shown
    here = look(ben, "three-up", "double-dominoes")
    assert found(anna) == here
    table = live_at(anna, here).table
    assert table.game.name == "three-up"
    assert sorted(seat.name for seat in table.seats) == ["Anna", "Ben"]
    assert table.clocks.control == usual_control(table.game)
    assert table.rated
    assert table.header.host is None
    assert not table.dealt, "Anna's share is awaited"
    anna.post(f"{here}/reveal", 204, None, share=share)
    assert live_at(anna, here).table.dealt
    for one in (anna, ben):
        assert ">Rated<" in one.get(here)
    assert "Nobody is waiting now" in ben.get("/")
    assert "<h1>Find people</h1>" in ben.get("/people"), "who has left the table isn't led back"


def names(who: Visitor) -> list[str]:
    return [one["name"] for one in who.ask("/people")["people"]]


@present_later
def test_only_those_are_listed_who_are_here(
    anna: Visitor, ben: Visitor, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As people who look, and at public tables; whoever asks again waits again."""
    seats = {"seat-0": "me", "seat-1": "friend"}
    here = anna.post("/new/three-up", 303, None, **seats, players=2, public="yes", casual="yes")
    look(anna)
    assert names(ben) == ["Anna"]
    assert [one["game"] for one in ben.ask("/people")["tables"]] == ["three-up"]
    assert "One seat is open. Casual." in ben.get("/people")
    monkeypatch.setattr(live, "AWAY_SECONDS", -1.0)
    wait(HERE_SECONDS + 1)
    assert ben.ask("/people") == {"looking": False, "table": None, "people": [], "tables": []}
    assert here.removeprefix("/t/") not in json.dumps(ben.ask("/tables"))
    assert "Anna" not in ben.get("/people")
    assert look(ben) == "/people", "nobody is dealt in who has gone"
    assert "Anna" not in names(ben)
    assert not anna.ask("/people")["looking"]
    assert look(anna) == found(ben) != ""


def test_an_open_page_is_led_to_the_table_and_a_closed_one_waits_no_more(
    anna: Visitor, ben: Visitor, wait: Wait
) -> None:
    site = site_of(anna.client)

    async def opened(who: Person, until: str) -> str:
        async with contextlib.aclosing(page._events(site, who, "")) as events:
            async for event in events:
                if event.startswith(f"event: {until}"):
                    return event
        raise AssertionError(f"no {until}")

    look(anna)
    assert "Looking for people" in in_loop(anna, opened, anna.person, "here")
    assert not names(ben), "the page is closed"
    anna.get("/people")
    assert names(ben) == ["Anna"], "it was only loaded anew"
    in_loop(anna, opened, anna.person, "here")
    wait(LEAVING_SECONDS + 1)
    anna.get("/people")
    assert not names(ben), "it came back too late"
    look(anna)
    here = look(ben)
    assert here in in_loop(anna, opened, anna.person, "found")
    assert not found(anna), "she was led there once, and may leave"
    ben.do(here, "resign")
    assert not found(ben)
    assert ben.ask("/people")["table"] is None


def test_what_keeps_people_apart_is_asked_on_their_pages(anna: Visitor, ben: Visitor) -> None:
    """Another game, a larger number, rated or not: a press of a button is enough, or of two."""
    look(anna, GAME, least="3", kind="casual")
    assert look(ben, "three-up", kind="rated") == "/people"
    assert "Play with Anna" in ben.get("/people")
    to_anna = found_in(r'name="to" value="([^"]+)">Play with Anna<', ben.get("/people"))
    assert look(ben, "three-up", kind="rated", to=to_anna) == "/people", "Anna wants three"
    to_ben = found_in(r'name="to" value="([^"]+)">Play with Ben<', anna.get("/people"))
    here = look(anna, GAME, least="3", kind="casual", to=to_ben)
    table = live_at(anna, here).table
    assert (table.game.name, len(table.seats), table.rated) == (GAME, 2, False)


def test_bots_fill_in_when_all_who_wait_agree(anna: Visitor, ben: Visitor) -> None:
    game = next(game.name for game in GAMES.values() if game.min_seats > 2)
    assert look(anna, game, bots="yes") == "/people", "one alone decides nothing"
    assert look(ben, game) == "/people"
    assert "Anna would begin with bots in the empty seats." in ben.get("/people")
    here = look(ben, game, bots="yes", kind="casual")
    table = live_at(anna, here).table
    assert [bool(seat.bot) for seat in table.seats] == [False, False, True, True]
    assert not table.rated
    assert ">Casual<" in anna.get(here)


def test_people_who_are_blocked_are_neither_paired_nor_shown(anna: Visitor, ben: Visitor) -> None:
    stored(anna, lambda c: mutes.mute(c, anna.person.id, ben.person.id, blocks=True))
    seats = {"seat-0": "me", "seat-1": "friend"}
    anna.post("/new/three-up", 303, None, **seats, players=2, public="yes")
    assert look(anna) == look(ben) == "/people"
    for one in (anna, ben):
        assert not one.ask("/people")["people"]
        assert not one.ask("/people")["tables"]


def test_a_guest_is_asked_for_a_name_before_the_first_game_with_people_and_need_not_give_one(
    client: TestClient, anna: Visitor
) -> None:
    guest, other = Visitor(client), Visitor(client)
    assert "Your name, if you like" in guest.get("/people")
    look(guest, name="Gina")
    assert guest.person.name == "Gina"
    here = look(other)
    assert [one for one in live_at(client, here).table.seats if one.name.startswith("Guest ")]
    for one in (other, anna):
        assert "Your name, if you like" not in one.get("/people")


def test_programs_find_people_and_are_told_what_is_wrong(anna: Visitor, ben: Visitor) -> None:
    for wrong, status in (
        ({"games": []}, 422),
        ({"games": ["chess"]}, 404),
        ({"games": ["double-or-quits"]}, 400),
        ({"games": [GAME], "least": 9}, 422),
        ({"games": [GAME], "promise": "x"}, 400),
    ):
        anna.ask("/people", wrong, status)
    assert anna.ask("/people", {"games": [GAME]})["looking"]
    anna.ask("/people/stop", {})
    assert not names(ben)
    anna.ask("/people", {"games": [GAME]})
    here = look(ben)
    assert f"/t/{anna.ask('/people')['table']}" == here


def test_rated_or_casual_is_chosen_before_others_sit_down_and_said_throughout(
    anna: Visitor, ben: Visitor
) -> None:
    seats = {"seat-0": "me", "seat-1": "friend", "players": 2}
    here = anna.post(f"/new/{GAME}", 303, None, **seats)
    assert "<b>Rated.</b>" in anna.get(here)
    anna.do(here, "rated", rated="false")
    assert "<b>Casual.</b>" in anna.get(here)
    assert "This game is casual" in ben.get(invitation(anna, here))
    assert not ben.ask(f"/tables/{here[3:]}")["rated"]
    ben.do(here, "rated", 403, rated="true")
    ben.post(invitation(anna, here), name="Ben")
    anna.do(here, "rated", 409, rated="true")
    for one in (anna, ben):
        assert all(">Casual<" in other.get(here) for other in (anna, ben))
        one.do(here, "resign")
    assert "A casual game: ratings stay as they are." in anna.get(here)
    assert not anna.ask("/me/ratings")["ratings"]
    again = anna.post(f"{here}/rematch")
    assert live_at(anna, again).table.casual, "what was agreed stays"
