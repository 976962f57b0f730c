"""Services that messages are sent to, and browsers that get them."""

import base64
import contextlib
import http.server
import json
import os
import socketserver
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


@dataclass
class Browser:
    """A browser's keys and what its push service was sent."""

    name: str = "one"
    key: Any = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    auth: bytes = field(default_factory=lambda: os.urandom(16))

    def form(self, zone: str = "UTC") -> dict[str, Any]:
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {
            "endpoint": f"https://fcm.googleapis.com/{self.name}",
            "p256dh": base64.urlsafe_b64encode(point).decode().rstrip("="),
            "auth": base64.urlsafe_b64encode(self.auth).decode().rstrip("="),
            "zone": zone,
        }

    def read(self, body: bytes) -> dict[str, str]:
        text = http_ece.decrypt(body, private_key=self.key, auth_secret=self.auth)
        found: dict[str, str] = json.loads(text)
        return found


@contextlib.contextmanager
def listening(handler: type[socketserver.BaseRequestHandler]) -> Iterator[int]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        server.socket.listen(64)  # so many messages may come at once
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join(10)


class Hook(http.server.BaseHTTPRequestHandler):
    """A service that answers as its path says, with a body that never ends."""

    heard: ClassVar[list[tuple[str, bytes]]]
    cut: ClassVar[threading.Event]
    port: ClassVar[int]
    status: ClassVar[int] = 200

    def do_POST(self) -> None:
        self.heard.append((self.path, self.rfile.read(int(self.headers["content-length"]))))
        if "slow" not in self.path:
            known = {"moved": 302, "gone": 410}
            said = (status for word, status in known.items() if word in self.path)
            self.send_response(next(said, self.status))
            self.send_header("Location", "/elsewhere")
            self.end_headers()
        with contextlib.suppress(OSError):
            while not self.cut.wait(0.02):
                self.wfile.write(b"H")
        if "slow" in self.path:
            self.cut.set()

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@contextlib.contextmanager
def listening_hook() -> Iterator[type[Hook]]:
    """A service while it runs."""

    class Here(Hook):
        heard: ClassVar[list[tuple[str, bytes]]] = []
        cut = threading.Event()

    with listening(Here) as Here.port:
        yield Here
        Here.cut.set()
