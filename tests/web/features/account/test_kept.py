"""The privacy page says what this server does; and what is deleted after a while."""

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from markupsafe import escape
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.features.account import retention
from redouble.web.features.account.retention import Pruned, prune
from redouble.web.installed import FEATURES
from redouble.web.people.people import COOKIE
from redouble.web.store import schema
from redouble.web.store.clock import DAY
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.server import port_of, process, request
from tests.web.helpers.servers import create_app, site_of, sites_of
from tests.web.helpers.visitors import Place, Visitor, column, in_loop, rows


def test_the_page_speaks_of_everything_that_is_stored(client: TestClient) -> None:
    """Each feature says it for its tables; ``test_personal_data.py`` checks that none is left."""
    text = Visitor(client).get("/privacy")
    for data in FEATURES.data:
        assert data.privacy
        for line in data.privacy:
            assert str(escape(line.what)) in text
    assert ("which tell each other" in text) == site_of(client).store.shared
    assert COOKIE in text


def test_the_times_are_those_of_this_server(tmp_path: Path) -> None:
    limits = replace(
        ROOMY,
        guest_days=11,
        waiting_table_days=12,
        unfinished_table_days=13,
        bot_table_days=1,
        account_days=14,
    )
    with TestClient(create_app(tmp_path, limits=limits)) as client:
        text = Visitor(client).get("/privacy")
        assert set(re.findall(r"\d+ days?\b", text)) == {
            "11 days", "12 days", "13 days", "14 days", "1 day", "30 days", "400 days",
            "90 days", "365 days",
        }  # fmt: skip
        assert "The operator hasn't given a contact" in text
        for site in sites_of(client):
            site.operator = "Ada <ada@example.org>"
        text = Visitor(client).get("/privacy")
        assert "Ada &lt;ada@example.org&gt;" in text
        assert "haven't left" not in text


def test_pages_link_to_it(client: TestClient, anna: Visitor) -> None:
    table = anna.post("/play/double-down")
    for path in ("/", "/rules", "/nowhere", "/api/docs", "/link", table, "/puzzles/double-down/1"):
        assert 'href="/privacy"' in client.get(path, headers=anna._headers()).text, path
    assert anna.get("/me").count('href="/privacy"') == 2


def test_the_command_names_the_operator_and_an_unknown_proxy_is_logged_once(tmp_path: Path) -> None:
    options = ("--operator", " Ada, ada@example.org ")
    with process("--port", "0", "--data", str(tmp_path), *options) as server:
        port = port_of(server.first_line())
        for _ in range(2):
            answer = request(port, "/privacy", X_Forwarded_For="192.0.2.7")
            assert answer.status == 200
        server.process.terminate()
        _, said = server.ended()
    assert said.count("if it is your proxy, add --trusted-proxy 127.0.0.1") == 1


GAME = next(game for game in GAMES.values() if game.min_seats <= 2 <= game.max_seats)


def table(visitor: Visitor, *kinds: str) -> str:
    seats = [{"kind": kind} for kind in kinds]
    made = visitor.ask("/tables", {"game": GAME.name, "seats": seats, "pace": "slow"}, 201)
    return str(made["table"])


def tokens(client: Place) -> set[str]:
    return set(column(client, sa.select(schema.tables.c.token)))


def pruned(client: Place, days: float) -> Pruned:
    found: Pruned = in_loop(client, prune, site_of(client), time.time() + days * DAY)
    return found


def test_tables_are_deleted_when_their_time_has_come(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 1)
    waiting = [table(anna, "me", "friend") for _ in range(3)]
    playing, bots = table(anna, "me", "here"), table(anna, "bot", "bot")
    over = table(anna, "me", "here")
    anna.ask(f"/tables/{over}/resign", {})
    for days, expected in [
        (0, {*waiting, playing, bots, over}),
        (ROOMY.bot_table_days + 1, {*waiting, playing, over}),
        (ROOMY.waiting_table_days + 1, {playing, over}),
        (ROOMY.unfinished_table_days + 1, {over}),
    ]:
        before = tokens(client)
        assert pruned(client, days).tables == len(before - expected)
        assert tokens(client) == expected
    anna.get(f"/t/{waiting[0]}", 404)  # it was in memory
    anna.get(f"/t/{over}")
    for left in (schema.seats, schema.log):
        assert set(column(client, sa.select(left.c.token))) == {over}


def test_guests_are_forgotten_who_have_left_nothing_here(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    table(anna, "me", "here")
    assert pruned(client, ROOMY.guest_days - 1) == Pruned()
    assert rows(client, schema.people) == 2
    assert pruned(client, ROOMY.guest_days + 1) == Pruned(guests=1)
    assert anna.ask("/me") == {"name": "Anna"}
