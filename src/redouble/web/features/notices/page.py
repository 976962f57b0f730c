"""Messages: which ones people want, in which way and when, and the links that stop them."""

import hmac
import math
import re
from typing import Annotated

import sqlalchemy as sa
from fastapi import Form, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from redouble.web.errors import NotFound, TooMuch, WebError
from redouble.web.feature import Fragment, Visit
from redouble.web.features.notices import addresses, calendars, letters, wishes
from redouble.web.features.notices.own import EXAMPLE, MAIL, SERVICES, OwnAddresses, counted_as
from redouble.web.features.notices.push import Push, push_address
from redouble.web.features.notices.reminders import Reminders
from redouble.web.features.notices.wishes import OWN, PUSH
from redouble.web.people.people import Person
from redouble.web.site import Site
from redouble.web.visitor import CurrentUser, FormText, SiteOf, Visitor, client_of, marked
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)
TIMES = ("quiet_from", "quiet_until", "daily_at", "summary_at")
FIRST = (wishes.TURN, wishes.INVITED, wishes.DAILY)
"""What the page offers first; the rest is under *More*."""
MAX_ZONE = 64
"""Characters in the name of a time zone."""


async def choices(visit: Visit) -> Fragment | None:
    """Let this browser get messages, and show the way to a person's choice of them."""
    return visit.part("notices/my_messages.html")


@router.get("/me/messages", Cost.PAGE)
async def my_messages(request: Request, site: SiteOf, person: Visitor) -> Response:
    """Show your notifications, and let you choose."""
    return RedirectResponse("/me", 303) if person is None else await _page(request, site, person)


@router.post("/me/messages", Cost.PAGE)
async def choose(
    request: Request,
    site: SiteOf,
    person: CurrentUser,
    told: Annotated[list[str] | None, Form()] = None,
    zone: FormText = "",
    quiet_from: FormText = "22:00",
    quiet_until: FormText = "08:00",
    daily_at: FormText = "18:00",
    summary_at: FormText = "09:00",
) -> Response:
    """Choose your notifications, and how and when you get them."""
    form = {"zone": zone.strip()[:MAX_ZONE], "quiet_from": quiet_from, "quiet_until": quiet_until}
    form |= {"daily_at": daily_at, "summary_at": summary_at}
    kinds = [(channel, kind) for channel, _, kind in (one.partition("-") for one in told or ())]
    try:
        wanted = wishes.checked(form, kinds, site.service(Reminders).kinds)
    except WebError as error:
        return marked(await _page(request, site, person, error), request, error)
    await site.people.keep(person)
    await site.store.run(wishes.keep, person.id, wanted)
    return RedirectResponse("/me/messages?saved=1", 303)


@router.post("/me/messages/address", Cost.PAGE)
async def choose_address(
    request: Request, site: SiteOf, person: CurrentUser, address: FormText = ""
) -> Response:
    """Send a code to an address, which replaces the one before."""
    try:
        known = site.service(OwnAddresses).checked(address)
        wanted = [
            ("messages", f"person {person.id}", site.limits.messages_tried_per_person),
            ("messages", client_of(request), site.limits.messages_tried_per_address),
            ("messages", f"to {counted_as(known)}", site.limits.codes_to_an_address),
        ]
        if (seconds := site.rates.take(wanted)[0]) > 0:
            raise TooMuch("too many codes were sent today: try again tomorrow", math.ceil(seconds))
    except WebError as error:
        return marked(await _page(request, site, person, error), request, error)
    await site.people.keep(person)
    sealed, now = site.service(OwnAddresses).sealed(person.id, known), site.now()

    def job(connection: sa.Connection) -> None:
        stop = addresses.add(connection, person.id, OWN, sealed, confirmed=False)
        letters.queue(connection, wishes.CODE, person.id, stop, now, now, address=sealed[0])

    await site.store.run(job)
    site.service(Reminders).look_soon()
    return RedirectResponse("/me/messages", 303)


@router.post("/me/messages/confirm", Cost.PAGE)
async def confirm(
    request: Request,
    site: SiteOf,
    person: CurrentUser,
    code: FormText = "",
    zone: FormText = "",
) -> Response:
    """Enter the code that was sent to your address."""
    digits = re.sub(r"\s", "", code)

    def job(connection: sa.Connection) -> bool:
        known = addresses.addresses_of(connection, person.id)
        row = next((one for one in known if one.channel == OWN), None)
        if row is None or row.confirmed:
            return row is not None
        sent = site.service(OwnAddresses).code(row.stop)
        right = hmac.compare_digest(digits.encode(), sent.encode())
        right &= addresses.confirm(connection, row.digest, right)
        if right:
            wishes.begin(connection, person.id, OWN, zone[:MAX_ZONE])
        return right

    if await site.store.run(job):
        return RedirectResponse("/me/messages", 303)
    error = WebError("this code is wrong: look at the latest message, or choose the address again")
    return marked(await _page(request, site, person, error), request, error)


