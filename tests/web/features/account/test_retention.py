"""What is deleted after a while, and what is kept."""

from __future__ import annotations

import time

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.features.account import retention
from redouble.web.features.account.retention import Pruned, prune
from redouble.web.store import schema
from redouble.web.store.clock import DAY
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import site_of
from tests.web.helpers.visitors import Visitor, rows, stored

GAME = next(game for game in GAMES.values() if game.min_seats <= 2 <= game.max_seats)


def table(visitor: Visitor, *kinds: str) -> str:
    seats = [{"kind": kind} for kind in kinds]
    body = {"game": GAME.name, "seats": seats, "pace": "slow"}
    made = visitor.client.post("/api/tables", json=body, headers=visitor._headers())
    assert made.status_code == 201
    return str(made.json()["table"])


def tokens(client: TestClient) -> set[str]:
    query = sa.select(schema.tables.c.token)
    return {row.token for row in stored(client, lambda c: c.execute(query).all())}


def pruned(client: TestClient, days: float) -> Pruned:
    assert client.portal is not None
    return client.portal.call(prune, site_of(client), time.time() + days * DAY)


def test_tables_are_deleted_when_their_time_has_come(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 1)
    waiting = [table(anna, "me", "friend") for _ in range(3)]
    playing, bots = table(anna, "me", "here"), table(anna, "bot", "bot")
    over = table(anna, "me", "here")
    client.post(f"/api/tables/{over}/resign", headers=anna._headers())
    for days, expected in [
        (0, {*waiting, playing, bots, over}),
        (ROOMY.bot_table_days + 1, {*waiting, playing, over}),
        (ROOMY.waiting_table_days + 1, {playing, over}),
        (ROOMY.unfinished_table_days + 1, {over}),
    ]:
        before = tokens(client)
        assert pruned(client, days).tables == len(before - expected)
        assert tokens(client) == expected
    gone = client.get(f"/t/{waiting[0]}")  # it was in memory
    assert gone.status_code == 404
    assert client.get(f"/t/{over}").status_code == 200
    left = sa.select(schema.seats.c.token).union(sa.select(schema.log.c.token))
    assert {row.token for row in stored(client, lambda c: c.execute(left).all())} == {over}


def test_guests_are_forgotten_who_have_left_nothing_here(client: TestClient, anna: Visitor) -> None:
    Visitor(client, "Ben")
    table(anna, "me", "here")
    assert pruned(client, ROOMY.guest_days - 1) == Pruned()
    assert rows(client, schema.people) == 2
    assert pruned(client, ROOMY.guest_days + 1) == Pruned(guests=1)
    assert client.get("/api/me", headers=anna._headers()).json() == {"name": "Anna"}
