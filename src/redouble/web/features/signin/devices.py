"""Where a person is signed in: shown on *Your page*, and ended."""

import contextlib

import sqlalchemy as sa
from fastapi import Request
from fastapi.responses import RedirectResponse

from redouble.kernel.cores import IN_BROWSER
from redouble.web.errors import NotFound
from redouble.web.feature import Fragment, Visit
from redouble.web.people import sessions
from redouble.web.people.people import Person
from redouble.web.site import Site
from redouble.web.store import Job
from redouble.web.visitor import CurrentUser, SiteOf, Visitor, know
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)


async def signed_in(visit: Visit) -> Fragment | None:
    """Show where a person is signed in."""
    if IN_BROWSER or visit.person is None:
        return None
    site = visit.site
    found = await site.people.sessions_of(visit.person)
    return visit.part("signin/my_devices.html", sessions=found, now=site.now())


@router.post("/me/out", Cost.PAGE)
async def sign_out(request: Request, site: SiteOf, person: Visitor) -> RedirectResponse:
    """Sign out on this device."""
    if person is not None:
        with contextlib.suppress(NotFound):  # signed out from another device just now
            await end_session(site, person, person.session)
    know(request, "")
    return RedirectResponse("/me", 303)


@router.post("/me/devices/end", Cost.PAGE)
async def sign_out_elsewhere(site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Sign out on all other devices."""
    await end_other_sessions(site, person)
    return RedirectResponse("/me#devices", 303)


@router.post("/me/devices/{session}/end", Cost.PAGE)
async def sign_device_out(session: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Sign out on one other device."""
    await end_session(site, person, session)
    return RedirectResponse("/me#devices", 303)


async def end_session(site: Site, person: Person, session: str) -> None:
    """Sign a person out in one of their sessions: it ends at its next request, its streams now.

    Raises :class:`NotFound` if they have no such session.
    """
    if not await _end(site, person, lambda c: sessions.end(c, person.id, session)):
        raise NotFound("you aren't signed in there any more: look at the list again")


async def end_other_sessions(site: Site, person: Person) -> int:
    """Sign a person out everywhere else, and return in how many sessions."""
    me = person
    return len(await _end(site, me, lambda c: sessions.end_others(c, me.id, me.session)))


async def _end(site: Site, person: Person, job: Job[list[str]]) -> list[str]:
    def noticed(connection: sa.Connection) -> list[str]:
        ended = job(connection)
        for hook in site.tables.hooks:
            hook.signed_out(connection, person.id)
        return ended

    ended = await site.store.run(noticed)
    site.tables.memory.end_streams(ended)
    return ended