@router.post("/me/messages/remove", Cost.PAGE)
async def remove_address(site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Send no more messages to your address."""
    await site.store.run(lambda c: addresses.drop(c, person=person.id, channel=OWN))
    return RedirectResponse("/me/messages", 303)


@router.post("/push/key", Cost.PAGE)
async def key(site: SiteOf) -> Response:
    """Return the site's key, which browsers need; it is made if it is missing."""
    _check(site)
    return PlainTextResponse(await site.store.run(site.service(Push).public_key))


@router.post("/push", Cost.PAGE)
async def begin(
    site: SiteOf,
    person: CurrentUser,
    endpoint: FormText = "",
    p256dh: FormText = "",
    auth: FormText = "",
    zone: FormText = "",
) -> Response:
    """Send messages to this browser from now on."""
    _check(site)
    sealed = site.service(Push).sealed(push_address(endpoint, p256dh, auth))
    await site.people.keep(person)

    def job(connection: sa.Connection) -> None:
        addresses.add(connection, person.id, PUSH, sealed, session=person.session or None)
        wishes.begin(connection, person.id, PUSH, zone[:MAX_ZONE])

    await site.store.run(job)
    return Response(status_code=204)


@router.post("/push/known", Cost.PAGE)
async def known_here(site: SiteOf, person: CurrentUser, endpoint: FormText = "") -> Response:
    """Say whether messages are sent to this browser: yes or no."""
    digest = addresses.digest_of_address(endpoint)
    mine = await site.store.run(addresses.addresses_of, person.id)
    return PlainTextResponse("yes" if any(row.digest == digest for row in mine) else "no")


@router.post("/push/stop", Cost.PAGE)
async def stop(site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Send no more messages to any browser of this person."""
    await site.store.run(lambda c: addresses.drop(c, person=person.id, channel=PUSH))
    return RedirectResponse("/me/messages", 303)


@router.get("/stop/{link}", Cost.PAGE)
async def ask_to_stop(link: str, site: SiteOf) -> HTMLResponse:
    """Ask whether messages to an address are to stop: programs that check links only look."""
    row = await site.store.run(addresses.stopped_by, link)
    return site.page(
        "notices/stop.html", person=None, link=link, to=row and wishes.CHANNELS[row.channel]
    )


@router.post("/stop/{link}", Cost.PAGE)
async def stop_address(link: str, site: SiteOf) -> HTMLResponse:
    """Send no more messages to the address that the link was sent to, whoever asks."""
    await site.store.run(lambda c: addresses.drop(c, stop=link))
    return site.page("notices/stop.html", person=None, link=link, to=None)


async def _page(
    request: Request, site: Site, person: Person, error: WebError | None = None
) -> HTMLResponse:
    """Return the page of a person's messages."""
    mine, known, calendar = await site.store.run(
        lambda c: (
            wishes.wishes_of(c, person.id),
            addresses.addresses_of(c, person.id),
            calendars.calendar_of(c, person.id),
        )
    )
    own = next((row for row in known if row.channel == OWN), None)
    kinds = site.service(Reminders).kinds
    more = [(kind, words) for kind, words in kinds.items() if kind not in FIRST]
    return site.page(
        "notices/messages.html",
        error=error,
        person=person,
        base=site.telling.site_address or str(request.base_url).rstrip("/"),
        saved="saved" in request.query_params,
        wishes=mine,
        clock={
            name: f"{at // wishes.HOUR:02}:{at % wishes.HOUR:02}"
            for name, at in vars(mine).items()
            if name in TIMES
        },
        first=[(kind, kinds[kind]) for kind in FIRST if kind in kinds],
        more=more,
        more_chosen=any(kind in mine.push + mine.own for kind, _ in more),
        daily=wishes.DAILY,
        summary=wishes.SUMMARY,
        channels=site.service(Reminders).channels,
        browsers=sum(row.channel == PUSH for row in known),
        own=own and site.service(OwnAddresses).described(own.sealed),
        calendar=calendar and calendars.secret_link(site.people.key, calendar.link),
        calendar_daily=calendar is not None and calendar.daily,
        confirmed=bool(own and own.confirmed),
        mail=MAIL in site.service(OwnAddresses).kinds,
        example=EXAMPLE if SERVICES in site.service(OwnAddresses).kinds else "",
    )


def _check(site: Site) -> None:
    if not site.service(Push).available:
        raise NotFound("this server sends no messages to browsers")
