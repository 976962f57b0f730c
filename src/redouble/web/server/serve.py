"""Runs the site: its data folder and lock, its address, the browser, a clean stop."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import platformdirs
import uvicorn
from fastapi import FastAPI

from redouble.kernel.errors import RedoubleError
from redouble.kernel.extras import needs
from redouble.kernel.locks import lock
from redouble.kernel.settings import LOOPBACK, PORT, Settings
from redouble.web.app import create_app, open_site
from redouble.web.gate.connections import Door, protocol_of
from redouble.web.gate.journal import RequestLog, log_as_json
from redouble.web.installed import FEATURES
from redouble.web.limits import LIMITS, Proxies
from redouble.web.server.processes import run_processes
from redouble.web.server.tuning import capacity, quick_switches, raise_open_files, rare_collections
from redouble.web.site import WAYS, Site, Telling
from redouble.web.store import FILE, open_store

TRIES = 20
"""Ports to try, from ``PORT`` on, when none is given."""
PORT_SECONDS = 5.0
"""How long to wait for the port that was asked for, if it is in use."""
LOCK_FILE = "server.lock"
EXPORTERS = (
    "OTEL_TRACES_EXPORTER",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
)
"""What the environment says if it wants spans."""
STOP_SECONDS = 3
COMPILE_AFTER = 3.0
"""Seconds to wait before compiling, so that the first page comes first."""


class ServeError(RedoubleError):
    """The site can't run; the message says why."""


class AlreadyServed(ServeError):
    """Another server uses the same data folder."""

    def __init__(self, address: str) -> None:
        super().__init__(f"another server is using this data folder: open {address}")
        self.address = address


def data_folder(given: Path | None = None, new: bool = True) -> Path:
    """Return the folder of the database, creating it if necessary and ``new``.

    Raises :class:`ServeError` if it can't be written, or if it may not be new and has no database.
    """
    folder = given or Path(platformdirs.user_data_dir("redouble"))
    if folder.parts[:1] == ("~",) and not given:
        raise ServeError("there is no home folder to keep data in: choose a folder with --data")
    if not new and not (folder / FILE).is_file():
        raise ServeError(f"there is no database in {folder}: choose another folder with --data")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / LOCK_FILE).touch()
    except OSError as error:
        raise ServeError(
            f"can't keep data in {folder}: {error.strerror}; choose another folder with --data"
        ) from error
    return folder


def serve(settings: Settings) -> None:
    """Run the site until it is interrupted.

    Raises :class:`ServeError`, :class:`OSError` or :class:`StoreError` if words or data can't be
    read, and :class:`AlreadyServed` if another server uses the data; with ``open_page``, that
    server's page is opened instead.
    """
    _check(settings)
    folder = data_folder(settings.data)
    if settings.workers is not None:
        _serve_together(settings, folder)
        return
    try:
        with locked(folder) as announce, bound(settings.host, settings.port) as listener:
            address = address_of(listener)
            with served(settings) as (server, data_in):
                announce(address)
                _greet(address, data_in, settings.open_page)
                _run(server, listener)
            print("Stopped.", file=sys.stderr)
    except AlreadyServed as error:
        if not settings.open_page:
            raise
        print(f"Redouble is already running at {error.address}", flush=True)
        webbrowser.open(error.address)


def _check(settings: Settings) -> None:
    LIMITS.changed(settings.limit or ())
    Proxies(settings.trusted_proxy or ())
    if settings.words is not None:
        settings.words.open("rb").close()  # it may be missing
    if settings.mail and not settings.mail.startswith(("mailto://", "mailtos://")):
        raise ServeError("the mail server isn't an address that begins with mailtos://")
    if unknown := sorted(_ways(settings) - {*WAYS}):
        raise ServeError(
            f"messages can't go by {unknown[0]!r}: choose from {', '.join(WAYS)}, or none"
        )
    address = settings.site_address
    if address and not re.fullmatch(r"https?://[\w.:\[\]-]+/?", address, re.ASCII):
        raise ServeError(f"{address!r} isn't an address such as https://example.org")
    if settings.workers and not settings.database:
        raise ServeError(
            "several processes need a database that they can share: add --database "
            "postgresql://host/name, or leave --workers out"
        )


def _ways(settings: Settings) -> frozenset[str]:
    return frozenset(settings.messages.replace(" ", "").split(",")) - {"none"}


def _serve_together(settings: Settings, folder: Path) -> None:
    # What is wrong with the database is said once, and nobody else migrates it.
    with contextlib.closing(open_store(settings.database, FEATURES.tables, shared=True)) as store:
        data_in = f"{store.database.name} and {folder}"
    with bound(settings.host, settings.port) as listener:
        _greet(address_of(listener), data_in, settings.open_page)
        started = run_processes(_serve_one, settings.workers or 1, settings, listener)
    if not started:
        raise ServeError("the server could not start: see the lines above")
    print("Stopped.", file=sys.stderr)


def _serve_one(number: int, settings: Settings, listener: socket.socket) -> None:
    """Run one of several processes; the first compiles the games."""
    metrics = settings.metrics and next_port(settings.metrics, number)
    own = replace(settings, metrics=metrics, prepare=settings.prepare and number == 0)
    with served(own) as (server, _):
        _run(server, listener)


