"""Duplicate evenings: the same deals and bots at all tables, and nobody sees cards too early."""

import json
import re
from functools import partial
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.bots.levels import USUAL_LEVEL
from redouble.contract.registry import GAMES
from redouble.web.features.circles import circles, evenings
from redouble.web.features.circles.circles import evening_players
from redouble.web.features.circles.circles import evenings as evening_rows
from redouble.web.features.circles.evenings import SeatResult
from redouble.web.store import schema
from redouble.web.table import Table
from tests.web.helpers.servers import site_of
from tests.web.helpers.visitors import (
    Place,
    Visitor,
    circle_of,
    column,
    live_at,
    move_on,
    rows,
    stored,
)

GAME = next(game for game in GAMES.values() if game.min_seats == 2)


@pytest.fixture
def friends(anna: Visitor, ben: Visitor) -> list[Visitor]:
    return [anna, ben, anna.other("Carl"), anna.other("Dora")]


@pytest.fixture
def here(client: TestClient, friends: list[Visitor]) -> str:
    """An evening that Anna has announced, and that her friends take part in: three seats."""
    anna, *others = friends
    circle = circle_of(anna, *others)
    here = anna.post(f"{circle}/evenings", game=GAME.name, players=3, deals=2)
    for one in others:
        one.post(f"{here}/players", plays="yes")
    return here


def tables(client: Place) -> list[Table]:
    """The tables of all evenings, the oldest first."""
    query = sa.select(schema.tables.c.token).where(schema.tables.c.evening.is_not(None))
    ordered = query.order_by(schema.tables.c.deals_left.desc(), schema.tables.c.token)
    found = column(client, ordered)
    return [live_at(client, token).table for token in found]


def people_at(table: Table, friends: list[Visitor]) -> list[Visitor]:
    by_id = {one.person.id: one for one in friends}
    return [by_id[seat.person] for seat in table.seats if seat.person]


def give_up(table: Table, friends: list[Visitor]) -> None:
    for seat, one in enumerate(people_at(table, friends)):
        one.post(f"/t/{table.header.token}/do", command="resign", seat=seat)


