"""The people of a server: guests, known by a signed cookie, with a name that they choose.

A person is a row of the database with a random id. The cookie, or the bearer token of a program,
is the id of a session of theirs, signed with the server's key. Nobody is asked for a password or an
address.
"""

import asyncio
import contextlib
import hmac
import logging
import os
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import sqlalchemy as sa
from itsdangerous import BadSignature, URLSafeSerializer
from sqlalchemy.exc import IntegrityError

from redouble.kernel.errors import RedoubleError
from redouble.web.errors import NotFound, Stale, StoreError, TooLarge, WebError
from redouble.web.people import sessions
from redouble.web.people.sessions import UNKNOWN, DeviceSession
from redouble.web.store import Store
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import people
from redouble.web.table.names import visible
from redouble.web.table.wordlist import WORDS

COOKIE = "redouble"
COOKIE_SECONDS = 400 * 24 * 3600
"""The longest time that browsers keep a cookie."""
RENEWED_DAYS = 7
"""Days after which a cookie in use is signed and set again."""
NAME_LENGTH = 24
KEY_FILE = "secret.key"
KEY_BYTES = 32
_WHO = (
    "SELECT people.id, people.name, ban.reason, ban.until, mute.reason, mute.until,"
    " (SELECT COUNT(*) FROM sanctions WHERE person = people.id AND NOT seen), profiles.looks"
    " FROM sessions JOIN people ON people.id = sessions.person"
    " LEFT JOIN profiles ON profiles.person = people.id"
    " LEFT JOIN sanctions AS ban ON ban.person = people.id AND ban.kind = 'ban'"
    " LEFT JOIN sanctions AS mute ON mute.person = people.id AND mute.kind = 'mute'"
    " WHERE sessions.id = ?"
)
_BEGUN = "SELECT begun FROM sessions WHERE id = ?"
FIRST_SECONDS = 600.0
"""How long the page on which a guest began can act for them without their cookie."""
KEPT_TOKENS = 4096
"""Tokens whose signature isn't checked again; whether their session is open always is."""
SEEN_SECONDS = 300.0
"""How often it is stored which sessions have been used since: never for each request."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Person:
    """A guest."""

    id: str
    name: str
    session: str = field(default="", compare=False)
    """The session of the request that they sent."""
    banned: str = field(default="", compare=False)
    """Why they may no longer act; empty if they may."""
    silenced: str = field(default="", compare=False)
    """Why they may no longer write to others; empty if they may."""
    unread: bool = field(default=False, compare=False)
    """Whether the operator says something that they haven't read."""
    looks: str = field(default="", compare=False)
    """How pages look to them: see ``profiles.LOOKS``."""


@dataclass
class _Newcomer:
    name: str
    device: str
    session: str
    requests: int = 1
    """How many requests would make them."""


