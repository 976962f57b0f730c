"""Checks on every request and headers on every response, tested by a hostile visitor."""

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa
from fastapi.routing import APIRoute
from itsdangerous import URLSafeSerializer
from markupsafe import escape
from starlette.testclient import TestClient

from redouble.contract.game import Game
from redouble.contract.options import Data
from redouble.contract.registry import GAMES
from redouble.web import api
from redouble.web.drawing import board
from redouble.web.drawing.addresses import game_css_url, static_url
from redouble.web.features.daily.tries import Dailies
from redouble.web.features.friends import friends
from redouble.web.features.study import share_page
from redouble.web.gate import security
from redouble.web.gate.journal import OTHER
from redouble.web.gate.security import HEADERS, MAX_BODY, MAX_UPLOAD, NO_CONTENT, UPLOADS
from redouble.web.installed import FEATURES
from redouble.web.live.live import Live
from redouble.web.pages import ROUTERS
from redouble.web.people.people import COOKIE, KEY_FILE
from redouble.web.site import Site
from redouble.web.store.schema import notices, people
from redouble.web.table import PACES, Seat
from redouble.web.table.acts import ACTS
from redouble.web.watchers import Watcher
from tests.web.helpers.play import content
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app, cut_streams, site_of, sites_of
from tests.web.helpers.visitors import in_loop, play, stored

GAME = next(game for game in GAMES.values() if game.min_seats <= 3 <= game.max_seats)
FOR_ONE = next(game for game in GAMES.values() if game.min_seats == 1)
HERE = "http://testserver"
EVIL = "\"'><b id=evil>&"
"""Text that must never become markup; short enough for a name."""

ROUTES = [
    (method, route)
    for router in (*ROUTERS, *FEATURES.pages, *api.ROUTERS, *FEATURES.interface)
    for route in router.routes
    if isinstance(route, APIRoute)
    for method in sorted(route.methods or ())
]
POSTS = [route.path for method, route in ROUTES if method == "POST"]
GETS = [route.path for method, route in ROUTES if method == "GET"]


@dataclass
class Scene:
    """Anna and Ben, who are friends, play at a table; Cleo watches; Eve is a stranger."""

    app: Any
    anna: TestClient
    ben: TestClient
    cleo: TestClient
    eve: TestClient
    token: str
    invite: str
    record: str
    shared: str
    friendship: str

    @property
    def site(self) -> Site:
        return site_of(self.app)

    @property
    def live(self) -> Live:
        return self.live_at(f"/t/{self.token}")

    def live_at(self, path: str) -> Live:
        """The table of a page."""
        live: Live = in_loop(self.anna, self.site.tables.get, path.removeprefix("/t/"))
        return live

    def rows(self) -> dict[str, int]:
        """How many rows there are, by table; without those that servers write to each other."""

        def count(connection: sa.Connection) -> dict[str, int]:
            query = sa.select(sa.func.count())
            return {
                table.name: connection.execute(query.select_from(table)).scalar() or 0
                for table in FEATURES.tables
                if table is not notices
            }

        found: dict[str, int] = self.site.store.call(count).result(10)
        return found

    def path(self, template: str) -> str:
        """The address of an existing page."""
        filled = {
            "token": self.record if template.startswith(("/r/", "/me/")) else self.token,
            "table": self.token,
            "invite": self.invite,
            "record": self.record,
            "shared": self.shared,
            "friendship": self.friendship,
            "game": FOR_ONE.name if template.startswith("/deals") else GAME.name,
            "deal:path": "77",
            "name": "cover.svg",
            "number": "1",
            "day": self.site.service(Dailies).today().isoformat(),
        }
        return re.sub(r"\{([^}]+)\}", lambda found: filled.get(found[1], "none"), template)


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.setitem(PACES, "slow", 1e6)  # the bot at the table makes no move during the test
    monkeypatch.setattr("redouble.web.live.live.AWAY_SECONDS", 1e9)
    app = create_app(tmp_path, limits=ROOMY)
    with TestClient(app, raise_server_exceptions=False, follow_redirects=False) as anna:
        others = [
            TestClient(app, raise_server_exceptions=False, follow_redirects=False) for _ in range(3)
        ]
        for other in others:
            other.portal = anna.portal  # all are served by the same loop
        form = {"seat-0": "me", "seat-1": "friend", "seat-2": "bot club"}
        anna.post("/me/name", data={"name": "Anna"})
        token = anna.post(f"/new/{GAME.name}", data=form).headers["location"].removeprefix("/t/")
        anna.post(f"/t/{token}/do", data={"command": "pace", "pace": "slow"})
        assert anna.portal is not None
        invite = anna.portal.call(site_of(app).tables.get, token).table.header.invite
        others[0].post(f"/join/{invite}", data={"name": "Ben"})
        others[1].post("/me/name", data={"name": "Cleo"})
        record = anna.post("/replays", data={"text": short_record()}).headers["location"]
        record = record.removeprefix("/r/")
        ben, cleo, eve = others
        over = play(anna, FOR_ONE, [Seat("Dora", "dora")]).header.token
        shared = stored(anna, lambda c: share_page.new_share(c, over, 0.0))
        friendship = stored(anna, befriend)
        yield Scene(app, anna, ben, cleo, eve, token, invite, record, shared, friendship)


