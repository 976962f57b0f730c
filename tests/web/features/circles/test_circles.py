"""Circles: who is in them, who sits at their tables, and what only their members learn."""

import asyncio
import re
from collections.abc import Callable
from functools import partial
from itertools import cycle
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.bots.levels import USUAL_LEVEL
from redouble.contract.registry import GAMES
from redouble.web.errors import WebError
from redouble.web.features.account import retention
from redouble.web.features.circles import circles
from redouble.web.features.circles.circles import circle_members
from redouble.web.features.circles.circles import circles as circle_rows
from redouble.web.features.circles.seasons import Season, shares_beaten, who_counts
from redouble.web.features.daily.tries import Dailies
from redouble.web.features.friends.friends import calls
from redouble.web.people import mutes
from redouble.web.store import schema
from tests.web.helpers.markup import found_in
from tests.web.helpers.servers import site_of, sites_of
from tests.web.helpers.visitors import (
    Place,
    Visitor,
    circle_link,
    circle_of,
    column,
    execute,
    in_loop,
    live_at,
    play,
    rows,
    seats_for,
    stored,
)

TWO = next(game for game in GAMES.values() if game.min_seats == 2)
FOUR = next(game for game in GAMES.values() if game.usual_seats >= 4)


def member(visitor: Visitor, here: str, name: str, what: str) -> str:
    """The address of a form that changes a member, as the owner finds it."""
    label = {"remove": f"Remove {name}", "owner": f"Make {name} the owner"}[what]
    pattern = rf'action="([^"]+/{what})">(?:(?!</form>).)*aria-label="{label}"'
    return found_in(pattern, visitor.get(here), re.S)


@pytest.fixture
def here(anna: Visitor, ben: Visitor) -> str:
    """A circle of Anna's in which Ben is."""
    return circle_of(anna, ben)


def test_anyone_with_the_link_and_a_name_joins(anna: Visitor, here: str) -> None:
    link, carl = circle_link(anna, here), anna.other()
    page = carl.get(link)
    assert "Anna invites you to this circle. It has 2 members." in page
    assert "Nobody outside the circle sees that table." in page
    assert "<b>Ben" not in page
    carl.post(link, 400, name="")
    assert carl.post(link, name="Carl") == here
    assert carl.post(link, name="Carl") == here
    assert carl.get("/").count("Friday club") == 1
    shown = carl.get(here)
    for name in ("Anna", "Ben", "Carl"):
        assert f"<b>{name}</b>" in shown
    for one in column(anna, sa.select(schema.people.c.id)):
        assert one not in shown
    assert rows(anna, circle_members) == 3


def test_only_the_owner_renews_the_link(anna: Visitor, ben: Visitor, here: str) -> None:
    eve, old = anna.other("Eve"), circle_link(anna, here)
    ben.post(f"{here}/link", 403)
    eve.post(f"{here}/link", 404)
    anna.post(f"{here}/link")
    eve.get(old, 404)
    eve.post(old, 404, name="Eve")
    assert eve.post(circle_link(ben, here), name="Eve") == here


def test_nobody_acts_for_another_or_from_outside(anna: Visitor, ben: Visitor, here: str) -> None:
    eve, guest = anna.other("Eve"), anna.other()
    own = eve.post("/circles", circle="Eve's")
    ben_out, ben_up = (member(anna, here, "Ben", what) for what in ("remove", "owner"))
    for thief, status in ((ben, 403), (eve, 404)):
        for path in (ben_out, ben_up, f"{here}/name"):
            thief.post(path, status, name="Stolen")
    for path in (ben_out, ben_up):  # as the owner of another circle
        eve.post(path.replace(here, own), 404)
    for stranger in (eve, guest):
        for path in (here, f"{here}?season=2026-01", "/circles/none"):
            stranger.get(path, 404)
        assert "Friday club" not in stranger.get("/circles") + stranger.get("/")
    for path in ("leave", "tables"):
        eve.post(f"{here}/{path}", 404, None, game=TWO.name)
    anna.post(member(anna, here, "Ben", "owner").replace("/owner", "/remove"))
    ben.get(here, 404)
    anna.get(f"{here}?season=2026-13", 404)