class People:
    """The guests of a store, and the signatures that identify them."""

    def __init__(self, store: Store, folder: Path) -> None:
        self._store = store
        self._newcomers: dict[str, _Newcomer] = {}
        """The guests who aren't stored yet, by id."""
        self.keys = keys = _keys(folder / KEY_FILE)
        """The server's keys, the newest last."""
        self.key = keys[-1].encode()
        """What servers of the same site have in common and nobody else knows."""
        self._signer = URLSafeSerializer(keys, salt="person")
        self._newest = URLSafeSerializer(keys[-1], salt="person")
        self._signed = lru_cache(maxsize=KEPT_TOKENS)(self._read)
        """Returns what a token says, and raises ``BadSignature`` if it isn't ours."""
        self._seen: dict[str, float] = {}
        """When sessions were used since that was last stored."""

    async def new(self, name: str = "", device: str = UNKNOWN) -> Person:
        """Create a guest, with a name if one is given, who is signed in on a device."""
        person = self.newcomer(name, device)
        await self.keep(person)
        return person

    def newcomer(self, name: str = "", device: str = UNKNOWN, mark: str = "") -> Person:
        """Return a new guest who isn't stored before :meth:`keep`, and not at all if it fails.

        With the ``mark`` of a page it is the same guest each time, however often its forms are sent
        before the cookie arrives.
        """
        name = clean_name(name) if name.strip() else f"Guest {secrets.randbelow(900) + 100}"
        if not mark:
            person = Person(new_id(16), name, secrets.token_urlsafe(16))
        else:
            person = Person(self._from_mark("person", mark), name, self._from_mark("session", mark))
            if (twin := self._newcomers.get(person.id)) is not None:
                twin.requests += 1
                return replace(person, name=twin.name)
        self._newcomers[person.id] = _Newcomer(name, device, person.session)
        return person

    async def begun_with(self, mark: str) -> Person | None:
        """Return the guest who began on the page with this mark a moment ago, if there is one."""
        session = self._from_mark("session", mark)
        return await self._in_session(session) if await self._is_new(session) else None

    async def _is_new(self, session: str) -> bool:
        begun = await self._store.find(_BEGUN, session)
        return begun is not None and abs(CLOCK.now() - begun[0]) < FIRST_SECONDS

    def _from_mark(self, what: str, mark: str) -> str:
        return hmac.digest(self.key, f"{what} {mark}".encode(), "sha256").hex()[:32]

    async def keep(self, person: Person) -> None:
        """Store a newcomer, by the name that they have now, and their first session."""
        newcomer = self._newcomers.pop(person.id, None)
        if newcomer is None:
            return
        now = CLOCK.now()
        row = {"id": person.id, "name": newcomer.name, "created": now, "seen": now}

        def job(connection: sa.Connection) -> None:
            connection.execute(sa.insert(people).values(row))
            sessions.begin(connection, person.id, newcomer.device, newcomer.session)

        try:
            await self._store.run(job)
        except IntegrityError as error:  # a page's guest: made by another process just now, or old
            if not await self._is_new(newcomer.session):
                raise Stale("this page is too old: load it again") from error

    def dismiss(self, person: Person) -> None:
        """Forget a newcomer whose request has failed; those who are stored stay."""
        newcomer = self._newcomers.get(person.id)
        if newcomer is not None:
            newcomer.requests -= 1
            if not newcomer.requests:
                del self._newcomers[person.id]

    async def known(self, token: str | None) -> Person | None:
        """Return the person of a cookie or bearer token; None if its session isn't open."""
        session = self.session_of(token)
        return await self._in_session(session) if session else None

    def session_of(self, token: str | None) -> str:
        """Return the session that a token is of, open or not; empty if we didn't sign it."""
        try:
            return self._signed(token)[0] if token else ""
        except BadSignature:
            return ""

    def is_stale(self, token: str) -> bool:
        """Return whether a valid cookie has to be set again.

        Browsers forget a cookie after a time, and an old key is to be deleted one day.
        """
        _, day, newest = self._signed(token)
        return not newest or abs(_today() - day) >= RENEWED_DAYS

    def _read(self, token: str) -> tuple[str, int, bool]:
        """Return the session of a token, the day it was signed, and whether by the newest key."""
        said = self._signer.loads(token)
        session, day = said if isinstance(said, list) else (said, 0)
        try:
            self._newest.loads(token)
        except BadSignature:
            return session, day, False
        return session, day, True

    async def _in_session(self, session: str) -> Person | None:
        found = await self._store.find(_WHO, session)
        if found is None:
            return None
        self._seen[session] = CLOCK.now()
        number, name, banned, ban_ends, silenced, mute_ends, unread, looks = found
        now = CLOCK.now()
        lasts = [ends is None or ends > now for ends in (ban_ends, mute_ends)]
        banned, silenced = (
            why if why and last else "" for why, last in zip((banned, silenced), lasts, strict=True)
        )
        return Person(number, name, session, banned, silenced, unread > 0, looks or "")

    async def sessions_of(self, person: Person) -> list[DeviceSession]:
        """Return a person's sessions, the last used first."""
        return await self._store.run(sessions.sessions_of, person.id, self._seen)

    async def keep_seen(self) -> None:
        """Store when sessions were last used."""
        seen, self._seen = self._seen, {}
        if seen:
            await self._store.run(sessions.note_seen, seen)

    async def sweep(self) -> None:
        """Store from time to time when sessions were last used, until canceled."""
        while True:
            await asyncio.sleep(SEEN_SECONDS)
            try:
                await self.keep_seen()
            except RedoubleError as error:
                _log.error("it can't be stored when people were last seen: %s", error)

    def token(self, person: Person) -> str:
        """Return the token that identifies the person in this session."""
        token = self._signer.dumps([person.session, _today()])
        return token if isinstance(token, str) else token.decode("ascii")

    async def rename(self, person: Person, name: str) -> Person:
        """Change a person's name. Tables keep the name that the person sat down with."""
        name = clean_name(name)
        if person.id in self._newcomers:
            self._newcomers[person.id].name = name
            return replace(person, name=name)
        change = sa.update(people).where(people.c.id == person.id).values(name=name)
        await self._store.run(lambda c: c.execute(change) and None)
        return replace(person, name=name)


