"""A board names its viewer's only move, for the page to play, where nobody else can notice."""

from __future__ import annotations

import re
from collections.abc import Sequence

from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.table import Seat, Table
from tests.web.helpers.visitors import Visitor, play, seats_for

GAME = GAMES["three-up"]
"""Often nothing in a hand can be played, and the pile must be taken."""


def forced(client: TestClient, seats: Sequence[Seat]) -> Table:
    """A table at which the first seat has only one move."""
    for plies in range(8, 60):
        table = play(client, GAME, seats, plies=plies)
        if table.turn == 0 and len(table.match.legal_moves) == 1:
            return table
    raise AssertionError("no such table")


def named(page: str) -> list[str]:
    """The moves that a page may play without being asked."""
    return re.findall(r'data-only="([^"]*)"', page)


def test_the_only_move_is_named_to_a_player_among_bots(client: TestClient, anna: Visitor) -> None:
    table = forced(client, seats_for(anna, bots=3))
    here = f"/t/{table.header.token}"
    page = anna.get(f"{here}?guide=0")
    assert named(page) == table.match.legal_moves
    assert 'id="play-forced"' in page
    assert 'data-pause="800"' in page
    watched = Visitor(client, "Dan").get(here)
    assert named(watched) == []
    assert "play-forced" not in watched


def test_a_tutorial_is_never_played_on(client: TestClient, anna: Visitor) -> None:
    table = forced(client, seats_for(anna, bots=3))
    assert named(anna.get(f"/t/{table.header.token}?guide=1")) == []


def test_a_choice_is_left_to_the_player(client: TestClient, anna: Visitor) -> None:
    table = play(client, GAME, seats_for(anna, bots=3), plies=0)
    while table.turn != 0:
        table = play(client, GAME, seats_for(anna, bots=3), plies=table.match.ply + 1)
    assert len(table.match.legal_moves) > 1
    assert named(anna.get(f"/t/{table.header.token}?guide=0")) == []


def test_where_others_play_nobody_learns_that_there_was_no_choice(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    for seats in (seats_for(anna, ben, bots=2), seats_for(anna, anna, bots=2)):
        table = forced(client, seats)
        page = anna.get(f"/t/{table.header.token}?seat=0&guide=0")
        assert 'data-mine="1"' in page
        assert named(page) == []
        assert "play-forced" not in page


def test_an_undone_move_is_not_made_again(client: TestClient, anna: Visitor) -> None:
    table = play(client, GAMES["double-or-quits"], seats_for(anna), plies=3)
    here = f"/t/{table.header.token}"
    (only,) = named(anna.get(f"{here}?guide=0"))
    assert only == table.match.legal_moves[0]
    anna.post(f"{here}/do", command="undo", seat=0)
    undone = anna.get(f"{here}?guide=0")
    assert 'data-mine="1"' in undone
    assert named(undone) == []
    anna.post(f"{here}/do", command="redo", seat=0)
    assert named(anna.get(f"{here}?guide=0")) == [only]
