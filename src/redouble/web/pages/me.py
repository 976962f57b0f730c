"""Your page: name, results and games, linking devices, export, sign-out and deletion."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from redouble.contract.registry import GAMES
from redouble.web.errors import NotFound, WebError
from redouble.web.features.account import account
from redouble.web.features.account.identity import OwnedGames
from redouble.web.features.friends import friends
from redouble.web.features.profile.breakdown import breakdowns, rating_trend, trend
from redouble.web.features.profile.page import AUDIENCES, badges_for
from redouble.web.features.ratings import rows as rating_rows
from redouble.web.features.ratings.ratings import like_a_bot
from redouble.web.features.signin import codes, passkeys
from redouble.web.features.study import record_rows
from redouble.web.features.study.records import records_of
from redouble.web.live import lists
from redouble.web.people import mutes, profiles
from redouble.web.people.people import Person
from redouble.web.people.profiles import MOTIFS
from redouble.web.people.results import by_game, results_in_detail, results_of, statistics
from redouble.web.site import Site
from redouble.web.visitor import (
    CurrentUser,
    SiteOf,
    Visitor,
    client_of,
    device_of,
    know,
    marked,
    party_of,
)
from redouble.web.visitor.costs import Cost, Router, costs

router = Router(include_in_schema=False)


@router.get("/me")
@costs(Cost.RENDERING)
async def my_page(request: Request, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show your page, or to a new visitor what it is for."""
    return await person_page(request, site, person)


