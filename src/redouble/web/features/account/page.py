"""Your data: export and deletion, and the page that says what is stored."""

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from redouble.kernel.cores import IN_BROWSER
from redouble.web.errors import NotFound, WebError
from redouble.web.feature import Fragment, Visit, features_of
from redouble.web.features.account import account
from redouble.web.features.account.retention import COPY_DAYS
from redouble.web.pages.me import person_page
from redouble.web.people.people import COOKIE, COOKIE_SECONDS
from redouble.web.people.seal import Seal
from redouble.web.visitor import FormText, SiteOf, Visitor, know
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)
DAY = 24 * 3600


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
        account.export(site.store, person, features_of(site).data, site.service(Seal).open),
        media_type="application/json",
        headers={"Content-Disposition": 'attachment; filename="redouble.json"'},
    )


@router.post("/me/forget", Cost.PAGE)
async def forget(request: Request, site: SiteOf, person: Visitor, sure: FormText = "") -> Response:
    """Delete everything stored about you."""
    if person is None:
        return RedirectResponse("/me", 303)
    if sure != "yes":
        error = WebError("nothing was deleted: check the box first to confirm")
        return await person_page(request, site, person, error)
    deleted = await account.forget(site.store, site.tables, person, features_of(site).data)
    know(request, "")
    return site.page("account/gone.html", person=None, deleted=deleted)


@router.get("/privacy", Cost.PAGE)
async def privacy(site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show the page, with the times of this server."""
    return site.page(
        "account/privacy.html",
        person=person,
        operator=site.operator,
        limits=site.limits,
        stored=[
            line
            for one in reversed(features_of(site).data)
            for line in one.privacy
            if not (line.on_servers and IN_BROWSER)
        ],
        days_of={
            name: f"{number} day{'' if number == 1 else 's'}"
            for name, number in vars(site.limits).items()
            if name.endswith("_days")
        },
        cookie=COOKIE,
        cookie_days=COOKIE_SECONDS // DAY,
        shared=site.store.shared,
        copy_days=COPY_DAYS if site.store.database.folder else 0,
    )
