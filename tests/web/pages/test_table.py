"""The page of a table: whose turn it is, clocks, the only move, and undos that cost something."""

import re
from collections.abc import Sequence
from html import unescape
from typing import Any

import pytest

from redouble.contract.registry import GAMES
from redouble.web.drawing.markup.prompt import UNDO_COSTS
from redouble.web.pages import home
from redouble.web.store.clock import CLOCK, DAY
from redouble.web.table import Seat, Sender, Table
from redouble.web.table.acts.undo import Undoing
from redouble.web.table.clocks import CONTROLS
from tests.web.helpers.visitors import Place, Visitor, live_at, play, seats_for

GAME = GAMES["double-down"]


def signs(page: str) -> tuple[bool, bool, bool]:
    """Whether title, icon and the icon that a script sets say that it is the viewer's turn."""
    page = " ".join(page.split())
    title = re.search(r"<title>(.*?)</title>", page)
    icon = re.search(r'<link rel="icon" href="([^"]*)"', page)
    live = re.search(r'data-icon="([^"]*)"', page)
    assert title is not None
    assert icon is not None
    assert live is not None
    return "Your turn" in title[1], "icon-turn" in icon[1], "icon-turn" in live[1]


def test_title_and_icon_tell_the_player_on_turn_alone(anna: Visitor) -> None:
    people = [anna.other(name) for name in ("Anna", "Ben", "Carla")]
    watcher = anna.other("Dan")
    for plies in (0, 1, 2):
        table = play(anna, GAME, seats_for(*people), plies=plies)
        here = f"/t/{table.header.token}"
        for seat, one in enumerate(people):
            assert signs(one.get(here)) == (table.turn == seat,) * 3
        assert signs(watcher.get(here)) == (False,) * 3
    table = play(anna, GAME, seats_for(anna, bots=1))
    assert table.over
    assert signs(anna.get(f"/t/{table.header.token}")) == (False,) * 3


UP = GAMES["three-up"]
"""Often nothing in a hand can be played, and the pile must be taken."""


def forced(client: Place, seats: Sequence[Seat]) -> Table:
    """A table at which the first seat has only one move."""
    for plies in range(8, 60):
        table = play(client, UP, seats, plies=plies)
        if table.turn == 0 and len(table.match.legal_moves) == 1:
            return table
    raise AssertionError("no such table")


def named(page: str) -> list[str]:
    """The moves that a page may play without being asked."""
    return re.findall(r'data-only="([^"]*)"', page)


def test_the_only_move_is_named_to_a_player_among_bots_alone(anna: Visitor, ben: Visitor) -> None:
    table = forced(anna, seats_for(anna, bots=3))
    here = f"/t/{table.header.token}"
    page = anna.get(f"{here}?guide=0")
    assert named(page) == table.match.legal_moves
    assert 'id="play-forced"' in page
    assert 'data-pause="800"' in page
    watched = anna.other("Dan").get(here)
    assert named(watched) == []
    assert "play-forced" not in watched
    assert named(anna.get(f"/t/{table.header.token}?guide=1")) == []
    table = play(anna, UP, seats_for(anna, bots=3), plies=0)
    while table.turn != 0:
        table = play(anna, UP, seats_for(anna, bots=3), plies=table.match.ply + 1)
    assert len(table.match.legal_moves) > 1
    assert named(anna.get(f"/t/{table.header.token}?guide=0")) == []
    for seats in (seats_for(anna, ben, bots=2), seats_for(anna, anna, bots=2)):
        table = forced(anna, seats)
        page = anna.get(f"/t/{table.header.token}?seat=0&guide=0")
        assert 'data-mine="1"' in page
        assert named(page) == []
        assert "play-forced" not in page


def test_an_undone_move_is_not_made_again(anna: Visitor) -> None:
    table = play(anna, GAMES["double-or-quits"], seats_for(anna), plies=3)
    here = f"/t/{table.header.token}"
    (only,) = named(anna.get(f"{here}?guide=0"))
    assert only == table.match.legal_moves[0]
    anna.do(here, "undo", seat=0)
    undone = anna.get(f"{here}?guide=0")
    assert 'data-mine="1"' in undone
    assert named(undone) == []
    anna.do(here, "redo", seat=0)
    assert named(anna.get(f"{here}?guide=0")) == [only]