def test_a_circle_is_handed_on_and_ends_at_last(anna: Visitor, ben: Visitor, here: str) -> None:
    carl = anna.other("Carl")
    carl.post(circle_link(anna, here), name="Carl")
    anna.post(member(anna, here, "Carl", "owner"))
    anna.post(f"{here}/link", 403)
    carl.post(f"{here}/name", 303, None, name="Saturday")
    carl.post("/me/forget", 200, None, sure="yes")
    anna.post(f"{here}/link")  # of those who are left, she is the longest member
    anna.post(f"{here}/leave")
    anna.get(here, 404)
    ben.post(f"{here}/link")
    assert "The circle is gone then." in ben.get(here)
    play(anna, TWO, seats_for(anna, ben))
    token = ben.post(f"{here}/tables", 303, None, game=TWO.name)
    ben.post(f"{here}/leave")
    assert rows(anna, circle_rows) == rows(anna, circle_members) == 0
    assert column(anna, sa.select(schema.tables.c.circle))
    assert ben.get(token)


def test_members_come_and_go_at_random(client: TestClient) -> None:
    """The owner is whom the circle was handed to, else the longest member; nobody is lost."""
    random = Random(39)
    people = [Visitor(client, f"P{number}").person.id for number in range(6)]
    random.shuffle(people)
    circle = stored(client, lambda c: circles.create(c, people[0], "Any"))
    order = [people[0]]
    """The members: first who owns the circle, then who has been in it longest."""

    def found(connection: sa.Connection) -> list[circles.Member]:
        return circles.members_of(connection, circle)

    for _ in range(120):
        who, other = random.choice(people), random.choice(people)
        owns, act = who == order[0], random.choice(("join", "join", "leave", "remove", "hand"))
        ids = {one.person: one.id for one in stored(client, found)}
        assert list(ids) == order
        job: Callable[[sa.Connection], object]
        if act == "join":
            link = stored(client, partial(circles.circle_of, person=order[0], circle=circle)).link
            job, right = partial(circles.join, person=who, link=link), True
            order += [] if who in order else [who]
        elif act == "leave":
            job, right = partial(circles.leave, person=who, circle=circle), who in order
            if order == [who]:
                continue
            order = [one for one in order if one != who]
        else:
            right = owns and other in order and (act == "hand" or other != who)
            do = circles.remove if act == "remove" else circles.hand_on
            job = partial(do, person=who, circle=circle, member=ids.get(other, "nobody"))
            if right:
                order = [one for one in order if one != other]
                order = [other, *order] if act == "hand" else order
        try:
            stored(client, job)
        except WebError:
            assert not right
        else:
            assert right
    assert [one.owner for one in stored(client, found)] == [True, *[False] * (len(order) - 1)]


def test_the_last_place_is_given_once(
    anna: Visitor, here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circles, "MAX_MEMBERS", 4)
    people = [anna.other(f"P{number}").person.id for number in range(5)]
    link, sites = circle_link(anna, here).rpartition("/")[2], cycle(sites_of(anna))

    async def all_at_once() -> list[object]:
        jobs = [
            next(sites).store.run(partial(circles.join, person=one, link=link)) for one in people
        ]
        return await asyncio.gather(*jobs, return_exceptions=True)

    ended = in_loop(anna, all_at_once)
    assert sum(isinstance(one, str) for one in ended) == 2
    assert all(isinstance(one, str) or "this circle is full" in str(one) for one in ended)
    assert rows(anna, circle_members) == 4
    late = anna.other()
    before = rows(anna, schema.people)
    assert "This circle is full" in late.post(f"/circles/join/{link}", 429, None, name="Late")
    assert rows(anna, schema.people) == before


def test_nobody_is_in_many_circles(
    anna: Visitor, ben: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circles, "MAX_CIRCLES", 1)
    link = circle_link(anna, circle_of(anna))
    circle_of(ben)
    assert "You are in 1 circles: leave one first" in ben.post(link, 429, None, name="Ben")
    assert "leave one first" in anna.post("/circles", 429, None, circle="Another")
    assert "has no name" in anna.post("/circles", 400, None, circle="\u200b")


