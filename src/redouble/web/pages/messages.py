"""Messages: what people want to be told, in which way and when, and the links that stop them."""

from __future__ import annotations

from typing import Annotated

import sqlalchemy as sa
from fastapi import Form, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from redouble.web.errors import NotFound, WebError
from redouble.web.people import addresses, wishes
from redouble.web.people.people import Person
from redouble.web.people.push import push_address
from redouble.web.people.wishes import CHANNELS, DAILY, KINDS, PUSH, SUMMARY, Wishes
from redouble.web.site import Site
from redouble.web.visitor import CurrentUser, SiteOf, Visitor, marked
from redouble.web.visitor.costs import Cost, Router, costs

router = Router(include_in_schema=False)
MAX_ZONE = 64
"""Characters in the name of a time zone."""


@router.get("/me/messages")
@costs(Cost.PAGE)
async def my_messages(site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show what you are told, and let you choose."""
    return await _page(site, person)


@router.post("/me/messages")
@costs(Cost.PAGE)
async def choose(
    request: Request,
    site: SiteOf,
    person: CurrentUser,
    told: Annotated[list[str] | None, Form()] = None,
    zone: Annotated[str, Form()] = "",
    quiet_from: Annotated[str, Form()] = "22:00",
    quiet_until: Annotated[str, Form()] = "08:00",
    daily_at: Annotated[str, Form()] = "18:00",
    summary_at: Annotated[str, Form()] = "09:00",
) -> Response:
    """Choose what you want to be told, in which way and when."""
    form = {"zone": zone.strip()[:MAX_ZONE], "quiet_from": quiet_from, "quiet_until": quiet_until}
    form |= {"daily_at": daily_at, "summary_at": summary_at}
    kinds = [(channel, kind) for channel, _, kind in (one.partition("-") for one in told or ())]
    try:
        wanted = wishes.checked(form, kinds)
    except WebError as error:
        page = await _page(site, person, error.sentence, error.status)
        return marked(page, request, error)
    await site.people.keep(person)
    await site.store.run(lambda c: wishes.keep(c, person.id, wanted))
    return RedirectResponse("/me/messages?saved=1", 303)


@router.post("/push/key")
@costs(Cost.PAGE)
async def key(site: SiteOf) -> Response:
    """Return the site's key, which browsers need; it is made if it is missing."""
    _check(site)
    return PlainTextResponse(await site.store.run(site.push.public_key))


@router.post("/push")
@costs(Cost.PAGE)
async def begin(
    site: SiteOf,
    person: CurrentUser,
    endpoint: Annotated[str, Form()] = "",
    p256dh: Annotated[str, Form()] = "",
    auth: Annotated[str, Form()] = "",
    zone: Annotated[str, Form()] = "",
) -> Response:
    """Send messages to this browser from now on."""
    _check(site)
    sealed = site.push.sealed(push_address(endpoint, p256dh, auth))
    await site.people.keep(person)

    def job(connection: sa.Connection) -> None:
        addresses.add(connection, person.id, PUSH, sealed)
        wishes.begin(connection, person.id, PUSH, zone[:MAX_ZONE])

    await site.store.run(job)
    return Response(status_code=204)


@router.post("/push/stop")
@costs(Cost.PAGE)
async def stop(site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Send no more messages to any browser of this person."""
    await site.store.run(lambda c: addresses.drop_of(c, person.id, PUSH))
    return RedirectResponse("/me/messages", 303)


@router.get("/stop/{link}")
@costs(Cost.PAGE)
async def ask_to_stop(link: str, site: SiteOf) -> HTMLResponse:
    """Ask whether messages to an address are to stop: programs that check links only look."""
    row = await site.store.run(lambda c: addresses.stopped_by(c, link))
    return site.page("stop.html", person=None, link=link, to=row and CHANNELS[row["channel"]])


@router.post("/stop/{link}")
@costs(Cost.PAGE)
async def stop_address(link: str, site: SiteOf) -> HTMLResponse:
    """Send no more messages to the address that the link was sent to, whoever asks."""

    def job(connection: sa.Connection) -> None:
        row = addresses.stopped_by(connection, link)
        if row is not None:
            addresses.drop(connection, row["digest"])

    await site.store.run(job)
    return site.page("stop.html", person=None, link=link, to=None)


async def _page(
    site: Site, person: Person | None, problem: str = "", status: int = 200
) -> HTMLResponse:
    """Return the page of a person's messages."""
    if person is None:
        return site.page("not_played.html", status, person=None)
    mine, known = await site.store.run(
        lambda c: (wishes.wishes_of(c, person.id), addresses.addresses_of(c, person.id))
    )
    return site.page(
        "messages.html",
        status,
        person=person,
        problem=problem,
        wishes=mine,
        clock=_clock(mine),
        kinds=KINDS,
        daily=DAILY,
        summary=SUMMARY,
        channels=site.reminders.channels,
        browsers=sum(row["channel"] == PUSH for row in known),
    )


def _clock(mine: Wishes) -> dict[str, str]:
    """Return the times of a person's wishes as forms hold them."""
    times = {
        "quiet_from": mine.quiet_from,
        "quiet_until": mine.quiet_until,
        "daily_at": mine.daily_at,
        "summary_at": mine.summary_at,
    }
    return {name: f"{at // wishes.HOUR:02}:{at % wishes.HOUR:02}" for name, at in times.items()}


def _check(site: Site) -> None:
    if not site.push.available:
        raise NotFound("this server sends no messages to browsers")
