"""A server on the internet: behind a proxy, watched over, traced, and private about its files."""

import contextlib
import http.client
import json
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.errors import StoreError
from redouble.web.installed import FEATURES
from redouble.web.limits import LimitError, Proxies
from redouble.web.pages import ROUTERS
from redouble.web.people.people import COOKIE, KEY_BYTES, KEY_FILE
from redouble.web.site import Written
from redouble.web.store import FILE, jobs, open_store
from redouble.web.watchers import Watcher
from tests.helpers.command import Run
from tests.web.helpers.proxies import DEPLOY
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.server import port_of, process, request, send
from tests.web.helpers.servers import counted_alone, create_app, cut_streams, sites_of
from tests.web.helpers.visitors import Visitor

GAME = next(iter(GAMES))
FOR_TWO = next(game.name for game in GAMES.values() if game.min_seats <= 2 <= game.max_seats)


def test_proxies_are_addresses_or_networks() -> None:
    proxies = Proxies(["192.0.2.1", "10.0.0.0/8", "::1"])
    assert [one in proxies for one in ("192.0.2.1", "10.9.9.9", "::1")] == [True] * 3
    assert [one in proxies for one in ("192.0.2.2", "::2", "testclient", "")] == [False] * 4
    # A server that listens on "::" sees the addresses of IPv4 in another form.
    assert "::ffff:10.9.9.9" in proxies
    assert "::ffff:192.0.2.2" not in proxies
    assert "10.9.9.9" in Proxies(["::ffff:10.0.0.0/104"])
    with pytest.raises(LimitError, match="trusted proxy: 'proxy'"):
        Proxies(["proxy"])


def status_for_one_of_many(
    port: int, numbers: Iterator[int], host: str = "[::1]", path: str = "/"
) -> int:
    """Ask as the next of a proxy's visitors."""
    return request(port, path, Host=host, X_Forwarded_For=f"192.0.2.{next(numbers)}").status


@counted_alone
def test_only_a_trusted_proxy_is_believed_and_only_allowed_names_are_served(
    tmp_path: Path,
) -> None:
    told = {"X_Forwarded_Proto": "https", "X_Forwarded_For": "192.0.2.7"}
    limits = ("--limit", "requests-per-address=4/6000")
    allowed = ("--allowed-host", "Games.example", "--allowed-host", "[::1]")
    for trusted in ((), ("--trusted-proxy", "127.0.0.1", *allowed)):
        folder = tmp_path / f"{bool(trusted)}"
        place = ("--host", "::", "--port", "0", "--data", str(folder))
        with process(*place, *limits, *trusted) as server:
            port = port_of(server.first_line())
            status = partial(status_for_one_of_many, port, count())
            statuses = [status() for _ in range(6)]
            if not trusted:
                assert statuses == [200] * 4 + [429] * 2
                continue
            assert statuses == [200] * 6
            secure = request(port, Host="[::1]", **told).getheader("Strict-Transport-Security")
            assert "max-age" in str(secure)
            plain = request(port, Host="[::1]")
            assert plain.getheader("Strict-Transport-Security") is None
            for name in ("games.example", "GAMES.example:443", "[::1]:80"):
                assert status(name) == 200
            for name in ("evil.example", "127.0.0.1", "games.example.evil.example", "::1", ""):
                assert status(name) == 421
            assert status("10.0.0.1", "/health/live") == 200


def test_an_upload_that_its_sender_cuts_off_leaves_no_trace(tmp_path: Path) -> None:
    with process("--port", "0", "--data", str(tmp_path)) as server:
        port = port_of(server.first_line())
        for path in (f"/new/{GAME}", "/replays", "/me/name", "/api/records"):
            with socket.create_connection(("127.0.0.1", port)) as sender:
                sender.sendall(
                    f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n"
                    "Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n".encode()
                )
            assert request(port).status == 200  # it has seen the end of the sender by then
        server.process.terminate()
        _, said = server.ended()
        assert "Traceback" not in said
        assert "Exception" not in said


def test_head_is_answered_as_get_without_a_body(client: TestClient) -> None:
    plain = {"accept-encoding": "identity"}  # a page has random numbers, which compress unequally
    for path in ("/", "/rules", "/me", "/static/redouble.css", "/api/games", "/x"):
        got, head = client.get(path, headers=plain), client.head(path, headers=plain)
        assert head.status_code == got.status_code
        assert head.content == b""
        for name in ("content-type", "content-length", "content-security-policy"):
            assert head.headers[name] == got.headers[name]
    made = client.post(f"/play/{GAME}", follow_redirects=False)
    assert client.head(f"{made.headers['location']}/stream").status_code == 200  # it ends
    paths = {
        route.path
        for router in (*ROUTERS, *FEATURES.pages)
        for route in router.routes
        if isinstance(route, APIRoute) and "GET" in (route.methods or ())
    }
    assert len(paths) > 30
    for path in paths:
        assert client.head(path.replace("{", "").replace("}", "")).status_code != 405, path


