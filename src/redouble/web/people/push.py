"""Web push: messages to a person's browsers, which only these can read.

A browser that allows it gives an address at the push service of its maker, and two keys. Messages
are encrypted for these (RFC 8291) and signed with the site's key (RFC 8292), by pywebpush. They
go to the services that are listed here and to nowhere else, so no address leads into the
operator's own network. In the database, addresses are sealed with the server's key.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import re
from collections.abc import Sequence
from enum import Enum
from functools import cached_property
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from redouble.kernel.extras import needs
from redouble.web.errors import WebError
from redouble.web.people.people import lock
from redouble.web.store.clock import CLOCK
from redouble.web.store.database import insert_first
from redouble.web.store.schema import push_addresses, secrets

SERVICES = (
    *("fcm.googleapis.com", "jmt17.google.com", "push.services.mozilla.com"),
    *("notify.windows.com", "push.apple.com"),
)
"""The push services of browsers: these hosts and those below them."""
PER_PERSON = 5
"""Browsers of one person; the oldest one gives way."""
TRIES = 3
"""Messages in a row that a service may refuse before the address is forgotten."""
SECONDS_KEPT = 12 * 3600
"""How long a service keeps a message for a browser that isn't there."""
TIMEOUT = 10.0
SECRET = "push"
_log = logging.getLogger(__name__)


class Delivery(Enum):
    """What became of a message."""

    SENT = "sent"
    GONE = "gone"
    FAILED = "failed"


class PushAddress(BaseModel):
    """Where a browser gets messages, as its ``PushSubscription`` says."""

    model_config = ConfigDict(frozen=True, strict=True)

    endpoint: str = Field(max_length=1000)
    p256dh: str = Field(max_length=200)
    auth: str = Field(max_length=100)

    @property
    def digest(self) -> str:
        """The name of the address in the database."""
        return hashlib.sha256(self.endpoint.encode()).hexdigest()


def push_address(endpoint: str, p256dh: str, auth: str) -> PushAddress:
    """Return an address that a browser gave. Raises :class:`WebError` if it isn't one."""
    try:
        address = PushAddress(endpoint=endpoint, p256dh=p256dh, auth=auth)
        point = len(_decoded(address.p256dh))
        secret = len(_decoded(address.auth))
    except (ValidationError, ValueError) as error:
        raise WebError(
            "that isn't an address for messages: let the page ask the browser"
        ) from error
    if not is_known_service(endpoint) or (point, secret) != (65, 16):
        raise WebError(
            "that isn't an address for messages of a browser we know: use Chrome, Edge, Firefox or "
            "Safari"
        )
    return address


def is_known_service(endpoint: str) -> bool:
    """Return whether an address is at a push service that messages may go to."""
    try:
        parts = urlsplit(endpoint)
        port = parts.port
    except ValueError:
        return False
    host = parts.hostname or ""
    listed = any(host == one or host.endswith(f".{one}") for one in SERVICES)
    return parts.scheme == "https" and port in (None, 443) and listed and not parts.username


