"""Profiles: what others see of a person, badges, looks, and results in one game."""

import re
from typing import Any
from urllib.parse import urlencode

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.bots.levels import LEVELS
from redouble.contract.registry import GAMES
from redouble.web.features.circles.circles import circle_members
from redouble.web.features.daily.tries import dailies as daily_rows
from redouble.web.features.friends import friends
from redouble.web.features.profile.badges import BADGES, badges_of, deeds_of
from redouble.web.features.profile.breakdown import breakdowns, company, played_by, trend
from redouble.web.features.ratings.rows import UPSET, upset
from redouble.web.features.ratings.rows import ratings as rating_rows
from redouble.web.store import schema
from redouble.web.table import Table
from tests.web.helpers.servers import present_later
from tests.web.helpers.visitors import (
    Place,
    Visitor,
    befriend,
    circle_of,
    column,
    execute,
    new_code,
    play,
    seats_for,
    stored,
)

GAME = next(game for game in GAMES.values() if game.min_seats == 2)
CHOSEN = {"motif": "star", "results": "friends"}
CHANGING = re.compile(
    r'name="(?:once|offer)" value="[^"]*|(?<=data-commitment=")[^"]*|(?<=data-now=")\d+'
    r"|\d+ \w+ ago|just now"
)


@pytest.fixture
def over(anna: Visitor, ben: Visitor) -> Table:
    """A finished game of Anna and Ben."""
    return play(anna, GAME, seats_for(anna, ben))


def rated(person: str, **more: Any) -> dict[str, Any]:
    row = {"token": "t", "person": person, "game": GAME.name, "points": 1600.0, "spread": 90.0}
    return row | {"games": 9, "at": 1.0} | more


def insert(client: Place, table: sa.Table, *given: dict[str, Any]) -> None:
    execute(client, sa.insert(table), *given)


def choose(visitor: Visitor, status: int = 303, **more: str) -> None:
    form: dict[str, Any] = CHOSEN | more
    visitor.post("/me/profile", status, **form)


def page_of(table: Table, seat: int = 0) -> str:
    return f"/t/{table.header.token}/players/{seat}/profile"


def test_a_picture_is_where_others_see_the_name(anna: Visitor, ben: Visitor, over: Table) -> None:
    choose(anna)
    befriend(anna, ben)
    circle = circle_of(anna, ben)
    insert(anna, rating_rows, rated(anna.person.id, games=99), rated(ben.person.id, games=99))
    for one in (anna, ben):
        one.post(f"/ranking/{GAME.name}", listed="yes")
    for page in ("/", "/me", circle, f"/ranking/{GAME.name}"):
        to_choose = page == "/me"
        assert ben.get(page).count('class="face m-star"') == 1 + to_choose, page
    assert ben.get(circle).count('class="face"') == 1, "who hasn't chosen has a letter"


@pytest.mark.one_server("others show a new picture at tables that they load from then on")
def test_a_chosen_picture_is_shown_at_the_table(anna: Visitor, ben: Visitor, over: Table) -> None:
    running = play(anna, GAME, seats_for(anna, ben), plies=3)
    assert " m-" not in ben.get(f"/t/{running.header.token}")
    choose(anna)
    assert "face m-star large" in anna.get("/me")
    for wrong in ({"motif": "unicorn"}, {"results": "all"}):
        choose(anna, 400, **wrong)
    html = ben.get(f"/t/{running.header.token}")
    assert html.count('<span class="avatar hue0 m-star" aria-hidden="true"></span>') == 1
    assert f'<a href="{page_of(over)}">Anna</a>' in ben.get(f"/t/{over.header.token}")
    anna.post("/me/forget", 200, sure="yes")
    ben.get(page_of(over), 404)