@router.get("/me/games/{name}")
@costs(Cost.RENDERING)
async def my_game(name: str, request: Request, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show your results in one game: over time, by opponents, players and house rules."""
    game = GAMES.get(name)
    if game is None:
        raise NotFound("there is no such game")
    if person is None:
        return await person_page(request, site, None)
    me = person.id
    results, rating, history = await site.store.run(
        lambda c: (
            results_in_detail(c, me, name),
            rating_rows.rating_of(c, me, name),
            rating_rows.history_of(c, me, name),
        )
    )
    return await site.rendered(
        "my_game.html",
        person=person,
        game=game,
        tally=statistics(results),
        trend=trend(results),
        rating=rating,
        rating_trend=rating_trend(history),
        like=like_a_bot(name, rating),
        breakdowns=breakdowns(game, results, me),
    )


@router.post("/me/name")
@costs(Cost.PAGE)
async def rename(
    request: Request, site: SiteOf, person: CurrentUser, name: Annotated[str, Form()] = ""
) -> Response:
    """Change your name. Tables you have already joined keep the old one."""
    try:
        await site.people.rename(person, name)
    except WebError as error:
        page = await person_page(request, site, person, error.sentence, error.status)
        return marked(page, request, error)
    return RedirectResponse("/me", 303)


@router.post("/me/code")
@costs(Cost.PAGE)
async def new_code(request: Request, site: SiteOf, person: CurrentUser) -> HTMLResponse:
    """Show a one-time code for linking another device."""
    code = await site.people.code(person)
    address = f"{str(request.base_url).rstrip('/')}/link?code={code}"
    minutes = codes.SECONDS // 60
    return site.page(
        "code.html", person=person, parts=codes.parts(code), address=address, minutes=minutes
    )


@router.post("/me/recovery")
@costs(Cost.PAGE)
async def new_recovery_code(request: Request, site: SiteOf, person: CurrentUser) -> HTMLResponse:
    """Show a code for paper, which replaces the one before.

    The form has no mark: for a repeat, the answer with the code would be stored.
    """
    code = await site.people.recovery_code(person)
    address = f"{str(request.base_url).rstrip('/')}/link"
    return site.page("recovery.html", person=person, parts=codes.parts(code), address=address)


@router.get("/link")
@costs(Cost.PAGE)
async def ask_code(request: Request, site: SiteOf, person: Visitor, code: str = "") -> HTMLResponse:
    """Show the form for another device's code; with a code, whose it is and what they take over."""
    owner, games, problem = None, None, ""
    if code:
        try:
            owner, games = await account.owner_of_code(site, code, person, client_of(request))
        except WebError as error:
            problem = error.sentence
    return link_page(request, site, person, code, problem, owner, games)


@router.post("/link")
@costs(Cost.PAGE)
async def link(
    request: Request, site: SiteOf, person: Visitor, code: Annotated[str, Form()] = ""
) -> Response:
    """Sign this device in as the person who created the code."""
    try:
        known = await account.link_device(
            site, code, person, client_of(request), device_of(request)
        )
    except WebError as error:
        page = link_page(request, site, person, code, error.sentence, status=error.status)
        return marked(page, request, error)
    know(request, site.people.token(known))
    return RedirectResponse("/me", 303)


@router.get("/me/export")
@costs(Cost.RENDERING)
async def export(site: SiteOf, person: Visitor) -> Response:
    """Download everything stored about you as one file."""
    if person is None:
        raise NotFound("there is nothing to show: you haven't played yet")
    await site.people.keep_seen()
    return StreamingResponse(
        account.export(site.store, person, site.data, site.seal),
        media_type="application/json",
        headers={"Content-Disposition": 'attachment; filename="redouble.json"'},
    )


@router.post("/me/records/{token}")
@costs(Cost.PAGE)
async def drop_record(token: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Delete an imported game."""
    await site.store.run(lambda c: record_rows.delete_record(c, person.id, token))
    return RedirectResponse("/me", 303)


@router.post("/me/out")
@costs(Cost.PAGE)
async def sign_out(request: Request, site: SiteOf, person: Visitor) -> RedirectResponse:
    """Sign out on this device."""
    if person is not None:
        with contextlib.suppress(NotFound):  # signed out from another device just now
            await account.end_session(site, person, person.session)
    know(request, "")
    return RedirectResponse("/me", 303)


@router.post("/me/devices/end")
@costs(Cost.PAGE)
async def sign_out_elsewhere(site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Sign out on all other devices."""
    await account.end_other_sessions(site, person)
    return RedirectResponse("/me#devices", 303)


@router.post("/me/devices/{session}/end")
@costs(Cost.PAGE)
async def sign_device_out(session: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Sign out on one other device."""
    await account.end_session(site, person, session)
    return RedirectResponse("/me#devices", 303)


@router.post("/me/forget")
@costs(Cost.PAGE)
async def forget(
    request: Request, site: SiteOf, person: Visitor, sure: Annotated[str, Form()] = ""
) -> Response:
    """Delete everything stored about you."""
    if person is None:
        return RedirectResponse("/me", 303)
    if sure != "yes":
        said = "Nothing was deleted: check the box first to confirm."
        return await person_page(request, site, person, said, 400)
    deleted = await account.forget(site.store, site.tables, person, site.data)
    know(request, "")
    return site.page("gone.html", person=None, deleted=deleted)


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
        "link.html", status, person=person, code=code, problem=problem, owner=owner, games=games,
        passkeys_here=party_of(request, site) is not None,
    )  # fmt: skip


async def person_page(
    request: Request, site: Site, person: Person | None, problem: str = "", status: int = 200
) -> HTMLResponse:
    """Return a person's own page, or to a new visitor what it is for."""
    here = party_of(request, site) is not None
    if person is None:
        return site.page("not_played.html", status, person=None, passkeys_here=here)
    me = person.id
    results, ratings, recovery_made, my_passkeys, profile, badges = await site.store.run(
        lambda c: (
            results_of(c, me),
            rating_rows.history_of(c, me),
            codes.recovery_made(c, me),
            passkeys.passkeys_of(c, me),
            profiles.profile_of(c, me),
            badges_for(c, me),
        )
    )
    return await site.rendered(
        "me.html",
        status,
        person=person,
        problem=problem,
        now=site.now(),
        games_played=by_game(results),
        ratings={row["game"]: row["points"] for row in ratings},
        passkeys_here=here,
        passkeys=my_passkeys,
        profile=profile,
        badges=badges,
        MOTIFS=MOTIFS,
        AUDIENCES=AUDIENCES,
        recovery_made=recovery_made and datetime.fromtimestamp(recovery_made, UTC).date(),
        result_at={row["token"]: row for row in results},
        unfinished=await site.store.run(lambda c: lists.unfinished(c, me)),
        finished=await site.store.run(lambda c: lists.finished(c, me)),
        records=await records_of(site.store, person),
        sessions=await site.people.sessions_of(person),
        muted=await site.store.run(lambda c: mutes.muted_by(c, me)),
        friends=await site.store.run(lambda c: friends.friends_of(c, me)),
        hides=await site.store.run(lambda c: friends.hides(c, me)),
    )
