"""What people want to be notified of, in which way and when, and their quiet hours."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from redouble.web.errors import WebError
from redouble.web.store import insert_first
from redouble.web.store.clock import CLOCK
from redouble.web.store.schema import metadata, owned_by
from redouble.web.table.rest import known_zone, zone_of

wishes = sa.Table(
    "wishes",
    metadata,
    sa.Column("person", owned_by("people.id"), primary_key=True),
    sa.Column("zone", sa.String, nullable=False),
    sa.Column("quiet_from", sa.Integer, nullable=False),  # times are minutes of the day
    sa.Column("quiet_until", sa.Integer, nullable=False),
    sa.Column("push", sa.JSON, nullable=False),  # kinds of messages
    sa.Column("own", sa.JSON, nullable=False),
    sa.Column("daily_at", sa.Integer, nullable=False),
    sa.Column("daily_next", sa.Float, index=True),
    sa.Column("summary_at", sa.Integer, nullable=False),
    sa.Column("summary_next", sa.Float, index=True),
)
"""What people want to be notified of, and when."""

TURN, INVITED, WARNED, FINISHED = "turn", "invited", "warned", "finished"
OUT = "out"
"""That a person's time has run out: sent to those who are warned of it."""
DAILY, SUMMARY = "daily", "summary"
"""What is sent at a time that people choose: the table has columns for both."""
CODE = "code"
"""What is sent before anything else: the code that confirms an address."""
LAST = "last"
"""What is sent instead of all further messages of a day."""
AT_TABLES = {
    TURN: "It is your turn",
    FINISHED: "A correspondence game has ended",
    WARNED: "Your time runs short, or has run out, in a correspondence game",
}
"""What people can be notified of at any table, in the words of the form."""
OF_ALL = "Once a day, the games that wait for you and those that have ended"
"""The words of the summary."""
IN_SUMMARY = (TURN, INVITED, FINISHED)
"""What isn't sent separately to people who get a summary."""
PUSH, OWN = "push", "own"
CHANNELS = {PUSH: "your browsers", OWN: "your address"}
"""The ways to people: web push, and an address of their choice."""
HOUR, DAY = 60, 24 * 60
"""Minutes."""
BEFORE_QUIET_SECONDS = 600.0
"""How long before the quiet hours something is sent that can't wait for their end."""


@dataclass(frozen=True)
class Wishes:
    """What a person wants to be notified of. Times are minutes of the day, in their zone."""

    zone: str = ""
    quiet_from: int = 22 * HOUR
    quiet_until: int = 8 * HOUR
    """The same as the start if no hours are quiet."""
    push: tuple[str, ...] = ()
    """The kinds that their browsers are sent."""
    own: tuple[str, ...] = ()
    """The kinds that their address is sent."""
    daily_at: int = 18 * HOUR
    summary_at: int = 9 * HOUR

    def wants(self, kind: str, channel: str) -> bool:
        """Return whether a person wants to be notified of something in some way."""
        kinds, kind = self.push if channel == PUSH else self.own, WARNED if kind == OUT else kind
        return kind in kinds and not (SUMMARY in kinds and kind in IN_SUMMARY)

    def any_wants(self, kind: str) -> bool:
        """Return whether a person wants to be notified of something in any way."""
        return any(self.wants(kind, channel) for channel in CHANNELS)

    def quiet_ends(self, now: float) -> float | None:
        """Return when the quiet hours end that it is now; None if it isn't quiet."""
        begins, ends = self.quiet_from, self.quiet_until
        at = datetime.fromtimestamp(now, zone_of(self.zone))
        minute = at.hour * HOUR + at.minute
        within = begins <= minute < ends if begins <= ends else not ends <= minute < begins
        return next_time(ends, self.zone, now) if within else None

    def in_time(self, at: float, latest: float) -> float:
        """Return when to send what should be sent ``at`` a time, and is of no use after another.

        That is the end of the quiet hours then, or shortly before they begin if that is too late.
        """
        ends = self.quiet_ends(at)
        if ends is None or ends <= latest:
            return at if ends is None else ends
        return next_time(self.quiet_from, self.zone, at - DAY * 60) - BEFORE_QUIET_SECONDS