def new_id(size: int) -> str:
    """Return a random id of this many bytes, for addresses and command lines.

    It doesn't begin with a hyphen: a command would take it for an option.
    """
    while (found := secrets.token_urlsafe(size)).startswith("-"):
        pass
    return found


def lock(connection: sa.Connection, person: str) -> None:
    """Let the jobs that count what a person has run one after the other, at all servers."""
    connection.execute(sa.select(people.c.id).where(people.c.id == person).with_for_update())


def existing(connection: sa.Connection, ids: Iterable[str]) -> set[str]:
    """Return those of these people whose data weren't deleted."""
    found = connection.execute(sa.select(people.c.id).where(people.c.id.in_(list(ids))))
    return set(found.scalars())


def name_of(connection: sa.Connection, person: str) -> str:
    """Return a person's name now. Raises :class:`NotFound` if their data was deleted."""
    found = connection.execute(sa.select(people.c.name).where(people.c.id == person)).scalar()
    if found is None:
        raise NotFound("this player's data was deleted")
    return str(found)


def _today() -> int:
    return int(CLOCK.now() // (24 * 3600))


def is_guest(person: Person) -> bool:
    """Return whether a person still has the name that they were given."""
    return re.fullmatch(r"Guest \d+", person.name) is not None


def clean_name(name: str) -> str:
    """Return a name without characters that nobody sees. Raises :class:`WebError`."""
    name = visible(name)
    if not name:
        raise WebError("the name is empty: use at least one visible character")
    if len(name) > NAME_LENGTH:
        raise TooLarge(f"the name is too long: use at most {NAME_LENGTH} characters")
    WORDS.check_name(name)
    return name


def _keys(path: Path) -> list[str]:
    """Return the server's keys, the one that signs last, as the signer wants them.

    Each line of the file is a key. The first one signs, and those below it are still accepted. The
    file is created if missing; only its owner can read it.
    """
    try:
        keys = path.read_text(encoding="utf-8-sig").split()
    except FileNotFoundError:
        return [_new_key(path)]
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} can't be read: {error}") from error
    if not keys or any(len(key) < KEY_BYTES for key in keys):
        raise StoreError(
            f"{path} doesn't contain a key: delete it to get a new one, but then everyone "
            "becomes a new guest"
        )
    with contextlib.suppress(OSError):  # another user's file
        path.chmod(0o600)
    return keys[::-1]


def _new_key(path: Path) -> str:
    key = secrets.token_urlsafe(KEY_BYTES)
    # Named when complete, so that no half key is ever used, and only if no process was first.
    new = path.with_suffix(f".{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(new, path)
        except FileExistsError:
            pass
        except (OSError, AttributeError):  # a file system, or a browser, without links
            new.replace(path)
        new.unlink(missing_ok=True)
        return path.read_text(encoding="ascii").split()[0]
    except OSError as error:
        raise StoreError(f"{path} can't be written: {error.strerror}") from error
