"""Sends people who are away the notifications that they have asked for.

Each is a row of the database with a unique key. When its time has come and it is still true, one
process claims it and sends it; if that is killed before it has, another one takes over. Nobody is
notified of a turn that was played meanwhile.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import sqlalchemy as sa

from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError
from redouble.web.errors import NotFound, StoreError
from redouble.web.feature import Letter, MessageKind, features_of
from redouble.web.features.notices import letters, wishes
from redouble.web.features.notices.addresses import Delivery, addresses, addresses_of, note_delivery
from redouble.web.features.notices.lanes import Lane, Lanes
from redouble.web.features.notices.letters import Channel, Outgoing, QueuedLetter
from redouble.web.features.notices.letters import letters as queue
from redouble.web.features.notices.wishes import (
    AT_TABLES,
    CODE,
    FINISHED,
    LAST,
    OF_ALL,
    OUT,
    SUMMARY,
    TURN,
    WARNED,
    Wishes,
)
from redouble.web.live import lists
from redouble.web.live.live import Live
from redouble.web.people.mutes import unheard_by
from redouble.web.site import Service, Site
from redouble.web.store.clock import CLOCK, DAY
from redouble.web.store.schema import seats, tables
from redouble.web.table import Table
from redouble.web.table.acts.base import Entry
from redouble.web.table.acts.clocks import TimeOut
from redouble.web.table.clocks import FOR_GOOD, ONCE, UNTIL_BACK, left_in_words

LOOK_SECONDS = 15.0
"""How often it is looked what there is to tell."""
AFTER_SECONDS = 60.0
"""How long a turn or an invitation stands before people are notified."""
OLDEST_SECONDS = letters.KEPT_SECONDS - DAY
"""Nobody is notified of a turn that has lasted longer: that they were may be forgotten."""
STILL_HERE_SECONDS = 60.0
"""When it is looked again at a turn whose player has the table open."""
PAUSED_SECONDS = 900.0
"""When it is looked again at a turn in a pause."""
WARNING_SHARE, MIN_WARNING_SECONDS = 0.25, 1800.0
"""How much of the time for a move is left at a warning, and how long before its end it comes."""
AT_ONCE = 100
"""Tables that are looked at in one look."""
BATCH, ROUNDS = 20, 20
"""Messages that are read together, and how often in one look."""
CLOSING_SECONDS = 5.0
"""How long a site that closes waits for messages that are being sent."""
RAN_OUT = {
    ONCE: "A bot made this move for you.",
    UNTIL_BACK: "A bot plays for you until you are back.",
    FOR_GOOD: "A bot has taken over your seat.",
}
"""What has happened when a player's time has run out."""
MAX_NAMED = 5
"""Games that a summary names."""
_log = logging.getLogger(__name__)


