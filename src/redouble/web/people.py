"""Who is who: guests by a signed cookie, with a name of their choosing and nothing else.

A person is a row with a random number. The cookie, or a program's bearer token, is that number
signed with the server's own key; it holds nothing else, and no password or address is ever asked.
"""

from __future__ import annotations

import os
import secrets
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
from itsdangerous import BadSignature, URLSafeSerializer

from redouble.web.errors import NotFound, StoreError, TooLarge, TooMuch, WebError
from redouble.web.schema import codes, people
from redouble.web.store import Store

COOKIE = "redouble"
COOKIE_SECONDS = 400 * 24 * 3600
"""The longest that browsers keep a cookie."""
NAME_LENGTH = 24
KEY_FILE = "secret.key"
KEY_BYTES = 32
CODE_SECONDS = 600
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Without those that look alike."""
CODE_LENGTH = 8
MAX_MISSES, MISS_SECONDS = 10, 60.0
"""So many wrong codes can be tried in so many seconds, from one address."""


@dataclass(frozen=True)
class Person:
    """A guest."""

    id: str
    name: str


class People:
    """The guests of a store, and the signatures by which they are known."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.misses = Misses()
        """Codes that linked nothing."""
        self._store = store
        self._signer = URLSafeSerializer(_key(folder / KEY_FILE), salt="person")

    async def new(self, name: str = "") -> Person:
        """A guest nobody has seen before."""
        name = clean_name(name) if name.strip() else f"Guest {secrets.randbelow(900) + 100}"
        person = Person(secrets.token_urlsafe(16), name)
        row = {"id": person.id, "name": name, "created": time.time()}
        await self._store.run(lambda c: c.execute(sa.insert(people).values(row)) and None)
        return person

    async def known(self, token: str | None) -> Person | None:
        """The person a cookie or bearer token stands for; None when it is nobody's."""
        if not token:
            return None
        try:
            number = self._signer.loads(token)
        except BadSignature:
            return None
        query = sa.select(people.c.name).where(people.c.id == number)
        name = await self._store.run(lambda c: c.execute(query).scalar())
        return None if name is None else Person(number, name)

    def token(self, person: Person) -> str:
        """What the person shows to be known again."""
        token = self._signer.dumps(person.id)
        return token if isinstance(token, str) else token.decode("ascii")

    async def rename(self, person: Person, name: str) -> Person:
        """Take another name; tables keep the one that was used when sitting down."""
        name = clean_name(name)
        change = sa.update(people).where(people.c.id == person.id).values(name=name)
        await self._store.run(lambda c: c.execute(change) and None)
        return Person(person.id, name)

    async def code(self, person: Person) -> str:
        """A code that links one other device to the person, once, within ten minutes."""
        code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        row = {"code": code, "person": person.id, "until": time.time() + CODE_SECONDS}

        def job(connection: sa.Connection) -> None:
            connection.execute(sa.delete(codes).where(codes.c.person == person.id))
            connection.execute(sa.insert(codes).values(row))

        await self._store.run(job)
        return code


class Misses:
    """Attempts that failed within the last minute, by where they came from."""

    def __init__(self) -> None:
        self._missed: dict[str, deque[float]] = {}

    def check(self, asker: str) -> None:
        """Raises :class:`TooMuch` when too many attempts have failed."""
        now = time.monotonic()
        self._missed = {
            one: times for one, times in self._missed.items() if now - times[-1] < MISS_SECONDS
        }
        times = self._missed.get(asker, ())
        if sum(now - at < MISS_SECONDS for at in times) >= MAX_MISSES:
            raise TooMuch("too many codes were wrong: wait a minute before you try again")

    def note(self, asker: str) -> None:
        """An attempt has failed."""
        times = self._missed.setdefault(asker, deque(maxlen=MAX_MISSES))
        times.append(time.monotonic())


def redeem(connection: sa.Connection, code: str) -> Person:
    """The person whose code this is; the code is used up. A job for the store.

    Raises :class:`NotFound` when it is wrong, used or too old.
    """
    code = "".join(code.upper().split()).replace("-", "")
    connection.execute(sa.delete(codes).where(codes.c.until <= time.time()))
    found = connection.execute(
        sa.select(people.c.id, people.c.name)
        .join(codes, codes.c.person == people.c.id)
        .where(codes.c.code == code)
    ).one_or_none()
    if found is None:
        raise NotFound("this code links nothing: it is wrong, used, or older than ten minutes")
    connection.execute(sa.delete(codes).where(codes.c.code == code))
    return Person(found.id, found.name)


def clean_name(name: str) -> str:
    """A name as it may be shown. Raises :class:`WebError` when nothing is left of it."""
    name = " ".join("".join(c for c in name if c.isprintable()).split())
    if not name:
        raise WebError("a name needs at least one character that can be seen")
    if len(name) > NAME_LENGTH:
        raise TooLarge(f"a name has at most {NAME_LENGTH} characters")
    return name


def _key(path: Path) -> str:
    """The server's key, made when it is missing; only its owner can read it."""
    try:
        key = path.read_text(encoding="ascii")
    except FileNotFoundError:
        return _new_key(path)
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} cannot be read: {error}") from error
    if len(key) < KEY_BYTES:
        raise StoreError(
            f"{path} holds no key; without the file, a new one is made, and whoever "
            "was known before is somebody new"
        )
    return key


def _new_key(path: Path) -> str:
    key = secrets.token_urlsafe(KEY_BYTES)
    new = path.with_suffix(".new")  # renamed when it is whole: half a key would be no secret
    try:
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    return key
