"""Passkeys: added, used and removed, with a device made of a few lines."""

import base64
import hashlib
import json
import secrets
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cbor2
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.features.account.retention import prune
from redouble.web.features.signin import passkeys
from redouble.web.features.signin.passkeys import PER_PERSON, SECONDS, party_at, used_challenges
from redouble.web.features.signin.passkeys import passkeys as passkey_rows
from redouble.web.store.clock import CLOCK, DAY
from tests.web.helpers.markup import found_in
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app, site_of, sites_of
from tests.web.helpers.visitors import Visitor, in_loop, play, rows, seats_for

NAME = "games.example.org"
HERE = f"https://{NAME}"
GAME = next(game for game in GAMES.values() if game.min_seats <= 2 <= game.max_seats)
PRESENT, VERIFIED, ATTESTED = 1, 4, 64


def text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass
class Device:
    """An authenticator with one key, as WebAuthn describes it."""

    counts: bool = True
    count: int = 0
    handle: str = ""
    id: bytes = field(default_factory=lambda: secrets.token_bytes(20))
    key: Any = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def create(self, options: dict[str, Any], origin: str = HERE) -> str:
        assert options["attestation"] == "none"
        assert options["authenticatorSelection"]["residentKey"] == "required"
        self.handle = options["user"]["id"]
        numbers = self.key.public_key().public_numbers()
        x, y = (one.to_bytes(32, "big") for one in (numbers.x, numbers.y))
        public = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: x, -3: y})
        about = bytes(16) + struct.pack(">H", len(self.id)) + self.id + public
        data = self._data(options["rp"]["id"], ATTESTED) + about
        made = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        said = self._said("webauthn.create", options, origin)
        return self._answer(clientDataJSON=text(said), attestationObject=text(made))

    def get(self, options: dict[str, Any], origin: str = HERE) -> str:
        assert "allowCredentials" not in options or options["allowCredentials"] == []
        data, said = self._data(options["rpId"]), self._said("webauthn.get", options, origin)
        signed = self.key.sign(data + hashlib.sha256(said).digest(), ec.ECDSA(SHA256()))
        return self._answer(
            clientDataJSON=text(said),
            authenticatorData=text(data),
            signature=text(signed),
            userHandle=self.handle,
        )

    def _data(self, party: str, flags: int = 0) -> bytes:
        self.count += self.counts
        flags |= PRESENT | VERIFIED
        return hashlib.sha256(party.encode()).digest() + struct.pack(">BI", flags, self.count)

    def _said(self, kind: str, options: dict[str, Any], origin: str) -> bytes:
        said = {"type": kind, "challenge": options["challenge"], "origin": origin}
        return json.dumps(said).encode()

    def _answer(self, **response: str) -> str:
        return json.dumps(
            {
                "id": text(self.id),
                "rawId": text(self.id),
                "type": "public-key",
                "response": response,
            }
        )


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    app = create_app(tmp_path, limits=ROOMY)
    with TestClient(app, base_url=HERE) as client:
        for site in sites_of(client):
            site.hosts = frozenset({NAME})
        yield client


def to_add(visitor: Visitor) -> dict[str, Any]:
    options: dict[str, Any] = json.loads(visitor.post("/me/passkeys/options", 200))
    return options


def to_sign_in(visitor: Visitor) -> dict[str, Any]:
    options: dict[str, Any] = json.loads(visitor.post("/link/passkey/options", 200))
    return options


@pytest.fixture
def device(anna: Visitor) -> Device:
    """A device with a passkey of Anna's."""
    device = Device()
    assert anna.post("/me/passkeys", answer=device.create(to_add(anna))) == "/me#passkeys"
    return device


def sign_in(visitor: Visitor, device: Device, status: int = 303) -> str:
    answer = device.get(to_sign_in(visitor))
    return visitor.post("/link/passkey", status, answer=answer)


def test_a_passkey_signs_in_on_a_new_device(anna: Visitor, device: Device) -> None:
    assert "Keep my games with a passkey" in anna.get("/me")
    assert "I have a passkey" in anna.other().get("/link")
    other = anna.other()
    assert sign_in(other, device) == "/me"
    assert other.person == anna.person
    assert other.person.session != anna.person.session
    assert "You already play as <b>Anna</b>" in sign_in(other, device, 200)
    assert "last used just now" in anna.get("/me")


def test_guests_read_who_takes_over_their_games(
    anna: Visitor, ben: Visitor, device: Device
) -> None:
    guest = anna.other("Guest")
    own = Device()
    guest.post("/me/passkeys", answer=own.create(to_add(guest)))
    table = play(anna, GAME, seats_for(guest, ben))
    html = sign_in(guest, device, 200)
    assert "This signs you in as <b>Anna</b>" in html
    assert "It takes over everything you have played as Guest." in html
    assert f"{GAME.title}: <b>1 game</b>" in html
    assert guest.person.name == "Guest"
    assert guest.post("/link", code=found_in(r'name="code" value="(\w+)"', html)) == "/me"
    assert guest.person == anna.person
    assert table.header.token in anna.get("/me")
    other = anna.other()
    sign_in(other, own)  # what was the guest's is Anna's now
    assert other.person == anna.person