class Reminders(Service):
    """Looks for messages that are due, and sends them."""

    def __init__(
        self,
        site: Site,
        channels: Mapping[str, Channel],
        code: Callable[[str], str],
        end_sender: Callable[[], None],
    ) -> None:
        """Look at a site's tables and features, and send in these ways.

        ``code`` returns the code that confirms an address, by its link.
        """
        self._store, self._find, self._hooks = site.store, site.tables.get, site.tables.hooks
        self._channels = channels
        self._code = code
        self._end_sender = end_sender
        self._lanes = Lanes()
        self._sending: set[asyncio.Task[bool]] = set()
        self._stopped = False
        self._watcher = site.watchers
        self._messages = features_of(site).messages
        self._soon = asyncio.Event()
        self._unsettled: list[tuple[QueuedLetter, Delivery]] = []

    @property
    def kinds(self) -> dict[str, str]:
        """What people can choose to be notified of, in the words of the form."""
        of_features = {kind.name: kind.words for kind in self._messages if kind.words}
        return AT_TABLES | of_features | {SUMMARY: OF_ALL}

    @property
    def channels(self) -> list[str]:
        """The ways in which people can be notified."""
        return [name for name, channel in self._channels.items() if channel.available]

    def look_soon(self) -> None:
        """Look at once what there is to tell."""
        self._soon.set()

    async def follow(self) -> None:
        """Tell people, until canceled."""
        self._watcher.tells_by(self.channels)
        while self.channels:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._soon.wait(), LOOK_SECONDS)
            self._soon.clear()
            try:
                await self.begin()
            except RedoubleError as error:
                _log.error("it can't be seen which messages are due: %s", error)

    async def look(self) -> int:
        """Send the messages that are due, and return their number."""
        return sum(await asyncio.gather(*await self.begin()))

    def stop(self) -> None:
        """Begin no other message."""
        self._stopped = True

    async def close(self) -> None:
        """Give messages that are being sent a moment, so that it is known what became of them."""
        if self._sending:
            await asyncio.wait(self._sending, timeout=CLOSING_SECONDS)
        self._end_sender()
        await asyncio.gather(*self._sending, return_exceptions=True)

    async def begin(self) -> list[asyncio.Task[bool]]:
        """Look for messages that are due; return those that are on their way."""
        now, begun = CLOCK.now(), []
        await self._settle()
        await self._store.run(letters.mend, now)
        for token, person in await self._store.run(_waited_for, now):
            await self._note_turn(token, person, now)
        for token, person in await self._store.run(_ended, now):
            await self._note_end(token, person, now)
        await self._store.run(_note_others, self._messages, now)
        for _ in range(ROUNDS):
            due = await self._store.run(letters.due, now, BATCH)
            if not due:
                break
            for one in due:
                if one.address is None:
                    await self._address(one, now)
                elif task := await self._begin(one, now):
                    begun.append(task)
        return begun

    async def _note_turn(self, token: str, person: str, now: float) -> None:
        """Note that it is a person's turn, and when to warn them in a correspondence game."""
        live = await self._found(token)
        if live is None:
            note = partial(letters.queue, kind=TURN, person=person, about=token, now=now, at=None)
            await self._store.run(partial(note, token=token))
            return
        table = live.table
        if not is_their_turn(table, person):
            return
        note = partial(letters.queue, person=person, token=token, ply=table.last_move, now=now)
        about = f"{token} {table.last_move}"

        def job(connection: sa.Connection) -> None:
            note(connection, kind=TURN, about=about, at=now)
            at = warning_time(table, wishes.wishes_of(connection, person))
            if at is not None:
                note(connection, kind=WARNED, about=about, at=max(now, at))

        await self._store.run(job)

    async def _note_end(self, token: str, person: str, now: float) -> None:
        live = await self._found(token)
        tells = live is not None and live.table.clocks.control.slow and person not in live.here()
        note = partial(letters.queue, kind=FINISHED, person=person, about=token, token=token)
        await self._store.run(partial(note, now=now, at=now if tells else None))

    async def _address(self, one: QueuedLetter, now: float) -> None:
        """Decide whether and where a person is notified."""
        mine, known = await self._store.run(
            lambda c: (wishes.wishes_of(c, one.person), addresses_of(c, one.person))
        )
        ends = mine.quiet_ends(now)
        if ends is not None:
            await self._store.run(letters.put_off, one, ends)
            return
        kind = one.about.partition(" ")[0] if one.kind == LAST else one.kind
        anyway = kind not in (*self.kinds, OUT)
        channels = [name for name in self.channels if anyway or mine.wants(kind, name)]
        digests = [row.digest for row in known if row.confirmed and row.channel in channels]
        if digests and one.kind in (TURN, WARNED):
            later = await self._later(one, mine, now)
            if later is not None:
                await self._store.run(letters.put_off, one, later)
                return
        if not digests or await self._letter(one, now) is None:
            digests = []
        await self._store.run(letters.address_to, one, digests, now)

    async def _begin(self, one: QueuedLetter, now: float) -> asyncio.Task[bool] | None:
        """Let a message wait in the lane of its service; None if it waits in the database."""

        def job(connection: sa.Connection) -> tuple[QueuedLetter, Any] | None:
            waiting, row = letters.reserve(connection, one, now), _address_row(connection, one)
            if waiting is None:
                return None
            if row is not None and row.channel in self.channels:
                return waiting, row
            letters.put_off(connection, waiting, None)
            return None

        found = await self._store.run(job)
        if found is None:
            return None
        waiting, row = found
        lane = self._channels[row.channel].lane(row.sealed)
        if self._lanes.is_full(lane):
            return None
        task = asyncio.create_task(self._send(waiting, lane))
        self._sending.add(task)
        task.add_done_callback(self._note_sent)
        return task

    def _note_sent(self, task: asyncio.Task[bool]) -> None:
        self._sending.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("it can't be kept what became of a message: %s", error)

    async def _send(self, one: QueuedLetter, lane: Lane) -> bool:
        """Send a message to an address when it is its turn; return whether it was sent."""
        async with self._lanes.turn(lane):
            now = CLOCK.now()
            letter = None if self._stopped else await self._letter(one, now)

            def job(connection: sa.Connection) -> Any:
                row = _address_row(connection, one)
                known = row if row is not None and row.confirmed != (one.kind == CODE) else None
                if known is None or letter is None:
                    letters.put_off(connection, one, None)
                    return None
                return known if letters.claim(connection, one, now) else None

            row = None if self._stopped else await self._store.run(job)
            if row is None or letter is None:
                return False
            channel = self._channels[row.channel]
            delivery = await channel.send(Outgoing(row.sealed, letter, f"/stop/{row.stop}"))
        self._watcher.told(row.channel, delivery.value)
        if delivery is Delivery.FAILED:
            _log.warning("a message couldn't be sent (%s)", row.channel)
        self._unsettled.append((one, delivery))
        await self._settle()
        return delivery is Delivery.SENT

    async def _settle(self) -> None:
        """Note what became of messages. What can't be saved is noted at the next look.

        Nobody is notified twice because the database was away after a message was sent.
        """
        while self._unsettled:
            one, delivery = self._unsettled.pop()
            try:
                await self._store.run(partial(_settle, one=one, delivery=delivery))
            except StoreError:
                self._unsettled.append((one, delivery))
                raise

    async def _letter(self, one: QueuedLetter, now: float) -> Letter | None:
        """Return what a person is notified of now.

        None if it isn't true any more, or comes from people whom they have muted.
        """
        unheard = await self._store.run(unheard_by, one.person)
        letter = await self._written(one, now, unheard)
        return letter if letter and not (letter.by and unheard.issuperset(letter.by)) else None

    async def _written(
        self, one: QueuedLetter, now: float, unheard: Collection[str]
    ) -> Letter | None:
        """Return what is sent now, without the names of people who are ``unheard``."""
        if one.kind == CODE:
            code = self._code(one.about)
            said = "If you didn't ask for it, do nothing: no more messages come."
            return Letter(f"Your code is {code}", said, "/me/messages", by=())
        if one.kind == SUMMARY:
            return await self._store.run(_summary, one.person, now)
        if one.kind == LAST:
            waiting = await self._store.run(_summary, one.person, now)
            said = f"You've had {letters.MOST_A_DAY} messages within 24 hours."
            body = "\n".join([said, *([waiting.body] if waiting else [])])
            return Letter("This is the last message for today", body, "/", by=())
        if one.kind not in (TURN, WARNED, OUT, FINISHED):
            return await self._store.run(_of_feature, self._messages, one, now)
        live = await self._found(one.token or "")
        if live is None:
            return None
        table = live.table
        stands = is_their_turn(table, one.person) and table.last_move == one.ply
        if one.kind in (TURN, WARNED) and not stands:
            return None
        if one.kind == OUT and one.person in live.here():
            return None
        return letter_about(one.kind, table, one.person, now, unheard)

    async def _later(self, one: QueuedLetter, mine: Wishes, now: float) -> float | None:
        """Return when to look at a turn again; None if it is time to tell it, or to drop it."""
        live = await self._found(one.token or "")
        if live is None or live.table.over or live.table.last_move != one.ply:
            return None
        if live.table.pause.begun:
            return now + PAUSED_SECONDS
        table, person = live.table, one.person
        if person in live.here():
            return now + STILL_HERE_SECONDS
        if await self._store.run(lambda c: any(h.planned(c, table, person) for h in self._hooks)):
            return now + STILL_HERE_SECONDS  # the move is late, as after an outage
        at = warning_time(live.table, mine) if one.kind == WARNED else None
        return at if at is not None and at > now else None

    async def _found(self, token: str) -> Live | None:
        try:
            return await self._find(token)
        except NotFound:  # deleted, or damaged; what only fails now is looked at again
            return None


