"""Messages to an address of a person's choice: mail through the operator's server, or a service.

Addresses of services are those of Apprise, with a scheme that is listed here and without options.
They go out by the guarded sender, which connects to public addresses only.
Nothing but a code is sent to an address before the person has entered that code.
"""

import hmac
import html
import re
from collections.abc import Callable

from redouble.kernel.extras import is_installed
from redouble.web.errors import WebError
from redouble.web.features.notices.addresses import Delivery, digest_of_address
from redouble.web.features.notices.lanes import Lane
from redouble.web.features.notices.letters import Outgoing
from redouble.web.features.notices.sender import HOST, GuardedSender, Job
from redouble.web.people.seal import Seal
from redouble.web.site import Telling

MAIL, SERVICES = "mail", "services"
"""The two kinds of addresses, which an operator can leave out."""
PORT = r"(?::(?:443|[1-9]\d{3,4}))?"
LOGIN = r"(?:[\w.%~-]{1,80}(?::[\w.%~-]{1,120})?@)?"
SERVICE_ADDRESS = (
    rf"(?:(?:jsons|matrixs|ntfys)://{LOGIN}(?P<host>(?i:{HOST})){PORT}"
    r"|(?:discord|slack|tgram)://[\w:-]{5,100})(?:/[#!]?[\w.:=%~-]{1,200}){0,10}/?"
)
"""Services that are spoken to by HTTPS: those with a host of the person's choice, and others."""
EXAMPLE = "jsons://example.org/path"
MAIL_ADDRESS = rf"[\w.%+-]{{1,64}}@{HOST}"
ESCAPES: dict[str, Callable[[str], str]] = {
    "discord": lambda text: re.sub(r"[\\*_~`|>#\[\]()<:-]", r"\\\g<0>", text),
    "tgram": lambda text: html.escape(text, quote=False),
}
"""What services do to plain text that Apprise doesn't prevent, by the scheme of their addresses."""
PARTED = re.compile(r"@|:(?=//)|(?<=\S)\.(?=\S)")
ZERO_WIDTH = "\u200b"
MAX_ADDRESS = 400
"""Characters in an address."""
CODE_LETTERS = 8


class OwnAddresses:
    """Sends messages to addresses that people have chosen."""

    def __init__(
        self, seal: Seal, key: bytes, telling: Callable[[], Telling], sender: GuardedSender
    ) -> None:
        """Seal addresses, and make codes that only this server's ``key`` gives.

        ``telling`` returns the ways in which messages may be sent now.
        """
        self._seal = seal
        self._key = key
        self._telling = telling
        self._sender = sender

    @property
    def available(self) -> bool:
        """Whether the server can and may send messages to any address."""
        return bool(self.kinds)

    @property
    def kinds(self) -> list[str]:
        """The kinds of addresses that people can choose."""
        telling = self._telling()
        if not telling.site_address or not is_installed("apprise", "cryptography"):
            return []
        known = {MAIL: bool(telling.mail), SERVICES: True}
        return [kind for kind, there in known.items() if there and kind in telling.ways]

    def checked(self, text: str) -> str:
        """Return an address as it is kept. Raises :class:`WebError` if it isn't one."""
        text = text.strip()
        if len(text) <= MAX_ADDRESS:
            if MAIL in self.kinds and re.fullmatch(MAIL_ADDRESS, text, re.ASCII | re.IGNORECASE):
                return text.lower()
            scheme, slashes, rest = text.partition("://")
            kept = f"{scheme.lower()}{slashes}{rest}"
            if SERVICES in self.kinds and (found := re.fullmatch(SERVICE_ADDRESS, kept, re.ASCII)):
                host = found["host"] or ""
                return kept.replace(host, host.lower(), 1)
        raise WebError("this isn't an address that we can send messages to: see the example")

    def sealed(self, person: str, address: str) -> tuple[str, str]:
        """Return the digest of a person's address, and the address sealed.

        Two people can have the same one, and don't learn of each other.
        """
        return digest_of_address(f"{person} {address}"), self._seal.close(address)

    def described(self, sealed: str) -> str:
        """Return what to call a sealed address without what is secret in it."""
        address = self._seal.open(sealed) or ""
        service = re.fullmatch(SERVICE_ADDRESS, address, re.ASCII)
        if service is None:
            return address
        return f"another service ({service['host'] or address.partition('://')[0]})"

    def code(self, stop: str) -> str:
        """Return the code that is sent to an address, which is known by its link."""
        digest = hmac.digest(self._key, f"code {stop}".encode(), "sha256")
        return str(int.from_bytes(digest) % 10**CODE_LETTERS).zfill(CODE_LETTERS)

    def lane(self, sealed: str) -> Lane:
        """Return the lane of an address: that of mail, or of its service."""
        address = self._seal.open(sealed) or ""
        found = re.fullmatch(SERVICE_ADDRESS, address, re.ASCII)
        host = found and found["host"]
        return (
            Lane(host, chosen=True)
            if host
            else Lane(address.partition("://")[0] if found else MAIL)
        )

    async def send(self, outgoing: Outgoing) -> Delivery:
        """Send a message."""
        address = self._seal.open(outgoing.sealed)
        if address is None:  # sealed with a key that is gone
            return Delivery.GONE
        mail = "://" not in address
        if (MAIL if mail else SERVICES) not in self.kinds:
            return Delivery.OFF
        return await self._sender.send(self._job(outgoing, address, mail))

    def _job(self, one: Outgoing, address: str, mail: bool) -> Job:
        letter, here = one.letter, self._telling().site_address
        stop = f"{here}{one.stop}"
        scheme = "" if mail else address.partition("://")[0]
        name = f" ({here.partition('://')[2]})"
        title = plain(letter.title, scheme) + (name if mail else plain(name, scheme))
        lines = [plain(letter.body, scheme), f"{here}{letter.url}", f"Stop these messages: {stop}"]
        body = "\n\n".join(filter(None, lines))
        mail_server = self._telling().mail if mail else ""
        return {"to": address, "mail": mail_server, "title": title, "body": body, "stop": stop}


def plain(text: str, scheme: str) -> str:
    """Return a text in which no name of a player does anything at a service.

    It calls nobody, is no link, and has the service's escapes; an invisible space parts what would
    be a call or an address.
    """
    return ESCAPES.get(scheme, str)(PARTED.sub(f"\\g<0>{ZERO_WIDTH}", text))


def counted_as(address: str) -> str:
    """Return what messages to an address count for: mail with a tag goes to the same person."""
    name, at, host = address.rpartition("@")
    return f"{name.partition('+')[0]}@{host}" if at and "://" not in address else address