def test_an_answer_counts_once_for_one_visitor_and_five_minutes(
    anna: Visitor, ben: Visitor, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = to_sign_in(anna.other())
    answer = device.get(options)
    wrong = {
        "another site": (anna.other(), device.get(options, "https://games.example.com")),
        "another port": (anna.other(), device.get(options, f"{HERE}:8443")),
        "no HTTPS": (anna.other(), device.get(options, f"http://{NAME}")),
        "another name": (anna.other(), device.get(options | {"rpId": "example.org"})),
        "another's challenge": (ben, device.get(options)),
        "an invented one": (anna.other(), device.get(options | {"challenge": text(bytes(56))})),
        "for another purpose": (anna, device.get(to_add(anna) | {"rpId": NAME})),
        "another's key": (anna.other(), Device(id=device.id, handle=device.handle).get(options)),
        "another's name": (anna.other(), Device(id=device.id, key=device.key).get(options)),
    }
    for why, (visitor, given) in wrong.items():
        assert "answer of a passkey for this site" in visitor.post(
            "/link/passkey", 400, answer=given
        ), why
    torn = json.dumps({"id": text(device.id), "response": {"clientDataJSON": "e30"}})
    for given in ("", "{}", "[]", '"', torn, "\ud7ff" * 9, "[" * 9999):
        anna.other().post("/link/passkey", 400, answer=given)
        anna.post("/me/passkeys", 400, answer=given)
    assert "was removed" in anna.other().post("/link/passkey", 404, answer=Device().get(options))
    now = CLOCK.now
    for seconds in (SECONDS + 1, -DAY):  # a clock that was set back makes nothing last longer
        monkeypatch.setattr(CLOCK, "now", lambda seconds=seconds: now() + seconds)
        assert "too late" in anna.other().post("/link/passkey", 409, answer=answer)
        monkeypatch.undo()
    device.count = 40
    answer = device.get(options)
    assert anna.other().post("/link/passkey", answer=answer) == "/me"
    anna.other().post("/link/passkey", 400, answer=answer)
    device.count = 30  # a copy of it has signed meanwhile
    sign_in(anna.other(), device, 400)


def test_a_passkey_on_several_devices_counts_nothing_and_answers_once(anna: Visitor) -> None:
    device = Device(counts=False)
    added = device.create(to_add(anna))
    anna.post("/me/passkeys", answer=added)
    anna.post("/me/passkeys", 409, answer=added)
    other, options = anna.other(), to_sign_in(anna.other())
    answer = device.get(options)
    other.post("/link/passkey", answer=answer)
    assert "used before" in anna.other().post("/link/passkey", 409, answer=answer)
    assert rows(anna, used_challenges) == 2
    in_loop(anna, prune, site_of(anna), CLOCK.now() + 2 * DAY)
    assert rows(anna, used_challenges) == 0


def test_a_passkey_is_listed_and_removed(anna: Visitor, ben: Visitor, device: Device) -> None:
    assert [one["id"] for one in to_add(anna)["excludeCredentials"]] == [text(device.id)]
    html = anna.get("/me")
    removal = html.partition('action="/me/passkeys/')[2].partition('"')[0]
    ben.post(f"/me/passkeys/{removal}")
    assert rows(anna, passkey_rows) == 1
    ben.post("/me/passkeys", 409, answer=device.create(to_add(ben)))  # a key is one person's
    device.handle = to_add(anna)["user"]["id"]
    anna.post(f"/me/passkeys/{removal}")
    sign_in(anna.other(), device, 404)
    for _ in range(PER_PERSON):
        anna.post("/me/passkeys", answer=Device().create(to_add(anna)))
    assert "remove one first" in anna.post(
        "/me/passkeys", 400, answer=Device().create(to_add(anna))
    )


def test_where_passkeys_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where the site knows its name itself, and browsers allow them."""

    def at(address: str, client: str = "203.0.113.7", port: int | None = 8765) -> str:
        scheme, host = address.split("://")
        party = party_at(scheme, host, {NAME, "192.0.2.1", "localhost"}, client, port)
        return f"{party.id} {party.origin}" if party else ""

    assert at(HERE) == at(f"https://{NAME.upper()}:443") == f"{NAME} {HERE}"
    for address in (f"http://{NAME}", f"{HERE}:8443", "https://evil.example", "https://192.0.2.1"):
        assert at(address) == "", address
    assert at("http://localhost:1", "127.0.0.1") == "localhost http://localhost:8765"
    assert at("http://localhost", "::1", 80) == "localhost http://localhost"
    assert at("http://localhost:8765") == at("http://127.0.0.1:8765", "127.0.0.1") == ""
    assert at("http://localhost", "127.0.0.1", None) == at("http://[::1]:80", "::1") == ""
    monkeypatch.setattr(passkeys, "is_installed", lambda *packages: False)
    assert at(HERE) == ""


def test_where_they_cannot_be_used_nothing_is_shown(anna: Visitor) -> None:
    for site in sites_of(anna):
        site.hosts = frozenset()
    assert "passkey" not in anna.get("/me").replace("added a passkey", "")
    assert "passkey" not in anna.other().get("/link")
    for path in ("/me/passkeys/options", "/me/passkeys"):
        anna.post(path, 404)
    for path in ("/link/passkey/options", "/link/passkey"):
        anna.other().post(path, 404)
