"""Passkeys: keys that people's devices keep, and by which they sign in (WebAuthn, py_webauthn).

A device signs a challenge for the name and the address of this site, and for no other site. Our
challenges are signed themselves, for one purpose and one session, and last five minutes. So every
process of a server knows them, none is stored before it was answered, and each is answered once.
"""

import base64
import hashlib
import hmac
import ipaddress
import json
import secrets
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any

import sqlalchemy as sa

from redouble.kernel.extras import is_installed, needs
from redouble.web.errors import NotFound, Stale, WebError
from redouble.web.features.signin import codes
from redouble.web.people.people import Person, lock, new_id
from redouble.web.store import insert_first
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import metadata, owned_by

passkeys = sa.Table(
    "passkeys",
    metadata,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("credential", sa.String, nullable=False, unique=True),  # in base 64, as what follows
    sa.Column("person", owned_by("people.id"), nullable=False, index=True),
    sa.Column("handle", sa.String, nullable=False),  # by which the device knows the person
    sa.Column("public_key", sa.Text, nullable=False),
    sa.Column("count", sa.BigInteger, nullable=False),  # signatures that the device has counted
    sa.Column("name", sa.String, nullable=False),
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("used", sa.Float),
)
"""Public keys of people's devices, by which they sign in."""

used_challenges = sa.Table(
    "used_challenges",
    metadata,
    sa.Column("digest", sa.String, primary_key=True),
    sa.Column("at", sa.Float, nullable=False, index=True),
)
"""Challenges that a passkey has answered: none is answered twice."""

SITE = "Redouble"
"""What devices call the site in their lists."""
LOCAL = "localhost"
SECONDS = 300
"""How long a challenge can be answered."""
PER_PERSON = 10
LONGEST_ID = 1023
"""Bytes in the id of a credential, by the standard."""
_STAMP, _NONCE = 8, 16
"""Bytes of a challenge that say when it was made, and that make it another one."""


class Ceremony(Enum):
    """What a challenge is for."""

    ADD = "add"
    SIGN_IN = "sign in"


@dataclass(frozen=True)
class RelyingParty:
    """The site as devices know it."""

    id: str
    """Its name, which the passkeys are for."""
    origin: str
    """What the addresses of its pages begin with."""


@dataclass(frozen=True)
class NewPasskey:
    """What a device has made for a person."""

    credential: str
    public_key: str
    count: int
    """How often the device has signed with it; always 0 where a passkey is on several devices."""
    challenge: bytes


@dataclass(frozen=True)
class SignedChallenge:
    """A challenge that the device of a person has signed."""

    id: str
    """Of the passkey."""
    person: str
    before: int
    count: int
    challenge: bytes


def party_at(
    scheme: str, host: str, hosts: Collection[str], client: str, port: int | None
) -> RelyingParty | None:
    """Return the site as a request reaches it, or None if passkeys can't be used there.

    Browsers allow them over HTTPS, and on the machine itself. Anyone can send any ``host``, so it
    counts only if it is one of the site's own ``hosts``, or comes from this machine, whose ``port``
    we know.
    """
    name, _, given = host.lower().partition(":")
    if not is_installed("webauthn"):
        return None
    if scheme == "https" and name in hosts and given in ("", "443") and not _is_address(name):
        return RelyingParty(name, f"https://{name}")
    if scheme == "http" and name == LOCAL and port and _is_address(client, loopback=True):
        return RelyingParty(LOCAL, f"http://{LOCAL}" + ("" if port == 80 else f":{port}"))
    return None


def options_to_add(
    keys: Sequence[str], party: RelyingParty, person: Person, known: Sequence[str]
) -> dict[str, Any]:
    """Return what a browser is asked to make; not on a device that has one of the ``known``."""
    with needs("passkeys", "passkeys"):
        import webauthn
        from webauthn.helpers import options_to_json_dict, structs

    wishes = structs.AuthenticatorSelectionCriteria(
        resident_key=structs.ResidentKeyRequirement.REQUIRED,
        user_verification=structs.UserVerificationRequirement.PREFERRED,
    )
    options = webauthn.generate_registration_options(
        rp_id=party.id,
        rp_name=SITE,
        user_id=_handle(keys, person.id),
        user_name=person.name,
        challenge=_challenge(keys, Ceremony.ADD, person.session),
        timeout=SECONDS * 1000,
        attestation=structs.AttestationConveyancePreference.NONE,
        authenticator_selection=wishes,
        exclude_credentials=[structs.PublicKeyCredentialDescriptor(_bytes(one)) for one in known],
    )
    return options_to_json_dict(options)


