"""The privacy page: what it says is what this server does."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from redouble.web.people.people import COOKIE
from redouble.web.store.schema import metadata
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.server import port_of, process, request
from tests.web.helpers.servers import create_app, site_of, sites_of
from tests.web.helpers.visitors import Visitor

COVERED = {
    "people": "The name that you chose",
    "sessions": "Where you're signed in",
    "tables": "Games you've finished",
    "seats": "Games you've finished: players",
    "log": "each move and its time, chat",
    "results": "your result",
    "records": "The games you import",
    "dailies": "Your tries at daily deals",
    "shares": "A result that a player shares",
    "codes": "A code that links another device",
    "puzzle_tries": "your first try at other puzzles",
    "premoves": "Your moves in advance",
    "addresses": "the address that your browser gave",
    "calendars": "The secret link of your calendar",
    "wishes": "What you want to be told, at which times, and your time zone",
    "letters": "What you were told, without the words",
    "passkeys": "Your passkeys: the public key",
    "profiles": "Your picture and color, who sees what of you, and how pages look to you",
    "recovery_codes": "A digest of your recovery code",
    "review_jobs": "A game whose review you",
    "friends": "Your friends, and whom you have asked",
    "hidden": "Your friends, and whom you have asked, with your choice to hide",
    "calls": "That a friend or a member of your circle invites you to a table",
    "circles": "The circles that you are in",
    "circle_members": "The circles that you are in and since when",
    "sanctions": "That the operator has warned, muted or banned you",
    "evenings": "its evenings",
    "evening_players": "in which evenings you want to take part",
    "mutes": "Whom you have muted",
    "reports": "Your reports of other players",
    "answers": "Our latest answers to you",
    "ratings": "Your rating after each rated game",
    "hinted": "where you asked for hints in games with others",
    "listed": "whether you are on the leaderboards",
}
"""What the page says of each table of the database that holds something of people."""
OTHERS = {"circle_days", "reviews", "used_challenges", "secrets", "commitments", "clock"}
"""Tables without anything of people."""
TOLD = {"notices"}
"""What only servers that share a database store of people."""


def test_the_page_speaks_of_everything_that_is_stored(client: TestClient) -> None:
    text = Visitor(client).get("/privacy")
    assert {table.name for table in metadata.sorted_tables} == {*COVERED, *OTHERS, *TOLD}
    shared = site_of(client).store.shared
    assert ("which tell each other" in text) == shared
    for words in COVERED.values():
        assert words in text
    assert COOKIE in text


def test_the_times_are_those_of_this_server(tmp_path: Path) -> None:
    limits = replace(
        ROOMY,
        guest_days=11,
        waiting_table_days=12,
        unfinished_table_days=13,
        bot_table_days=1,
    )
    with TestClient(create_app(tmp_path, limits=limits)) as client:
        text = Visitor(client).get("/privacy")
        assert set(re.findall(r"\d+ days?\b", text)) == {
            "11 days", "12 days", "13 days", "1 day", "30 days", "400 days",
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
