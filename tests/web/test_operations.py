"""A server on the internet: behind a proxy, watched over, and private about its files."""

from __future__ import annotations

import http.client
import socket
import stat
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.app import create_app
from redouble.web.errors import StoreError
from redouble.web.limits import LimitError, Proxies
from redouble.web.pages import ROUTERS
from redouble.web.people import COOKIE, KEY_BYTES, KEY_FILE
from redouble.web.store import FILE

from .roomy import ROOMY
from .test_serve import port_of, process
from .visitors import Visitor, site_of

GAME = next(iter(GAMES))


def test_proxies_are_addresses_or_networks() -> None:
    proxies = Proxies(["192.0.2.1", "10.0.0.0/8", "::1"])
    assert [one in proxies for one in ("192.0.2.1", "10.9.9.9", "::1")] == [True] * 3
    assert [one in proxies for one in ("192.0.2.2", "::2", "testclient", "")] == [False] * 4
    with pytest.raises(LimitError, match="trusted proxy: 'proxy'"):
        Proxies(["proxy"])


def request(port: int, path: str = "/", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    response = connection.getresponse()
    response.read()
    connection.close()
    return response


def test_only_a_trusted_proxy_is_believed(tmp_path: Path) -> None:
    told = {"X_Forwarded_Proto": "https", "X_Forwarded_For": "192.0.2.7"}
    limits = ("--limit", "requests-per-address=4/6000")
    for trusted in ((), ("--trusted-proxy", "127.0.0.1")):
        folder = tmp_path / f"{bool(trusted)}"
        with process("--port", "0", "--data", str(folder), *limits, *trusted) as server:
            port = port_of(server.first_line())
            statuses = [
                request(port, X_Forwarded_For=f"192.0.2.{number}").status for number in range(6)
            ]
            if trusted:
                assert statuses == [200] * 6
                assert "max-age" in str(
                    request(port, **told).getheader("Strict-Transport-Security")
                )
                assert request(port).getheader("Strict-Transport-Security") is None
            else:
                assert statuses == [200] * 4 + [429] * 2


def test_only_the_allowed_names_are_served(tmp_path: Path) -> None:
    allowed = ("--allowed-host", "Games.example", "--allowed-host", "[::1]")
    with process("--port", "0", "--data", str(tmp_path), *allowed) as server:
        port = port_of(server.first_line())
        for name in ("games.example", "GAMES.example:443", "[::1]:80"):
            assert request(port, Host=name).status == 200
        for name in ("evil.example", "127.0.0.1", "games.example.evil.example", "::1", ""):
            assert request(port, Host=name).status == 421
        assert request(port, "/health/live", Host="10.0.0.1").status == 200


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


@pytest.mark.parametrize("path", ["/", "/rules", "/me", "/static/redouble.css", "/api/games", "/x"])
def test_head_is_answered_as_get_without_a_body(client: TestClient, path: str) -> None:
    got, head = client.get(path), client.head(path)
    assert head.status_code == got.status_code
    assert head.content == b""
    for name in ("content-type", "content-length", "content-security-policy"):
        assert head.headers[name] == got.headers[name]


def test_head_of_a_stream_ends(client: TestClient) -> None:
    made = client.post(f"/play/{GAME}", follow_redirects=False)
    assert client.head(f"{made.headers['location']}/stream").status_code == 200


def test_every_page_has_head(client: TestClient) -> None:
    paths = {
        route.path
        for router in ROUTERS
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
    site = site_of(client)

    async def broken(job: object) -> None:
        raise StoreError("saving failed")

    with monkeypatch.context() as patch:
        patch.setattr(site.store, "run", broken)
        unready = client.get("/health/ready")
        assert (unready.status_code, unready.text) == (503, "saving failed\n")
        assert client.get("/health/live").status_code == 200
    site.tables.closing.set()
    assert client.get("/health/ready").status_code == 503


def test_only_the_owner_can_read_the_data(tmp_path: Path) -> None:
    for name in (FILE, KEY_FILE):
        (tmp_path / name).touch(0o644)
    (tmp_path / KEY_FILE).write_text("k" * KEY_BYTES)
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