def test_the_next_table_is_for_members_alone(anna: Visitor, ben: Visitor, here: str) -> None:
    eve = anna.other("Eve")
    at = anna.post(f"{here}/tables", game=FOUR.name)
    table = live_at(anna, at).table
    who = "Only members of its circle can play at this table."
    assert who in anna.get(at)
    assert "Anyone who opens this link" not in anna.get(at)
    assert [seat.bot for seat in table.seats[2:]] == [USUAL_LEVEL] * (FOUR.usual_seats - 2)
    assert f"Anna invites you to {FOUR.title}." in ben.get("/me/news")
    assert "1 open seat" in ben.get(here)
    assert "1 open table" in ben.get("/")
    join = f"/join/{table.header.invite}"
    assert who in eve.get(join)
    assert who in ben.get(join)
    assert eve.get(at), "anybody with a table's link watches it"
    assert "only members of its circle" in eve.post(join, 403, None, name="Eve").lower()
    token = at.removeprefix("/t/")
    eve.post(join, 403, None, claim="0")
    eve.ask(f"/join/{table.header.invite}", {}, 403)
    assert live_at(anna, token).table.seats[1].open
    assert ben.post(join, name="Ben") == at
    assert here in ben.get(at)
    assert "invites you" not in ben.get("/me/news")
    at, link = anna.post(f"{here}/tables", game=TWO.name), circle_link(anna, here)
    anna.post(member(anna, here, "Ben", "remove"))
    assert "invites you" not in ben.get("/me/news") + ben.get("/")
    ben.post(f"/join/{live_at(anna, at).table.header.invite}", 403, None, name="Ben")
    assert rows(anna, calls) == 0
    ben.post(link, 404, name="Ben")
    ben.post(circle_link(anna, here), name="Ben")


def test_a_table_has_room_for_the_members(anna: Visitor, ben: Visitor, here: str) -> None:
    link = circle_link(anna, here)
    for number in range(6):
        anna.other().post(link, name=f"P{number}")
    for game in (one for one in GAMES.values() if one.max_seats > 1):
        for people in (None, 2, 50):
            form: dict[str, Any] = {} if people is None else {"people": people}
            at = anna.post(f"{here}/tables", game=game.name, **form)
            table, room = live_at(anna, at).table, min(people or 8, game.max_seats)
            assert sum(not seat.bot for seat in table.seats) == room
            assert len(table.seats) == max(room, game.usual_seats)
            anna.do(at, "leave", seat=0)
        assert (f"(up to {game.max_seats})" in anna.get(here)) == (game.max_seats < 8)
    anna.post(f"{here}/tables", 422, None, game=TWO.name, people=1)
    at = anna.post(f"{here}/tables", game=TWO.name)
    ben.post(f"/join/{live_at(anna, at).table.header.invite}", name="Ben")
    anna.post(member(anna, here, "Ben", "remove"))
    assert live_at(anna, at).table.seats[1].open, "he doesn't wait there any more"


def test_members_stay_and_mutes_stop_calls(anna: Visitor, ben: Visitor, here: str) -> None:
    later = site_of(anna).now() + 1e9
    stored(anna, lambda c: retention._drop_guests(c, site_of(anna), later))
    assert rows(anna, circle_members) == 2
    stored(anna, lambda c: mutes.mute(c, ben.person.id, anna.person.id))
    anna.post(f"{here}/tables", game=TWO.name)
    assert "invites you" not in ben.get("/me/news")
    assert "1 open seat" in ben.get(here)


@pytest.mark.parametrize("blocker", ["owner", "member"])
def test_only_the_owner_sees_and_removes_whom_they_are_apart_from(
    anna: Visitor, ben: Visitor, here: str, blocker: str
) -> None:
    carl = anna.other("Carl")
    carl.post(circle_link(anna, here), name="Carl")
    for one, other in ((anna, ben), (carl, ben)):
        by, whom = (one, other) if blocker == "owner" else (other, one)
        stored(anna, partial(mutes.mute, person=by.id, other=whom.id, blocks=True))
    pages = {one: one.get(here) for one in (anna, ben, carl)}
    assert ("Ben" in pages[carl], "Carl" in pages[ben]) == (False, False)
    assert ("Ben" in pages[anna], "Carl" in pages[anna]) == (True, True)
    assert "online" not in pages[anna]
    anna.post(member(anna, here, "Ben", "remove"))
    ben.get(here, 404)
    assert "Ben" not in anna.get(here)


def finish(client: Place, here: str, *people: Visitor) -> str:
    """The token of a finished game at a circle's table."""
    table = play(client, TWO, seats_for(*people), seed=f"{rows(client, schema.tables)}")
    token = table.header.token
    circle = here.rpartition("/")[2]
    change = sa.update(schema.tables).where(schema.tables.c.token == token)
    execute(client, change.values(circle=circle))
    return token