def test_health_says_whether_to_send_visitors(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/health/live").text == "alive\n"
    assert client.get("/health/ready").text == "ready\n"

    async def broken(job: object, *arguments: object) -> None:
        raise StoreError("saving failed")

    with monkeypatch.context() as patch:
        for site in sites_of(client):
            patch.setattr(site.store, "run", broken)
        unready = client.get("/health/ready")
        assert (unready.status_code, unready.text) == (503, "saving failed\n")
        assert client.get("/health/live").status_code == 200
    cut_streams(client)
    assert client.get("/health/ready").status_code == 503


@pytest.mark.sqlite("it reads SQLite's file only")
def test_health_proves_that_something_can_be_saved(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    sites = sites_of(client)
    # Taken from the pool here, they would be rolled back here, in the middle of other jobs.
    driven: list[Any] = [
        site.store.call(lambda c: c.connection.driver_connection).result(30) for site in sites
    ]

    def writable(possible: bool) -> None:
        for site, connection in zip(sites, driven, strict=True):
            site.written = Written()
            connection.execute(f"PRAGMA query_only = {'OFF' if possible else 'ON'}")

    writable(False)
    for _ in range(2):
        assert client.get("/health/ready").status_code == 503
    logged = [one.message for one in caplog.records if one.name == jobs.__name__]
    assert len([one for one in logged if "in the database: attempt to write" in one]) == 1
    store = sites_of(client)[0].store
    with pytest.raises(StoreError):
        store.call(lambda c: None, about="TokenOfATable").result(30)
    writable(True)
    with pytest.raises(StoreError):
        store.call(lambda c: c.execute(sa.text("INSERT INTO people VALUES (1)"))).result(30)
    said = caplog.text
    assert "a save at table TokenO... failed, in the database: attempt to write a readonly" in said
    assert "a save failed, in the table people: " in said
    assert client.get("/health/ready").text == "ready\n"


@pytest.mark.sqlite("PostgreSQL guards its own files")
def test_only_the_owner_can_read_the_data(tmp_path: Path) -> None:
    open_store(tmp_path, FEATURES.tables).close()
    (tmp_path / KEY_FILE).write_text("k" * KEY_BYTES)
    for name in (FILE, KEY_FILE):
        (tmp_path / name).chmod(0o644)
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        Visitor(client, "Anna")
        for path in tmp_path.iterdir():
            if path.name.startswith((FILE, KEY_FILE)):
                assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_a_new_key_above_the_old_one_signs_and_both_are_accepted(tmp_path: Path) -> None:
    old, new = "o" * KEY_BYTES, "n" * KEY_BYTES
    cookies: dict[str, str] = {}
    for keys in ([old], [new, old], [new]):
        (tmp_path / KEY_FILE).write_text("\n".join(keys) + "\n")
        with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
            for name, cookie in cookies.items():
                client.cookies.set(COOKIE, cookie)
                known = client.get("/api/me")
                assert known.status_code == (200 if {old, new} & set(keys) & {name} else 401)
            client.cookies.clear()
            client.post("/me/name", data={"name": "Anna"})
            cookies[keys[0]] = client.cookies[COOKIE]


# Figures and logs.


@pytest.mark.one_server("each process shows its own figures")
def test_figures_count_what_happens_and_name_nobody(tmp_path: Path) -> None:
    options = ("--metrics", "127.0.0.1:0", "--limit", "requests-per-address=9/6000")
    with process("--port", "0", "--data", str(tmp_path), *options) as server:
        found = re.fullmatch(
            r"Metrics are at http://127\.0\.0\.1:(\d+)/metrics\n", server.first_line()
        )
        assert found
        metrics, port = int(found[1]), port_of(server.first_line())
        guest = send(port, "POST", "/api/guests")
        body = {"game": FOR_TWO, "seats": [{"kind": "me"}, {"kind": "here"}]}
        table = send(port, "POST", "/api/tables", body, guest["token"])
        pace = {"pace": "fast"}
        send(port, "POST", f"/api/tables/{table['table']}/pace", pace, guest["token"])
        while request(port).status == 200:
            pass
        connection = http.client.HTTPConnection("127.0.0.1", metrics, timeout=60)
        with contextlib.closing(connection):
            connection.request("GET", "/metrics")
            told = connection.getresponse().read().decode()
        figures = dict(
            line.rsplit(" ", 1) for line in told.splitlines() if line.startswith("redouble_")
        )
        assert float(figures["redouble_entries_written_total"]) == 1
        assert float(figures["redouble_refused_total"]) >= 1
        assert float(figures["redouble_tables_in_memory"]) == 1
        assert float(figures["redouble_database_bytes"]) > 0
        assert float(figures["redouble_streams"]) == 0
        assert float(figures["redouble_failed_saves_total"]) == 0
        assert float(figures["redouble_reviews_waiting"]) == 0
        assert float(figures["redouble_loop_lag_seconds_count"]) > 0
        by_push = 'redouble_messages_total{channel="push",outcome="failed"}'
        assert float(figures[by_push]) == 0
        for file in ("prometheus/redouble.yaml", "grafana/redouble.json"):
            text = (DEPLOY / file).read_text(encoding="utf-8")
            named = set(re.findall(r"(?:redouble|process)_\w+", text))
            given = {line.split(" ")[0].partition("{")[0] for line in told.splitlines()}
            assert named
            assert named <= given, named - given
        made = 'redouble_request_seconds_count{method="POST",route="/api/tables",status="201"}'
        assert float(figures[made]) == 1
        assert 'route="/",status="200"' in told
        for secret in (table["table"], guest["token"], guest["name"], "127.0.0.1"):
            assert secret not in told
        assert request(port, "/metrics").status in (404, 429)  # only at its own address


@counted_alone
def test_log_lines_have_the_number_of_their_request_and_no_token(tmp_path: Path) -> None:
    options = ("--log-json", "--limit", "requests-per-address=1/6000")
    with process("--port", "0", "--data", str(tmp_path), *options) as server:
        port = port_of(server.first_line())
        numbers = [request(port, "/t/secret-token").getheader("X-Request-Id") for _ in range(2)]
        server.process.terminate()
        _, said = server.ended()
    assert "secret-token" not in said
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    served = [line for line in lines if line["logger"] == "redouble.access"]
    assert [line["request"] for line in served] == numbers
    assert [(line["route"], line["status"]) for line in served] == [
        ("/t/{token}", 404),
        ("unknown", 429),
    ]
    (refused,) = (line for line in lines if line["level"] == "warning")
    assert refused["request"] == numbers[1]
    assert "refused" in refused["message"]


class Seen(Watcher):
    """Notes the route and the status of each request."""

    def __init__(self, seen: list[tuple[str, int]]) -> None:
        self._seen = seen

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        self._seen.append((route, status))


def test_a_fault_of_ours_has_a_number_on_the_page_and_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, int]] = []
    with TestClient(create_app(tmp_path, limits=ROOMY), raise_server_exceptions=False) as client:
        for site in sites_of(client):
            site.watchers.add(Seen(seen))
            monkeypatch.setattr(site, "page", lambda *_, **__: 1 / 0)
        broken = client.get("/rules", headers={"hx-request": "true"})
        assert broken.status_code == 500
        assert broken.headers["x-request-id"] in broken.text
    assert seen == [("/rules", 500)]


