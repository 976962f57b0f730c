"""What the pages and the interface for programs share."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import jinja2
import sqlalchemy as sa
from fastapi.responses import HTMLResponse

from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.match.record import Record
from redouble.web.drawing.templates import environment
from redouble.web.errors import Outdated, StoreError, TooMuch, WebError
from redouble.web.limits import LIMITS, Allowances, Limits, Proxies, Rates, Refusals
from redouble.web.live import lists, table_rows
from redouble.web.live.exchange import Exchange
from redouble.web.live.hooks import Hooks
from redouble.web.live.live import Live, Slot
from redouble.web.live.plan import TablePlan, clean_seed
from redouble.web.live.tables import Tables
from redouble.web.people.people import People, Person, clean_name, is_guest
from redouble.web.people.repeats import Repeats, new_mark
from redouble.web.store import Store, open_store
from redouble.web.store.clock import CLOCK, stored_state
from redouble.web.table import Act, Sender, Table
from redouble.web.table.acts.seats import Claiming, sit
from redouble.web.table.wordlist import WORDS
from redouble.web.thinking.compiler import Compiler, compiler_here
from redouble.web.thinking.hints import Hints, TableHint
from redouble.web.thinking.pools import Pool, Slots, Streams
from redouble.web.watchers import Watchers, metered, spent


def titles_of_games() -> str:
    """Return the titles of all games, as a page lists them in a sentence."""
    return ", ".join(game.title for game in GAMES.values())


WAYS = ("push", "mail", "services")
"""The ways to tell people something that an operator can leave out."""
MAX_RENDERINGS = 200
"""Long pages that wait to be drawn."""
_HINTS = Slot[int, TableHint]()
"""By the seat."""


@dataclass(frozen=True)
class Written:
    """A write that showed whether the database can be written."""

    at: float = -math.inf
    """By a clock that is never set back."""
    problem: str = ""
    """Why it failed; empty if it didn't."""


@dataclass(frozen=True)
class Telling:
    """How a site may tell people something while they are away."""

    ways: frozenset[str] = frozenset(WAYS)
    site_address: str = ""
    """Where the site is, such as ``https://example.org``: messages link to it."""
    mail: str = ""
    """The mail server and sender, as an address of Apprise."""


class Service:
    """What a feature runs while a site is open."""

    async def follow(self) -> None:
        """Work in the background, until canceled or done."""

    def stop(self) -> None:
        """Begin nothing more, because the site is about to close."""

    async def close(self) -> None:
        """Wait for what can't be canceled."""


WorkerServices = Callable[[Store, Compiler, Watchers], Iterable[Service]]
"""Returns what runs in a process that takes work off the servers of a database."""
AnyService = TypeVar("AnyService")
SealCheck = Callable[["Site", Person | None, str, str], Awaitable[None]]
"""Raises :class:`Sealed` if a person may not see the cards of a game's deal, given by its seed."""


