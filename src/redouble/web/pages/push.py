"""Push messages: a browser asks for them at a table, and stops them there or on *Your page*."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form
from fastapi.responses import PlainTextResponse, RedirectResponse, Response

from redouble.web.errors import NotFound
from redouble.web.people import push
from redouble.web.people.push import push_address
from redouble.web.site import Site
from redouble.web.visitor import CurrentUser, SiteOf
from redouble.web.visitor.costs import Cost, Router, costs

router = Router(prefix="/push", include_in_schema=False)
MAX_ZONE = 64
"""Characters in the name of a time zone."""


@router.post("/key")
@costs(Cost.PAGE)
async def key(site: SiteOf) -> Response:
    """Return the site's key, which browsers need; it is made if it is missing."""
    _check(site)
    return PlainTextResponse(await site.store.run(site.reminders.push.public_key))


@router.post("")
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
    address = push_address(endpoint, p256dh, auth)
    await site.people.keep(person)
    sender = site.reminders.push
    await site.store.run(lambda c: sender.add(c, person.id, address, zone[:MAX_ZONE]))
    return Response(status_code=204)


@router.post("/stop")
@costs(Cost.PAGE)
async def stop(site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Send no more messages to any browser of this person."""
    await site.store.run(lambda c: push.drop_of(c, person.id))
    return RedirectResponse("/me#reminders", 303)


def _check(site: Site) -> None:
    if not site.reminders.push.available:
        raise NotFound(
            "this server sends no messages: its operator hasn't installed what they need"
        )
