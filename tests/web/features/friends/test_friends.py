"""Friends: both agree, only they see each other, and nobody acts in another's name."""

import asyncio
import json
import re
from functools import partial

import pytest
import sqlalchemy as sa

from redouble.contract.registry import GAMES
from redouble.web.features.daily.tries import Dailies
from redouble.web.features.friends import friends
from redouble.web.features.friends.friends import friends as friend_rows
from redouble.web.features.friends.page import News, news_of
from tests.web.helpers.servers import site_of, sites_of
from tests.web.helpers.visitors import (
    Place,
    Visitor,
    column,
    in_loop,
    invitation,
    live_at,
    play,
    seats_for,
    stored,
)

TWO = next(game for game in GAMES.values() if game.min_seats == 2)


@pytest.fixture
def here(anna: Visitor, ben: Visitor) -> str:
    """A table where Anna and Ben have finished a game."""
    return f"/t/{play(anna, TWO, seats_for(anna, ben)).header.token}"


def befriend(visitor: Visitor, here: str, other: int, status: int = 303) -> None:
    visitor.do(here, "befriend", status, other=other)


def make_friends(here: str, anna: Visitor, ben: Visitor) -> str:
    """The id of the friendship."""
    befriend(anna, here, 1)
    befriend(ben, here, 0)
    (row,) = stored(anna.client, lambda c: c.execute(sa.select(friend_rows)).all())
    return str(row.id)


def news(visitor: Visitor) -> News:
    found: News = in_loop(visitor.client, news_of, site_of(visitor.client), visitor.person)
    return found


def names(visitor: Visitor) -> list[str]:
    return [one.name for one, *_ in news(visitor).friends]


def states(client: Place) -> list[str]:
    return column(client, sa.select(friend_rows.c.state))


def test_both_agree(anna: Visitor, ben: Visitor, here: str) -> None:
    page = anna.get(here)
    assert ">Add Ben<" in page
    assert ben.person.id not in page
    befriend(anna, here, 1)
    befriend(anna, here, 1)
    assert "You've asked Ben to be friends." in anna.get(here).replace("&#39;", "'")
    assert names(anna) == names(ben) == []
    home = ben.get("/")
    assert "Anna wants to be friends." in home
    befriend(ben, here, 0)
    assert names(anna) == ["Ben"]
    assert names(ben) == ["Anna"]
    assert ">Add Ben<" not in anna.get(here)
    assert 'aria-label="Invite Ben"' in anna.get("/")
    assert states(anna) == ["agreed"]


def test_two_who_ask_each_other_at_once_are_friends(anna: Visitor, ben: Visitor, here: str) -> None:
    site, a, b = site_of(anna), anna.person.id, ben.person.id

    async def both() -> None:
        await asyncio.gather(
            *[
                site.store.run(partial(friends.ask, asker=x, asked=y, game=TWO.name))
                for x, y in ((a, b), (b, a))
            ]
        )

    in_loop(anna, both)
    assert states(anna) == ["agreed"]


def test_who_was_refused_is_not_told_and_asks_in_vain(
    anna: Visitor, ben: Visitor, here: str
) -> None:
    befriend(anna, here, 1)
    (asked,) = news(ben).askers
    ben.post(f"/friends/{asked.id}/answer", 303, None, agree="no")
    assert "wants to be friends" not in ben.get("/")
    befriend(anna, here, 1)
    assert not news(ben).askers
    assert "asked Ben to be friends." in anna.get(here)
    (told,) = json.loads(anna.get("/me/export"))["friends"]
    assert told["state"] == "asked"
    anna.post(f"/friends/{asked.id}/remove", 404)
    befriend(ben, here, 0)
    assert names(anna) == ["Ben"], "both want it now"


def test_nobody_acts_for_another(anna: Visitor, ben: Visitor, here: str) -> None:
    eve = anna.other("Eve")
    befriend(eve, here, 1, 403)
    befriend(anna, here, 0, 400)
    befriend(anna, here, 5, 400)
    befriend(anna, here, 1)
    (asked,) = news(ben).askers
    for thief in (eve, anna):
        thief.post(f"/friends/{asked.id}/answer", 404, None, agree="yes")
    eve.post(f"/friends/{asked.id}/remove", 404)
    ben.post(f"/friends/{asked.id}/remove", 404)
    for one in (anna, eve, ben):
        one.post(f"/friends/{asked.id}/invite", 404)
    assert states(anna) == ["asked"]
    befriend(ben, here, 0)
    for path in ("answer", "remove", "invite"):
        eve.post(f"/friends/{asked.id}/{path}", 404, None, agree="yes")
    mine = anna.post(f"/friends/{asked.id}/invite")
    (call,) = news(ben).calls
    for thief in (eve, anna):
        thief.post(f"/calls/{call.id}/later", 404)
    ben.post(f"/friends/{asked.id}/invite", 400, None, token=mine.removeprefix("/t/"))
    assert call.invite not in eve.get("/me/news") + eve.get("/")
    assert states(anna) == ["agreed"]
    assert not names(eve)