def warning_time(table: Table, mine: Wishes) -> float | None:
    """Return when to warn the player of a correspondence game; None for others, and in a pause."""
    turn, control = table.clocks.turn, table.clocks.control
    if not control.slow or turn is None or turn.until is None:
        return None
    at = turn.until - WARNING_SHARE * control.move
    return mine.in_time(at, turn.until - MIN_WARNING_SECONDS)


def is_their_turn(table: Table, person: str) -> bool:
    """Return whether a person is to move."""
    turn = table.thinking
    return turn is not None and table.seats[turn].person == person


def letter_about(
    kind: str, table: Table, person: str, now: float, unheard: Collection[str] = ()
) -> Letter | None:
    """Return the message to a person about a table: its game and players, and no card.

    Those who are ``unheard`` aren't named. None if a warning would come too late, or if a bot
    doesn't play for them any more.
    """
    title, token = table.game.title, table.header.token
    others = [seat for seat in table.seats if seat.person != person]
    names = [seat.name for seat in others if seat.person not in unheard]
    company = f"At the table with {', '.join(names)}." if names else ""
    if kind == WARNED:
        turn = table.clocks.turn
        left = 0.0 if turn is None or turn.until is None else turn.until - now
        if left <= 0:
            return None
        said = f"{left_in_words(left)} left for your move in {title}"
        return Letter(said, company, f"/t/{token}", by=())  # the clock's doing
    if kind == OUT:
        then = table.clocks.control.then
        stands_in = any(seat.bot for seat in table.seats if seat.person == person)
        if table.over or not (then == ONCE or stands_in):
            return None
        said, company = f"Your time ran out in {title}", f"{RAN_OUT[then]} {company}".strip()
        return Letter(said, company, f"/t/{token}", by=())
    words = {
        TURN: f"Your turn in {title}",
        FINISHED: f"Your game of {title} is over",
    }
    by = tuple(seat.person for seat in others if seat.person)
    won = _winners(table, person, unheard) if kind == FINISHED else ""
    return Letter(words[kind], f"{won} {company}".strip(), f"/t/{token}", by)