def test_all_tables_have_equally_many_people() -> None:
    for players in range(51):
        for places in range(2, 13):
            each = evenings.people_at_each(players, places)
            assert 0 <= each <= places
            assert bool(each) == (players > 1)
            assert not each or (players % each == 0 and players // each > 1)


def test_tables_get_the_same_deal_and_the_same_bots(
    client: TestClient, friends: list[Visitor], here: str
) -> None:
    anna, ben, *_ = friends
    eve = Visitor(client, "Eve")
    for form in ("players", "start"):
        eve.post(f"{here}/{form}", 404, None, plays="yes")
    eve.get(here, 404)
    assert "That makes 2 tables, each with 2 people and 1 bot." in ben.get(here)
    for form in ("start", "off"):
        ben.post(f"{here}/{form}", 403)
    anna.post(f"{here}/start")
    anna.post(f"{here}/start", 409)
    ben.post(f"{here}/players", 409, None, plays="no")
    anna.post(f"{here}/off", 409)
    one, two = tables(client)
    assert one.match.seed == two.match.seed
    assert one.match.seed not in anna.get(here)
    assert [(seat.bot, seat.name) for seat in one.seats[2:]] == [
        (seat.bot, seat.name) for seat in two.seats[2:]
    ]
    assert one.seats[2].bot == USUAL_LEVEL
    seated = [one.person.name for table in (one, two) for one in people_at(table, friends)]
    assert sorted(seated) == ["Anna", "Ben", "Carl", "Dora"]
    assert rows(client, evening_players) == 0
    assert f"/t/{one.header.token}" in people_at(one, friends)[0].get(here)


def test_nobody_sees_a_deal_that_they_still_play(
    client: TestClient, friends: list[Visitor], here: str
) -> None:
    friends[0].post(f"{here}/start")
    one, two = tables(client)
    mine, others, eve = people_at(one, friends), people_at(two, friends), Visitor(client, "Eve")
    first = f"/t/{one.header.token}"
    paths = [first, f"{first}/stream", f"{first}/board", f"{first}/hint"]
    ended = [f"{first}/replay", f"{first}/record", f"{first}/review"]
    outside = [others[0], eve, Visitor(client)]
    for who in outside:
        for path in paths:
            who.get(path, 403)
    mine[0].get(f"{first}/hint", 400)
    for command in ({"command": "undo"}, {"command": "bot", "seat": 0}):
        mine[0].post(f"{first}/do", 400, None, **command)
    give_up(one, friends)
    line = mine[0].get(f"{first}/record")
    imported = mine[0].post("/replays", 303, line.encode())
    for who in outside:
        for path in (*paths[:3], *ended, imported):
            who.get(path, 403)
        for path in ("", "/record"):
            who.ask(f"/tables/{one.header.token}{path}", None, 403)
    season = here.split("/evenings")[0]
    assert "Nobody has finished a game" in others[0].get(season)
    assert ">Deal 1<" in mine[0].get(here)
    assert ">Deal 1<" not in others[0].get(here)
    give_up(two, friends)
    for who in outside:
        who.get(first)
        who.get(imported)
    assert others[0].get(here).count("50%") >= 4


def test_a_shared_result_has_no_ranks_for_members_who_still_play(friends: list[Visitor]) -> None:
    anna, *others = friends
    circle = circle_of(anna, *others)
    here = anna.post(f"{circle}/evenings", game=GAME.name, players=2, deals=1)
    for one in others:
        one.post(f"{here}/players", plays="yes")
    anna.post(f"{here}/start")
    first, second = tables(anna)
    mine, playing = (people_at(table, friends) for table in (first, second))
    move_on(anna, first.header.token)
    shared = mine[0].post(f"/t/{first.header.token}/share")
    for who in (*playing, anna.other("Eve")):
        page = who.get(shared)
        assert "Play this deal to see the result" in page
        assert not any(one.person.name in page for one in mine)
        assert f"/t/{first.header.token}" not in who.get(circle if who in friends else "/")
    give_up(second, friends)
    for who in friends:
        assert all(f"<b>{one.person.name}</b>" in who.get(shared) for one in mine)


def test_the_next_deal_is_the_same_at_all_tables(
    client: TestClient, friends: list[Visitor], here: str
) -> None:
    friends[0].post(f"{here}/start")
    for table in tables(client):
        give_up(table, friends)
        token, asker = table.header.token, people_at(table, friends)[0]
        page = asker.get(f"/t/{token}")
        assert "Next deal" in page
        assert f"{here}" in page
        asker.post(f"/t/{token}/rematch")
    first, second, third, fourth = tables(client)
    assert first.match.seed == second.match.seed != third.match.seed == fourth.match.seed
    assert {table.header.before for table in (third, fourth)} == {
        table.header.token for table in (first, second)
    }
    for table in (third, fourth):
        before = next(one for one in (first, second) if one.header.token == table.header.before)
        names = [[seat.name for seat in one.seats] for one in (table, before)]
        assert names[0] == names[1]
        give_up(table, friends)
        asker = people_at(table, friends)[0]
        assert "Next deal" not in asker.get(f"/t/{table.header.token}")
        asker.post(f"/t/{table.header.token}/rematch", 409)
    assert "Standings<" in friends[0].get(here)


def test_an_evening_ends_after_a_week_and_unstarted_ones_vanish(
    client: TestClient, friends: list[Visitor], here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(client, partial(evenings.drop_old, now=site_of(client).now()))
    assert rows(client, evening_rows) == 1
    friends[0].post(f"{here}/start")
    eve, (one, *_) = Visitor(client, "Eve"), tables(client)
    eve.get(f"/t/{one.header.token}", 403)
    monkeypatch.setattr(evenings, "SEALED_SECONDS", 0.0)
    eve.get(f"/t/{one.header.token}")
    give_up(one, friends)
    people_at(one, friends)[0].post(f"/t/{one.header.token}/rematch", 409)
    circle = here.split("/evenings")[0]
    friends[1].post(f"{circle}/evenings", game=GAME.name, players=2, deals=1)
    stored(client, partial(evenings.drop_old, now=site_of(client).now() + 2 * 86400))
    assert rows(client, evening_rows) == 1


def test_who_leaves_takes_no_part(client: TestClient, friends: list[Visitor], here: str) -> None:
    anna, ben, carl, dora = friends
    circle = here.split("/evenings")[0]
    ben.post(f"{circle}/leave")
    assert "That makes 3 tables, each with 1 person and 2 bots." in anna.get(here)
    carl.post(f"{here}/players", plays="no")
    told = json.loads(dora.get("/me/export"))["circles"]
    assert [one["planned"] for one in told] == [[{"game": GAME.name, "comes": True}]]
    anna.post("/me/forget", 200, None, sure="yes")
    assert "It takes two members to compare." in dora.get(here)
    dora.post(f"{here}/start", 403)
    carl.post(f"{here}/start", 400)  # who owns the circle now
    for one in (carl, dora):
        one.post("/me/forget", 200, None, sure="yes")
    for table in (evening_rows, evening_players):
        assert rows(client, table) == 0


def test_wrong_evenings_are_refused(anna: Visitor) -> None:
    at = f"{anna.post('/circles', circle='Any')}/evenings"
    wrong: dict[str, Any]
    for wrong in (
        *({"deals": 0}, {"deals": 13}, {"players": 1}, {"players": 99}),
        *({"at": "soon"}, {"at": "2020-01-01T20:00"}, {"at": "9999-12-31T23:59", "zone": "x"}),
    ):
        anna.post(at, 400, None, **({"game": GAME.name, "players": 2, "deals": 1} | wrong))
    anna.post(at, 404, None, game="none")
    assert rows(anna, evening_rows) == 0
    for _ in range(evenings.MAX_WAITING):
        here = anna.post(at, game=GAME.name, players=2, deals=1)
    anna.post(at, 429, None, game=GAME.name, players=2, deals=1)
    anna.post(f"{here}/off")
    anna.get(here, 404)
    anna.post(at, game=GAME.name, players=2, deals=1)
    assert circles.MAX_MEMBERS <= 50, "so many tables can begin at once"


def test_equal_seats_compare() -> None:
    """In each seat the shares add up to half of the people there; the better one has more."""
    random = Random(39)
    for _ in range(50):
        reached = {
            f"{i}": (random.randint(1, 3), random.randint(-3, 3))
            for i in range(random.randint(2, 6))
        }
        shares = evenings.shares_in_seat(reached)
        assert sum(shares.values()) == pytest.approx(len(reached) / 2)
        for one in reached:
            for other in reached:
                assert (reached[one] < reached[other]) == (shares[one] > shares[other])
    assert evenings.shares_in_seat({"alone": (1, 0)}) == {}
    found = {
        1: [SeatResult(0, "a", "A", 1, 5, 1.0), SeatResult(0, "b", "B", 2, 5, 0.0)],
        2: [SeatResult(0, "a", "A", 1, 5, 0.5), SeatResult(0, "b", "B", 1, 5, 0.5)],
        3: [SeatResult(0, "a", "A", 1, 5, None)],
    }
    ranked = [(row.name, row.average, row.deals) for row in evenings.standings(found)]
    assert ranked == [("A", 0.75, 2), ("B", 0.25, 2)]
    assert re.fullmatch(evenings.SEED, f"evening-{'0' * 16}-3-{'f' * 32}")
