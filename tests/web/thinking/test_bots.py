"""Trained agents as bots of a server: where they are offered, what they play, and without them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest
from starlette.testclient import TestClient

from redouble.bots import BOTS, UnknownBot, own_chance
from redouble.bots.levels import LEVELS, USUAL_LEVEL
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.web.site import Site
from redouble.web.table import Table
from redouble.web.thinking.bots import MAX_NAME, Roster, RosterError
from tests.helpers.trained import GAME, trained
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app, site_of
from tests.web.helpers.visitors import Visitor

DECKER = GAMES["double-decker"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ivy.npz"
    trained().save(path)
    return path


@pytest.fixture
def client(tmp_path: Path, file: Path) -> Iterator[TestClient]:
    roster = Roster.load([file])
    app = create_app(tmp_path, opened=lambda: Site.open(tmp_path, roster, ROOMY))
    with TestClient(app) as client:
        yield client


def table_at(anna: Visitor, here: str) -> Table:
    assert anna.client.portal is not None
    return anna.client.portal.call(site_of(anna.client).tables.get, here[3:]).table


def form(players: int, **seats: str) -> dict[str, str]:
    usual = {f"seat-{number}": "bot club" for number in range(GAME.max_seats)}
    return {"players": str(players), **usual, **seats, "pace": "instant"}


def test_an_agent_is_offered_for_its_own_game_alone(anna: Visitor) -> None:
    page = anna.get(f"/new/{GAME.name}")
    assert re.search(r'<option value="bot ivy"[^>]*>\s*ivy bot, with 2 players\s*</option>', page)
    assert "ivy" not in anna.get(f"/new/{DECKER.name}")
    assert '"ivy"' in anna.get("/api/games")


def test_an_agent_plays_at_a_table_as_it_does_anywhere(anna: Visitor) -> None:
    plan = form(2, **{"seat-0": "bot ivy", "seat-1": "bot ivy"})
    here = anna.post(f"/new/{GAME.name}", 303, None, **plan)
    until = monotonic() + 60
    while table_at(anna, here).match.ply < 8 and monotonic() < until:
        sleep(0.02)
    match = table_at(anna, here).match
    assert [seat.bot for seat in table_at(anna, here).seats] == ["ivy", "ivy"]
    again = match.restarted()
    for move in match.moves[:8]:
        assert again.turn is not None
        chance = own_chance(again.seed, again.turn, again.ply)
        assert again.observation().name(trained().choose(again.observation(), chance)) == move
        again.push(move)


@pytest.mark.parametrize(
    ("players", "said"),
    [(3, "ivy plays with 2 seats, not 3: choose 2"), (2, "")],
)
def test_a_table_that_an_agent_was_not_trained_for_is_refused(
    anna: Visitor, players: int, said: str
) -> None:
    plan = form(players, **{"seat-0": "me", "seat-1": "bot ivy"})
    assert said in anna.post(f"/new/{GAME.name}", 400 if said else 303, None, **plan)


def test_without_its_agent_a_table_goes_on_with_a_usual_bot(
    caplog: pytest.LogCaptureFixture, file: Path
) -> None:
    assert Roster.load([file]).at_table("ivy").name == "agent ivy"
    roster = Roster()
    assert roster.at_table("ivy") is BOTS[USUAL_LEVEL] is roster.at_table("ivy")
    assert caplog.text.count("there is no bot named ivy: a club bot plays instead") == 1


def test_a_roster_is_all_bots_then_agents(file: Path) -> None:
    roster = Roster.load([file])
    assert list(roster) == [*BOTS, "ivy"]
    assert len(roster) == len(BOTS) + 1
    assert dict(Roster()) == dict(BOTS)
    assert [name for name, _ in roster.choices(DECKER)] == list(LEVELS)
    with pytest.raises(UnknownBot):
        roster.check("nobody", GAME, 2, {})
    with pytest.raises(RedoubleError, match="plays Double Down, not Double Decker"):
        roster.check("ivy", DECKER, 4, {})


@pytest.mark.parametrize("name", ["master", "ivy", "x" * (MAX_NAME + 1), "a\nb"])
def test_a_name_that_cannot_be_told_is_refused(file: Path, tmp_path: Path, name: str) -> None:
    other = tmp_path / "other" / f"{name}.npz"
    other.parent.mkdir()
    other.write_bytes(file.read_bytes())
    with pytest.raises(RosterError, match=r"rename|a name of 1 to 24 characters"):
        Roster.load([file, other])