def options_to_sign_in(keys: Sequence[str], party: RelyingParty, session: str) -> dict[str, Any]:
    """Return what a browser is asked to sign, with whichever passkey of this site it has."""
    with needs("passkeys", "passkeys"):
        import webauthn
        from webauthn.helpers import options_to_json_dict, structs

    options = webauthn.generate_authentication_options(
        rp_id=party.id,
        challenge=_challenge(keys, Ceremony.SIGN_IN, session),
        timeout=SECONDS * 1000,
        user_verification=structs.UserVerificationRequirement.PREFERRED,
    )
    return options_to_json_dict(options)


def made_by(keys: Sequence[str], party: RelyingParty, session: str, answer: str) -> NewPasskey:
    """Return the passkey that a browser has made.

    Raises :class:`WebError` if the answer is for another site or session, or isn't one.
    """
    with needs("passkeys", "passkeys"):
        import webauthn
        from webauthn.helpers import parse_attestation_object
        from webauthn.helpers.structs import AttestationFormat

    challenge = _challenge_in(keys, Ceremony.ADD, session, answer)
    with _readable():
        given = json.loads(answer)
        # What none was asked for; others would need the certificates of makers.
        form = parse_attestation_object(_bytes(given["response"]["attestationObject"])).fmt
        if form not in (AttestationFormat.NONE, AttestationFormat.PACKED):
            raise ValueError(form)
        made = webauthn.verify_registration_response(
            credential=given,
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
        )
        if len(made.credential_id) > LONGEST_ID:
            raise ValueError("a longer id than the standard allows")
    return NewPasskey(
        _text(made.credential_id), _text(made.credential_public_key), made.sign_count, challenge
    )


def credential_in(answer: str) -> str:
    """Return which passkey a browser says it has signed with."""
    with _readable():
        return str(json.loads(answer)["id"])


def signed_by(
    keys: Sequence[str], party: RelyingParty, session: str, answer: str, row: sa.Row[Any]
) -> SignedChallenge:
    """Return the challenge that was signed with the passkey of a ``row``.

    Raises :class:`WebError` as :func:`made_by` does, and if the device has counted fewer
    signatures than we have seen: then somebody has copied its key.
    """
    with needs("passkeys", "passkeys"):
        import webauthn

    challenge = _challenge_in(keys, Ceremony.SIGN_IN, session, answer)
    with _readable():
        given = json.loads(answer)
        if not hmac.compare_digest(given["response"]["userHandle"], row.handle):
            raise ValueError("the passkey of somebody else")
        signed = webauthn.verify_authentication_response(
            credential=given,
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            credential_public_key=_bytes(row.public_key),
            credential_current_sign_count=row._mapping["count"],
        )
    return SignedChallenge(
        row.id, row.person, row._mapping["count"], signed.new_sign_count, challenge
    )


def add(
    connection: sa.Connection, keys: Sequence[str], person: Person, name: str, made: NewPasskey
) -> None:
    """Store a new passkey of a person. A job for the store.

    Raises :class:`WebError` if they have too many, and :class:`Stale` if it is stored already.
    """
    lock(connection, person.id)
    _use_up(connection, made.challenge)
    if len(passkeys_of(connection, person.id)) >= PER_PERSON:
        raise WebError(f"you have {PER_PERSON} passkeys: remove one first")
    row = {
        "id": new_id(8),
        "credential": made.credential,
        "person": person.id,
        "handle": _text(_handle(keys, person.id)),
        "public_key": made.public_key,
        "count": made.count,
        "name": name,
        "made": CLOCK.now(),
    }
    if not insert_first(connection, passkeys, row):
        raise Stale("this passkey is known already: sign in with it")


