"""The tables in memory: loaded when they are asked for, and kept as the database has them."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from redouble.kernel.errors import RedoubleError
from redouble.web.errors import NotFound, StoreError, WebError
from redouble.web.live import table_rows
from redouble.web.live.fair import Secrets
from redouble.web.live.live import Live, Waker, end_streams
from redouble.web.live.plan import rematch_secret
from redouble.web.store import Store
from redouble.web.table import Entry, Table, apply
from redouble.web.table.pace import moment_seconds
from redouble.web.watchers import metered

LOOK_UPS, LOOK_UP_SECONDS = 20, 0.5
"""How often and how long apart it is looked up whether an unconfirmed change was saved."""
GONE = "this table was deleted"
NO_TABLE = ""
"""Stands for a table where servers say who has any page open."""
_STANDS = (
    "SELECT rewritten,"
    " COALESCE((SELECT MAX(ply) + 1 FROM log WHERE log.token = tables.token), 0)"
    " FROM tables WHERE token = ?"
)
"""How often a table was rewritten, and the length of its log."""


class OpenPages:
    """The streams that tell people something about themselves, on whatever page."""

    def __init__(self) -> None:
        self._wakers: dict[str, set[Waker]] = {}

    def people(self) -> list[str]:
        """Return the ids of the people who have a page open here."""
        return list(self._wakers)

    def wake(self, person: str) -> None:
        """Let the pages of a person look whether there is something new for them."""
        for waker in self._wakers.get(person, ()):
            waker.set()

    def wake_all(self) -> None:
        """Wake all pages, so that they end when the server does."""
        for person in self._wakers:
            self.wake(person)

    def end_streams(self, sessions: frozenset[str]) -> None:
        """End the streams of these sessions."""
        end_streams((one for some in self._wakers.values() for one in some), sessions)

    @contextlib.contextmanager
    def watched(self, person: str, waker: Waker) -> Iterator[None]:
        """Count a stream as an open page of a person."""
        self._wakers.setdefault(person, set()).add(waker)
        try:
            yield
        finally:
            self._wakers[person].discard(waker)
            if not self._wakers[person]:
                del self._wakers[person]


class Memory:
    """The tables in memory.

    ``changed`` is called with each table that was loaded, or that has caught up with others,
    outside its lock.
    """

    def __init__(self, store: Store, secrets: Secrets, changed: Callable[[Live], None]) -> None:
        self._store = store
        self._secrets = secrets
        self._changed = changed
        self.pages = OpenPages()
        self._live: dict[str, Live] = {}
        self._loading: dict[str, asyncio.Task[Live]] = {}
        self._unsure: set[str] = set()
        """Tables that may be behind the database, until it is back."""

    def __len__(self) -> int:
        return len(self._live)

    def __iter__(self) -> Iterator[Live]:
        return iter(list(self._live.values()))

    def find(self, token: str) -> Live | None:
        """Return a table if it is in memory."""
        return self._live.get(token)

    def add(self, table: Table) -> Live:
        """Take in a table that was just made."""
        live = self._live[table.header.token] = Live(table)
        return live

    async def get(self, token: str) -> Live:
        """Return the table with this token as it stands, loaded if necessary.

        Raises :class:`NotFound`.
        """
        if (live := self._live.get(token)) is None:
            if token not in self._loading:
                self._loading[token] = asyncio.create_task(self._load(token))
            live = await asyncio.shield(self._loading[token])
        elif self._store.shared:
            await self._look_again(live)
        live.used = time.monotonic()
        return live

    async def one_of(self, tokens: frozenset[str]) -> Live | None:
        """Return one of these tables that is in memory or being loaded; None if there is none."""
        for token in tokens & self._loading.keys():
            with contextlib.suppress(WebError):
                await asyncio.shield(self._loading[token])
        return next((self._live[token] for token in tokens & self._live.keys()), None)

    async def reload(self, tokens: Iterable[str]) -> None:
        """Load these tables again if they are in memory: another process has changed them."""
        for token in set(tokens):
            live = await self.one_of(frozenset((token,)))
            if live is not None:
                async with live.lock:
                    await self.catch_up(live)
                self._changed(live)

    def show(self, live: Live, table: Table) -> None:
        """Replace a table by itself with more entries, and wake its pages."""
        if table.match.ply > live.table.match.ply and live.watched:
            kinds = table.match.moment_kinds()
            seats = len(table.seats)
            live.pause(sum(moment_seconds(table.pace, kind, seats) for kind in kinds))
        live.table = table
        self._offer_rematch(live)
        live.touch()

    async def catch_up(self, live: Live) -> None:
        """Add what another process has written to a table, or drop the table if it is deleted.

        The caller holds the table's lock.
        """
        table = live.table
        try:
            token = table.header.token
            entries = await self._store.run_at(token, lambda c: table_rows.news(c, table))
            if entries is None:
                self.show(live, await self._stored(token))
            elif entries:
                self.show(live, await asyncio.to_thread(metered(_with_entries), table, entries))
        except NotFound:
            self.drop(live)

    async def was_saved(self, live: Live, entries: Sequence[Entry]) -> bool | None:
        """Look up whether entries are in the log whose commit the database didn't confirm.

        None if it isn't back in time; the table is loaded again later.
        """
        token, first = live.table.header.token, entries[0].ply
        for _ in range(LOOK_UPS):
            try:
                _, found = await self._store.run_at(token, lambda c: table_rows.stored(c, token))
                return found[first : first + len(entries)] == list(entries)
            except NotFound:
                return False
            except StoreError:
                await asyncio.sleep(LOOK_UP_SECONDS)
        self._unsure.add(token)
        return None

    def take_unsure(self) -> frozenset[str]:
        """Return the tables that may be behind the database since it was lost, and forget them."""
        unsure, self._unsure = frozenset(self._unsure), set()
        return unsure

    def stands(self) -> dict[str, tuple[int, int]]:
        """Return how often the tables were rewritten, and the lengths of their logs."""
        return {
            token: (live.table.header.rewritten, live.table.ply)
            for token, live in self._live.items()
            if not live.lock.locked()
        }

    def watchers(self) -> dict[str, list[str]]:
        """Return the ids of the people who have tables open here, by the tables' tokens.

        Those with any page open are listed under ``NO_TABLE``.
        """
        watched = {
            token: live.presence.watching_here()
            for token, live in self._live.items()
            if live.watched
        }
        here = self.pages.people()
        return watched | ({NO_TABLE: here} if here else {})

    def visitors(self, seconds: float) -> dict[str, list[str]]:
        """Return who without a script was at tables lately, by the tables' tokens."""
        found = {token: live.presence.visiting(seconds) for token, live in self._live.items()}
        return {token: people for token, people in found.items() if people}

    def end_streams(self, sessions: Iterable[str]) -> None:
        """End the streams of sessions that have ended."""
        ended = frozenset(sessions)
        if ended:
            self.pages.end_streams(ended)
            for live in self:
                live.end_streams(ended)

    def drop(self, live: Live) -> None:
        """Stop serving a table."""
        self._live.pop(live.table.header.token, None)
        live.dropped = True
        live.touch()

    def put_away(self, idle: float) -> None:
        """Unload tables that weren't used for ``idle`` seconds; the next visit loads them again."""
        now = time.monotonic()
        for token, live in list(self._live.items()):
            busy = live.watched or live.lock.locked() or live.robot or live.dealer
            if not busy and now - live.used >= idle:
                del self._live[token]

    async def _load(self, token: str) -> Live:
        try:
            live = self._live[token] = Live(await self._stored(token))
            self._offer_rematch(live)
            self._changed(live)
            return live
        finally:
            del self._loading[token]

    async def _stored(self, token: str) -> Table:
        header, entries = await self._store.run_at(token, lambda c: table_rows.stored(c, token))
        # A long log takes time.
        return await asyncio.to_thread(metered(table_rows.folded), header, entries)

    async def _look_again(self, live: Live) -> None:
        """Catch up with other processes if they have written to a table.

        Raises :class:`NotFound` if it was deleted.
        """
        header = live.table.header
        stands = await self._store.find(_STANDS, header.token)
        if stands == (header.rewritten, live.table.ply):
            return
        async with live.lock:
            await self.catch_up(live)
        if live.dropped:
            raise NotFound(GONE)
        self._changed(live)

    def _offer_rematch(self, live: Live) -> None:
        if live.table.over and live.table.header.fair is not None:
            live.next_commitment = self._secrets.commitment(rematch_secret(live.table))


def _with_entries(table: Table, entries: Iterable[Entry]) -> Table:
    """Return a table with more entries. Raises :class:`NotFound` if they don't apply."""
    longer = table.copy()
    try:
        for entry in entries:
            apply(longer, entry)
    except RedoubleError as error:
        raise NotFound(f"this table can't be loaded: {error}") from error
    return longer
