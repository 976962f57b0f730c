"""Running the site: the data folder, its lock, the address, the browser, a clean stop."""

from __future__ import annotations

import contextlib
import fcntl
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import platformdirs
import uvicorn
from fastapi import FastAPI

from redouble.kernel.errors import RedoubleError
from redouble.web.app import create_app
from redouble.web.garbage import rare_collections
from redouble.web.site import Site

LOOPBACK = "127.0.0.1"
PORT = 8765
TRIES = 20
"""So many ports from ``PORT`` on are tried when none was asked for."""
LOCK_FILE = "server.lock"
STOP_SECONDS = 3
COMPILE_AFTER = 3.0
"""Seconds after the start: the first page goes before what may be wanted later."""


class ServeError(RedoubleError):
    """The site cannot be run so; the sentence says why."""


class AlreadyServed(ServeError):
    """Another server runs on the same data."""

    def __init__(self, address: str) -> None:
        super().__init__(f"a server runs on these data already: {address}")
        self.address = address


def data_folder(given: Path | None = None) -> Path:
    """The folder that holds what people have played; made when it is missing.

    Raises :class:`ServeError` when it cannot be written.
    """
    folder = given or Path(platformdirs.user_data_dir("redouble"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / LOCK_FILE).touch()
    except OSError as error:
        raise ServeError(
            f"{folder} cannot be used for the data: {error.strerror}; choose another with --data"
        ) from error
    return folder


def serve(
    host: str, port: int | None, data: Path | None, open_page: bool, prepared: bool = True
) -> None:
    """Run the site until it is interrupted; ``prepared``: thinking bots are compiled meanwhile.

    Without a port the first free one from 8765 on is taken. Raises :class:`ServeError`,
    :class:`StoreError` when the data cannot be read, and :class:`AlreadyServed` when a server runs
    on them, unless its page can be opened instead.
    """
    folder = data_folder(data)
    try:
        with (
            locked(folder) as announce,
            bound(host, port) as listener,
        ):
            address = address_of(listener)
            site = Site.open(folder)
            announce(address)
            app = create_app(folder, site, COMPILE_AFTER if prepared else None)
            _run(listener, app, folder, address, open_page)
    except AlreadyServed as error:
        if not open_page:
            raise
        print(f"Redouble runs already at {error.address}", flush=True)
        webbrowser.open(error.address)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[Any]:
    """Hold the data folder for one server; gives a function that leaves its address for others.

    Raises :class:`AlreadyServed` with the address that another server left.
    """
    path = folder / LOCK_FILE
    with open(path, "a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyServed(_announced(path)) from None
        except OSError as error:
            raise ServeError(f"{path} cannot be locked: {error.strerror}") from error
        file.truncate(0)  # what stands there is where the last server was

        def announce(address: str) -> None:
            file.write(f"{address}\n")
            file.flush()

        yield announce


def _announced(path: Path) -> str:
    """Where the server is that holds the lock; it may have begun only just now."""
    for _ in range(20):
        if address := path.read_text(encoding="utf-8").strip():
            return address
        time.sleep(0.1)
    raise ServeError(f"another server holds {path} and does not say where it is")


@contextlib.contextmanager
def bound(host: str, port: int | None) -> Iterator[socket.socket]:
    """A listening socket. Raises :class:`ServeError` when the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    ports = [port] if port is not None else [*range(PORT, PORT + TRIES), 0]
    reason = ""
    for number in ports:
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            listener.listen(256)
        except (OSError, OverflowError) as error:
            listener.close()
            reason = getattr(error, "strerror", None) or str(error)
            continue
        with listener:
            yield listener
        return
    raise ServeError(f"port {ports[0]} of {host} cannot be had: {reason}")


def address_of(listener: socket.socket) -> str:
    """Where a browser on this machine finds the listener."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = LOOPBACK
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


class _Server(uvicorn.Server):
    """Ends open streams when it is told to stop, so that it need not wait for them."""

    def handle_exit(self, sig: int, frame: Any) -> None:
        app = self.config.app
        site = getattr(getattr(app, "state", None), "site", None)
        if site is not None:
            site.tables.closing.set()
            site.tables.wake_all()
        super().handle_exit(sig, frame)


def _run(
    listener: socket.socket, app: FastAPI, folder: Path, address: str, open_page: bool
) -> None:
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=STOP_SECONDS,
        server_header=False,
    )
    server = _Server(config)
    print(f"Redouble is at {address}", flush=True)
    print(f"What is played is kept in {folder}. Ctrl-C stops the server.", flush=True)
    if open_page:
        threading.Thread(target=_open, args=(address,), daemon=True).start()
    with rare_collections(), contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])
    if not server.started:
        raise ServeError("the server could not start; the lines above say why")
    print("Stopped.", file=sys.stderr)


def _open(address: str) -> None:
    """Show the page once somebody answers: the socket listens already, so at once."""
    webbrowser.open(address)
