"""A private calendar of a person's deadlines, which calendar programs subscribe to (RFC 5545)."""

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from redouble.contract.registry import GAMES
from redouble.web.errors import NotFound, WebError
from redouble.web.feature import CalendarEntry, features_of
from redouble.web.features.daily import tries as try_rows
from redouble.web.features.daily.deals import begins, day_of
from redouble.web.live import lists
from redouble.web.people.people import new_id
from redouble.web.site import Site
from redouble.web.store import insert_first
from redouble.web.store.schema import metadata, owned_by
from redouble.web.visitor import CurrentUser, FormText, SiteOf
from redouble.web.visitor.costs import Cost, Router

calendars = sa.Table(
    "calendars",
    metadata,
    sa.Column("person", owned_by("people.id"), primary_key=True),
    sa.Column("link", sa.String, nullable=False, unique=True),  # without what the server's key adds
    sa.Column("daily", sa.Boolean, nullable=False),
)
"""Private calendars."""

router = Router(include_in_schema=False)

LINE = 75
"""Bytes in a line, at most; longer ones are folded."""
DIGITS = 32
"""Hexadecimal digits of a link that only the server can have made."""


def calendar_of(connection: sa.Connection, person: str) -> sa.Row[Any] | None:
    """Return the row of a person's calendar; None if they have none."""
    return connection.execute(sa.select(calendars).filter_by(person=person)).first()


def calendar_at(connection: sa.Connection, key: bytes, link: str) -> sa.Row[Any] | None:
    """Return the row of the calendar of a secret link, which was made with a key."""
    kept = link[:-DIGITS]
    if not hmac.compare_digest(secret_link(key, kept).encode(), link.encode()):
        return None
    return connection.execute(sa.select(calendars).filter_by(link=kept)).first()


def secret_link(key: bytes, link: str) -> str:
    """Return what the address of a calendar holds: who reads the database can't tell it."""
    return link + hmac.digest(key, f"calendar {link}".encode(), "sha256").hex()[:DIGITS]


def renew(connection: sa.Connection, person: str) -> None:
    """Give a person a calendar, or a new link to theirs. A job for the store."""
    link = new_id(9)
    if not insert_first(connection, calendars, {"person": person, "link": link, "daily": False}):
        connection.execute(sa.update(calendars).filter_by(person=person).values(link=link))


def set_daily(connection: sa.Connection, person: str, daily: bool) -> None:
    """Choose whether a calendar has the daily deals."""
    connection.execute(sa.update(calendars).filter_by(person=person).values(daily=daily))


def remove(connection: sa.Connection, person: str) -> None:
    """Delete a person's calendar."""
    connection.execute(sa.delete(calendars).filter_by(person=person))


def written(entries: Iterable[CalendarEntry], base: str) -> str:
    """Return a calendar as programs read it, with links to the site at the address ``base``."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Redouble//Redouble//EN",
        "X-WR-CALNAME:Redouble",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
        "X-PUBLISHED-TTL:PT1H",
    ]
    for entry in entries:
        lines += ["BEGIN:VEVENT", f"UID:{entry.uid}", f"DTSTAMP:{_moment(entry.changed)}"]
        if isinstance(entry.at, date):
            after = entry.at + timedelta(days=1)
            lines += [f"DTSTART;VALUE=DATE:{entry.at:%Y%m%d}", f"DTEND;VALUE=DATE:{after:%Y%m%d}"]
        else:
            begin, end = sorted((entry.at, entry.at + entry.lasts))
            lines += [f"DTSTART:{_moment(begin)}", f"DTEND:{_moment(end)}"]
        lines += [
            f"SUMMARY:{_escaped(entry.title)}",
            f"URL:{base}{entry.url}",
            "TRANSP:TRANSPARENT",
        ]
        lines.append("END:VEVENT")
    lines.append("END:VCALENDAR")
    return "".join(f"{part}\r\n" for line in lines for part in _folded(line))


def _moment(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y%m%dT%H%M%SZ}"


def _escaped(text: str) -> str:
    for special in "\\;,":
        text = text.replace(special, f"\\{special}")
    return text.replace("\r", "").replace("\n", "\\n")


def _folded(line: str) -> Iterator[str]:
    """Yield a line in parts of so many bytes; each part but the first begins with a space."""
    part = ""
    for letter in line:
        if len(f"{part}{letter}".encode()) > LINE:
            yield part
            part = " "
        part += letter
    yield part


@router.post("/me/calendar", Cost.PAGE)
async def change(
    site: SiteOf,
    person: CurrentUser,
    do: FormText = "",
    daily: FormText = "",
) -> RedirectResponse:
    """Make or renew the link of your calendar, choose what it has, or delete it."""
    if do not in ("renew", "remove", "save"):
        raise WebError("nothing was chosen: load the page again")
    await site.people.keep(person)
    if do == "renew":
        await site.store.run(renew, person.id)
    elif do == "remove":
        await site.store.run(remove, person.id)
    else:
        await site.store.run(set_daily, person.id, daily == "yes")
    return RedirectResponse("/me/messages#calendar", 303)


@router.get("/calendar/{link}.ics", Cost.RENDERING)
async def show(link: str, request: Request, site: SiteOf) -> Response:
    """Return a calendar to whoever has its link, without a cookie."""
    found = await site.store.run(calendar_at, site.people.key, link)
    if found is None:
        raise NotFound("there is no calendar at this address: its link may have been renewed")
    base = site.telling.site_address or str(request.base_url).rstrip("/")
    text = written(await _entries(site, found), base)
    return Response(text, media_type="text/calendar")


async def _entries(site: Site, calendar: sa.Row[Any]) -> list[CalendarEntry]:
    """Return when a person's time ends in correspondence games, and what else they expect.

    That is what features say, and the daily deals of today.
    """
    person, now = calendar.person, site.now()
    entries = [
        entry
        for feature in features_of(site).installed
        for entry in await site.store.run(feature.calendar, person)
    ]
    for row in await site.store.run(lists.unfinished, person):
        if row.until is None or row.until <= now:
            continue
        try:
            table = (await site.tables.get(row.token)).table
        except WebError:  # deleted meanwhile, or damaged
            continue
        turn = table.clocks.turn
        if not table.clocks.control.slow or turn is None or turn.until is None:
            continue
        if table.thinking is None or table.seats[table.thinking].person != person:
            continue
        names = [seat.name for seat in table.seats if seat.person != person]
        title = f"Your move in {table.game.title}, with {', '.join(names)}"
        uid = hashlib.sha256(f"{row.token} {table.last_move} {person}".encode()).hexdigest()
        entry = CalendarEntry(uid[:32], title, f"/t/{row.token}", turn.until, turn.since)
        entries.append(entry)
    day = day_of(now)
    if calendar.daily:
        tried = await site.store.run(try_rows.dailies_of, person)
        if not any(row["day"] == day.isoformat() and row["game"] in GAMES for row in tried):
            title = "The daily deals wait for you"
            entries.append(CalendarEntry(f"daily-{day}", title, "/daily", day, begins(day)))
    return entries
