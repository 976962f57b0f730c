"""The privacy page: what it says is what this server does."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from markupsafe import escape
from starlette.testclient import TestClient

from redouble.web.installed import FEATURES
from redouble.web.people.people import COOKIE
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.server import port_of, process, request
from tests.web.helpers.servers import create_app, site_of, sites_of
from tests.web.helpers.visitors import Visitor


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
        assert "The operator hasn't left a contact here" in text
        for site in sites_of(client):
            site.operator = "Ada <ada@example.org>"
        text = Visitor(client).get("/privacy")
        assert "Ada &lt;ada@example.org&gt;" in text
        assert "haven't left" not in text


@pytest.mark.parametrize("path", ["/", "/rules", "/me", "/nowhere", "/api/docs", "/link"])
def test_pages_link_to_it(client: TestClient, path: str) -> None:
    assert 'href="/privacy"' in client.get(path).text


def test_your_page_and_a_table_link_to_it(client: TestClient, anna: Visitor) -> None:
    assert anna.get("/me").count('href="/privacy"') == 2
    table = anna.post("/play/double-down")
    for path in (table, "/puzzles/double-down/1"):
        assert 'href="/privacy"' in anna.get(path)


def test_the_command_names_the_operator_and_an_unknown_proxy_is_logged_once(
    tmp_path: Path,
) -> None:
    options = ("--operator", " Ada, ada@example.org ")
    with process("--port", "0", "--data", str(tmp_path), *options) as server:
        port = port_of(server.first_line())
        for _ in range(2):
            answer = request(port, "/privacy", X_Forwarded_For="192.0.2.7")
            assert answer.status == 200
        server.process.terminate()
        _, said = server.ended()
    assert said.count("if it is your proxy, add --trusted-proxy 127.0.0.1") == 1