class Push:
    """Sends messages to the browsers of people."""

    def __init__(self, keys: Sequence[str]) -> None:
        """Seal addresses with a server's keys, the newest last."""
        self._keys = keys
        self.operator = ""
        """Who runs the server, and how to reach them, for the services."""

    @cached_property
    def available(self) -> bool:
        """Whether the packages that it needs are installed."""
        return find_spec("pywebpush") is not None

    def public_key(self, connection: sa.Connection) -> str:
        """Return the key that browsers want to know, in base 64."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        point = self._vapid(connection).public_key.public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint
        )
        return _encoded(point)

    def add(self, connection: sa.Connection, person: str, address: PushAddress, zone: str) -> None:
        """Let a person be told at an address. A job for the store."""
        lock(connection, person)
        mine = push_addresses.c.person == person
        drop(connection, address.digest)
        query = sa.select(push_addresses.c.digest).where(mine).order_by(push_addresses.c.made)
        known = list(connection.execute(query).scalars())
        for digest in known[: max(0, len(known) + 1 - PER_PERSON)]:
            drop(connection, digest)
        row = {
            "digest": address.digest,
            "person": person,
            "sealed": self._seal.encrypt(address.model_dump_json().encode()).decode(),
            "zone": zone,
            "made": CLOCK.now(),
            "failed": 0,
        }
        connection.execute(sa.insert(push_addresses).values(row))

    def opened(self, sealed: str) -> PushAddress | None:
        """Return a sealed address; None if it was sealed with a key that is gone."""
        from cryptography.fernet import InvalidToken

        try:
            return PushAddress.model_validate_json(self._seal.decrypt(sealed.encode()))
        except (InvalidToken, ValidationError):
            return None

    def signer(self, connection: sa.Connection) -> Any:
        """Return what signs the site's messages. A job for the store."""
        return self._vapid(connection)

    def send(
        self, address: PushAddress, signer: Any, message: dict[str, str], topic: str
    ) -> Delivery:
        """Send a message; of those with one ``topic``, a service keeps the newest. Blocks."""
        with needs("push messages", "push"):
            import requests
            from pywebpush import WebPushException, webpush

        if not is_known_service(address.endpoint):
            return Delivery.GONE
        with requests.Session() as session:
            session.max_redirects = 0
            session.trust_env = False
            try:
                webpush(
                    {
                        "endpoint": address.endpoint,
                        "keys": {"p256dh": address.p256dh, "auth": address.auth},
                    },
                    json.dumps(message),
                    vapid_private_key=signer,
                    vapid_claims={"sub": contact(self.operator)},
                    ttl=SECONDS_KEPT,
                    timeout=TIMEOUT,
                    headers={"Topic": topic, "Urgency": "normal"},
                    requests_session=session,
                )
            except WebPushException as error:
                status = None if error.response is None else error.response.status_code
                return Delivery.GONE if status in (404, 410) else Delivery.FAILED
            except (OSError, ValueError) as error:
                _log.warning("a push service can't be reached: %s", type(error).__name__)
                return Delivery.FAILED
        return Delivery.SENT

    @cached_property
    def _seal(self) -> Any:
        with needs("push messages", "push"):
            from cryptography.fernet import Fernet, MultiFernet
        digests = [hashlib.sha256(f"push {key}".encode()).digest() for key in reversed(self._keys)]
        return MultiFernet([Fernet(base64.urlsafe_b64encode(one)) for one in digests])

    def _vapid(self, connection: sa.Connection) -> Any:
        with needs("push messages", "push"):
            from py_vapid import Vapid02

        query = sa.select(secrets.c.value).where(secrets.c.name == SECRET)
        found = connection.execute(query).scalar()
        if found is None:
            made = Vapid02()
            made.generate_keys()
            found = made.private_pem().decode()
            row = {"name": SECRET, "value": found, "created": CLOCK.now()}
            if not insert_first(connection, secrets, row):
                return self._vapid(connection)
        return Vapid02.from_pem(found.encode())


def contact(operator: str) -> str:
    """Return where a push service can reach an operator, as an address of mail or of a page."""
    if mail := re.search(r"[\w.+-]+@[\w-]+(\.[\w-]+)+", operator):
        return f"mailto:{mail[0]}"
    page = re.search(r"https://\S+", operator)
    return page[0] if page else "mailto:redouble@localhost"


def drop(connection: sa.Connection, digest: str) -> None:
    """Forget an address."""
    connection.execute(sa.delete(push_addresses).where(push_addresses.c.digest == digest))


def drop_of(connection: sa.Connection, person: str) -> None:
    """Forget all addresses of a person."""
    connection.execute(sa.delete(push_addresses).where(push_addresses.c.person == person))


def addresses_of(connection: sa.Connection, person: str) -> list[dict[str, Any]]:
    """Return a person's addresses, the oldest first, sealed."""
    query = sa.select(push_addresses).where(push_addresses.c.person == person)
    rows = connection.execute(query.order_by(push_addresses.c.made))
    return [dict(row._mapping) for row in rows]


def note_delivery(connection: sa.Connection, digest: str, delivery: Delivery) -> None:
    """Forget an address that is gone or has failed too often, or count. A job for the store."""
    here = push_addresses.c.digest == digest
    if delivery is Delivery.SENT:
        connection.execute(sa.update(push_addresses).where(here).values(failed=0))
        return
    failed = sa.update(push_addresses).where(here).values(failed=push_addresses.c.failed + 1)
    connection.execute(failed)
    worn = push_addresses.c.failed >= (0 if delivery is Delivery.GONE else TRIES)
    connection.execute(sa.delete(push_addresses).where(here, worn))


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