DRAWS, ALL_DEALT = GAMES["double-down"], GAMES["double-decker"]
"""Games in which a move turns up a card, and in which it doesn't."""
UNDO = Undoing(step=True)


def table_of(visitor: Visitor, here: str) -> Table:
    return live_at(visitor.client, here).table


def at_an_undo(client: Place, anna: Visitor, costs: bool) -> str:
    """A running table whose undo by Anna costs something, or doesn't."""
    game = DRAWS if costs else ALL_DEALT
    for plies in range(5, 30):
        made = play(client, game, seats_for(*[anna] * 4), plies=plies, seed=f"undo {plies}")
        here = f"/t/{made.header.token}"
        table = table_of(anna, here)
        if not table.over and UNDO.costs(table, Sender(anna.person.id)) == costs:
            return here
    raise AssertionError("no such table")


def undo(anna: Visitor, here: str) -> None:
    anna.do(here, "undo", seat=0)


def test_an_undo_warns_first(anna: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redouble.web.live.live.WARNING_SECONDS", 1e9)
    here = at_an_undo(anna, anna, costs=True)
    ply = table_of(anna, here).match.ply
    undo(anna, here)
    said = anna.get(f"{here}?seat=0")
    assert "no longer counts in your results" in said
    assert 'role="alert"' not in said.split('id="board"')[1]
    undo(anna, here)  # the second half of a double click
    assert table_of(anna, here).match.ply == ply
    monkeypatch.setattr("redouble.web.live.live.WARNING_SECONDS", 0.0)
    undo(anna, here)
    assert table_of(anna, here).match.ply < ply
    assert table_of(anna, here).undone.hindsight == 1
    assert not UNDO.costs(table_of(anna, here), Sender(anna.person.id)), "it has cost it already"


def test_a_free_undo_is_made_at_once(anna: Visitor) -> None:
    here = at_an_undo(anna, anna, costs=False)
    ply = table_of(anna, here).match.ply
    undo(anna, here)
    assert table_of(anna, here).match.ply < ply
    assert table_of(anna, here).undone.hindsight == 0


def test_a_warning_is_for_its_position(anna: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redouble.web.live.live.WARNING_SECONDS", 0.0)
    here = at_an_undo(anna, anna, costs=True)
    undo(anna, here)
    table = table_of(anna, here)
    turn = table.turn
    assert turn is not None
    move = table.match.legal_moves[0]
    anna.post(f"{here}/move", 303, None, ply=table.ply, seat=turn, move=move)
    assert UNDO_COSTS not in anna.get(f"{here}?seat=0")
    ply = table_of(anna, here).match.ply
    undo(anna, here)
    assert UNDO_COSTS in anna.get(f"{here}?seat=0")
    anna.do(here, "keep", seat=0)
    assert UNDO_COSTS not in anna.get(f"{here}?seat=0")
    assert table_of(anna, here).match.ply == ply


TWO, ALONE = "double-down", "double-or-quits"
FORM: dict[str, Any] = {"players": "2", "seat-0": "me", "seat-1": "friend", "name": "Anna"}


def both(anna: Visitor, ben: Visitor, clock: str, **more: Any) -> tuple[str, list[Visitor]]:
    """A table with a clock at which both sit, and the two by their seats."""
    address = anna.post(f"/new/{TWO}", **FORM, clock=clock, **more)
    invite = live_at(anna.client, address).table.header.invite
    ben.post(f"/join/{invite}", name="Ben", zone="Europe/Berlin")
    return address, [anna, ben]


def test_the_form_offers_every_clock(anna: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    page = anna.get(f"/new/{TWO}")
    for name, one in CONTROLS.items():
        assert f'<option value="{name}"' in page
        assert one.words in page
    assert 'id="clock"' not in anna.get(f"/new/{ALONE}")
    # In a tab nobody plays for days: nobody else comes.
    monkeypatch.setattr(home, "IN_BROWSER", True)
    assert "day" not in re.findall(r'<select id="clock".*?</select>', anna.get(f"/new/{TWO}"))[0]


def test_a_clock_is_chosen_seen_and_told(anna: Visitor, ben: Visitor) -> None:
    address, people = both(anna, ben, "1-day", then="once", nights="yes", zone="Asia/Tokyo")
    table = live_at(anna.client, address).table
    assert table.clocks.control.sentences in unescape(anna.get(address))
    assert dict(table.clocks.zones) == {0: "Asia/Tokyo", 1: "Europe/Berlin"}
    seat = table.turn or 0
    page = people[seat].get(address)
    assert re.search(r'Your turn <time class="time-left" [^>]*>\d+ (h|days)</time>', page)
    assert re.search(r"data-until=\W?\d+\W+data-total=\W?\d+\W+style=\W?--time: ?[01]\.\d+", page)
    other = people[1 - seat].get(address)
    assert re.search(r"’s turn <time", other)
    # What doesn't fit to a clock is left out, not refused: a browser sends hidden fields as well.
    quick = anna.post(f"/new/{TWO}", **FORM, clock="2-minutes", nights="yes")
    assert not live_at(anna.client, quick).table.clocks.control.rest
    assert "4 hours" not in anna.post(f"/new/{TWO}", 400, **FORM, clock="4-hours")


def test_the_invitation_tells_the_clock(anna: Visitor, ben: Visitor) -> None:
    address = anna.post(f"/new/{TWO}", **FORM, clock="30-seconds")
    header = live_at(anna.client, address).table.header
    assert "Each player has 30 seconds a move." in ben.get(f"/join/{header.invite}")


def test_a_pause_is_asked_for_agreed_to_and_ended(anna: Visitor, ben: Visitor) -> None:
    address, people = both(anna, ben, "5-minutes")
    assert "Ask for a pause" in anna.get(address)
    anna.do(address, "pause", seat=0)
    assert "asks for a pause" in ben.get(address)
    assert "Never mind" in anna.get(address)
    assert "You</span> ask for a pause" in anna.get(address)
    ben.do(address, "agree-to-pause", seat=1)
    for one in people:
        page = one.get(address)
        assert "The game is paused." in page
        assert "data-until" not in page
        assert "form=play" not in page
    spectator = Visitor(anna.client)
    assert "Go on" not in spectator.get(address)
    ben.do(address, "end-pause", seat=1)
    assert "data-until" in anna.get(address)


def test_home_shows_my_turns_first_and_one_tap_leads_to_the_next(
    anna: Visitor, ben: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = []
    for clock in ("3-days", "1-day", "none"):
        address, people = both(anna, ben, clock)
        table = live_at(anna.client, address).table
        if table.turn != 0:  # then it is Anna's
            move = table.match.legal_moves[0]
            people[1].post(f"{address}/move", ply=table.ply, move=move, seat=1)
        tables.append(address)
    slow, day, untimed = tables
    page = anna.get("/")
    assert "<title>(3) Redouble" in page
    assert page.index(day) < page.index(slow) < page.index(untimed)
    assert re.search(r"Your turn <small>(23 h|24 h) left", page)
    token = day.removeprefix("/t/")
    assert anna.client.get(f"/turns?besides={token}", headers=anna._headers()).json() == 2
    assert "<b>2</b>" in anna.get(day)
    for here, there in ((day, slow), (slow, untimed), (untimed, day)):
        besides = here.removeprefix("/t/")
        answer = anna.client.get(
            f"/turns/next?besides={besides}", headers=anna._headers(), follow_redirects=False
        )
        assert answer.headers["location"] == there
    assert ben.client.get("/turns", headers=ben._headers()).json() == 0
    assert anna.client.get("/turns").json() == 0
    now = CLOCK.now
    monkeypatch.setattr(CLOCK, "now", lambda: now() + DAY / 2)
    assert re.search(r"1[12] h left", anna.get("/"))
