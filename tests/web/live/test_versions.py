"""Tables whose game has newer rules by now: they finish by theirs, or are closed."""

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.contract import registry
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.match.record import Record
from redouble.match.replay import replay
from redouble.web.live import table_rows
from redouble.web.store import schema
from tests.web.helpers.house import GAME
from tests.web.helpers.programs import Program
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app
from tests.web.helpers.visitors import Visitor, stored

Update = Callable[..., Game]


@pytest.fixture
def update(monkeypatch: pytest.MonkeyPatch) -> Update:
    """Installs newer rules of a game, with earlier ones or without, or again those there were."""
    load = registry._load

    def update(*earlier: Game, newer: int = 1) -> Game:
        game = replace(GAME, version=GAME.version + newer, earlier=earlier)

        def found(name: str) -> Game | str:
            return game if name == GAME.name else load(name)

        monkeypatch.setattr(registry, "_load", found)
        return game

    return update


def playing(tmp_path: Path) -> tuple[dict[str, str], dict[str, Any]]:
    """A table with a move, of a server that has stopped; and the token of its only player."""
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        anna = Program(client, "Anna")
        table = anna.table(GAME.name, "me", "here", pace="slow")
        return anna.headers, anna.move(table)


def again(client: TestClient, headers: dict[str, str]) -> Program:
    program = Program(client)
    program.headers = headers
    return program


def status_of(client: TestClient, token: str) -> str:
    query = sa.select(schema.tables.c.status).where(schema.tables.c.token == token)
    return str(stored(client, lambda c: c.execute(query).scalar()))


def test_a_table_finishes_by_the_rules_it_began_with(tmp_path: Path, update: Update) -> None:
    headers, table = playing(tmp_path)
    newest = update(GAME)
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        anna = again(client, headers)
        moved = anna.move(anna.look(table))
        assert moved["status"] == "playing"
        over = anna.act(moved, "resign")
        record = anna.get(f"/tables/{over['table']}/record")
        assert record["rules"] == GAME.version
        assert replay(json.dumps(record)).game is GAME
        new = anna.act(anna.table(GAME.name, "me", "here"), "resign")
        assert anna.get(f"/tables/{new['table']}/record")["rules"] == newest.version
    assert pickle.loads(pickle.dumps(newest)) is newest
    assert pickle.loads(pickle.dumps(GAME)) is GAME


def test_a_table_is_closed_whose_rules_are_gone(tmp_path: Path, update: Update) -> None:
    headers, table = playing(tmp_path)
    token = table["table"]
    update()
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        stored(client, table_rows.settle_versions)
        anna = again(client, headers)
        said = anna.look(table, status=404)["detail"]
        assert f"began with version {GAME.version} of the rules" in said
        page = Visitor(client).get(f"/t/{token}", 404)
        assert "<h1>This table was closed</h1>" in page
        assert f'href="/t/{token}/record">Download the record</a>' in page
        anna.move(table, 404)
        assert status_of(client, token) == "closed"
    update(newer=0)
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:  # nothing was lost
        stored(client, table_rows.settle_versions)
        assert status_of(client, token) == "playing"
        assert again(client, headers).move(table)["status"] == "playing"


def test_the_record_of_such_a_table_replays_where_its_rules_are(
    tmp_path: Path, update: Update
) -> None:
    headers, table = playing(tmp_path)
    token = table["table"]
    update()
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        line = Visitor(client).get(f"/t/{token}/record")
        assert again(client, headers).get(f"/tables/{token}/record") == json.loads(line)
    update(newer=0)
    match = replay(Record.parse(line))
    assert len(match.moves) == 1
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        anna = again(client, headers)
        assert anna.look(table)["status"] == "closed"  # its cards have been shown
        anna.move(table, 409)
        stored(client, table_rows.settle_versions)
        page = Visitor(client).get(f"/t/{token}")
        assert table_rows.OUTDATED in page
        record = anna.get(f"/tables/{token}/record")
        assert record["moves"] == json.loads(line)["moves"]
    assert GAMES[GAME.name].version == GAME.version