def befriend(connection: sa.Connection) -> str:
    """Make Anna and Ben friends."""
    query = sa.select(people.c.id).where(people.c.name.in_(("Anna", "Ben")))
    anna, ben = connection.execute(query).scalars()
    friends.ask(connection, anna, ben, GAME.name)
    friends.ask(connection, ben, anna, GAME.name)
    (one,) = friends.friends_of(connection, anna)
    return one.id


def short_record(**changes: Any) -> str:
    """A record of a game in which nothing has been played yet."""
    seats = [f"Player {number}" for number in range(GAME.min_seats)]
    data = {"game": GAME.name, "rules": GAME.version, "seats": seats, "seed": "s", "moves": ""}
    return json.dumps(data | changes)


def cookie_of(client: TestClient) -> str:
    return str(client.cookies[COOKIE])


# Headers.


def check_headers(response: httpx2.Response) -> None:
    assert (response.status_code == NO_CONTENT) <= (not response.content)
    for name, value in HEADERS.items() if response.status_code != NO_CONTENT else ():
        assert response.headers[name] == value, response.url
    assert "cache-control" in response.headers


def test_no_script_but_our_own_files_can_run() -> None:
    policy = dict(
        part.strip().split(" ", 1) for part in HEADERS["Content-Security-Policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["base-uri"] == "'none'"
    assert policy["form-action"] == "'self'"


def test_every_kind_of_answer_has_the_headers(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = f"/t/{scene.token}"
    answers = [
        (200, scene.anna.get("/")),
        (200, scene.anna.get(table)),
        (200, scene.cleo.get(table)),
        (303, scene.anna.post(f"/play/{GAME.name}")),
        (204, scene.anna.post(f"{table}/do", data=say("hello"), headers={"hx-request": "true"})),
        (400, scene.anna.post(f"/play/{GAME.name}", data={"level": "hal"})),
        (400, scene.anna.post(f"{table}/do", data={"command": "fly"})),
        (401, scene.eve.get("/api/me")),
        (403, scene.anna.post("/me/name", headers={"origin": "https://evil.example"})),
        (403, scene.cleo.get(f"{table}?seat=0")),
        (404, scene.anna.get("/t/nothing")),
        (404, scene.anna.get("/nothing/at/all")),
        (404, scene.anna.get("/static/nothing.css")),
        (404, scene.anna.get("/api/tables/nothing")),
        (405, scene.anna.put("/")),
        (409, scene.anna.post(f"{table}/do", data={"command": "agree"})),
        (413, scene.anna.post("/me/name", content=b"x" * (MAX_BODY + 1))),
        (422, scene.anna.post(f"{table}/move", data={"ply": "soon"})),
        (422, scene.anna.post("/api/tables", json={}, headers=bearer(scene.anna))),
        (200, scene.anna.get(static_url("redouble.css"))),
        (200, scene.anna.get(f"/games/{GAME.name}/cover.svg")),
        (200, scene.anna.get("/api/openapi.json")),
        (200, scene.anna.head("/api/openapi.json")),
    ]
    cut_streams(scene.app)
    answers += [
        (200, scene.anna.get(f"{table}/stream")),
        (200, scene.anna.get(f"/api/tables/{scene.token}/stream")),
    ]
    scene.anna.post(f"{table}/do", data=say("hello again"))  # so that the board is drawn anew
    monkeypatch.setattr(board, "table_scene", broken)
    answers += [(500, scene.anna.get(table)), (500, scene.anna.get(f"{table}/hint"))]
    for status, response in answers:
        assert response.status_code == status, response.url
        check_headers(response)
    for _, response in answers[-2:]:
        assert "This is our fault" in response.text
        assert "broken" not in response.text


def broken(*_: Any) -> None:
    raise RuntimeError("broken")


def say(text: str, seat: int = 0) -> dict[str, Any]:
    return {"command": "say", "seat": seat, "text": text}


def bearer(client: TestClient) -> dict[str, str]:
    return {"authorization": f"Bearer {cookie_of(client)}"}


def test_browsers_cache_only_what_never_changes(scene: Scene) -> None:
    for address in (static_url("redouble.css"), game_css_url(GAME) or static_url("page.js")):
        assert "immutable" in scene.anna.get(address).headers["cache-control"]
    for path in GETS:
        if "stream" not in path and "picture" not in path and not path.startswith("/games"):
            assert scene.anna.get(scene.path(path)).headers["cache-control"] == "no-store", path


class Markup(HTMLParser):
    """The parts of a page that could be executed."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script" and not (given.get("src") or "").startswith("/static/"):
            self.found.append("a script in the page")
        if tag in ("style", "iframe", "object", "embed", "base"):
            self.found.append(tag)
        if given.get("id") == "evil":
            self.found.append("evil")
        for name, value in attrs:
            address = (value or "").strip().lower()
            if name.startswith("on") or address.startswith(("javascript:", "data:text")):
                self.found.append(f"{name}={value}")


def check_markup(response: httpx2.Response) -> None:
    """A page contains nothing executable and no injected markup."""
    if "html" in response.headers.get("content-type", ""):
        markup = Markup()
        markup.feed(response.text)
        assert markup.found == [], response.url
        assert EVIL not in response.text, response.url


def test_no_page_has_inline_scripts_or_styles(scene: Scene) -> None:
    for path in GETS:
        if "stream" not in path:
            check_markup(scene.anna.get(scene.path(path)))


# Identity.


def test_the_cookie_is_set_once_by_a_post_and_out_of_reach_of_scripts(scene: Scene) -> None:
    assert "set-cookie" not in scene.eve.get("/").headers
    response = scene.eve.post("/me/name", data={"name": "Eve"})
    value, *attributes = response.headers["set-cookie"].split("; ")
    assert value.startswith(f"{COOKIE}=")
    given = {one.lower().partition("=")[0]: one.partition("=")[2] for one in attributes}
    assert given.keys() == {"httponly", "samesite", "path", "max-age"}
    assert (given["samesite"], given["path"]) == ("Lax", "/")
    assert int(given["max-age"]) > 300 * 24 * 3600
    assert "set-cookie" not in scene.eve.post("/me/name", data={"name": "Eva"}).headers
    assert "set-cookie" not in scene.eve.get("/me").headers


def test_over_https_the_cookie_is_secure(scene: Scene) -> None:
    client = TestClient(scene.app, base_url="https://testserver", follow_redirects=False)
    assert "; Secure" in client.post("/me/name", data={"name": "Eve"}).headers["set-cookie"]


def forgeries(scene: Scene, folder: Path) -> list[str]:
    real = cookie_of(scene.anna)
    payload, _, signature = real.rpartition(".")
    person = scene.live.table.seats[0].person
    key = (folder / KEY_FILE).read_text(encoding="ascii")
    return [
        "",
        ".",
        "nonsense",
        payload,
        f"{payload}.",
        f"{payload}.{signature[::-1]}",
        f"{payload[:-1]}.{signature}",
        f"{cookie_of(scene.cleo).rpartition('.')[0]}.{signature}",
        f"{real}x",
        person or "",
        str(URLSafeSerializer("", salt="person").dumps(person)),
        str(URLSafeSerializer(key[:-1], salt="person").dumps(person)),
        str(URLSafeSerializer(key, salt="another").dumps(person)),
        str(URLSafeSerializer(key, salt="person").dumps("nobody")),
        "x" * 5000,
        "\xff\xfe",
        '"\\073"',
    ]


def test_a_forged_identity_is_anonymous(scene: Scene, tmp_path: Path) -> None:
    assert 'data-mine="0"' in scene.cleo.get(f"/t/{scene.token}").text
    for forged in forgeries(scene, tmp_path):
        for headers in (
            {b"cookie": f"{COOKIE}={forged}".encode("latin-1")},
            {b"authorization": f"Bearer {forged}".encode("latin-1")},
        ):
            client = TestClient(scene.app, raise_server_exceptions=False)
            assert client.get("/api/me", headers=headers).status_code == 401
            shown = client.get(f"/t/{scene.token}", headers=headers)
            assert shown.status_code == 200
            assert 'id="play"' not in shown.text
            moved = client.post(
                f"/t/{scene.token}/move", data={"ply": 1, "seat": 0, "move": "x"}, headers=headers
            )
            assert moved.status_code == 403


# Pages of other sites.

FOREIGN = [
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"origin": ""},
    {"origin": "http://testserver.evil.example"},
    {"origin": "http://evil.example/testserver"},
    {"origin": "http://testserver:81"},
    {"origin": "http://[::1"},
    {"origin": "testserver"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "?"},
    {"origin": HERE, "sec-fetch-site": "cross-site"},
]


def test_posts_from_other_sites_are_refused(scene: Scene) -> None:
    rows, before = scene.rows(), content(scene.live.table)
    for path in POSTS:
        for headers in FOREIGN:
            for client in (scene.anna, scene.eve):
                response = client.post(scene.path(path), headers=headers)
                assert response.status_code == 403, (path, headers)
                assert "set-cookie" not in response.headers
    for method in ("PUT", "PATCH", "DELETE", "PROPFIND"):
        assert scene.anna.request(method, "/", headers=FOREIGN[0]).status_code == 403
    assert scene.rows() == rows
    assert content(scene.live.table) == before


def test_a_strangers_post_that_fails_writes_nothing(scene: Scene) -> None:
    def kept() -> dict[str, int]:
        rows = scene.rows()  # bots go on playing at the tables of posts that succeed
        return {name: rows[name] for name in ("people", "tables", "records", "codes", "dailies")}

    before, refused = kept(), 0
    for path in POSTS:
        for data in ({}, {"command": "undo", "seat": "0", "name": "x" * 99, "move": "1", "ply": 1}):
            response = scene.eve.post(scene.path(path), data=data)
            if response.status_code >= 400:
                refused += 1
                assert "set-cookie" not in response.headers, path
                assert kept() == before, path
            before = kept()
            scene.eve.cookies.clear()
    assert refused > len(POSTS)
    assert not scene.site.people._newcomers


def test_posts_from_own_pages_and_programs_are_accepted(scene: Scene) -> None:
    for headers in (
        {},
        {"origin": HERE},
        {"origin": HERE, "sec-fetch-site": "same-origin"},
        {"origin": f"{HERE}:8443", "sec-fetch-site": "same-origin"},  # a proxy drops the port
        {"sec-fetch-site": "none"},
    ):
        assert scene.anna.post("/me/name", data={"name": "A"}, headers=headers).status_code == 303
    link = {"sec-fetch-site": "cross-site"}  # on another site
    assert scene.anna.get("/", headers=link).status_code == 200


def test_a_proxy_that_drops_the_port_is_named_once(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    security._tell_of_port.cache_clear()
    for number in (8443, 8443, *range(100)):
        headers = {"origin": f"{HERE}:{number}"}  # of a page over http, whose browser says no more
        assert scene.anna.post("/me/name", headers=headers).status_code == 403
    assert "let it pass on the whole Host header" in caplog.messages[0]
    assert 1 < len(caplog.messages) <= security.MAX_TOLD


# Other people's seats.


def forms_against(seat: int) -> list[dict[str, Any]]:
    """Every command for a seat, as a valid form."""
    forms = [
        {"command": name, "seat": seat, "text": "hello", "pace": "fast", "other": 1, "ply": 0}
        for name in (*ACTS, "finish")
    ]
    forms += [{"command": "bot", "seat": seat, "level": "greedy"}]
    return forms


def test_a_spectator_changes_nothing_at_a_table(scene: Scene) -> None:
    before = content(scene.live.table)
    for client in (scene.cleo, scene.eve):
        for seat in (0, 1, 2, -1):
            for form in forms_against(seat):
                response = client.post(f"/t/{scene.token}/do", data=form)
                assert response.status_code in (400, 403, 409, 422), form
            ply = scene.live.table.ply
            for move in scene.live.table.match.legal_moves:
                form = {"ply": ply, "seat": seat, "move": move}
                moved = client.post(f"/t/{scene.token}/move", data=form)
                assert moved.status_code in (400, 403, 422)
        assert client.post(f"/t/{scene.token}/rematch").status_code in (403, 409)
    for path in POSTS:
        if path.startswith("/api/tables/"):
            for body in ({}, {"seat": 0, "level": "greedy", "text": "hi", "pace": "fast"}):
                url = scene.path(path)
                response = scene.cleo.post(url, json=body, headers=bearer(scene.cleo))
                assert response.status_code >= 400, path
    assert content(scene.live.table) == before


def test_a_player_cannot_act_for_another_players_seat(scene: Scene) -> None:
    scene.anna.get(f"/t/{scene.token}")  # a sign of life
    before = content(scene.live.table)
    for form in forms_against(0):
        if form["command"] in ("say", "mute", "bot", "finish"):  # the others act on your own seats
            response = scene.ben.post(f"/t/{scene.token}/do", data=form)
            assert response.status_code == 403, form
    ply, moves = scene.live.table.ply, scene.live.table.match.legal_moves
    for seat in (0, 2):
        move = {"ply": ply, "seat": seat, "move": moves[0]}
        assert scene.ben.post(f"/t/{scene.token}/move", data=move).status_code == 403
        url = f"/api/tables/{scene.token}/moves"
        assert scene.ben.post(url, json=move, headers=bearer(scene.ben)).status_code == 403
        said = {"text": "hi", "seat": seat}
        url = f"/api/tables/{scene.token}/say"
        assert scene.ben.post(url, json=said, headers=bearer(scene.ben)).status_code == 403
    url = f"/api/tables/{scene.token}/bot"
    given = {"seat": 0, "level": "greedy"}
    assert scene.ben.post(url, json=given, headers=bearer(scene.ben)).status_code == 403
    assert content(scene.live.table) == before
    scene.ben.post(f"/t/{scene.token}/do", data={"command": "resign", "seat": 0})
    assert [seat.resigned for seat in scene.live.table.seats] == [False, True, False]


@pytest.mark.parametrize("seat", [0, 2, 99, -2, 10**30])
def test_no_one_can_see_through_another_seats_page(scene: Scene, seat: int) -> None:
    at = f"/t/{scene.token}"
    for client in (scene.ben, scene.cleo, scene.eve):
        for path in (at, f"{at}/hint", f"{at}/stream", f"{at}/board", f"{at}/since"):
            answer = client.get(f"{path}?seat={seat}")
            assert answer.status_code == 403, path
            assert 'id="board"' not in answer.text
            # An open page, which may have lost its seat, is sent to watch.
            assert answer.headers.get("hx-redirect") == (None if path == at else at)
    api = f"/api/tables/{scene.token}"
    for path in (api, f"{api}/stream"):
        response = scene.ben.get(f"{path}?seat={seat}", headers=bearer(scene.ben))
        assert response.status_code in (403, 422)
    response = scene.ben.post(f"{api}/hint?seat={seat}", headers=bearer(scene.ben))
    assert response.status_code in (403, 422)
    for path in (f"{at}/record", f"{at}/replay?eyes=0", f"{api}/record"):
        assert scene.ben.get(path).status_code == 403


def test_a_programs_stream_of_a_seat_ends_when_its_player_leaves(scene: Scene) -> None:
    """A page is told to load itself anew, to watch."""
    form = {"seat-0": "me", "seat-1": "friend", "seat-2": "friend"}
    table = scene.anna.post(f"/new/{GAME.name}", data=form).headers["location"]
    assert scene.anna.portal is not None
    get = scene.anna.portal.call
    lives = [get(site.tables.get, table.removeprefix("/t/")) for site in sites_of(scene.app)]
    scene.ben.post(f"/join/{lives[0].table.header.invite}")
    client = TestClient(scene.app, cookies=dict(scene.ben.cookies))
    client.portal = scene.anna.portal
    with ThreadPoolExecutor() as threads:
        api = f"/api/tables{table[2:]}/stream?seat=1"
        streams = [threads.submit(client.get, f"{table}/stream?seat=1")]
        streams.append(threads.submit(client.get, api, headers=bearer(scene.ben)))
        while sum(len(live._wakers) for live in lives) < 2:
            time.sleep(0.01)
        scene.ben.post(f"{table}/do", data={"command": "leave"})
        assert streams[1].result(30).status_code == 200
        assert streams[0].result(30).text.endswith("event: elsewhere\ndata: \n\n")


def test_the_invitation_is_shown_only_to_players(scene: Scene) -> None:
    form = {"seat-0": "me", "seat-1": "friend", "seat-2": "friend"}
    table = scene.anna.post(f"/new/{GAME.name}", data=form).headers["location"]
    live = scene.live_at(table)
    assert live.table.header.invite in scene.anna.get(table).text
    for client in (scene.cleo, scene.eve):
        assert live.table.header.invite not in client.get(table).text
        assert live.table.header.invite not in client.get(f"/api/tables/{table[3:]}").text
    assert scene.anna.get(f"{table}/stream?seat=5").status_code == 403


def test_addresses_cannot_be_guessed(scene: Scene) -> None:
    assert len(scene.token) >= 16  # of 64 different characters: 96 bits
    assert len(scene.invite) >= 22
    assert len(scene.record) >= 22
    assert scene.token not in scene.invite


# User text.


def test_user_text_is_never_markup(scene: Scene) -> None:
    evil: dict[str, Any] = {"seat-0": "me", "seat-1": "friend", "seat-2": "here", "name-2": EVIL}
    scene.anna.post("/me/name", data={"name": EVIL})
    table = scene.anna.post(f"/new/{GAME.name}", data=evil | {"public": "yes"}).headers["location"]
    invite = f"/join/{scene.live_at(table).table.header.invite}"
    pages = [scene.ben.get(invite), scene.cleo.get("/")]
    scene.ben.post(invite, data={"name": EVIL})
    scene.ben.post(f"{table}/do", data=say(EVIL * 3, seat=1))
    scene.ben.post(f"{table}/do", data={"command": EVIL, "level": EVIL})
    seats = scene.live_at(table).table.seats
    assert [seat.name for seat in seats] == [EVIL, f"{EVIL} 3", f"{EVIL} 2"]
    for client in (scene.anna, scene.ben, scene.cleo):
        pages += [client.get(table), client.get("/"), client.get("/me"), client.get(invite)]
        pages += [client.get(f"{table}?seat={seat}") for seat in (0, 1, 2)]
    assert sum(escape(EVIL * 3) in page.text for page in pages) >= 1  # the chat, to Ben
    for client in (scene.anna, scene.ben):
        client.post(f"{table}/do", data={"command": "resign"})
    assert scene.live_at(table).table.over
    pages += [scene.anna.get(path) for path in (table, f"{table}/replay", "/me")]
    pages += [scene.anna.get(f"{table}/replay?eyes={eyes}") for eyes in ("0", "onlooker", EVIL)]
    cut_streams(scene.app)
    for seat in (0, 2):
        stream = scene.anna.get(f"{table}/stream?seat={seat}")
        assert EVIL not in stream.text
        assert escape(EVIL) in stream.text
    for page in pages:
        check_markup(page)
        assert page.status_code < 500


def test_text_in_urls_and_forms_is_never_markup(scene: Scene) -> None:
    quoted = "%22%27%3E%3Cb%20id=evil%3E%26"
    at = f"/t/{scene.token}"
    addresses = [
        f"/link?code={quoted}",
        f"/new/{GAME.name}?deal={quoted}&with={quoted}",
        f"/new/{FOR_ONE.name}?deal={quoted}",
        f"/deals/{FOR_ONE.name}/{quoted}",
        *(f"{at}?{name}={quoted}" for name in ("seat", "hint", "guide")),
        *(f"{at}/{quoted}", f"{at}/do?seat={quoted}", f"/{quoted}", f"/t/{quoted}/{quoted}"),
        *(f"/r/{scene.record}?{name}={quoted}" for name in ("ply", "eyes")),
    ]
    addresses += [
        re.sub(r"\{[^}]+\}", quoted, path) for path in GETS if not path.endswith("e/stream")
    ]
    for address in addresses:
        for headers in ({}, {"hx-request": "true"}, {"host": EVIL}):
            response = scene.anna.get(address, headers=headers)
            assert response.status_code < 500, address
            check_markup(response)
    option: dict[str, str] = {one.name: EVIL for game in (GAME, FOR_ONE) for one in game.options}
    forms: dict[str, dict[str, Any]] = {
        f"/new/{GAME.name}": {"seat-0": EVIL, "seat-1": f"bot {EVIL}", "name-1": EVIL},
        f"/new/{FOR_ONE.name}": option | {"deal": EVIL * 9},
        "/replays": {"text": EVIL, "which": EVIL},
        "/me/name": {"name": EVIL * 9},
        "/link": {"code": EVIL},
        "/link/code": {"code": EVIL},
        f"{at}/do": {"command": EVIL},
        f"{at}/move": {"ply": EVIL, "seat": EVIL, "move": EVIL},
        f"/join/{scene.invite}": {"name": EVIL * 9},
    }
    for path, form in forms.items():
        for headers in ({}, {"hx-request": "true"}):
            response = scene.anna.post(path, data=form, headers=headers)
            assert response.status_code < 500, path
            check_markup(response)
    move = {"ply": scene.live.table.ply, "seat": 0, "move": EVIL}
    check_markup(scene.anna.post(f"{at}/move", data=move))


def test_text_in_imported_records_is_never_markup(scene: Scene) -> None:
    line = short_record(seats=[EVIL * 5] * GAME.min_seats, seed=EVIL * 9, notes=[[0, EVIL * 9]])
    kept = scene.anna.post("/replays", data={"text": line}).headers["location"]
    for address in (kept, f"{kept}?eyes=0", "/me", "/replays"):
        response = scene.anna.get(address)
        assert response.status_code == 200
        check_markup(response)
    assert escape(EVIL) in scene.anna.get(kept).text
    for wrong in (
        short_record(moves=EVIL),
        short_record(options={EVIL: EVIL}),
        short_record(game=EVIL),
    ):
        response = scene.anna.post("/replays", data={"text": wrong})
        assert response.status_code == 400
        check_markup(response)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_custom_cards_and_boards_are_never_markup(scene: Scene, game: Game) -> None:
    for option in game.options:
        form: dict[str, Any] = {f"seat-{seat}": "bot club" for seat in range(game.min_seats)}
        lines = f"{EVIL}\n# {EVIL}" if isinstance(option, Data) else EVIL
        response = scene.anna.post(f"/new/{game.name}", data=form | {option.name: lines})
        assert response.status_code in (303, 400)
        check_markup(response)
        if response.status_code == 303:
            check_markup(scene.anna.get(response.headers["location"]))


# Sizes and numbers.


def chunks(size: int) -> Iterator[bytes]:
    for _ in range(size // 1000 + 1):
        yield b"x" * 1000


def test_oversized_bodies_are_refused_however_they_are_sent(scene: Scene) -> None:
    rows = scene.rows()
    kinds = ("application/x-www-form-urlencoded", "application/json", "multipart/form-data", "")
    for path in POSTS:
        most = MAX_UPLOAD if path in UPLOADS else MAX_BODY
        if "{" not in path or path in ("/t/{token}/move", "/api/tables/{table}/moves"):
            for kind in kinds:
                headers = bearer(scene.anna) | {"content-type": kind}
                url = scene.path(path)
                response = scene.anna.post(url, content=b"x" * (most + 1), headers=headers)
                assert response.status_code == 413, path
    for path in ("/t/{token}/move", "/me/name", "/api/tables", *UPLOADS):
        most = MAX_UPLOAD if path in UPLOADS else MAX_BODY
        kind = kinds["/api" in path]
        headers = bearer(scene.anna) | {"content-type": kind}
        response = scene.anna.post(scene.path(path), content=chunks(most), headers=headers)
        assert "content-length" not in response.request.headers
        assert response.status_code == 413, path
        check_headers(response)
    assert scene.rows() == rows


@pytest.mark.parametrize("length", ["-1", "abc", "", "1e9", "\xb2", "9" * 5000, "1, 1"])
def test_an_invalid_content_length_is_refused(scene: Scene, length: str) -> None:
    headers = {b"content-length": length.encode("latin-1")}
    response = scene.anna.post("/me/name", headers=headers)
    assert response.status_code in (400, 413)


NUMBERS = (
    *("", "-1", "1.5", "1e9", "NaN", "0x10", "\u0663", "\u00b2", " 0 ", "+0", "0_0", "None"),
    *("9" * 30, "-" + "9" * 30, "9" * 5000, "\x00", "true", "[]", "0" * 4500),
)


def test_no_number_breaks_anything(scene: Scene) -> None:
    at = f"/t/{scene.token}"
    before = content(scene.live.table)
    for number in NUMBERS:
        answers = [
            scene.anna.post(f"{at}/move", data={"ply": number, "seat": 0, "move": "no"}),
            scene.anna.post(f"{at}/move", data={"ply": 0, "seat": number, "move": "no"}),
            scene.anna.post(f"{at}/do", data={"command": "bot", "seat": number, "level": "no"}),
            scene.anna.post(f"{at}/do", data={"command": "mute", "other": number, "seat": 9}),
            scene.anna.post(f"{at}/do", data={"command": "say", "seat": number}),
            *(scene.anna.get(at, params={name: number}) for name in ("seat", "hint", "guide")),
            *(scene.anna.get(f"{at}/hint", params={name: number}) for name in ("seat", "guide")),
            *(scene.anna.get(f"/r/{scene.record}", params={n: number}) for n in ("ply", "eyes")),
            scene.anna.post("/replays", data={"text": short_record(), "which": f"{number}x"}),
            scene.anna.get(f"/deals/{FOR_ONE.name}/{number}".replace("\x00", "%00")),
        ]
        assert [one.status_code for one in answers if one.status_code >= 500] == [], number
    assert content(scene.live.table) == before


@pytest.mark.parametrize("number", ["\u00b2", "-1", "9" * 5000, "x", "", "99999999999"])
def test_a_stream_can_resume_from_any_number(scene: Scene, number: str) -> None:
    cut_streams(scene.app)
    headers = {b"last-event-id": number.encode("latin-1")}
    response = scene.anna.get(f"/t/{scene.token}/stream", headers=headers)
    assert response.status_code == 200
    assert response.text.startswith(f"id: {scene.live.table.ply}\ndata: ")
    response = scene.anna.get(f"/t/{scene.token}/stream?seen={'9' * 5000}")
    assert response.status_code in (200, 422)


# Junk.

JUNK = ("x", "%00", "%FF%FE", "..%2f..%2f", "%3Cb%3E", "%20", "\u00e4", "a" * 2000, "-1", "'--")
QUERY = "&".join(f"{junk}={junk}" for junk in JUNK[:5])
BODIES: list[dict[str, Any]] = [
    {},
    {"content": b"\x00\xff\xfe"},
    {"content": b"&&&===%%%", "headers": {"content-type": "application/x-www-form-urlencoded"}},
    {"content": b"a=1&" * 2000, "headers": {"content-type": "application/x-www-form-urlencoded"}},
    {"content": b"{", "headers": {"content-type": "application/json"}},
    {"content": b"[" * 9000, "headers": {"content-type": "application/json"}},
    {"content": b'{"a": 1e999}', "headers": {"content-type": "application/json"}},
    {"content": b'"\\ud800"', "headers": {"content-type": "application/json"}},
    {"json": {"seats": [{}], "game": [], "text": {}, "move": {}, "ply": 1e300}},
    {"content": b"--x", "headers": {"content-type": "multipart/form-data"}},
    {"content": b"--x", "headers": {"content-type": "multipart/form-data; boundary=x"}},
    {
        "content": b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\n+2AA-\r\n--x--\r\n',
        "headers": {"content-type": "multipart/form-data; boundary=x; charset=utf-7"},
    },
    {"files": {"file": ("a\x00b", b"\xff\xff"), "name": ("n", b"file for a field")}},
    {"content": b"x", "headers": {"content-type": "\xff; charset=\xfe".encode("latin-1")}},
]


@pytest.mark.thorough
def test_junk_breaks_no_route(scene: Scene) -> None:
    cleo = bearer(scene.cleo)
    for method, route in ROUTES:
        paths = [re.sub(r"\{[^}]+\}", junk, route.path) for junk in JUNK if "{" in route.path]
        paths.append(f"{scene.path(route.path)}?{QUERY}")
        if method == "GET":
            own = scene.token, "/me/", "/people/"  # which stay open
            streams = [one for one in paths if "stream" in one and any(at in one for at in own)]
            paths = [path for path in paths if path not in streams]
            for path in paths:
                check_junk(scene.anna.get(path))
        else:
            for path in paths:
                check_junk(scene.cleo.post(path))
            for body in BODIES:
                given = body | {"headers": cleo | body.get("headers", {})}
                check_junk(scene.cleo.post(scene.path(route.path), **given))
    assert scene.anna.get(f"/t/{scene.token}").status_code == 200


def test_junk_in_headers_breaks_nothing(scene: Scene) -> None:
    at = f"/t/{scene.token}"
    for name in ("host", "cookie", "accept-encoding", "range", "hx-request", "referer", "accept"):
        for value in ("", "[", "\xff", "a b", "=;=;", "bytes=9-1", "<b>", "x" * 5000):
            headers = {name.encode(): value.encode("latin-1")}
            for path in ("/replays", static_url("page.js"), f"/games/{GAME.name}/cover.svg"):
                check_junk(scene.anna.get(path, headers=headers))
    for value in ("", "Bearer", "Bearer ", "Basic eDp5", "Bearer \xff", "bearer a b"):
        headers = {b"authorization": value.encode("latin-1")}
        check_junk(scene.anna.get("/api/me", headers=headers))
        check_junk(scene.anna.get(at, headers=headers))


def check_junk(response: httpx2.Response) -> None:
    assert response.status_code < 500, (response.request.method, response.url, response.text[:300])
    assert "Traceback" not in response.text
    check_headers(response)


def test_names_and_chat_that_are_not_valid_text_are_not_stored(scene: Scene) -> None:
    """A lone surrogate is not valid text: it would fail only when a page with it is sent."""
    part = b'--x\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
    kind = {"content-type": "multipart/form-data; boundary=x; charset=utf-7"}
    half = b"+2AA-"  # in UTF-7
    at = f"/t/{scene.token}"
    sent: list[tuple[str, list[tuple[bytes, bytes]]]] = [
        ("/me/name", [(b"name", half)]),
        (f"{at}/do", [(b"command", b"say"), (b"seat", b"0"), (b"text", half)]),
        (f"/new/{FOR_ONE.name}", [(b"deal", half)]),
        (f"/new/{GAME.name}", [(b"seat-0", b"me"), (b"seat-1", b"here"), (b"name-1", half)]),
        ("/replays", [(b"text", half)]),
    ]
    for path, fields in sent:
        body = b"".join(part % field for field in fields) + b"--x--\r\n"
        check_junk(scene.anna.post(path, content=body, headers=kind))
    for path in (at, "/", "/me", "/me/export"):
        assert scene.anna.get(path).status_code == 200


# What a visit costs.


def test_looking_at_pages_stores_nothing(scene: Scene) -> None:
    """But that somebody was given a hint against other people, for the ratings."""
    rows, before = scene.rows(), content(scene.live.table)
    for client in (scene.eve, scene.anna, scene.cleo):
        for path in GETS:
            if "stream" not in path:
                response = client.get(scene.path(path))
                assert "set-cookie" not in response.headers, path
                client.head(scene.path(path))
    assert scene.rows() | {"hinted": 0} == rows | {"hinted": 0}
    assert content(scene.live.table) == before


def test_odd_methods_and_broken_forms_leave_no_trace(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    heard: set[str] = set()

    class Ears(Watcher):
        def answered(self, method: str, route: str, status: int, seconds: float) -> None:
            heard.add(method)

    for site in sites_of(client):
        site.watchers.add(Ears())
    for method in ("PROPFIND", "LOCK", "CONNECT", "TRACE", "DELETE", "PUT", "MKCOL"):
        for path in ("/", "/t/token", "/static/table.css", "/nothing"):
            assert client.request(method, path).status_code in (404, 405)
    assert heard == {OTHER}
    form = {"content-type": "multipart/form-data; boundary=x"}
    for body in (b"--y", b"--x\r\n\x00: a\r\n\r\nb", b"--x--junk after the end", b"--x\r\nA"):
        assert client.post("/replays", content=body, headers=form).status_code == 400
    assert not caplog.records
