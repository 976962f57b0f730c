"""Profiles: what others see of a person, badges, and looks that follow a person."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.bots.levels import LEVELS
from redouble.contract.registry import GAMES
from redouble.web.features.circles import circles
from redouble.web.features.friends import friends
from redouble.web.features.profile.badges import BADGES, badges_of, deeds_of
from redouble.web.features.ratings.rows import UPSET, upset
from redouble.web.store import schema
from redouble.web.table import Table
from tests.web.helpers.visitors import Visitor, new_code, play, rows, seats_for, stored

GAME = next(game for game in GAMES.values() if game.min_seats == 2)
CHOSEN = {"motif": "star", "results": "friends"}
CHANGING = re.compile(
    r'name="(?:once|offer)" value="[^"]*|(?<=data-commitment=")[^"]*|\d+ \w+ ago|just now'
)


@pytest.fixture
def over(client: TestClient, anna: Visitor, ben: Visitor) -> Table:
    """A finished game of Anna and Ben."""
    return play(client, GAME, seats_for(anna, ben))


def rated(person: str, **more: Any) -> dict[str, Any]:
    row = {"token": "t", "person": person, "game": GAME.name, "points": 1600.0, "spread": 90.0}
    return row | {"games": 9, "at": 1.0} | more


def insert(client: TestClient, table: sa.Table, *given: dict[str, Any]) -> None:
    stored(client, lambda c: c.execute(sa.insert(table), list(given)) and None)


def choose(visitor: Visitor, status: int = 303, **more: str) -> None:
    form: dict[str, Any] = CHOSEN | more
    visitor.post("/me/profile", status, **form)


def page_of(table: Table, seat: int = 0) -> str:
    return f"/t/{table.header.token}/players/{seat}/profile"


def test_a_picture_is_in_the_lists_where_others_see_the_name(
    client: TestClient, anna: Visitor, ben: Visitor, over: Table
) -> None:
    choose(anna)
    stored(client, partial(befriended, anna.person.id, ben.person.id))
    link = stored(client, lambda c: circle_link(c, anna.person.id))
    circle = ben.post(f"/circles/join/{link}", name="Ben").split("?")[0]
    insert(client, schema.ratings, rated(anna.person.id, games=99), rated(ben.person.id, games=99))
    for one in (anna, ben):
        one.post(f"/ranking/{GAME.name}", listed="yes")
    for page in ("/", "/me", circle, f"/ranking/{GAME.name}"):
        to_choose = page == "/me"
        assert ben.get(page).count('class="face m-star"') == 1 + to_choose, page
    assert ben.get(circle).count('class="face"') == 1, "who hasn't chosen has a letter"


def befriended(one: str, other: str, connection: sa.Connection) -> None:
    friends.ask(connection, one, other, GAME.name)
    friends.ask(connection, other, one, GAME.name)


def circle_link(connection: sa.Connection, person: str) -> str:
    circle = circles.create(connection, person, "Monday")
    return circles.circle_of(connection, person, circle).link


@pytest.mark.one_server("others show a new picture at tables that they load from then on")
def test_a_picture_is_chosen_and_shown_at_the_table(
    client: TestClient, anna: Visitor, ben: Visitor, over: Table
) -> None:
    running = play(client, GAME, seats_for(anna, ben), plies=3)
    assert " m-" not in ben.get(f"/t/{running.header.token}")
    choose(anna)
    assert "face m-star large" in anna.get("/me")
    assert json.loads(anna.get("/me/export"))["profile"]["picture"] == "star"
    for wrong in ({"motif": "unicorn"}, {"results": "all"}):
        choose(anna, 400, **wrong)
    html = ben.get(f"/t/{running.header.token}")
    assert html.count('<span class="avatar hue0 m-star" aria-hidden="true"></span>') == 1
    assert f'<a href="{page_of(over)}">Anna</a>' in ben.get(f"/t/{over.header.token}")
    anna.post("/me/forget", 200, sure="yes")
    assert rows(client, schema.profiles) == 0
    ben.get(page_of(over), 404)


def test_a_strangers_page_depends_on_nothing_that_is_not_shown_to_strangers(
    client: TestClient, anna: Visitor, ben: Visitor, over: Table
) -> None:
    """Name, picture, rating and number of games: whatever else differs, each byte is the same."""
    cleo, me, token = Visitor(client, "Cleo"), anna.person.id, over.header.token
    choose(anna)
    waiting = anna.post("/people/" + GAME.name)
    other = play(client, GAME, seats_for(anna, bots=1))
    insert(client, schema.ratings, rated(me))
    pages = [
        "/",
        f"/t/{token}",
        page_of(over),
        f"/t/{token}/replay",
        waiting,
        "/ranking/" + GAME.name,
    ]

    def seen(by: Visitor) -> list[str]:
        return [CHANGING.sub("", by.get(page)) for page in pages]

    def change(connection: sa.Connection) -> None:
        mine = sa.and_(schema.results.c.person == me, schema.results.c.token == other.header.token)
        won = {"won": ~schema.results.c.won, "rank": 2, "score": 77, "undos": 5, "moves": 3}
        connection.execute(sa.update(schema.results).where(mine).values(won))
        connection.execute(sa.update(schema.ratings).values(number=50))
        connection.execute(sa.insert(schema.ratings), [rated(me, number=20, points=900.0)])
        day = {"day": "2026-01-01", "game": "", "person": me, "begun": 1.0, "won": True}
        day |= {"resigned": False, "tried": ["1"]}
        connection.execute(sa.insert(schema.dailies), [day])
        friends.ask(connection, me, ben.person.id, GAME.name)
        friends.ask(connection, ben.person.id, me, GAME.name)
        circles.join(connection, ben.person.id, invitation(connection))

    def invitation(connection: sa.Connection) -> str:
        circle = circles.create(connection, me, "Monday")
        return circles.circle_of(connection, me, circle).link

    viewers = cleo, Visitor(client)
    before = list(map(seen, viewers))
    assert "Anna has played 2 games and is rated 1,600." in before[0][2]
    stored(client, change)
    anna.post("/me/looks", 204, theme="dark")
    assert list(map(seen, viewers)) == before
    choose(anna, results="everyone")
    after = seen(cleo)
    assert [one == two for one, two in zip(after, before[0], strict=True)].count(False) == 1
    assert "First glance" in after[2]
    assert "average place" in after[2]


def test_friends_and_members_of_a_circle_see_what_was_chosen_for_them(
    client: TestClient, anna: Visitor, ben: Visitor, over: Table
) -> None:
    me, page = anna.person.id, page_of(over)
    insert(client, schema.ratings, rated(me, points=1500.0), rated(me))
    assert "after each of" not in ben.get(page)
    stored(client, lambda c: friends.ask(c, me, ben.person.id, GAME.name))
    assert "after each of" not in ben.get(page)  # to ask somebody opens nothing
    stored(client, lambda c: friends.ask(c, ben.person.id, me, GAME.name))
    curve = "Anna’s rating after each of 2 rated games: from 1500 to 1,600, give or take 176"
    assert curve in ben.get(page)
    (friendship,) = stored(client, lambda c: friends.friends_of(c, ben.person.id))
    assert curve in ben.get(f"/friends/{friendship.id}")
    Visitor(client, "Cleo").get(f"/friends/{friendship.id}", 404)
    assert curve in anna.get("/me/seen?by=friends")
    assert "after each of" not in anna.get("/me/seen")
    choose(anna, results="nobody")
    assert "after each of" not in ben.get(page)
    cleo = Visitor(client, "Cleo")

    def meet(connection: sa.Connection) -> tuple[str, str]:
        circle = circles.create(connection, me, "Monday")
        circles.join(connection, cleo.person.id, circles.circle_of(connection, me, circle).link)
        return circle, circles.members_of(connection, circle)[0].id

    circle, member = stored(client, meet)
    choose(anna)
    assert curve in cleo.get(f"/circles/{circle}/members/{member}")
    assert curve in cleo.get(page)
    ben.get(f"/circles/{circle}/members/{member}", 404)


def test_a_profile_moves_with_a_guest_and_looks_follow_a_person(
    client: TestClient, anna: Visitor
) -> None:
    visitor = Visitor(client)
    visitor.post("/me/looks", 204, theme="dark")
    assert visitor.cookie == ""
    anna.post("/me/looks", 204, theme="dark")
    anna.post("/me/looks", 204, backs="red", unknown="x")
    anna.post("/me/looks", 400, backs="plaid")
    phone, code = Visitor(client), new_code(anna)
    phone.post("/link", code=code)
    assert 'data-looks="theme=dark&amp;backs=red"' in phone.get("/me")
    assert "data-looks" not in phone.get("/")
    guest, own = Visitor(client, "Guest"), new_code(ben := Visitor(client, "Ben"))
    choose(guest)
    guest.post("/link", code=own)
    assert "face m-star" in ben.get("/me")


def result(**more: Any) -> dict[str, Any]:
    row = {"game": GAME.name, "seats": 2, "rank": 1, "won": True, "counts": True, "undos": 1}
    return row | {"helped": False, "options": {}, "others": [], "token": "t"} | more


BOT = {"bot": next(iter(LEVELS)), "person": None}
MASTER = {"bot": list(LEVELS)[-1], "person": None}
CLEO = {"bot": "", "person": "cleo"}
CHANGED = next(
    (game.name, {option.name: not option.default})
    for game in GAMES.values()
    for option in game.options
    if isinstance(option.default, bool)
)
LOST = result(won=False, rank=2)
EARNED: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "All-rounder": ([result(game=name, won=False) for name in GAMES], []),
    "Every crown": ([result(game=name) for name in GAMES], []),
    "Full table": ([result(seats=5)], []),
    "Master class": ([result(others=[MASTER], undos=0)], []),
    "Ladder": ([result(others=[{"bot": level, "person": None}]) for level in LEVELS], []),
    "As it lies": ([result(others=[CLEO], undos=0)], []),
    "Hat trick": ([result()] * 3, []),
    "First glance": ([], [{"game": "", "won": True, "tried": ["1"]}]),
    "Deal of the day": ([], [{"game": GAME.name, "won": True, "tried": []}]),
    "Patience": ([result(seats=1, undos=0)], []),
    "House rules": ([result(game=CHANGED[0], options=CHANGED[1])], []),
}
NOT_EARNED: list[list[dict[str, Any]]] = [
    [result(game=name, counts=False) for name in GAMES],
    [result(seats=5, won=False), result(others=[MASTER]), result(others=[CLEO])],
    [result(others=[{**CLEO, "person": "anna"}], undos=0)],  # both seats were Anna's
    [result(), result(), LOST, result()],
    [result(seats=1, undos=0, helped=True), result(others=[BOT], undos=0)],
]


def earned(results: list[Any], dailies: list[Any], upset: bool = False) -> set[str]:
    return {one.name for one in badges_of(deeds_of("anna", results, dailies, upset))}


def test_every_badge_can_be_earned_and_says_how() -> None:
    assert {one.name for one in BADGES} == {*EARNED, "Giant killer"}
    assert earned([], []) == set()
    assert all(re.fullmatch(r"[A-Z].*\.", one.how) for one in BADGES)
    for name, (results, dailies) in EARNED.items():
        assert name in earned(results, dailies), name
    assert earned([], [], True) == {"Giant killer"}
    for results in NOT_EARNED:
        tried = [{"game": "", "won": True, "tried": ["1", "2"]}]
        assert earned(results, tried) <= set(), results


def test_a_giant_was_beaten(client: TestClient, anna: Visitor, ben: Visitor, over: Table) -> None:
    one, two = anna.person.id, ben.person.id
    token = over.header.token
    ranks = over.match.outcome.ranks if over.match.outcome else (0, 0)
    if ranks[0] == ranks[1]:
        pytest.fail("the seed gives a game without a winner")
    winner, loser = (one, two) if ranks[0] < ranks[1] else (two, one)
    mine, theirs = rated(winner, token=token), rated(loser, token=token, points=1600.0 + UPSET)
    insert(client, schema.ratings, mine, theirs)
    assert stored(client, lambda c: (upset(c, winner), upset(c, loser))) == (True, False)
