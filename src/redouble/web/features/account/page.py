"""Your data: export and deletion."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from redouble.web.errors import NotFound
from redouble.web.feature import Fragment, Visit, features_of
from redouble.web.features.account import account
from redouble.web.features.notices.addresses import Seal
from redouble.web.pages.me import person_page
from redouble.web.visitor import FormText, SiteOf, Visitor, know
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)


async def data(visit: Visit) -> Fragment | None:
    """Show what a person can do with their data."""
    return visit.part("account/my_data.html")


@router.get("/me/export", Cost.RENDERING)
async def export(site: SiteOf, person: Visitor) -> Response:
    """Download everything stored about you as one file."""
    if person is None:
        raise NotFound("there is nothing to show: you haven't played yet")
    await site.people.keep_seen()
    return StreamingResponse(
        account.export(site.store, person, features_of(site).data, site.service(Seal)),
        media_type="application/json",
        headers={"Content-Disposition": 'attachment; filename="redouble.json"'},
    )


@router.post("/me/forget", Cost.PAGE)
async def forget(request: Request, site: SiteOf, person: Visitor, sure: FormText = "") -> Response:
    """Delete everything stored about you."""
    if person is None:
        return RedirectResponse("/me", 303)
    if sure != "yes":
        said = "Nothing was deleted: check the box first to confirm."
        return await person_page(request, site, person, said, 400)
    deleted = await account.forget(site.store, site.tables, person, features_of(site).data)
    know(request, "")
    return site.page("account/gone.html", person=None, deleted=deleted)