def next_time(minute: int, zone: str, now: float) -> float:
    """Return when clocks on the wall next show a minute of the day, after ``now``."""
    place = zone_of(zone)
    day = datetime.fromtimestamp(now, place).date()
    while True:
        clock = datetime(day.year, day.month, day.day, minute // HOUR, minute % HOUR, tzinfo=place)
        if clock.timestamp() > now:
            return clock.timestamp()
        day += timedelta(days=1)


def parse_minute(text: str) -> int:
    """Return the minute of the day of a time such as 22:00. Raises :class:`WebError`."""
    found = re.fullmatch(r"([01]\d|2[0-3]):([0-5]\d)", text, re.ASCII)
    if not found:
        raise WebError(f"{text[:10]!r} isn't a time: write it as 22:00")
    return int(found[1]) * HOUR + int(found[2])


def checked(
    form: Mapping[str, str], kinds: Iterable[tuple[str, str]], known: Iterable[str]
) -> Wishes:
    """Return the wishes of a form. Raises :class:`WebError` for what isn't one.

    ``kinds`` are pairs of a channel and one of the ``known`` kinds.
    """
    chosen = set(kinds)
    if any(channel not in CHANNELS or kind not in known for channel, kind in chosen):
        raise WebError("there is no such message: reload the page")
    times = {name: parse_minute(value) for name, value in form.items() if name != "zone"}
    zone = known_zone(form.get("zone", ""))
    if form.get("zone", "") not in (zone, "UTC", ""):
        raise WebError("this time zone is unknown: write it as Europe/Berlin, or UTC")
    ticked = {
        channel: tuple(kind for kind in known if (channel, kind) in chosen) for channel in CHANNELS
    }
    return Wishes(zone=zone, push=ticked[PUSH], own=ticked[OWN], **times)


def wishes_of(connection: sa.Connection, person: str) -> Wishes:
    """Return what a person wants to be notified of: nothing, unless they have said so."""
    row = connection.execute(sa.select(wishes).filter_by(person=person)).one_or_none()
    return Wishes() if row is None else _read(row)


def _read(row: Any) -> Wishes:
    values = {field.name: getattr(row, field.name) for field in fields(Wishes)}
    return Wishes(**values | {name: tuple(values[name]) for name in CHANNELS})


def keep(connection: sa.Connection, person: str, wanted: Wishes) -> None:
    """Store what a person wants to be notified of. A job for the store."""
    now = CLOCK.now()
    values: dict[str, Any] = {field.name: getattr(wanted, field.name) for field in fields(Wishes)}
    values |= {name: list(values[name]) for name in CHANNELS}
    for kind, minute in ((DAILY, wanted.daily_at), (SUMMARY, wanted.summary_at)):
        next_at = next_time(minute, wanted.zone, now) if wanted.any_wants(kind) else None
        values[f"{kind}_next"] = next_at
    if not insert_first(connection, wishes, values | {"person": person}):
        connection.execute(sa.update(wishes).filter_by(person=person).values(values))


def begin(connection: sa.Connection, person: str, channel: str, zone: str) -> None:
    """Notify a person when it is their turn, if nothing else was chosen in this way."""
    known = wishes_of(connection, person)
    if not getattr(known, channel):
        more: dict[str, Any] = {channel: (TURN,)}
        keep(connection, person, replace(known, zone=known.zone or known_zone(zone), **more))


def adopt(connection: sa.Connection, guest: str, person: str) -> None:
    """Give a guest's wishes to a person who has none."""
    if wishes_of(connection, person) == Wishes():
        keep(connection, person, wishes_of(connection, guest))


def take_times(connection: sa.Connection, now: float) -> list[tuple[str, str, float]]:
    """Return the people who have chosen to get something at this time, and what; set the next.

    Each is a person, a kind and the time that was chosen. A time further away than the next two
    days was set while the clock was ahead. A job for the store.
    """
    found = []
    for kind in (DAILY, SUMMARY):
        due = wishes.c[f"{kind}_next"]
        wrong = due > now + 2 * DAY * 60
        query = sa.select(wishes).where(sa.or_(due <= now, wrong)).limit(500)
        for row in connection.execute(query).all():
            mine, at = _read(row), getattr(row, f"{kind}_next")
            following = next_time(getattr(mine, f"{kind}_at"), mine.zone, now)
            change = sa.update(wishes).filter_by(person=row.person).where(due == at)
            if connection.execute(change.values({due.name: following})).rowcount and at <= now:
                found.append((row.person, kind, at))
    return found
