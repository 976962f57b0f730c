"""People who are strangers to each other: a table for both, and the next game."""

import re
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.features.company import reports, sanctions
from redouble.web.features.friends import friends
from redouble.web.features.friends.friends import friends as friend_rows
from redouble.web.features.ratings.rows import ratings
from redouble.web.live import live as live_module
from redouble.web.people import mutes
from redouble.web.store import schema
from redouble.web.table import Seat
from tests.web.helpers.servers import present_later, sites_of
from tests.web.helpers.visitors import (
    FIREFOX,
    Visitor,
    invitation,
    live_at,
    play,
    seats_for,
    stored,
)

GAME = "double-down"


def wait_together(host: Visitor, *others: Visitor) -> str:
    """The address of a public table for four where these people wait."""
    here = host.table(GAME, "friend", "friend", "friend", public="yes")
    for one in others:
        one.post(invitation(host, here), name=one.person.name)
    return here


def resign(client: TestClient, here: str, *people: Visitor) -> None:
    for one in people:
        (seat,) = live_at(client, here).table.seats_of(one.person.id)
        one.post(f"{here}/do", 303, None, command="resign", seat=seat)


@present_later
def test_strangers_meet_and_read_names_and_numbers_of_games(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    assert "(new player) is waiting" not in anna.get("/people")
    here = wait_together(anna)
    assert "Anna (new player) is waiting. 3 seats are open." in ben.get("/people")
    ben.post(invitation(anna, here), name="Ben")
    shown = ben.get(here)
    assert "2 seats to fill" in shown
    assert ">new player<" in shown
    assert ">Play with bots<" not in shown
    assert anna.person.id not in shown
    anna.post(f"{here}/do", 303, None, command="leave", seat=0)
    assert ">new player<" not in ben.get(here)
    assert not live_at(client, here).table.seats_of(anna.person.id)
    ben.post(f"{here}/do", 303, None, command="leave", seat=1)
    assert here not in anna.get("/people"), "nobody waits there any more"


@present_later
def test_ratings_and_numbers_of_games_are_shown_to_those_who_look_for_people(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    game, me = GAMES[GAME], anna.person.id
    play(client, game, [*seats_for(anna), Seat("Bea", bot="club"), Seat("Cy", bot="club")])
    row = {"token": "t", "person": me, "game": GAME, "spread": 60.0, "games": 3, "at": 0.0}
    for points in (1400.0, 1523.4):
        add = sa.insert(ratings).values(row | {"points": points})
        stored(client, lambda c, add=add: c.execute(add) and None)  # type: ignore[misc]
    here = wait_together(anna)
    assert "Anna (1,523, 1 game) is waiting." in ben.get("/people")
    ben.post(invitation(anna, here), name="Ben")
    assert "1 game, rated 1,523" in ben.get(here)
    said = "Anna has played 1 game and is rated 1,523."
    assert said in Visitor(client).get(f"/join/{live_at(client, here).table.header.invite}")


def test_strangers_see_no_more_of_a_person_than_name_rating_and_number_of_games(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    """On every page that leads to them, before, during and after a game."""
    client.headers["user-agent"] = FIREFOX
    hidden = meet_with_secrets(client, anna, ben)
    public: dict[str, Any] = {"seat-0": "me", "seat-1": "friend", "public": "yes"}
    here = anna.post(f"/new/{GAME}", **public)
    header = live_at(client, here).table.header
    dan = Visitor(client, "Dan")
    always = ["/", here, f"{here}/board", f"{here}/since", f"/ranking/{GAME}", "/daily", "/puzzles"]
    always += [f"/api{here.replace('/t/', '/tables/')}", "/api/tables", f"/api/ratings/{GAME}"]
    later = [f"{here}/replay", f"{here}/record", f"{here}/review"]
    seen: list[tuple[str, str]] = []

    def look(*paths: str) -> None:
        for visitor in (dan, Visitor(client)):
            for path in paths:
                answer = client.get(path, headers=visitor._headers(), follow_redirects=True)
                assert answer.status_code < 500, path
                seen.append((path, answer.text))

    look(*always, f"/join/{header.invite}")
    ben.post(f"/join/{header.invite}")
    ben.post(f"{here}/do", command="say", seat=1, text="between ourselves")
    look(*always)
    resign(client, here, anna, ben)
    look(*always, *later)
    assert sum("Anna" in text for _, text in seen) > 12
    for path, text in seen:
        assert [one for one in hidden if one in text] == [], path


def meet_with_secrets(client: TestClient, anna: Visitor, ben: Visitor) -> list[str]:
    """Texts about two people that nobody else may see."""
    alone = anna.post(f"/play/{GAME}").partition("?")[0]
    table = live_at(client, alone).table.header
    me, other, token = anna.person.id, ben.person.id, table.token

    def job(connection: sa.Connection) -> list[str]:
        friends.ask(connection, me, other, GAME)
        friends.ask(connection, other, me, GAME)
        mutes.mute(connection, me, other)
        reports.report(connection, me, other, token, 0, "told in confidence")
        sanctions.impose(connection, me, sanctions.WARNING, "told in confidence", None)
        sessions = connection.execute(sa.select(schema.sessions.c.id)).scalars()
        return [*sessions, *connection.execute(sa.select(friend_rows.c.id)).scalars()]

    ids = stored(client, job)
    cookies = [anna.cookie, ben.cookie]
    said = ["between ourselves", "told in confidence", "Firefox on Windows"]
    return [me, other, token, table.invite, *ids, *cookies, *said]


def test_a_browser_alone_shows_none_of_it(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for site in sites_of(client):
        monkeypatch.setitem(site.env.globals, "in_browser", True)
        if site.env.cache is not None:
            site.env.cache.clear()
    page = anna.get("/")
    assert "Find people" not in page
    assert 'id="calls"' not in page


def test_bots_are_offered_and_people_have_their_seats_in_the_next_game(
    client: TestClient, anna: Visitor, ben: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    dan, eve = Visitor(client, "Dan"), Visitor(client, "Eve")
    here = wait_together(anna, ben)
    monkeypatch.setattr(live_module, "BOTS_AFTER_SECONDS", 0.0)
    live_at(client, here).drawn.clear()
    assert ">Play with bots<" in anna.get(here)
    assert ">Play with bots<" not in dan.get(here)
    dan.post(f"{here}/do", 403, None, command="fill")
    anna.post(f"{here}/do", 403, None, command="bot", seat=2)
    anna.post(f"{here}/do", 303, None, command="fill", seat=0)
    assert live_at(client, here).table.waiting, "nobody decides it alone"
    assert "Anna would begin with bots." in ben.get(here)
    assert ">Play with bots<" not in anna.get(here)
    anna.post(f"{here}/do", 409, None, command="fill", seat=0)
    ben.post(f"{here}/do", 303, None, command="fill", seat=1)
    table = live_at(client, here).table
    assert table.status == "playing"
    assert [bool(seat.bot) for seat in table.seats] == [False, False, True, True]
    ben.post(f"{here}/do", 400, None, command="want")
    assert "Play in the next game" in dan.get(here)
    for one in (dan, dan, eve):
        one.post(f"{here}/do", 303, None, command="want")
    Visitor(client, "Fay").post(f"{here}/do", 409, None, command="want")
    eve.post(f"{here}/do", 303, None, command="want-no")
    assert "You have a seat in the next game." in dan.get(here)
    assert "You have a seat" not in eve.get(here)
    resign(client, here, anna, ben)
    dan.post(f"{here}/rematch", 403)
    again = anna.post(f"{here}/rematch")
    names = [seat.name for seat in live_at(client, again).table.seats]
    assert names == ["Anna", "Player 2", "Player 3", "Player 4"]
    assert "Anna wants another game." in dan.get(here)
    assert dan.post(f"{here}/rematch") == again
    assert live_at(client, again).table.seats_of(dan.person.id) == [2]
    assert "wants another game" not in eve.get(here)


def test_a_person_who_is_gone_gets_no_seat(client: TestClient, anna: Visitor, ben: Visitor) -> None:
    dan = Visitor(client, "Dan")
    here = wait_together(anna, ben)
    for one in (anna, ben):
        one.post(f"{here}/do", 303, None, command="fill")
    dan.post(f"{here}/do", 303, None, command="want")
    gone = dan.person.id
    dan.post("/me/forget", 200, None, sure="yes")
    assert not live_at(client, here).table.next.wants
    resign(client, here, anna, ben)
    again = live_at(client, anna.post(f"{here}/rematch")).table
    assert gone not in str(again.seats)
    assert "Dan" not in str(again.seats)


def test_who_is_still_there_is_asked_to_join_or_not_now(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    seats = {"seat-0": "me", "seat-1": "friend"}
    here = anna.post(f"/new/{GAME}", 303, None, **seats)
    (invite,) = re.findall(r"/join/[\w-]+", anna.get(here))[:1]
    ben.post(invite, 303, None, name="Ben")
    ben.post(f"{here}/do", 409, None, command="later")
    resign(client, here, anna, ben)
    assert "wants another game" not in ben.get(here)
    again = anna.post(f"{here}/rematch")
    assert "wants another game" not in anna.get(here)
    asked = ben.get(here)
    assert "Anna wants another game." in asked
    assert '<button class="btn main" form="again">Join</button>' in asked
    Visitor(client, "Eve").post(f"{here}/do", 403, None, command="later")
    ben.post(f"{here}/do", 303, None, command="later")
    later = ben.get(here)
    assert "wants another game" not in later
    assert f'href="{again}">Go to the rematch</a>' in later
    table = live_at(client, again).table
    assert not table.seats_of(ben.person.id)
    assert not table.dealt, "nobody is dealt in who hasn't joined"
    assert f"Anna invites you to {GAMES[GAME].title}" not in ben.get("/"), "it is answered"
    assert ben.post(f"{here}/rematch") == again
    assert [seat.name for seat in live_at(client, again).table.seats] == ["Anna", "Ben"]
    assert live_at(client, again).table.status == "playing"