@dataclass(kw_only=True)
class Site:
    """A running site: its store, its people, its tables and its background services."""

    store: Store
    people: People
    tables: Tables
    compiler: Compiler
    hints: Hints
    env: jinja2.Environment
    limits: Limits
    refusals: Refusals
    rates: Rates
    searches: Pool
    """What hints and the solver think in."""
    imports: Pool
    """Checks imported games."""
    renderings: Pool
    """Draws pages that take long."""
    slots: Slots
    """Of what takes long, each client's share."""
    exchange: Exchange
    repeats: Repeats
    """What was asked for lately, so that a repeat changes nothing."""
    seals: tuple[SealCheck, ...]
    services: dict[type[Any], Any] = field(default_factory=dict)
    """What features keep at hand while the site is open, by class."""
    streams: Streams = field(default_factory=Streams)
    watchers: Watchers = field(default_factory=Watchers)
    """Are called with what happens: the log, figures and traces."""
    written: Written = field(default_factory=Written)
    """The last write that a health check has made."""
    proxies: Proxies = field(default_factory=Proxies)
    operator: str = ""
    """Who runs the server, and how to reach them."""
    telling: Telling = field(default_factory=Telling)
    hosts: frozenset[str] = frozenset()
    """The names that the site answers to; any if there are none."""

    @classmethod
    def open(
        cls,
        folder: Path,
        limits: Limits = LIMITS,
        database: str = "",
        shared: bool = False,
        *,
        tables: Iterable[sa.Table],
        hooks: Sequence[Hooks] = (),
        seals: Iterable[SealCheck] = (),
        templates: Mapping[str, Path] | None = None,
    ) -> Site:
        """Open a data folder, with the ``tables`` of its database, what features want to know
        and their ``templates``.

        ``database`` is the address of a PostgreSQL database to use instead of the folder's own.
        If it is ``shared``, other servers may use it at the same time. Raises :class:`StoreError`
        if the database can't be used.
        """
        watchers = Watchers()
        store = open_store(database or folder, tables, shared=shared, watcher=watchers)
        try:
            if (clock := store.call(stored_state).result()) is not None:
                CLOCK.start(clock.seen)
            compiler = compiler_here()
            people = People(store, folder)
            playing = Tables(store, compiler, limits, hooks=hooks, watcher=watchers)
            searches = Pool("searches", limits.searches_waiting)
            rates, bus = Rates(key=people.key), store.database.bus()
            return cls(
                store=store,
                people=people,
                tables=playing,
                compiler=compiler,
                hints=Hints(compiler, searches),
                env=environment(templates or {}),
                limits=limits,
                refusals=Refusals(watchers),
                rates=rates,
                searches=searches,
                # One at a time: they are plain Python, which shares the core with the other pages.
                imports=Pool("imported games", limits.uploads_waiting, 1, metered),
                renderings=Pool("long pages", MAX_RENDERINGS, 1, metered),
                slots=Slots(limits.renderings_per_client, spent),
                exchange=Exchange(store, playing.memory, playing.neighbors, rates, bus),
                repeats=Repeats(store),
                seals=tuple(seals),
                watchers=watchers,
            )
        except StoreError:
            store.close()
            raise

    def service(self, kind: type[AnyService]) -> AnyService:
        """Return what a feature keeps at hand, by its class."""
        found: AnyService = self.services[kind]
        return found

    def use_words(self, file: Path | None) -> None:
        """Allow none of a file's words in names and chat. Raises :class:`WordListError`."""
        WORDS.use(file)

    def now(self) -> float:
        """Return the time in seconds since 1970."""
        return CLOCK.now()

    async def sit(
        self,
        live: Live,
        person: Person,
        name: str = "",
        seat: int | None = None,
        share: str = "",
        promise: str = "",
        zone: str = "",
    ) -> None:
        """Take an open seat, the first one unless ``seat`` is given, and the name ``name``.

        A ``share``, or the ``promise`` of one, is for a deal that waits for the players' shares.
        The time ``zone`` is noted where nights or weekends are off.

        A person who already has a seat stays as they are. Raises what :func:`.seats.sit` raises,
        and :class:`WebError` for a name that isn't allowed.
        """
        if not live.table.seats_of(person.id):
            name = clean_name(name) if name.strip() else person.name
            await self.tables.act(
                live,
                lambda table: sit(table, person.id, name, seat, share, promise, zone, CLOCK.now()),
            )
            if name != person.name:
                await self.people.rename(person, name)
        live.mark_seen(person)

    async def claim(self, live: Live, person: Person, seat: int) -> None:
        """Ask for a seat that was taken in another browser. Raises what the command raises."""
        claim, sender = Claiming(seat=seat, invite=live.table.header.invite), Sender(person.id)
        await self.tables.act(live, lambda table: claim.events(table, sender))
        if is_guest(person):
            await self.people.rename(person, live.table.seats[seat].name)

    def take_guest(self, address: str, route: str) -> Allowances:
        """Count a new guest, and return what to give back if they aren't stored after all.

        Each ``route`` is counted apart, so that whoever floods one doesn't close the others to
        their neighbors. Raises :class:`TooMuch` if too many guests have come, and :class:`Full`.
        """
        self.tables.disk.check()
        wanted: Allowances = [
            ("guests", f"{address} {route}", self.limits.new_guests_per_address),
            ("all guests", "", self.limits.new_guests),
        ]
        seconds, which = self.rates.take(wanted)
        if seconds > 0:
            raise TooMuch(
                "too many new players have come from your address: play on as one of them, or try "
                "again later"
                if which == "guests"
                else "too many new players are coming at the moment: try again in a few seconds",
                retry_after=math.ceil(seconds),
            )
        return wanted

    async def hint(self, live: Live, seat: int) -> TableHint | None:
        """Return a hint from what a seat knows; None if it isn't the seat's turn."""
        async with live.lock:
            table = live.table
            if table.header.compares:
                raise WebError("a deal that others play, too, is played without hints")
            if table.turn != seat or table.seats[seat].bot:
                return None
            kept = live.drawn.of(_HINTS).get(seat)
            if kept is not None:
                return kept
            observation, at = table.match.observation(), table.last_move
            owner = table.seats[seat].person
            if owner is not None and table.others(owner):
                token = table.header.token
                await self.store.run(self.tables.note_hint, token, seat)
        hint = await self.hints.hint(observation, table.match.names, at)
        async with live.lock:
            if live.table.last_move == at and not hint.coming:
                live.drawn.of(_HINTS)[seat] = hint
        return hint

    async def turns(self, person: Person | None) -> lists.Turns:
        """Return a person's unfinished tables, with those where it is their turn."""
        if person is None:
            return lists.Turns((), ())
        return await self.store.run(lists.turns, person.id)

    async def create(self, person: Person, plan: TablePlan) -> Live:
        """Make a table. Raises :class:`Sealed` if the plan's seed is that of a daily deal."""
        if plan.seed is not None:
            await self.check_unsealed(person, plan.game.name, clean_seed(plan.seed))
        return await self.tables.create(person, plan)

    async def table(self, token: str, person: Person | None) -> Live:
        """Return a table that a person may look at.

        Raises :class:`NotFound`, and :class:`Sealed` if they could learn a daily deal's cards.
        """
        live = await self.tables.get(token)
        table = live.table
        if not table.seats_of(person.id if person else None):
            await self.check_unsealed(person, table.game.name, table.match.seed)
        return live

    async def check_unsealed(self, person: Person | None, game: str, seed: str) -> None:
        """Raise :class:`Sealed` if a person may not see the cards of a deal yet."""
        for check in self.seals:
            await check(self, person, game, seed)

    async def table_record(self, token: str, person: Person | None) -> Record:
        """Return the record of a table that is over, or whose rules aren't here any more.

        Raises :class:`NotYours` while the game runs, and what :meth:`table` raises.
        """
        try:
            live = await self.table(token, person)
        except Outdated:
            record = await self.store.run(table_rows.outdated_record, token)
            await self.check_unsealed(person, record.game, record.seed)
            return record
        async with live.lock:
            return live.table.record()

    async def rendered(self, name: str, **context: Any) -> HTMLResponse:
        """Return a page that takes long, drawn in a thread of its own."""
        return await self.renderings.run(self.page, name, **context)

    def page(
        self, name: str, status: int = 200, error: RedoubleError | None = None, **context: Any
    ) -> HTMLResponse:
        """Return a page made from a template, with a mark for its forms.

        A page that asks again because of an ``error`` says it, and has its status.
        """
        if error is not None:
            status = getattr(error, "status", WebError.status)
        given = {"page_mark": new_mark(), "problem": error.sentence if error else ""}
        return HTMLResponse(self.env.get_template(name).render(given | context), status)


@dataclass(frozen=True)
class At:
    """A person at a table."""

    site: Site
    live: Live
    person: Person

    @property
    def table(self) -> Table:
        return self.live.table

    @property
    def sender(self) -> Sender:
        """The person as one who asks for something now."""
        return Sender(
            self.person.id,
            self.live.absent(),
            CLOCK.now(),
            self.person.name,
            hosting=self.live.host() == self.person.id,
            silenced=self.person.silenced,
        )

    async def do(self, act: Act) -> None:
        """Carry out what the person asks for. It is saved before this returns."""
        sender = self.sender
        await self.site.tables.act(self.live, lambda table: act.events(table, sender))


async def at_table(site: Site, token: str, person: Person) -> At:
    """Return a person at a table, which takes this as a sign of life."""
    live = await site.table(token, person)
    live.mark_seen(person)
    return At(site, live, person)
