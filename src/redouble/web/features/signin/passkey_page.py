"""Passkeys: added and removed on *Your page*, and used to sign in on another device."""

from __future__ import annotations

import asyncio

from fastapi import Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from redouble.web.errors import NotFound, WebError
from redouble.web.features.signin import linking, passkeys
from redouble.web.features.signin.page import link_page, party_of
from redouble.web.features.signin.passkeys import RelyingParty
from redouble.web.pages.me import person_page
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


@router.post("/me/passkeys/options", Cost.PAGE)
async def options_to_add(request: Request, site: SiteOf, person: CurrentUser) -> Response:
    """Return what a browser needs to make a passkey for you."""
    party = _party(request, site)
    rows = await site.store.run(passkeys.rows_of, person.id)
    known = [row["credential"] for row in rows]
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
        page = await person_page(request, site, person, error.sentence, error.status)
        return marked(page, request, error)
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
        code = await site.store.run(passkeys.code_for, signed)
        if person is not None:
            return RedirectResponse(f"/link?code={code}", 303)
        known = await linking.link_device(site, code, None, client_of(request), device_of(request))
    except WebError as error:
        page = link_page(request, site, person, "", error.sentence, status=error.status)
        return marked(page, request, error)
    know(request, site.people.token(known))
    return RedirectResponse("/me", 303)


def _party(request: Request, site: Site) -> RelyingParty:
    party = party_of(request, site)
    if party is None:
        raise NotFound("this server has no passkeys here: use a recovery code, or another device")
    return party