FOR_TWO = next(game.name for game in GAMES.values() if game.min_seats <= 2 <= game.max_seats)


def spans_of(text: str) -> list[dict[str, Any]]:
    """The spans that the console's exporter has printed, one JSON value after the other."""
    decoder, found = json.JSONDecoder(), []
    while (at := text.find("{")) >= 0:
        span, end = decoder.raw_decode(text[at:])
        found.append(span)
        text = text[at + end :]
    return found


def test_spans_tell_what_is_done_and_name_nobody(tmp_path: Path) -> None:
    with process("--port", "0", "--data", str(tmp_path), OTEL_TRACES_EXPORTER="console") as server:
        port = port_of(server.first_line())
        server.first_line()
        guest = send(port, "POST", "/api/guests", {"name": "Annabella"})
        body = {"game": FOR_TWO, "seats": [{"kind": "me"}, {"kind": "here"}]}
        table = send(port, "POST", "/api/tables", body, guest["token"])["table"]
        send(port, "POST", f"/api/tables/{table}/pace", {"pace": "fast"}, guest["token"])
        send(port, "GET", "/api/me")
        server.process.terminate()
        _, said = server.ended()
    spans = {span["name"]: span for span in spans_of(said)}
    request = spans["POST /api/tables/{table}/pace"]
    assert request["kind"] == "SpanKind.SERVER"
    assert request["attributes"]["http.response.status_code"] == 200
    assert request["resource"]["attributes"]["service.name"] == "redouble"
    command = spans["command"]
    assert command["attributes"] == {"redouble.game": FOR_TWO, "redouble.events": ["pace"]}
    assert command["parent_id"] == request["context"]["span_id"]
    writes = [span for span in spans_of(said) if span["name"] == "database write"]
    assert command["context"]["span_id"] in [span["parent_id"] for span in writes]
    assert "GET /api/me" in spans
    for secret in (table, guest["token"], "Annabella", "127.0.0.1:"):
        assert secret not in said


WITHOUT = """
import os, sys
from pathlib import Path
from redouble.web.app import create_app
from redouble.web.server import serve

app = create_app(Path('.'))
off = [
    {"OTEL_TRACES_EXPORTER": "none"},
    {"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"},
]
for told in off:
    os.environ.update(told)
    with serve._traced(app, None):
        pass
    for name in told:
        del os.environ[name]
tracing = ("opentelemetry.sdk", "opentelemetry.exporter", "redouble.web.server.tracing")
loaded = [name for name in sys.modules if name.startswith(tracing)]
print(loaded, app.user_middleware[0].cls.__name__)
"""


def test_without_configuration_nothing_is_loaded(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.stdout == "[] Head\n", done.stderr


def test_an_exporter_that_is_not_there_is_named(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "zipkin")
    code, out, err = run("serve", "--port", "0", "--data", str(tmp_path))
    assert code == 2
    assert "OTEL_TRACES_EXPORTER=zipkin: use otlp or console" in out + err
    assert "Traceback" not in out + err