def _winners(table: Table, person: str, unheard: Collection[str]) -> str:
    """Return who has won, in a sentence; empty if nobody has who may be named."""
    outcome = table.match.outcome
    won = outcome.won if outcome is not None else ()
    names = [
        "You" if seat.person == person and not seat.bot else seat.name
        for seat, wins in zip(table.seats, won, strict=False)
        if wins and seat.person not in unheard
    ]
    return f"{' and '.join(sorted(names, key='You'.__ne__))} won." if names else ""


def note_time_outs(connection: sa.Connection, table: Table, entries: Sequence[Entry]) -> None:
    """Note that a player's time has run out in a correspondence game. A job for the store."""
    for entry in entries:
        person = table.seats[entry.event.seat].person if isinstance(entry.event, TimeOut) else None
        if person is not None and table.clocks.control.slow:
            token = table.header.token
            about = f"{token} {entry.ply}"
            letters.queue(connection, OUT, person, about, entry.at, entry.at, token, entry.ply)


def _address_row(connection: sa.Connection, one: QueuedLetter) -> sa.Row[Any] | None:
    query = sa.select(addresses).filter_by(digest=one.address)
    return connection.execute(query).one_or_none()


def _settle(connection: sa.Connection, one: QueuedLetter, delivery: Delivery) -> None:
    assert one.address is not None
    if not letters.settle(connection, one, delivery, CLOCK.now()):
        note_delivery(connection, one.address, delivery)


def _reached() -> sa.Select[Any]:
    """Return the people who have an address."""
    return sa.select(addresses.c.person).where(addresses.c.confirmed)