def test_friends_are_not_made_before_the_end(anna: Visitor, ben: Visitor) -> None:
    here = f"/t/{play(anna, TWO, seats_for(anna, ben), plies=1).header.token}"
    befriend(anna, here, 1, 403)


def test_a_tap_invites_a_friend_to_join_or_not(anna: Visitor, ben: Visitor, here: str) -> None:
    friendship = make_friends(here, anna, ben)
    table = anna.post(f"/friends/{friendship}/invite")
    live = live_at(anna, table).table
    assert live.game is TWO
    assert not live.dealt
    shown = ben.get("/me/news")
    assert f"Anna invites you to {TWO.title}." in shown
    assert "You've invited Ben." in anna.get(table).replace("&#39;", "'")
    join = re.findall(r'href="(/join/[^"]+)"', shown)[0]
    assert ben.post(join, name="Ben") == table
    assert "invites you" not in ben.get("/me/news")
    anna.post(f"/friends/{friendship}/invite", 409, None, token=table.removeprefix("/t/"))
    again = anna.post(f"/friends/{friendship}/invite")
    (call,) = news(ben).calls
    ben.post(f"/calls/{call.id}/later", 303)
    assert not news(ben).calls
    anna.post(f"/friends/{friendship}/invite")
    assert len(news(ben).calls) == 1
    ben.post(invitation(anna, again), name="Ben")
    assert not news(ben).calls, "her game with him has begun, so she waits no more elsewhere"


def test_friends_see_results_of_the_day_once_they_have_played_themselves(
    anna: Visitor, ben: Visitor, here: str
) -> None:
    friendship = make_friends(here, anna, ben)
    deal = f"/daily/{site_of(anna).service(Dailies).today().isoformat()}/deal/{TWO.name}"
    for one in (anna, ben):
        at = one.post(deal)
        assert "Your friends" not in one.get(deal), "before the end of the own try"
        seat = live_at(anna, at).table.seats_of(one.person.id)[0]
        one.do(at, "resign", seat=seat)
        assert ("Your friends" in one.get(deal)) == (one is ben)
    assert "<b>Ben</b> <span>Gave up</span>" in anna.get(deal)
    assert "Ben" not in anna.other("Cleo").get(deal)
    ben.post("/me/profile", motif="", results="nobody")
    assert "Your friends" not in anna.get(deal)
    ben.post("/me/profile", motif="", results="friends")
    assert "Your friends" in anna.get(deal)
    ben.post(f"/friends/{friendship}/remove")
    assert "Your friends" not in anna.get(deal)


def online(visitor: Visitor) -> list[bool]:
    return [here for _, here, _ in news(visitor).friends]


def test_only_friends_see_who_is_online_and_each_may_hide(
    anna: Visitor, ben: Visitor, here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = anna.other("Eve")
    befriend(anna, here, 1)
    everybody = {one.person.id for one in (anna, ben, eve)}
    for site in sites_of(anna):
        monkeypatch.setattr(site.tables, "online", lambda: everybody)
    assert online(ben) == online(eve) == []
    befriend(ben, here, 0)
    assert online(ben) == online(anna) == [True]
    assert "<em>online</em>" in anna.get("/")
    ben.post("/friends/hide", 303, None, hides="yes")
    assert online(anna) == [False]
    assert "<em>online</em>" not in anna.get("/")
    ben.post("/friends/hide", 303, None, hides="no")
    assert online(anna) == [True]
    ben.post(f"/friends/{news(ben).friends[0][0].id}/remove", 303)
    assert online(anna) == []


def test_an_open_page_counts_as_online_and_hears_at_once(anna: Visitor, ben: Visitor) -> None:
    site, person = site_of(anna), ben.person

    async def follow() -> list[bool]:
        heard = []
        async with asyncio.timeout(60):
            async for called in site.tables.news(person):
                heard.append(person.id in site.tables.online())
                if len(heard) > 1:
                    assert called
                    break
                site.exchange.call(person.id)
        return heard

    assert in_loop(anna, follow) == [True, True]