@present_later
def test_a_strangers_page_depends_on_nothing_that_is_not_shown_to_strangers(
    anna: Visitor, ben: Visitor, over: Table
) -> None:
    """Name, picture, rating and number of games: whatever else differs, each byte is the same."""
    cleo, me, token = anna.other("Cleo"), anna.person.id, over.header.token
    choose(anna)
    waiting = anna.table(GAME.name, "friend", "friend", "friend", public="yes")
    other = play(anna, GAME, seats_for(anna, bots=1))
    insert(anna, rating_rows, rated(me))
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
        connection.execute(sa.update(rating_rows).values(number=50))
        connection.execute(sa.insert(rating_rows), [rated(me, number=20, points=900.0)])
        day = {"day": "2026-01-01", "game": "", "person": me, "begun": 1.0, "won": True}
        day |= {"resigned": False, "tried": ["1"]}
        connection.execute(sa.insert(daily_rows), [day])

    viewers = cleo, anna.other()
    before = list(map(seen, viewers))
    assert "Anna has played 2 games and is rated 1,600." in before[0][2]
    stored(anna, change)
    befriend(anna, ben)
    circle_of(anna, ben)
    anna.post("/me/looks", theme="dark")
    assert list(map(seen, viewers)) == before
    choose(anna, results="everyone")
    after = seen(cleo)
    assert [one == two for one, two in zip(after, before[0], strict=True)].count(False) == 1
    assert "First glance" in after[2]
    assert "average place" in after[2]


def test_friends_and_members_of_a_circle_see_what_was_chosen_for_them(
    anna: Visitor, ben: Visitor, over: Table
) -> None:
    me, page = anna.person.id, page_of(over)
    insert(anna, rating_rows, rated(me, points=1500.0), rated(me))
    assert "after each of" not in ben.get(page)
    stored(anna, lambda c: friends.ask(c, me, ben.person.id, GAME.name))
    assert "after each of" not in ben.get(page)  # to ask somebody opens nothing
    friendship = befriend(anna, ben)
    curve = "Anna’s rating after each of 2 rated games: from 1500 to 1,600, give or take 176"
    assert curve in ben.get(page)
    assert curve in ben.get(f"/friends/{friendship}")
    anna.other("Cleo").get(f"/friends/{friendship}", 404)
    assert curve in anna.get("/me/seen?by=friends")
    assert "after each of" not in anna.get("/me/seen")
    choose(anna, results="nobody")
    assert "after each of" not in ben.get(page)
    cleo = anna.other("Cleo")
    circle = circle_of(anna, cleo)
    mine = circle_members.c.person == me
    [member] = column(anna, sa.select(circle_members.c.id).where(mine))
    choose(anna)
    assert curve in cleo.get(f"{circle}/members/{member}")
    assert curve in cleo.get(page)
    ben.get(f"{circle}/members/{member}", 404)


def test_a_profile_moves_with_a_guest_and_looks_follow_a_person(anna: Visitor) -> None:
    visitor = anna.other()
    visitor.post("/me/looks", theme="light")
    assert 'data-looks="theme=light&amp;' in visitor.get("/me"), "it needs no games"
    chosen: dict[str, Any] = {"theme": "dark", "backs": "red", "four-colors": "on"}
    anna.post("/me/looks", **chosen, unknown="x")
    anna.post("/me/looks", 400, backs="plaid")
    phone, code = anna.other(), new_code(anna)
    phone.post("/link", code=code)
    for page in ("/me", "/"):  # no script sets them
        assert f'data-looks="{urlencode(chosen).replace("&", "&amp;")}&amp;large' in phone.get(page)
    guest, own = anna.other("Guest"), new_code(ben := anna.other("Ben"))
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


def test_a_giant_was_beaten(anna: Visitor, ben: Visitor, over: Table) -> None:
    one, two = anna.person.id, ben.person.id
    token = over.header.token
    ranks = over.match.outcome.ranks if over.match.outcome else (0, 0)
    if ranks[0] == ranks[1]:
        pytest.fail("the seed gives a game without a winner")
    winner, loser = (one, two) if ranks[0] < ranks[1] else (two, one)
    mine, theirs = rated(winner, token=token), rated(loser, token=token, points=1600.0 + UPSET)
    insert(anna, rating_rows, mine, theirs)
    assert stored(anna, lambda c: (upset(c, winner), upset(c, loser))) == (True, False)