def test_a_season_counts_a_months_games_of_members(anna: Visitor, ben: Visitor, here: str) -> None:
    site, results = site_of(anna), schema.results
    now = Season.at(site.now())
    for token, at in (
        (finish(anna, here, anna, ben), now.begins),
        (finish(anna, here, anna, ben), now.after.begins - 1),
        (finish(anna, here, anna, ben), now.begins - 1),
        (finish(anna, "elsewhere", anna, ben), now.begins),
    ):
        change = sa.update(results).where(results.c.token == token).values(at=at)
        won = sa.case((results.c.person == ben.person.id, 1), else_=2)
        stored(anna, partial(sa.Connection.execute, statement=change.values(rank=won)))
    old = sa.update(circle_rows).values(made=now.before.begins)
    stored(anna, partial(sa.Connection.execute, statement=old))

    def season(visitor: Visitor, query: str = "") -> list[tuple[str, ...]]:
        text = re.sub(r"\s*<[^>]+>\s*", " ", visitor.get(here + query))
        return re.findall(r" \d+ [AB] (Anna|Ben) (\d+) (\d+) (\d+)\b", " ".join(text.split()))

    assert season(anna) == [("Ben", "200", "2", "100"), ("Anna", "0", "2", "0")]
    last = [("Ben", "100", "1", "100"), ("Anna", "0", "1", "0")]
    assert season(anna, f"?season={now.before}") == last
    eve = anna.other("Eve")
    eve.get(f"{here}?season={now}", 404)
    ben.post(f"{here}/leave")
    assert season(anna) == [("Anna", "0", "2", "0")], "who has left isn't in it"


def test_members_see_results_of_the_day_once_they_have_played_themselves(
    anna: Visitor, ben: Visitor, here: str
) -> None:
    day = site_of(anna).service(Dailies).today().isoformat()
    deal = f"/daily/{day}/deal/{TWO.name}"
    for one in (anna, ben):
        at = one.post(deal)
        assert f"<h3>{TWO.title}</h3>" not in one.get(here), "before the end of the own try"
        one.do(at, "resign", seat=live_at(one, at).table.seats_of(one.id)[0])
        shown = one.get(here)
        assert f"<h3>{TWO.title}</h3>" in shown
        assert shown.count("<span>Gave up</span>") == (1 if one is anna else 2)
    carl = anna.other("Carl")
    carl.post(circle_link(anna, here), name="Carl")
    assert "Gave up" not in carl.get(here)


def test_points_are_shares_of_the_people_who_were_beaten() -> None:
    assert shares_beaten({"a": 1}) == {}
    assert shares_beaten({"a": 2, "b": 2, "c": 1}) == {"a": 0.25, "b": 0.25, "c": 1.0}
    random = Random(1)
    for _ in range(50):
        ranks = {f"{i}": random.randint(1, 4) for i in range(random.randint(2, 7))}
        shares = shares_beaten(ranks)
        assert sum(shares.values()) == pytest.approx(len(ranks) / 2)
        assert sorted(ranks, key=lambda one: (ranks[one], one)) == sorted(
            ranks, key=lambda one: (-shares[one], one)
        )


def test_people_count_in_a_season_who_play_with_others() -> None:
    """And nobody gains by guests of their own, however these play among themselves."""
    assert who_counts([["a", "b"]], ["a", "b"]) == {"a", "b"}
    assert who_counts([["a", "b"], ["a", "guest"]], ["a", "b", "guest"]) == {"a", "b"}
    assert who_counts([["a"]], ["a"]) == {"a"}
    random = Random(49)
    for _ in range(50):
        club = [f"P{i}" for i in range(random.randint(4, 8))]
        games = [random.sample(club, random.randint(2, 4)) for _ in range(20)] + [club]
        assert who_counts(games, club) == set(club)
        guests = ["G0", "G1", "G2", "G3"][: random.randint(1, len(club) - 2)]
        cheat, crowd = random.choice(club), range(1, len(guests) + 1)
        games += [[cheat, *random.sample(guests, random.choice(crowd))] for _ in range(9)]
        games += [random.sample(guests, random.choice(crowd)) for _ in range(9)]
        members = random.sample([*club, *guests], len(club) + len(guests))
        assert who_counts(games, members) == set(club)


def test_a_rematch_stays_in_the_circle_of_all(anna: Visitor, ben: Visitor, here: str) -> None:
    first = finish(anna, here, anna, ben)
    again = anna.post(f"/t/{first}/rematch")
    circle = here.rpartition("/")[2]
    assert live_at(anna, again).table.header.circle == circle
    ben.post(f"{here}/leave")
    second = finish(anna, here, anna, ben)
    assert live_at(anna, anna.post(f"/t/{second}/rematch")).table.header.circle == ""