def next_port(address: str, number: int) -> str:
    """Return the address with a port that is greater by ``number``."""
    host, _, port = address.rpartition(":")
    return f"{host}:{int(port) + number}" if host and port.isdecimal() else address


@contextlib.contextmanager
def served(settings: Settings) -> Iterator[tuple[_Server, str]]:
    """Open the site, and yield its server and where its data are."""
    folder, shared = data_folder(settings.data), settings.workers is not None
    limits = LIMITS.changed(settings.limit or ())
    site = open_site(folder, limits, settings.database, shared)
    site.proxies = trusted = Proxies(settings.trusted_proxy or ())
    site.hosts = frozenset(host.lower() for host in settings.allowed_host or ())
    site.operator = settings.operator.strip()
    address = settings.site_address.rstrip("/")
    site.telling = Telling(_ways(settings), address, settings.mail)
    site.use_words(settings.words)
    app = create_app(folder, site, COMPILE_AFTER if settings.prepare else None)
    if shared:  # other processes answer meanwhile
        app.warm_up()
    if settings.log_json:
        log_as_json()
        site.watchers.add(RequestLog())
    most = capacity(limits, raise_open_files())
    door = Door(limits, most, trusted, site.refusals)
    with contextlib.ExitStack() as watched:
        if settings.metrics:
            with needs("--metrics", "server"):
                from redouble.web.server import metrics
            figures = metrics.Metrics(site, door)
            watched.enter_context(metrics.served(figures, site.watchers, settings.metrics))
        watched.enter_context(_traced(app, site))
        where = f"{site.store.database.name} and " if settings.database else ""
        yield _server(app, door, settings.log_json), f"{where}{folder}"


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[Any]:
    """Lock the data folder, and yield a function that announces this server's address to others.

    Raises :class:`AlreadyServed` with the address of the server that holds the lock.
    """
    path = folder / LOCK_FILE
    with open(path, "a+", encoding="utf-8") as file:
        try:
            lock(file.fileno())
        except BlockingIOError:
            raise AlreadyServed(_announced(path)) from None
        except OSError as error:
            raise ServeError(
                f"can't lock {path}: {error.strerror}; choose another folder with --data"
            ) from error
        file.truncate(0)  # the address of the last server

        def announce(address: str) -> None:
            file.write(f"{address}\n")
            file.flush()

        yield announce


def _announced(path: Path) -> str:
    """Return the address of the server that holds the lock; it may only just have started."""
    for _ in range(20):
        if address := path.read_text(encoding="utf-8").strip():
            return address
        time.sleep(0.1)
    raise ServeError(f"another server is using {path} but gives no address: stop it and try again")


@contextlib.contextmanager
def bound(host: str, port: int | None) -> Iterator[socket.socket]:
    """Open a listening socket. Raises :class:`ServeError` if the address can't be used.

    The processes of a server that was killed keep its port until they notice. So a port that
    was asked for is tried again for :data:`PORT_SECONDS` while it is in use.
    """
    ports = [port] if port is not None else [*range(PORT, PORT + TRIES), 0]
    until = time.monotonic() + PORT_SECONDS
    while True:
        for number in ports:
            try:
                listener = _listening(host, number)
            except (OSError, OverflowError) as error:
                failed = error
                continue
            with listener:
                yield listener
            return
        in_use = isinstance(failed, OSError) and failed.errno == errno.EADDRINUSE
        if not in_use or time.monotonic() >= until:
            reason = getattr(failed, "strerror", None) or str(failed)
            raise ServeError(f"can't listen on port {ports[0]} of {host}: {reason}")
        time.sleep(0.1)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(256)
    except BaseException:
        listener.close()
        raise
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the address at which a browser on this machine finds the listener."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = LOOPBACK
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


@contextlib.contextmanager
def _traced(app: FastAPI, site: Site) -> Iterator[None]:
    """Export spans if the environment says where to, in the variables of OpenTelemetry."""
    off = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    if off or not any(os.environ.get(name, "none") != "none" for name in EXPORTERS):
        yield
        return
    with needs("OpenTelemetry", "otel"):
        from redouble.web.server.tracing import Tracing
    with Tracing.from_environment(os.environ).following(app, site):
        yield


class _Server(uvicorn.Server):
    """A server that ends open streams on shutdown, so that it stops promptly."""

    def handle_exit(self, sig: int, frame: Any) -> None:
        app = self.config.app
        site = getattr(getattr(app, "state", None), "site", None)
        if site is not None:
            site.tables.closing.set()
            site.tables.wake_all()
        super().handle_exit(sig, frame)


def _server(app: FastAPI, door: Door, log_json: bool) -> _Server:
    config = uvicorn.Config(
        app,
        http=protocol_of(door),
        ws="none",
        proxy_headers=bool(door.proxies.addresses),
        forwarded_allow_ips=door.proxies.addresses,
        log_config=None if log_json else uvicorn.config.LOGGING_CONFIG,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=STOP_SECONDS,
        server_header=False,
    )
    return _Server(config)


def _greet(address: str, data: str, open_page: bool) -> None:
    print(f"Redouble is running at {address}", flush=True)
    print(f"Data: {data}. Press Ctrl-C to stop.", flush=True)
    if open_page:  # the socket already listens, so the browser gets an answer
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _run(server: _Server, listener: socket.socket) -> None:
    with rare_collections(), quick_switches(), contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])
    if not server.started:
        raise ServeError("the server could not start: see the lines above")
