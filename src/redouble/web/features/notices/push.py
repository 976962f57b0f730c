"""Web push: messages to a person's browsers, which only these can read.

A browser that allows it gives an address at the push service of its maker, and two keys. Messages
are encrypted for these (RFC 8291) and signed with the site's key (RFC 8292), by pywebpush. They
go to the services that are listed here and to nowhere else, by the guarded sender. In the database,
addresses are sealed with the server's key.
"""

import asyncio
import base64
import json
import re
from typing import Any

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from redouble.kernel.extras import is_installed, needs
from redouble.web.errors import WebError
from redouble.web.features.notices.addresses import Delivery, digest_of_address
from redouble.web.features.notices.lanes import Lane
from redouble.web.features.notices.letters import Outgoing
from redouble.web.features.notices.sender import HOST, GuardedSender, Job
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
ENDPOINT = rf"https://(?P<host>{HOST})(?::443)?/[\w/.~%:;,=?&!$'()*+@-]*"
"""An address that every program reads in the same way."""
SECONDS_KEPT = 12 * 3600
"""How long a service keeps a message for a browser that isn't there."""
MAX_TOPIC = 32
"""Characters in the name by which a service knows messages that replace each other."""
SECRET = "push"


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
    if host_of(endpoint) is None or (point, secret) != (65, 16):
        raise WebError(
            "that isn't an address for messages of a browser we know: use Chrome, Edge, Firefox or "
            "Safari"
        )
    return address


def host_of(endpoint: str) -> str | None:
    """Return the host of an address at a push service; None if no message may go there."""
    found = re.fullmatch(ENDPOINT, endpoint, re.ASCII)
    listed = found and any(f".{found['host']}".endswith(f".{one}") for one in SERVICES)
    return found["host"] if found and listed else None


class Push:
    """Sends messages to the browsers of people."""

    def __init__(self, site: Site, seal: Seal, sender: GuardedSender) -> None:
        """Keep the key in a site's store, and the addresses of browsers sealed."""
        self._site = site
        self._sender = sender
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

    def lane(self, sealed: str) -> Lane:
        """Return the lane of a push service."""
        address = self.opened(sealed)
        return Lane(f"push {address and host_of(address.endpoint)}")

    async def send(self, outgoing: Outgoing) -> Delivery:
        """Send a message; of those about one page, a service keeps the newest."""
        address = self.opened(outgoing.sealed)
        host = None if address is None else host_of(address.endpoint)
        if address is None or host is None:
            return Delivery.GONE
        signer = await self._store.run(self._vapid)
        made = await asyncio.to_thread(self._request, address, host, signer, outgoing)
        return await self._sender.send(made)

    def _request(self, address: PushAddress, host: str, signer: Any, outgoing: Outgoing) -> Job:
        """Return a message as its service takes it: encrypted and signed."""
        with needs("push messages", "push"):
            from pywebpush import WebPusher

        letter = outgoing.letter
        message = {"title": letter.title, "body": letter.body, "url": letter.url}
        keys = {"p256dh": address.p256dh, "auth": address.auth}
        pusher = WebPusher({"endpoint": address.endpoint, "keys": keys})
        sealed = pusher.encode(json.dumps(message | {"stop": outgoing.stop}).encode())["body"]
        claims = {
            "sub": contact(self._site.operator),
            "aud": f"https://{host}",
            "exp": int(CLOCK.now()) + SECONDS_KEPT,
        }
        headers = {
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": f"{SECONDS_KEPT}",
            "Topic": digest_of_address(letter.url)[:MAX_TOPIC],
            "Urgency": "normal",
        }
        return {
            "url": address.endpoint,
            "data": base64.b64encode(sealed).decode(),
            "headers": headers | signer.sign(claims),
        }

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