DOWN = GAMES["double-down"]
FORGETFUL = next(option.label for option in DOWN.options if option.name == "forgetful")


def result_row(won: bool = True, counts: bool = True, **more: Any) -> dict[str, Any]:
    usual = {"token": "t", "seats": 2, "rank": 1 if won else 2, "score": None, "options": {}}
    others = [{"bot": "club", "person": None}]
    return {**usual, "won": won, "counts": counts, "others": others, **more}


def test_company_tells_bots_from_people() -> None:
    bot, master = {"bot": "club", "person": None}, {"bot": "master", "person": None}
    friend, gone = {"bot": "", "person": "ben"}, {"bot": "", "person": None}
    told = {
        (): "Alone",
        (0,): "Club bots",
        (0, 0): "Club bots",
        (0, 1): "Bots of several levels",
        (0, 2): "Other people",
        (3,): "Other people",
        (4, 0): "On one device",
    }
    seats = [bot, master, friend, gone, {"bot": "", "person": "anna"}]
    for chosen, words in told.items():
        assert company({"others": [seats[i] for i in chosen]}, "anna")[1] == words


def test_house_rules_are_told_and_unknown_options_are_left_out() -> None:
    assert played_by(DOWN, result_row())[1] == "Standard rules"
    options = {"forgetful": True, "repeats-cost": False, "of another version": 7}
    assert played_by(DOWN, result_row(options=options))[1] == FORGETFUL


def test_results_are_grouped_where_they_differ() -> None:
    rows = [result_row(won) for won in (True, False, True)]
    assert breakdowns(DOWN, rows, "anna") == []
    rows += [result_row(seats=4), result_row(seats=4, counts=False)]
    [players] = breakdowns(DOWN, rows, "anna")
    assert players.title == "Players"
    assert [group.label for group in players.groups] == ["2 players", "4 players"]
    two, four = players.groups
    assert (two.counted.played, two.counted.won, two.counted.share) == (3, 2, 67)
    assert two.low < 67 < two.high
    assert four.counted.played == 1


def test_a_trend_needs_a_few_games_and_looks_at_the_last() -> None:
    assert trend([result_row()] * 4) is None
    flat = trend([result_row()] * 5)
    assert flat is not None
    assert (flat.games, flat.last) == (5, 100)
    assert len(flat.points.split()) == 2
    fallen = trend(
        [result_row()] * 20 + [result_row(False)] * 20 + [result_row(False, counts=False)]
    )
    assert fallen is not None
    assert (fallen.games, fallen.last) == (40, 0)
    heights = [float(point.split(",")[1]) for point in fallen.points.split()]
    assert heights == sorted(heights)


def test_the_page_shows_the_results_of_a_game(client: TestClient, anna: Visitor) -> None:
    assert client.get("/me/games/chess").status_code == 404
    assert "finished a game of Double Down yet" in anna.get("/me/games/double-down")
    for number in range(6):
        bots = 1 + number % 2
        forgetful = number == 5
        play(client, DOWN, seats_for(anna, bots=bots), seed=f"{number}", forgetful=forgetful)
    html = anna.get("/me/games/double-down")
    assert re.findall('<h2 id="[^"]*">([^<]*)</h2>', html) == [
        "Over time", "Players", "House rules",
    ]  # fmt: skip
    assert re.findall('<th scope="row">([^<]*)</th><td>([^<]*)</td>', html) == [
        ("2 players", "3"), ("3 players", "3"), ("Standard rules", "5"), (FORGETFUL, "1"),
    ]  # fmt: skip
    assert "after each of 6 games" in html
    assert f'href="/me/games/{DOWN.name}"' in anna.get("/me")
