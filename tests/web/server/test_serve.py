"""Running the site: its address, errors at the start, and how it stops."""

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
from redouble.web.installed import FEATURES
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
from redouble.web.store.sqlite import FILE, SqliteDatabase
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
            if sent == signal.SIGINT and not server.several:  # those would take a second server in
                with process("--port", "0", "--data", str(data)) as second:
                    status, said = second.ended()
                assert status != 0
                assert f"http://127.0.0.1:{port}/" in said
                check_sentence(said)
            began = time.monotonic()
            server.process.send_signal(sent)
            status, said = server.ended()
            assert time.monotonic() - began < STOPS_WITHIN
            assert status in (0, 130, -sent)
            assert "Traceback" not in said
            assert "ERROR" not in said
            reader.decompress(stream.read())
            assert reader.eof  # it was ended, and not cut off
    if sent == signal.SIGTERM:
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
    SqliteDatabase(tmp_path, FEATURES.tables).close()  # the first time, the database is made
    command = [sys.executable, "-c", FIRST_PAGE, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "redouble.web.app" in loaded
    assert loaded & LATER.keys() == set()


def check_sentence(said: str) -> None:
    """One readable sentence and no traceback."""
    assert "Traceback" not in said
    assert len(said.strip().splitlines()) <= 3, said  # long ones may be wrapped


def write(name: str, text: str = "") -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(text)


def nothing(folder: Path) -> None:
    pass


CHOOSE = "choose another folder with --data"
METRICS = [
    (nothing, ["--metrics", address], "metrics: ")
    for address in ("9100", "127.0.0.1:", "203.0.113.1:9100", "127.0.0.1:99999")
]


@pytest.mark.parametrize(
    ("prepare", "arguments", "expected"),
    [
        (nothing, ["--port=1", "--host=203.0.113.1"], "can't listen on port 1 of 203.0.113.1"),
        (write("file"), ["--data={folder}/file/data"], CHOOSE),
        (write("file"), ["--data={folder}/file"], CHOOSE),
        pytest.param(
            write(FILE, "no database " * 100),
            [],
            "file is not a database",
            marks=pytest.mark.sqlite("it is about the file of SQLite"),
        ),
        (write(KEY_FILE), [], "doesn't contain a key"),
        (lambda folder: (folder / LOCK_FILE).mkdir(), [], LOCK_FILE),
        (nothing, ["--workers=2"], "add --database postgresql://host/name"),
        *METRICS,
    ],
)
def test_a_server_that_cannot_start_says_why_in_a_sentence(
    tmp_path: Path,
    prepare: Callable[[Path], object],
    arguments: list[str],
    expected: str,
    run: Run,
) -> None:
    prepare(tmp_path)
    given = [argument.format(folder=tmp_path) for argument in arguments]
    code, out, err = run("serve", "--port", "0", "--data", str(tmp_path), *given)
    assert code
    said = out + err
    assert expected in " ".join(said.split())
    check_sentence(said)
    assert "Redouble is running at" not in said


@contextlib.contextmanager
def taken() -> Iterator[tuple[socket.socket, int]]:
    """A port at which something else listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener, listener.getsockname()[1]


def test_a_port_in_use_is_reported_and_the_default_moves_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with taken() as (_, port):
        said = f"can't listen on port {port} of 127.0.0.1: .*in use"
        with pytest.raises(ServeError, match=said), bound("127.0.0.1", port):
            pass
        monkeypatch.setattr(serving, "PORT", port)
        with bound("127.0.0.1", None) as listener:
            assert listener.getsockname()[1] != port


def test_a_port_that_a_killed_server_still_holds_is_waited_for() -> None:
    with taken() as (other, port):
        leaving = threading.Timer(0.5, other.close)
        leaving.start()
        with bound("127.0.0.1", port) as listener:
            assert listener.getsockname()[1] == port
        leaving.join()


@pytest.mark.parametrize(
    ("host", "port"),
    [
        *[(host, 0) for host in ("no.such.host.invalid", "256.0.0.1", "::zz")],
        *[("127.0.0.1", port) for port in (-1, 65536, 10**12)],
    ],
)
def test_an_invalid_address_or_port_is_refused(host: str, port: int) -> None:
    with pytest.raises(ServeError, match="can't listen"), bound(host, port):
        pass


def test_addresses_are_printed_as_valid_urls() -> None:
    for host in ("127.0.0.1", "0.0.0.0"):
        with bound(host, 0) as listener:
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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / LOCK_FILE).write_text("http://127.0.0.1:1/\n")  # of one that was killed
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    with serving.locked(tmp_path) as announce:
        assert (tmp_path / LOCK_FILE).read_text() == ""
        announce("http://127.0.0.1:2/")
        serving.serve(Settings(port=0, data=tmp_path, open_page=True, prepare=False))
        with pytest.raises(AlreadyServed, match=re.escape("folder: open http://127.0.0.1:2/")):
            serving.serve(Settings(port=0, data=tmp_path, prepare=False))
    assert opened == ["http://127.0.0.1:2/"]
    assert capsys.readouterr().out == "Redouble is already running at http://127.0.0.1:2/\n"
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    never = pytest.raises(ServeError, match="gives no address")
    with serving.locked(tmp_path), never, serving.locked(tmp_path):
        pass


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
