"""Shared results, which show nothing else of their table, and the pictures of links."""

import secrets

import sqlalchemy as sa
from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from redouble.web.errors import NotFound, NotYours, Sealed
from redouble.web.features.study.sharing import Pictures, SharedResult, result_of
from redouble.web.live.live import Live
from redouble.web.people.people import Person
from redouble.web.store import insert_first
from redouble.web.store.schema import metadata, owned_by
from redouble.web.visitor import CurrentUser, SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

shares = sa.Table(
    "shares",
    metadata,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("token", owned_by("tables.token"), nullable=False, unique=True),
    sa.Column("at", sa.Float, nullable=False),
)
"""The results that players have shared: a link that shows nothing else of the table."""

router = Router(include_in_schema=False)
PICTURE_SECONDS = 600
"""How long browsers may keep a picture; names in it can be deleted."""


def new_share(connection: sa.Connection, token: str, at: float) -> str:
    """Return the id under which a table's result is shared, a new one if it wasn't yet."""
    query = sa.select(shares.c.id).filter_by(token=token)
    found = connection.execute(query).scalar()
    if found is None:
        found = secrets.token_urlsafe(12)
        if not insert_first(connection, shares, {"id": found, "token": token, "at": at}):
            found = connection.execute(query).scalar_one()
    return str(found)


def token_of_share(connection: sa.Connection, shared: str) -> str:
    """Return the token of a shared result's table. Raises :class:`NotFound`."""
    found = connection.execute(sa.select(shares.c.token).filter_by(id=shared)).scalar()
    if found is None:
        raise NotFound("there is no result at this link: it is no longer shared")
    return str(found)


def drop_share(connection: sa.Connection, token: str) -> None:
    """Delete the link to a table's result, if there is one."""
    connection.execute(sa.delete(shares).filter_by(token=token))


@router.post("/t/{token}/share", Cost.PAGE)
async def share(token: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Give a table's result a link of its own. Only its players can."""
    live = await _played_by(site, token, person.id)
    result_of(live.table)
    shared = await site.store.run(new_share, token, site.now())
    return RedirectResponse(f"/results/{shared}", 303)


@router.post("/t/{token}/unshare", Cost.PAGE)
async def stop_sharing(token: str, site: SiteOf, person: CurrentUser) -> RedirectResponse:
    """Take a result's link back."""
    await _played_by(site, token, person.id)
    await site.store.run(drop_share, token)
    return RedirectResponse(f"/t/{token}", 303)


@router.get("/results/{shared}", Cost.PAGE)
async def show_result(request: Request, shared: str, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show a shared result; to its players also the link, and the way back to the table."""
    live = await _shared(site, shared)
    mine = live.table.seats_of(person.id if person else None)
    return site.page(
        "study/result.html",
        person=person,
        result=await _result(site, live, person),
        url=str(request.url_for("show_result", shared=shared)),
        table=f"/t/{live.table.header.token}" if mine else "",
    )


@router.get("/results/{shared}/picture.png", Cost.RENDERING)
async def result_picture(shared: str, site: SiteOf) -> Response:
    """Return the picture of a shared result."""
    result = await _result(site, await _shared(site, shared), None)
    return _picture(await site.renderings.run(site.service(Pictures).of_result, result))


@router.get("/join/{invite}/picture.png", Cost.RENDERING)
async def invitation_picture(invite: str, site: SiteOf) -> Response:
    """Return the picture of an invitation."""
    live = await site.tables.invited(invite)
    drawn = site.renderings.run(
        site.service(Pictures).of_invitation, live.table.game, live.host_name()
    )
    return _picture(await drawn)


async def _result(site: SiteOf, live: Live, person: Person | None) -> SharedResult:
    """Return a result as a person may see it: without places while they may still play the deal."""
    table = live.table
    result = result_of(table)
    if not table.seats_of(person.id if person else None):
        try:
            await site.check_unsealed(person, table.game.name, table.match.seed)
        except Sealed:
            return result.sealed()
    return result


async def _shared(site: SiteOf, shared: str) -> Live:
    token = await site.store.run(token_of_share, shared)
    return await site.tables.get(token)


async def _played_by(site: SiteOf, token: str, person: str) -> Live:
    live = await site.tables.get(token)
    if not live.table.seats_of(person):
        raise NotYours("only players can share a result")
    return live


def _picture(content: bytes) -> Response:
    kept = {"Cache-Control": f"public, max-age={PICTURE_SECONDS}"}
    return Response(content, media_type="image/png", headers=kept)
