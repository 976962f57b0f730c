"""Signing in on other devices: codes and passkeys, and what *Your page* shows of them."""

import asyncio
from datetime import UTC, datetime
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from redouble.web.errors import NotFound, WebError
from redouble.web.feature import Fragment, Visit
from redouble.web.features.signin import codes, passkeys
from redouble.web.pages.me import person_page
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


def party_of(request: Request, site: Site) -> passkeys.RelyingParty | None:
    """Return the site as passkeys know it; None if a request reaches it where they can't be used.

    The scheme and the client are what a trusted proxy says, or else the connection itself.
    """
    client = request.client.host if request.client else ""
    port = (request.scope.get("server") or (None, None))[1]
    host = request.headers.get("host", "")
    return passkeys.party_at(request.url.scheme, host, site.hosts, client, port)


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


@router.post("/me/code", Cost.PAGE)
async def new_code(request: Request, site: SiteOf, person: CurrentUser) -> HTMLResponse:
    """Show a one-time code for linking another device."""
    await site.people.keep(person)
    code = await site.store.run(codes.new_code, person.id, person.session)
    return site.page(
        "signin/code.html",
        person=person,
        code=code,
        parts=codes.parts(code),
        address=f"{str(request.base_url).rstrip('/')}/link",
        minutes=codes.SECONDS // 60,
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
async def ask_code(request: Request, site: SiteOf, person: Visitor) -> Response:
    """Show the ways to sign in. A code in an old address isn't passed on."""
    if "code" in request.query_params:
        return RedirectResponse("/link?typed", 303)
    old = "Codes in addresses no longer work: type the code here"
    problem = old if "typed" in request.query_params else ""
    return link_page(request, site, person, problem=problem)


@router.post("/link/code", Cost.PAGE)
async def show_owner(
    request: Request, site: SiteOf, person: Visitor, code: FormText = ""
) -> HTMLResponse:
    """Show whose code it is, and what they take over; the code stays usable.

    The form has no mark: for a repeat, the answer with the code would be stored.
    """
    try:
        return await owner_page(request, site, person, code)
    except WebError as error:
        return marked(link_page(request, site, person, code, error), request, error)


@router.post("/link", Cost.PAGE)
async def link(request: Request, site: SiteOf, person: Visitor, code: FormText = "") -> Response:
    """Sign this device in as the person who created the code."""
    try:
        known = await codes.link_device(site, code, person, client_of(request), device_of(request))
    except WebError as error:
        return marked(link_page(request, site, person, code, error), request, error)
    know(request, site.people.token(known))
    return RedirectResponse("/me", 303)


async def owner_page(
    request: Request, site: Site, person: Person | None, code: str
) -> HTMLResponse:
    """Return the page on which somebody agrees to be the person of a code."""
    owner, games = await codes.owner_of_code(site, code, person, client_of(request))
    return link_page(request, site, person, code, owner=owner, games=games)


def link_page(
    request: Request,
    site: Site,
    person: Person | None,
    code: str = "",
    error: WebError | None = None,
    **shown: Any,
) -> HTMLResponse:
    """Return the page on which a device is linked, with the ``owner`` of a code if it is known."""
    here = party_of(request, site) is not None
    shown = {"owner": None, "games": None, "passkeys_here": here} | shown
    return site.page("signin/link.html", error=error, person=person, code=code, **shown)


@router.post("/me/passkeys/options", Cost.PAGE)
async def options_to_add(request: Request, site: SiteOf, person: CurrentUser) -> Response:
    """Return what a browser needs to make a passkey for you."""
    party = _party(request, site)
    rows = await site.store.run(passkeys.passkeys_of, person.id)
    known = [row.credential for row in rows]
    return JSONResponse(passkeys.options_to_add(site.people.keys, party, person, known))


@router.post("/me/passkeys", Cost.PAGE)
async def add(
    request: Request, site: SiteOf, person: CurrentUser, answer: FormText = ""
) -> Response:
    """Keep the passkey that your browser has made.

    The form has no mark: its challenge is answered once.
    """
    party, keys, device = _party(request, site), site.people.keys, device_of(request)
    try:
        made = await asyncio.to_thread(passkeys.made_by, keys, party, person.session, answer)
        await site.store.run(passkeys.add, keys, person, device, made)
    except WebError as error:
        return marked(await person_page(request, site, person, error), request, error)
    return RedirectResponse("/me#passkeys", 303)


@router.post("/me/passkeys/{passkey}/remove", Cost.PAGE)
async def remove(passkey: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Remove one of your passkeys."""
    await site.store.run(passkeys.remove, person.id, passkey)
    return RedirectResponse("/me#passkeys", 303)


@router.post("/link/passkey/options", Cost.PAGE)
async def options_to_sign_in(request: Request, site: SiteOf, person: Visitor) -> Response:
    """Return what a browser needs to sign in with a passkey."""
    session = person.session if person else ""
    party = _party(request, site)
    return JSONResponse(passkeys.options_to_sign_in(site.people.keys, party, session))


@router.post("/link/passkey", Cost.PAGE)
async def sign_in(
    request: Request, site: SiteOf, person: Visitor, answer: FormText = ""
) -> Response:
    """Sign in with a passkey; a guest first reads whose account takes over their games.

    The form has no mark: for a repeat, the answer with the cookie would be stored.
    """
    party, keys = _party(request, site), site.people.keys
    session = person.session if person else ""
    try:
        credential = passkeys.credential_in(answer)
        row = await site.store.run(passkeys.find, credential)
        signed = await asyncio.to_thread(passkeys.signed_by, keys, party, session, answer, row)
        code = await site.store.run(passkeys.code_for, signed, session)
        if person is not None:
            return await owner_page(request, site, person, code)
        known = await codes.link_device(site, code, None, client_of(request), device_of(request))
    except WebError as error:
        return marked(link_page(request, site, person, error=error), request, error)
    know(request, site.people.token(known))
    return RedirectResponse("/me", 303)


def _party(request: Request, site: Site) -> passkeys.RelyingParty:
    party = party_of(request, site)
    if party is None:
        raise NotFound("this server has no passkeys: use a recovery code, or another device")
    return party
