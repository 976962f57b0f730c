"""An undo that costs something says so first."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.drawing.markup.prompt import UNDO_COSTS
from redouble.web.table import Sender, Table
from redouble.web.table.acts.undo import Undoing
from tests.web.helpers.visitors import Visitor, live_at, play, seats_for

DRAWS, ALL_DEALT = GAMES["double-down"], GAMES["double-decker"]
"""Games in which a move turns up a card, and in which it doesn't."""
UNDO = Undoing(step=True)


def table_of(visitor: Visitor, here: str) -> Table:
    return live_at(visitor.client, here).table


def at_an_undo(client: TestClient, anna: Visitor, costs: bool) -> str:
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
    anna.post(f"{here}/do", 303, None, command="undo", seat=0)


def test_the_first_undo_warns_and_the_next_goes_ahead(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = at_an_undo(client, anna, costs=True)
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


def test_a_free_undo_is_made_at_once(client: TestClient, anna: Visitor) -> None:
    here = at_an_undo(client, anna, costs=False)
    ply = table_of(anna, here).match.ply
    undo(anna, here)
    assert table_of(anna, here).match.ply < ply
    assert table_of(anna, here).undone.hindsight == 0


def test_a_warning_is_for_the_position_it_was_given_in(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redouble.web.live.live.WARNING_SECONDS", 0.0)
    here = at_an_undo(client, anna, costs=True)
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
    anna.post(f"{here}/do", 303, None, command="keep", seat=0)
    assert UNDO_COSTS not in anna.get(f"{here}?seat=0")
    assert table_of(anna, here).match.ply == ply
