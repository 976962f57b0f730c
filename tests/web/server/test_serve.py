"""Running the site: its address, errors at the start, and how it stops."""

from __future__ import annotations

import contextlib
import http.client
import os
import pwd
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import webbrowser
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from redouble.contract.registry import GAMES
from redouble.kernel.settings import Settings
from redouble.web.people.people import KEY_FILE
from redouble.web.server import serve as serving
from redouble.web.server.serve import (
    LOCK_FILE,
    AlreadyServed,
    ServeError,
    address_of,
    bound,
    data_folder,
)
from redouble.web.store import FILE
from tests.helpers.command import Run
from tests.web.helpers.server import STOPS_WITHIN, port_of, process


@contextlib.contextmanager
def answer(
    port: int, path: str, method: str = "GET", host: str = "127.0.0.1"
) -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection(host, port, timeout=60)
    with contextlib.closing(connection):
        connection.request(method, path, headers={"Accept-Encoding": "gzip"})
        with connection.getresponse() as response:
            yield response


def check_second(data: Path, port: int) -> None:
    """A second server learns that there is one."""
    with process("--port", "0", "--data", str(data)) as second:
        status, said = second.ended()
        assert status != 0
        assert f"http://127.0.0.1:{port}/" in said
        check_sentence(said)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_its_address_and_stops_promptly_with_open_streams(
    tmp_path: Path, sent: signal.Signals
) -> None:
    data = tmp_path / "new" / "data"
    with process("--port", "0", "--data", str(data)) as server:
        port = port_of(server.first_line())
        assert str(data) in server.first_line()
        with answer(port, f"/play/{next(iter(GAMES))}", "POST") as made:
            table = made.getheader("Location")
        with answer(port, f"{table}/stream") as stream:
            assert stream.status == 200
            assert stream.getheader("Content-Encoding") == "gzip"
            reader, event = zlib.decompressobj(zlib.MAX_WBITS | 16), b""
            while not event.endswith(b"\n\n"):  # it comes as a whole, and isn't held back
                event += reader.decompress(stream.read1())
            assert event.startswith(b"id: ")

            if not server.several:  # those would take a second server in
                check_second(data, port)
            began = time.monotonic()
            server.process.send_signal(sent)
            status, said = server.ended()
            assert time.monotonic() - began < STOPS_WITHIN
            assert status in (0, 130, -sent)
            assert "Traceback" not in said
            assert "ERROR" not in said
            reader.decompress(stream.read())
            assert reader.eof  # it was ended, and not cut off
    with (  # nothing is left locked
        process("--port", "0", "--data", str(data)) as again,
        answer(port_of(again.first_line()), str(table)) as page,
    ):
        assert page.status == 200


LATER = {
    "alembic": "only an older database is migrated",
    "matplotlib": "only reports have plots",
    "numba": "only searches and solvers are compiled",
    "numpy": "only compiled code works on its arrays",
    "redouble.web.api": "pages don't use the interface for programs",
    "redouble.lab": "pages don't run studies",
    "redouble.analysis.solve": "only asked-for answers are solved",
    "redouble.bots.search": "only bots that search, hints and reviews need it",
}
"""What the first page must not wait for, and why it can do without."""
FIRST_PAGE = """
import sys
from pathlib import Path
import redouble.web.server.serve
from redouble.web.app import create_app
from starlette.testclient import TestClient

with TestClient(create_app(Path(sys.argv[1]))) as client:
    assert client.get("/").status_code == 200
    print(*sys.modules)
    assert client.get("/api/games").status_code == 200
    assert "redouble.web.api" in sys.modules
"""
"""A server that answers a first request, says what it has loaded, and answers a program."""


def test_the_home_page_waits_for_nothing_it_does_not_need(tmp_path: Path) -> None:
    for warm in (False, True):
        done = subprocess.run(
            [sys.executable, "-c", FIRST_PAGE, str(tmp_path)],
            capture_output=True,
            text=True,
            check=True,
        )
        loaded = set(done.stdout.split())
        assert "redouble.web.app" in loaded
        if warm:  # the first time, the database was made
            assert loaded & LATER.keys() == set()


def check_sentence(said: str) -> None:
    """One readable sentence and no traceback."""
    assert "Traceback" not in said
    assert len(said.strip().splitlines()) <= 3, said  # long ones may be wrapped


def wrong_port(tmp_path: Path) -> tuple[list[str], str]:
    return ["--port", "1", "--host", "203.0.113.1"], "can't listen on port 1 of 203.0.113.1"


def no_folder(tmp_path: Path) -> tuple[list[str], str]:
    (tmp_path / "file").write_text("")
    return ["--data", str(tmp_path / "file" / "data")], "choose another folder with --data"


def file_for_folder(tmp_path: Path) -> tuple[list[str], str]:
    (tmp_path / "file").write_text("")
    return ["--data", str(tmp_path / "file")], "choose another folder with --data"


def no_database(tmp_path: Path) -> tuple[list[str], str]:
    (tmp_path / FILE).write_text("no database " * 100)
    return ["--data", str(tmp_path)], "file is not a database"


