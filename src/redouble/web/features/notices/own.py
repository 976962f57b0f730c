"""Messages to an address of a person's choice: mail through the operator's server, or a service.

Addresses of services are those of Apprise, with a scheme that is listed here and without options.
Messages are sent by a program of its own (``deliver.py``), which connects to public addresses only.
Nothing but a code is sent to an address before the person has entered that code.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import re
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from redouble.kernel.extras import is_installed
from redouble.web.errors import WebError
from redouble.web.features.notices.addresses import Delivery, digest_of_address
from redouble.web.features.notices.letters import Outgoing
from redouble.web.people.seal import Seal
from redouble.web.site import Telling

MAIL, SERVICES = "mail", "services"
"""The two kinds of addresses, which an operator can leave out."""
HOST = r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}(?:[a-z]{2,63}|xn--[a-z0-9-]{2,59})"
"""A name with a top-level domain of letters: a number in any form isn't one."""
PORT = r"(?::(?:443|[1-9]\d{3,4}))?"
LOGIN = r"(?:[\w.%~-]{1,80}(?::[\w.%~-]{1,120})?@)?"
SERVICE_ADDRESS = (
    rf"(?:(?:jsons|matrixs|ntfys)://{LOGIN}(?P<host>(?i:{HOST})){PORT}"
    r"|(?:discord|slack|tgram)://[\w:-]{5,100})(?:/[#!]?[\w.:=%~-]{1,200}){0,10}/?"
)
"""Services that are spoken to by HTTPS: those with a host of the person's choice, and others."""
EXAMPLE = "jsons://example.org/path"
MAIL_ADDRESS = rf"[\w.%+-]{{1,64}}@{HOST}"
MAX_ADDRESS = 400
"""Characters in an address."""
SECONDS = 60.0
"""How long a batch of messages is sent."""
CODE_LETTERS = 8
PROGRAM = Path(__file__).with_name("deliver.py")
_log = logging.getLogger(__name__)


class OwnAddresses:
    """Sends messages to addresses that people have chosen."""

    def __init__(self, seal: Seal, key: bytes, telling: Callable[[], Telling]) -> None:
        """Seal addresses, and make codes that only this server's ``key`` gives.

        ``telling`` returns the ways in which messages may be sent now.
        """
        self._seal = seal
        self._key = key
        self._telling = telling
        self.also: Collection[tuple[str, int]] = ()
        """Addresses that aren't public and may be reached all the same: for tests."""

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

    async def send(self, batch: Sequence[Outgoing]) -> list[Delivery]:
        """Send messages, in a program of its own."""
        jobs, numbers = [], []
        results = [Delivery.OFF] * len(batch)
        for number, one in enumerate(batch):
            address = self._seal.open(one.sealed)
            if address is None:  # sealed with a key that is gone
                results[number] = Delivery.GONE
                continue
            mail = "://" not in address
            if (MAIL if mail else SERVICES) not in self.kinds:
                continue
            numbers.append(number)
            jobs.append(self._job(one, address, mail))
        if jobs:
            sent = await asyncio.to_thread(self._run, jobs)
            if len(sent) < len(jobs):
                _log.warning("%d of %d messages failed", len(jobs) - len(sent), len(jobs))
            for at, number in enumerate(numbers):
                results[number] = Delivery.SENT if at in sent else Delivery.FAILED
        return results

    def _job(self, one: Outgoing, address: str, mail: bool) -> dict[str, str]:
        letter, here = one.letter, self._telling().site_address
        stop = f"{here}{one.stop}"
        lines = [letter.body, f"{here}{letter.url}", f"Stop these messages: {stop}"]
        title, body = letter.title, "\n\n".join(filter(None, lines))
        if not mail:  # nobody's name calls a whole room
            title, body = (text.replace("@", "@\u200b") for text in (title, body))
        mail_server = self._telling().mail if mail else ""
        return {"to": address, "mail": mail_server, "title": title, "body": body, "stop": stop}

    def _run(self, jobs: list[dict[str, str]]) -> set[int]:
        """Send messages, and return the numbers of those that were taken. Blocks."""
        given = json.dumps({"also": list(self.also), "jobs": jobs})
        command = [sys.executable, "-I", f"{PROGRAM}"]
        try:
            done = subprocess.run(
                command, input=given.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                timeout=SECONDS, env={}, check=False,
            )  # fmt: skip
            said = done.stdout
        except subprocess.TimeoutExpired as error:
            said = error.stdout or b""
        except OSError as error:
            _log.error("messages can't be sent: %s", error.strerror)
            return set()
        lines = [line.split() for line in said.decode("ascii", "replace").splitlines()]
        return {int(line[0]) for line in lines if line[1:] == ["yes"]}


def counted_as(address: str) -> str:
    """Return what messages to an address count for: mail with a tag goes to the same person."""
    name, at, host = address.rpartition("@")
    return f"{name.partition('+')[0]}@{host}" if at and "://" not in address else address
