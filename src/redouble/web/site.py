"""What the pages and the interface for programs share."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
import sqlalchemy as sa
from fastapi.responses import HTMLResponse

from redouble.analysis.turning import TurningPoint, reviewed_points, turning_points
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.match.record import Record
from redouble.web.drawing.sharing import Pictures
from redouble.web.drawing.templates import environment
from redouble.web.errors import Outdated, StoreError, TooLarge, TooMuch, WebError
from redouble.web.features.company import reports
from redouble.web.features.daily.rows import finish_try
from redouble.web.features.daily.tries import Dailies
from redouble.web.features.notices.addresses import Seal
from redouble.web.features.notices.own import MAIL, SERVICES, OwnAddresses
from redouble.web.features.notices.push import Push
from redouble.web.features.notices.reminders import Reminders
from redouble.web.features.notices.wishes import OWN, PUSH
from redouble.web.features.premoves.premoves import Premover
from redouble.web.features.ratings.rows import change_at, note_hint, rate
from redouble.web.features.study import record_rows
from redouble.web.features.study.reviewer import Reviewer
from redouble.web.features.study.reviews import Reviews
from redouble.web.features.study.saved import SavedGame, replay_of
from redouble.web.limits import LIMITS, Allowances, Limits, Proxies, Rates, Refusals
from redouble.web.live import lists, table_rows
from redouble.web.live.drawings import Slot
from redouble.web.live.exchange import Exchange
from redouble.web.live.live import Live
from redouble.web.live.pipeline import Command
from redouble.web.live.plan import TablePlan, clean_seed
from redouble.web.live.streams import Streams
from redouble.web.live.tables import Tables
from redouble.web.people import mutes
from redouble.web.people.people import People, Person, clean_name, is_guest
from redouble.web.people.repeats import Repeats, new_mark
from redouble.web.people.results import Progress, Statistics, progress, results_of, statistics
from redouble.web.personal import PersonalData
from redouble.web.store import Store, open_store
from redouble.web.store.clock import CLOCK, stored_state
from redouble.web.table import Act, Sender, Table
from redouble.web.table.acts.seats import Claiming, sit
from redouble.web.table.acts.talk import fellow_player, mute, other_person, unmute
from redouble.web.table.wordlist import WORDS
from redouble.web.thinking.compiler import Compiler, compiler_here
from redouble.web.thinking.hints import Hints, TableHint
from redouble.web.thinking.pools import Pool, Slots
from redouble.web.watchers import Watchers, metered, spent


def titles_of_games() -> str:
    """Return the titles of all games, as a page lists them in a sentence."""
    return ", ".join(game.title for game in GAMES.values())


MESSAGES = (PUSH, MAIL, SERVICES)
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


@dataclass(kw_only=True)
class Site:
    """A running site: its store, its people, its tables and its background services."""

    store: Store
    people: People
    tables: Tables
    compiler: Compiler
    hints: Hints
    reviews: Reviews
    reviewer: Reviewer
    dailies: Dailies
    env: jinja2.Environment
    pictures: Pictures
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
    seal: Seal
    push: Push
    own: OwnAddresses
    reminders: Reminders
    premover: Premover
    repeats: Repeats
    """What was asked for lately, so that a repeat changes nothing."""
    streams: Streams = field(default_factory=Streams)
    watchers: Watchers = field(default_factory=Watchers)
    """Hear what happens: the log, figures and traces."""
    written: Written = field(default_factory=Written)
    """The last write that a health check has made."""
    proxies: Proxies = field(default_factory=Proxies)
    data: tuple[PersonalData, ...] = ()
    """What becomes of people's data."""
    operator: str = ""
    """Who runs the server, and how to reach them."""
    hosts: frozenset[str] = frozenset()
    """The names that the site answers to; any if there are none."""

    @classmethod
    def open(
        cls,
        folder: Path,
        limits: Limits = LIMITS,
        database: str = "",
        shared: bool = False,
    ) -> Site:
        """Open a data folder.

        ``database`` is the address of a PostgreSQL database to use instead of the folder's own.
        If it is ``shared``, other servers may use it at the same time. Raises :class:`StoreError`
        if the database can't be used.
        """
        watchers = Watchers()
        store = open_store(database or folder, shared=shared, watcher=watchers)
        try:
            if (clock := store.call(stored_state).result()) is not None:
                CLOCK.start(clock.seen)
            compiler = compiler_here()
            people = People(store, folder)
            tables = Tables(store, compiler, limits, at_end=_at_end, watcher=watchers)
            searches = Pool("searches", limits.searches_waiting)
            # One at a time: they are plain Python, which shares the core with the other pages.
            imports = Pool("imported games", limits.uploads_waiting, 1, metered)
            renderings = Pool("long pages", MAX_RENDERINGS, 1, metered)
            env, rates = environment(), Rates(key=people.key)
            bus = store.database.bus()
            exchange = Exchange(store, tables.memory, tables.neighbors, rates, bus)
            reviewer = Reviewer(store, compiler, exchange.has_workers, watchers.reviewed)
            seal = Seal(people.keys)
            push, own = Push(store, seal), OwnAddresses(seal, people.key)
            return cls(
                store=store,
                people=people,
                tables=tables,
                compiler=compiler,
                hints=Hints(compiler, searches),
                reviews=Reviews(store, reviewer),
                reviewer=reviewer,
                dailies=Dailies(store, tables),
                env=env,
                pictures=Pictures(env),
                limits=limits,
                refusals=Refusals(watchers),
                rates=rates,
                searches=searches,
                imports=imports,
                renderings=renderings,
                slots=Slots(limits.renderings_per_client, spent),
                exchange=exchange,
                premover=Premover(store, tables),
                push=push,
                own=own,
                seal=seal,
                reminders=Reminders(store, tables.get, {PUSH: push, OWN: own}, own.code, watchers),
                repeats=Repeats(store),
                watchers=watchers,
            )
        except StoreError:
            store.close()
            raise

    def tell_by(self, ways: Collection[str], site_address: str, mail: str) -> None:
        """Tell people something in these ways only, which are some of ``MESSAGES``."""
        self.push.allowed = PUSH in ways
        self.own.allowed = frozenset(ways)
        self.own.site_address, self.own.mail = site_address, mail

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
                lambda table: sit(table, person.id, name, seat, share, promise, zone),
            )
            if name != person.name:
                await self.people.rename(person, name)
        live.mark_seen(person)

    async def mute(self, person: Person, other: str, here: str) -> None:
        """Let a person hear nothing of another one, ``here`` and at all tables that they share."""
        me = person.id
        await self.store.run(lambda c: mutes.mute(c, me, other))
        await self._everywhere(me, other, here, lambda t: mute(t, [(me, other)]))

    async def unmute(self, person: Person, other: str, here: str = "") -> None:
        """Let a person hear another one again."""
        me = person.id
        await self.store.run(lambda c: mutes.unmute(c, me, other))
        await self._everywhere(me, other, here, lambda t: unmute(t, me, other))

    async def _everywhere(self, person: str, other: str, here: str, command: Command) -> None:
        """Carry out a command at the tables that two people share, and ``here``."""
        shared = await self.store.run(lambda c: lists.shared_by(c, person, other))
        for token in dict.fromkeys([here, *shared] if here else shared):
            with contextlib.suppress(WebError):  # over meanwhile, or its log is full
                await self.tables.act(await self.tables.get(token), command)

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
                await self.store.run(lambda c: note_hint(c, token, seat))
        hint = await self.hints.hint(observation, table.match.names, at)
        async with live.lock:
            if live.table.last_move == at and not hint.coming:
                live.drawn.of(_HINTS)[seat] = hint
        return hint

    async def alone(self, person: Person, game: Game) -> Statistics:
        """Return a person's results in a game for one player."""
        results = await self.store.run(lambda c: results_of(c, person.id, game.name))
        return statistics(row for row in results if row["seats"] == 1)

    async def turns(self, person: Person | None) -> lists.Turns:
        """Return a person's unfinished tables, with those where it is their turn."""
        if person is None:
            return lists.Turns((), ())
        return await self.store.run(lambda c: lists.turns(c, person.id))

    async def progress(self, person: Person, table: Table) -> Progress | None:
        """Return what the end of a game changed in the results of a player.

        Games alone and with others are counted apart. None for a person who has several seats, or
        none, and while the game runs.
        """
        if not table.over or len(table.seats_of(person.id)) != 1:
            return None
        token = table.header.token
        results, rating = await self.store.run(
            lambda c: (results_of(c, person.id, table.game.name), change_at(c, person.id, token))
        )
        alike = (row for row in results if (row["seats"] == 1) == table.alone)
        return progress(alike, token, rating)

    async def turning_points(self, live: Live) -> tuple[TurningPoint, ...]:
        """Return where a table's game turned: by its review, if there is one. None before the end.

        They are found once; looking for a review is all that is done for each page.
        """
        table = live.table
        if not table.over_by_rules:
            return ()
        record = table.record()
        review = await self.reviews.found_for(record)
        found_from = (record.moves, review is not None)
        if live.turning[0] != found_from:
            if review is None:
                points = await self.renderings.run(turning_points, table.match.copy())
            else:
                replay = await self.renderings.run(replay_of, str(record))
                points = await self.renderings.run(reviewed_points, replay, review)
            live.turning = found_from, points
        return live.turning[1]

    async def create(self, person: Person, plan: TablePlan) -> Live:
        """Make a table. Raises :class:`Sealed` if the plan's seed is that of a daily deal."""
        if plan.seed is not None:
            await self.dailies.check_unsealed(person, plan.game.name, clean_seed(plan.seed))
        return await self.tables.create(person, plan)

    async def table(self, token: str, person: Person | None) -> Live:
        """Return a table that a person may look at.

        Raises :class:`NotFound`, and :class:`Sealed` if they could learn a daily deal's cards.
        """
        live = await self.tables.get(token)
        table = live.table
        if not table.seats_of(person.id if person else None):
            await self.dailies.check_unsealed(person, table.game.name, table.match.seed)
        return live

    async def table_record(self, token: str, person: Person | None) -> Record:
        """Return the record of a table that is over, or whose rules aren't here any more.

        Raises :class:`NotYours` while the game runs, and what :meth:`table` raises.
        """
        try:
            live = await self.table(token, person)
        except Outdated:
            record = await self.store.run(lambda c: table_rows.outdated_record(c, token))
            await self.dailies.check_unsealed(person, record.game, record.seed)
            return record
        async with live.lock:
            return live.table.record()

    async def table_played(self, token: str, person: Person | None) -> SavedGame:
        """Return the game of a table. Raises :class:`NotYours` before it is over."""
        table = (await self.table(token, person)).table
        return SavedGame(await self.renderings.run(replay_of, str(table.record())), table=token)

    async def seats_played(self, played: SavedGame, person: Person | None) -> list[int]:
        """Return the seats that a person had at a game's table; none for an imported game."""
        if not played.table:
            return []
        return (await self.tables.get(played.table)).table.seats_of(person.id if person else None)

    async def record_played(self, token: str, person: Person | None) -> SavedGame:
        """Return an imported game. Raises :class:`NotFound`, and :class:`Sealed` as ``table``."""
        line = await self.record_line(token, person)
        return SavedGame(await self.renderings.run(replay_of, line), record=token)

    async def record_line(self, token: str, person: Person | None) -> str:
        """Return the line of an imported record. Raises as :meth:`record_played` does."""
        line = await self.store.run(lambda c: record_rows.record_line(c, token))
        record = Record.parse(line)
        await self.dailies.check_unsealed(person, record.game, record.seed)
        return line

    async def rendered(self, name: str, status: int = 200, **context: Any) -> HTMLResponse:
        """Return a page that takes long, drawn in a thread of its own."""
        return await self.renderings.run(self.page, name, status, **context)

    def page(self, name: str, status: int = 200, **context: Any) -> HTMLResponse:
        """Return a page made from a template, with a mark for its forms."""
        html = self.env.get_template(name).render({"page_mark": new_mark()} | context)
        return HTMLResponse(html, status)


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

    async def mute(self, seat: int, muted: bool) -> None:
        """Let the person hear nothing of the one at another seat, or hear them again."""
        other = _not_gone(fellow_player(self.table, self.person.id, seat))
        change = self.site.mute if muted else self.site.unmute
        await change(self.person, other, self.table.header.token)

    async def report(self, seat: int, why: str) -> None:
        """Report the person at another seat to the operator, once; open to spectators."""
        other = _not_gone(other_person(self.table, self.person.id, seat))
        why = why.strip()
        if len(why) > reports.WHY_LENGTH:
            raise TooLarge(f"the report is too long: at most {reports.WHY_LENGTH} characters")
        me, token, ply = self.person.id, self.table.header.token, self.table.ply
        await self.site.store.run(lambda c: reports.report(c, me, other, token, ply, why))


async def at_table(site: Site, token: str, person: Person) -> At:
    """Return a person at a table, which takes this as a sign of life."""
    live = await site.table(token, person)
    live.mark_seen(person)
    return At(site, live, person)


def _not_gone(person: str) -> str:
    """Return a person's id. Raises :class:`WebError` if they have deleted their data."""
    if person.startswith(lists.GONE):
        raise WebError("this player has deleted their data")
    return person


def _at_end(connection: sa.Connection, table: Table) -> None:
    """Note what the end of a game means besides its results."""
    finish_try(connection, table)
    rate(connection, table)