def _known(kind: str, person: Any, *more: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Return whether a person's row of the queue is there."""
    return sa.exists().where(queue.c.kind == kind, queue.c.person == person, *more)


def _waited_for(connection: sa.Connection, now: float) -> list[tuple[str, str]]:
    """Return tables and the people who are on turn there for a while, which isn't noted yet.

    Where the clock was ahead at the last change, it is noted at most once a day.
    """
    made, changed, ahead = queue.c.made, tables.c.changed, tables.c.changed > now + DAY
    query = (
        sa.select(tables.c.token, seats.c.person)
        .join(seats, sa.and_(seats.c.token == tables.c.token, seats.c.seat == tables.c.turn))
        .where(
            tables.c.status == "playing",
            sa.or_(changed.between(now - OLDEST_SECONDS, now - AFTER_SECONDS), ahead),
            seats.c.bot == "",
            seats.c.person.in_(_reached()),
            ~_known(
                TURN,
                seats.c.person,
                queue.c.token == tables.c.token,
                # Another turn of theirs may have been noted at the time of the last change, or by
                # a process with another clock. This one is noted when it has stood for a while.
                sa.or_(made - AFTER_SECONDS >= changed, sa.and_(ahead, made >= now - DAY)),
            ),
        )
        .limit(AT_ONCE)
    )
    return [(row.token, row.person) for row in connection.execute(query)]


def _ended(connection: sa.Connection, now: float) -> list[tuple[str, str]]:
    """Return tables that have ended and their players, which isn't noted yet."""
    query = (
        sa.select(tables.c.token, seats.c.person)
        .join(seats, seats.c.token == tables.c.token)
        .where(
            tables.c.status.in_(("over", "abandoned")),
            tables.c.changed.between(now - DAY, now - AFTER_SECONDS),
            seats.c.person.in_(_reached()),
            ~_known(FINISHED, seats.c.person, queue.c.token == tables.c.token),
        )
        .distinct()
        .limit(AT_ONCE)
    )
    return [(row.token, row.person) for row in connection.execute(query)]


def _note_others(connection: sa.Connection, messages: Iterable[MessageKind], now: float) -> None:
    """Note the news of features, and what people have chosen to get at this time."""
    for kind in messages:
        if kind.news is not None:
            for row in connection.execute(_unnoted(kind, kind.news, now)).all():
                letters.queue(connection, kind.name, row.person, row.about, now, now, row.token)
    for person, name, at in wishes.take_times(connection, now):
        letters.queue(connection, name, person, f"{at:.0f}", now, now)


def _unnoted(kind: MessageKind, news: sa.Select[Any], now: float) -> sa.Select[Any]:
    """Return the news that is old enough, reaches somebody and isn't noted yet."""
    columns = news.selected_columns
    return news.where(
        columns.since.between(now - kind.lasts, now - kind.after),
        columns.person.in_(_reached()),
        ~_known(kind.name, columns.person, queue.c.about == columns.about),
    ).limit(AT_ONCE)


def _of_feature(
    connection: sa.Connection, messages: Iterable[MessageKind], one: QueuedLetter, now: float
) -> Letter | None:
    found = (
        kind.letter(connection, one.person, one.about, now)
        for kind in messages
        if kind.name == one.kind
    )
    return next((letter for letter in found if letter), None)


def _summary(connection: sa.Connection, person: str, now: float) -> Letter | None:
    """Return the games that wait for a person and those that have ended; None without any."""
    waiting = [one for one in lists.unfinished(connection, person) if one.mine]
    since = now - DAY
    ended = [one for one in lists.finished(connection, person) if one.changed >= since]

    def listed(found: list[lists.ListedTable]) -> str:
        """Return games with the names of the others in them."""
        parts = []
        for one in found[:MAX_NAMED]:
            company = f" with {', '.join(one.others)}" if one.others else ""
            parts.append(GAMES[one.game].title + company)
        more = len(found) - MAX_NAMED
        return "; ".join(parts) + (f"; and {more} more" if more > 0 else "")

    lines = []
    if waiting:
        lines.append(f"Your turn: {listed(waiting)}.")
    # A game alone has ended before the eyes of its player.
    if together := [one for one in ended if len(one.names) > 1]:
        lines.append(f"Ended: {listed(together)}.")
    if not lines:
        return None
    count = len(waiting)
    title = (
        "Your games today"
        if not count
        else f"{count} game{' waits' if count == 1 else 's wait'} for you"
    )
    return Letter(title, "\n".join(lines), "/", by=())