def no_key(tmp_path: Path) -> tuple[list[str], str]:
    (tmp_path / KEY_FILE).write_text("")
    return ["--data", str(tmp_path)], "doesn't contain a key"


def folder_for_lock(tmp_path: Path) -> tuple[list[str], str]:
    (tmp_path / LOCK_FILE).mkdir()
    return ["--data", str(tmp_path)], LOCK_FILE


@pytest.mark.parametrize(
    "make",
    [
        wrong_port,
        no_folder,
        file_for_folder,
        pytest.param(no_database, marks=pytest.mark.sqlite("it is about the file of SQLite")),
        no_key,
        folder_for_lock,
    ],
)
def test_a_server_that_cannot_start_says_why_in_a_sentence(
    tmp_path: Path,
    make: Callable[[Path], tuple[list[str], str]],
    run: Run,
) -> None:
    arguments, expected = make(tmp_path)
    if "--data" not in arguments:
        arguments += ["--data", str(tmp_path)]
    code, out, err = run("serve", "--port", "0", *arguments)
    assert code
    said = out + err
    assert expected in " ".join(said.split())
    check_sentence(said)
    assert "Redouble is running at" not in said


def test_a_port_in_use_is_reported_and_the_default_moves_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with (
            pytest.raises(ServeError, match=f"can't listen on port {port} of 127.0.0.1: .*in use"),
            bound("127.0.0.1", port),
        ):
            pass
        monkeypatch.setattr(serving, "PORT", port)
        with bound("127.0.0.1", None) as listener:
            assert listener.getsockname()[1] != port


def test_a_port_that_a_killed_server_still_holds_is_waited_for() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        leaving = threading.Timer(0.5, taken.close)
        leaving.start()
        with bound("127.0.0.1", port) as listener:
            assert listener.getsockname()[1] == port
        leaving.join()


@pytest.mark.parametrize("host", ["no.such.host.invalid", "256.0.0.1", "::zz"])
def test_an_invalid_address_is_refused(host: str) -> None:
    with pytest.raises(ServeError, match="can't listen"), bound(host, 0):
        pass


@pytest.mark.parametrize("port", [-1, 65536, 10**12])
def test_an_invalid_port_is_refused(port: int) -> None:
    with pytest.raises(ServeError, match="can't listen"), bound("127.0.0.1", port):
        pass


def test_addresses_are_printed_as_valid_urls() -> None:
    with bound("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        assert address_of(listener) == f"http://127.0.0.1:{port}/"
    with bound("0.0.0.0", 0) as listener:
        port = listener.getsockname()[1]
        assert address_of(listener) == f"http://127.0.0.1:{port}/"


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as listener:
            listener.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="no IPv6 on this machine")
def test_it_serves_the_loopback_of_ipv6(tmp_path: Path) -> None:
    with process("--port", "0", "--host", "::1", "--data", str(tmp_path)) as server:
        found = re.search(r"http://\[::1\]:(\d+)/", server.first_line())
        assert found
        with answer(int(found[1]), "/", host="::1") as page:
            assert page.status == 200


# One server to a folder.


def test_a_second_server_learns_where_the_first_runs(
    tmp_path: Path,
) -> None:
    folder = data_folder(tmp_path)
    (folder / LOCK_FILE).write_text("http://127.0.0.1:1/\n")  # of one that was killed
    with serving.locked(folder) as announce:
        assert (folder / LOCK_FILE).read_text() == ""
        announce("http://127.0.0.1:2/")
        with (
            pytest.raises(AlreadyServed, match=re.escape("folder: open http://127.0.0.1:2/")),
            serving.locked(folder),
        ):
            pass
    with serving.locked(folder) as announce:
        announce("http://127.0.0.1:3/")


def test_a_server_that_never_announced_itself_has_no_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    with (
        serving.locked(tmp_path),
        pytest.raises(ServeError, match="gives no address"),
        serving.locked(tmp_path),
    ):
        pass


def test_open_uses_the_server_that_already_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    with serving.locked(tmp_path) as announce:
        announce("http://127.0.0.1:2/")
        serving.serve(Settings(port=0, data=tmp_path, open_page=True, prepare=False))
        with pytest.raises(AlreadyServed):
            serving.serve(Settings(port=0, data=tmp_path, prepare=False))
    assert opened == ["http://127.0.0.1:2/"]
    assert capsys.readouterr().out == "Redouble is already running at http://127.0.0.1:2/\n"


def test_the_data_folder_has_a_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "redouble"
    assert (tmp_path / "redouble").is_dir()


@contextlib.contextmanager
def no_superuser() -> Iterator[None]:
    """Let this process be another user for a moment, if it may write anywhere."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(pwd.getpwnam("nobody").pw_uid)
    try:
        yield
    finally:
        os.seteuid(user)


def test_an_unwritable_folder_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    said = f"can't keep data in {tmp_path}: Permission denied; choose another folder with --data"
    with pytest.raises(ServeError, match=re.escape(said)), no_superuser():
        data_folder(tmp_path)
