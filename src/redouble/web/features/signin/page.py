"""Signing in on other devices: codes, recovery codes, and what *Your page* shows of them."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from redouble.web.errors import WebError
from redouble.web.feature import Fragment, Visit
from redouble.web.features.account.identity import OwnedGames
from redouble.web.features.signin import codes, linking, passkeys
from redouble.web.features.signin.passkeys import RelyingParty, party_at
from redouble.web.people.people import Person
from redouble.web.site import Site
from redouble.web.visitor import (
    CurrentUser,
    FormText,
    SiteOf,
    Visitor,
    client_of,
    device_of,
    know,
    marked,
)
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)


def party_of(request: Request, site: Site) -> RelyingParty | None:
    """Return the site as passkeys know it; None if a request reaches it where they can't be used.

    The scheme and the client are what a trusted proxy says, or else the connection itself.
    """
    client = request.client.host if request.client else ""
    port = (request.scope.get("server") or (None, None))[1]
    host = request.headers.get("host", "")
    return party_at(request.url.scheme, host, site.hosts, client, port)


async def ways(visit: Visit) -> Fragment | None:
    """Show the ways in which a person can sign in."""
    if visit.person is None:
        return None
    site, me = visit.site, visit.person.id
    made, mine = await site.store.run(
        lambda c: (codes.recovery_made(c, me), passkeys.passkeys_of(c, me))
    )
    return visit.part(
        "signin/my_ways.html",
        passkeys_here=party_of(visit.request, site) is not None,
        passkeys=mine,
        recovery_made=made and datetime.fromtimestamp(made, UTC).date(),
        now=site.now(),
    )


async def with_passkey(visit: Visit) -> Fragment | None:
    """Offer a new visitor to sign in with a passkey."""
    return visit.part("signin/passkey.html") if party_of(visit.request, visit.site) else None


@router.post("/me/code", Cost.PAGE)
async def new_code(request: Request, site: SiteOf, person: CurrentUser) -> HTMLResponse:
    """Show a one-time code for linking another device."""
    await site.people.keep(person)
    code = await site.store.run(codes.new_code, person.id, person.session)
    address = f"{str(request.base_url).rstrip('/')}/link?code={code}"
    minutes = codes.SECONDS // 60
    return site.page(
        "signin/code.html", person=person, parts=codes.parts(code), address=address, minutes=minutes
    )


@router.post("/me/recovery", Cost.PAGE)
async def new_recovery_code(request: Request, site: SiteOf, person: CurrentUser) -> HTMLResponse:
    """Show a code for paper, which replaces the one before.

    The form has no mark: for a repeat, the answer with the code would be stored.
    """
    await site.people.keep(person)
    code = await site.store.run(codes.new_recovery_code, person.id)
    address = f"{str(request.base_url).rstrip('/')}/link"
    return site.page(
        "signin/recovery.html", person=person, parts=codes.parts(code), address=address
    )


@router.get("/link", Cost.PAGE)
async def ask_code(request: Request, site: SiteOf, person: Visitor, code: str = "") -> HTMLResponse:
    """Show the form for another device's code; with a code, whose it is and what they take over."""
    owner, games, problem = None, None, ""
    if code:
        try:
            owner, games = await linking.owner_of_code(site, code, person, client_of(request))
        except WebError as error:
            problem = error.sentence
    return link_page(request, site, person, code, problem, owner, games)


@router.post("/link", Cost.PAGE)
async def link(request: Request, site: SiteOf, person: Visitor, code: FormText = "") -> Response:
    """Sign this device in as the person who created the code."""
    try:
        known = await linking.link_device(
            site, code, person, client_of(request), device_of(request)
        )
    except WebError as error:
        page = link_page(request, site, person, code, error.sentence, status=error.status)
        return marked(page, request, error)
    know(request, site.people.token(known))
    return RedirectResponse("/me", 303)


def link_page(
    request: Request,
    site: Site,
    person: Person | None,
    code: str,
    problem: str = "",
    owner: Person | None = None,
    games: OwnedGames | None = None,
    status: int = 200,
) -> HTMLResponse:
    """Return the page on which a device is linked."""
    return site.page(
        "signin/link.html", status, person=person, code=code, problem=problem, owner=owner,
        games=games, passkeys_here=party_of(request, site) is not None,
    )  # fmt: skip
