"""Web push: messages to a person's browsers, which only these can read.

A browser that allows it gives an address at the push service of its maker, and two keys. Messages
are encrypted for these (RFC 8291) and signed with the site's key (RFC 8292), by pywebpush. They
go to the services that are listed here and to nowhere else, so no address leads into the
operator's own network. In the database, addresses are sealed with the server's key.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from redouble.kernel.extras import is_installed, needs
from redouble.web.errors import WebError
from redouble.web.features.notices.addresses import Delivery, digest_of_address
from redouble.web.features.notices.letters import Outgoing
from redouble.web.features.notices.wishes import PUSH
from redouble.web.people.seal import Seal
from redouble.web.site import Site
from redouble.web.store import kept_secret
from redouble.web.store.clock import CLOCK

SERVICES = (
    *("fcm.googleapis.com", "jmt17.google.com", "push.services.mozilla.com"),
    *("notify.windows.com", "push.apple.com"),
)
"""The push services of browsers: these hosts and those below them."""
SECONDS_KEPT = 12 * 3600
"""How long a service keeps a message for a browser that isn't there."""
TIMEOUT = 10.0
AT_ONCE = 8
"""Messages that are sent at the same time."""
MAX_TOPIC = 32
"""Characters in the name by which a service knows messages that replace each other."""
SECRET = "push"
_log = logging.getLogger(__name__)


class PushAddress(BaseModel):
    """Where a browser gets messages, as its ``PushSubscription`` says."""

    model_config = ConfigDict(frozen=True, strict=True)

    endpoint: str = Field(max_length=1000)
    p256dh: str = Field(max_length=200)
    auth: str = Field(max_length=100)


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

    def __init__(self, site: Site, seal: Seal) -> None:
        """Keep the key in a site's store, and the addresses of browsers sealed."""
        self._site = site
        self._store = site.store
        self._seal = seal

    @property
    def available(self) -> bool:
        """Whether the packages that it needs are installed, and the operator allows it."""
        return PUSH in self._site.telling.ways and is_installed("pywebpush")

    def public_key(self, connection: sa.Connection) -> str:
        """Return the key that browsers want to know, in base 64."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        point = self._vapid(connection).public_key.public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint
        )
        return base64.urlsafe_b64encode(point).rstrip(b"=").decode()

    def sealed(self, address: PushAddress) -> tuple[str, str]:
        """Return the digest of an address, and the address sealed."""
        return digest_of_address(address.endpoint), self._seal.close(address.model_dump_json())

    def opened(self, sealed: str) -> PushAddress | None:
        """Return a sealed address; None if it was sealed with a key that is gone."""
        text = self._seal.open(sealed)
        return None if text is None else PushAddress.model_validate_json(text)

    async def send(self, batch: Sequence[Outgoing]) -> list[Delivery]:
        """Send messages, a few at a time."""
        signer = await self._store.run(self._vapid)
        room = asyncio.Semaphore(AT_ONCE)

        async def one(outgoing: Outgoing) -> Delivery:
            address = self.opened(outgoing.sealed)
            if address is None:
                return Delivery.GONE
            async with room:
                return await asyncio.to_thread(self._send, address, signer, outgoing)

        return list(await asyncio.gather(*map(one, batch)))

    def _send(self, address: PushAddress, signer: Any, outgoing: Outgoing) -> Delivery:
        """Send a message; of those about one page, a service keeps the newest. Blocks."""
        with needs("push messages", "push"):
            import requests
            from pywebpush import WebPushException, webpush

        if not is_known_service(address.endpoint):
            return Delivery.GONE
        letter = outgoing.letter
        message = {"title": letter.title, "body": letter.body, "url": letter.url}
        topic = digest_of_address(letter.url)[:MAX_TOPIC]
        with requests.Session() as session:
            session.max_redirects = 0
            session.trust_env = False
            try:
                webpush(
                    {
                        "endpoint": address.endpoint,
                        "keys": {"p256dh": address.p256dh, "auth": address.auth},
                    },
                    json.dumps(message | {"stop": outgoing.stop}),
                    vapid_private_key=signer,
                    vapid_claims={"sub": contact(self._site.operator)},
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

    def _vapid(self, connection: sa.Connection) -> Any:
        with needs("push messages", "push"):
            from py_vapid import Vapid02

        def make() -> str:
            made = Vapid02()
            made.generate_keys()
            return str(made.private_pem().decode())

        kept = kept_secret(connection, SECRET, make, CLOCK.now())
        return Vapid02.from_pem(kept.value.encode())


def contact(operator: str) -> str:
    """Return where a push service can reach an operator, as an address of mail or of a page."""
    if mail := re.search(r"[\w.+-]+@[\w-]+(\.[\w-]+)+", operator):
        return f"mailto:{mail[0]}"
    page = re.search(r"https://\S+", operator)
    return page[0] if page else "mailto:redouble@localhost"


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
