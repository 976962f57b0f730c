"""The private calendar of a person's deadlines, and the forms that make and renew its link."""

from __future__ import annotations

import hashlib

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from redouble.contract.registry import GAMES
from redouble.web.errors import NotFound, WebError
from redouble.web.features.daily import rows as try_rows
from redouble.web.features.daily.deals import begins, day_of
from redouble.web.features.notices import calendars
from redouble.web.features.notices.calendars import CalendarEntry, PersonalCalendar
from redouble.web.live import lists
from redouble.web.site import Site
from redouble.web.visitor import CurrentUser, FormText, SiteOf
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)


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
        await site.store.run(calendars.renew, person.id)
    elif do == "remove":
        await site.store.run(calendars.remove, person.id)
    else:
        await site.store.run(calendars.set_daily, person.id, daily == "yes")
    return RedirectResponse("/me/messages#calendar", 303)


@router.get("/calendar/{link}.ics", Cost.RENDERING)
async def show(link: str, request: Request, site: SiteOf) -> Response:
    """Return a calendar to whoever has its link, without a cookie."""
    found = await site.store.run(calendars.calendar_at, site.people.key, link)
    if found is None:
        raise NotFound("there is no calendar at this address: its link may have been renewed")
    base = site.telling.site_address or str(request.base_url).rstrip("/")
    text = calendars.written(await _entries(site, found, base))
    return Response(text, media_type="text/calendar")


async def _entries(site: Site, calendar: PersonalCalendar, base: str) -> list[CalendarEntry]:
    """Return when a person's time ends in games over days, and the daily deals of today."""
    person, now = calendar.person, site.now()
    entries = []
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
        entry = CalendarEntry(uid[:32], title, f"{base}/t/{row.token}", turn.until, turn.since)
        entries.append(entry)
    day = day_of(now)
    if calendar.daily:
        tried = await site.store.run(try_rows.dailies_of, person)
        if not any(row["day"] == day.isoformat() and row["game"] in GAMES for row in tried):
            title = "The daily deals wait for you"
            entries.append(CalendarEntry(f"daily-{day}", title, f"{base}/daily", day, begins(day)))
    return entries