def find(connection: sa.Connection, credential: str) -> sa.Row[Any]:
    """Return the row of a passkey. Raises :class:`NotFound` if there is none."""
    row = connection.execute(sa.select(passkeys).filter_by(credential=credential)).one_or_none()
    if row is None:
        raise NotFound("this passkey was removed, or its owner is gone: use another way to sign in")
    return row


def code_for(connection: sa.Connection, signed: SignedChallenge, session: str) -> str:
    """Use up a signed challenge, and return a code that signs its person in. A job for the store.

    The code ends with the ``session`` that asked for it, if there is one.

    Raises :class:`Stale` if it was used before.
    """
    _use_up(connection, signed.challenge)
    counted = (
        sa.update(passkeys)
        .filter_by(id=signed.id, count=signed.before)
        .values(count=signed.count, used=CLOCK.now())
    )
    if not connection.execute(counted).rowcount:  # removed or used at this very moment
        raise Stale(AGAIN)
    return codes.new_code(connection, signed.person, session)


def passkeys_of(connection: sa.Connection, person: str) -> Sequence[sa.Row[Any]]:
    """Return the rows of a person's passkeys, the oldest first."""
    query = sa.select(passkeys).filter_by(person=person).order_by(passkeys.c.made)
    return connection.execute(query).all()


def remove(connection: sa.Connection, person: str, passkey: str) -> None:
    """Remove a passkey of a person, if they have it."""
    connection.execute(sa.delete(passkeys).filter_by(person=person, id=passkey))


def adopt(connection: sa.Connection, guest: str, person: str) -> None:
    """Give a guest's passkeys to a person, as far as they may have more."""
    free = max(0, PER_PERSON - len(passkeys_of(connection, person)))
    moved = [one.id for one in passkeys_of(connection, guest)[:free]]
    connection.execute(sa.update(passkeys).where(passkeys.c.id.in_(moved)).values(person=person))


AGAIN = "this answer was too late, or was used before: try again"
_WRONG = "that isn't an answer of a passkey for this site: try again"


@contextmanager
def _readable() -> Iterator[None]:
    """Turn whatever parsers and checks raise for what a browser sends into a refusal."""
    try:
        yield
    except Exception as error:  # the library passes on what its own parsers raise
        raise WebError(_WRONG) from error


def _use_up(connection: sa.Connection, challenge: bytes) -> None:
    """Note that a challenge was answered. Raises :class:`Stale` if it was before."""
    row = {"digest": hashlib.sha256(challenge).hexdigest(), "at": CLOCK.now()}
    if not insert_first(connection, used_challenges, row):
        raise Stale(AGAIN)


def _challenge(keys: Sequence[str], purpose: Ceremony, session: str) -> bytes:
    head = int(CLOCK.now() * 1e6).to_bytes(_STAMP, "big") + secrets.token_bytes(_NONCE)
    return head + _signature(keys[-1], purpose, session, head)


def _challenge_in(keys: Sequence[str], purpose: Ceremony, session: str, answer: str) -> bytes:
    """Return the challenge that an answer is about, if it is ours and for this session."""
    with _readable():
        said = json.loads(_bytes(json.loads(answer)["response"]["clientDataJSON"]))
        challenge = _bytes(said["challenge"])
    head, signature = challenge[: _STAMP + _NONCE], challenge[_STAMP + _NONCE :]
    signed = (_signature(key, purpose, session, head) for key in keys)
    if not any(hmac.compare_digest(signature, one) for one in signed):
        raise WebError(_WRONG)
    age = CLOCK.now() - int.from_bytes(head[:_STAMP], "big") / 1e6
    if not 0 <= age <= SECONDS:  # a clock that was set back makes none last longer
        raise Stale(AGAIN)
    return challenge


def _signature(key: str, purpose: Ceremony, session: str, head: bytes) -> bytes:
    said = f"passkey {purpose.value} {session} ".encode() + head
    return hmac.digest(key.encode(), said, "sha256")


def _handle(keys: Sequence[str], person: str) -> bytes:
    """Return what devices know a person by: nothing that we know them by."""
    return hmac.digest(keys[-1].encode(), f"passkeys of {person}".encode(), "sha256")[:16]


def _is_address(text: str, loopback: bool = False) -> bool:
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return False
    return found.is_loopback or not loopback


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
