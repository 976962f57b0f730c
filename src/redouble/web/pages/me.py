"""Your page: name, games, and what features add."""

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from redouble.web.errors import WebError
from redouble.web.feature import Visit, features_of
from redouble.web.live import lists
from redouble.web.people import profiles
from redouble.web.people.people import Person
from redouble.web.people.results import results_of
from redouble.web.site import Site
from redouble.web.visitor import CurrentUser, FormText, SiteOf, Visitor, marked
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)


@router.get("/me", Cost.RENDERING)
async def my_page(request: Request, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show your page, or to a new visitor what it is for."""
    return await person_page(request, site, person)


@router.post("/me/name", Cost.PAGE)
async def rename(
    request: Request, site: SiteOf, person: CurrentUser, name: FormText = ""
) -> Response:
    """Change your name. Tables you have already joined keep the old one."""
    try:
        await site.people.rename(person, name)
    except WebError as error:
        return marked(await person_page(request, site, person, error), request, error)
    return RedirectResponse("/me", 303)


async def person_page(
    request: Request, site: Site, person: Person | None, error: WebError | None = None
) -> HTMLResponse:
    """Return a person's own page, or to a new visitor what it is for."""
    visit = Visit(request, site, person)
    if person is None:
        return site.page("not_played.html", error=error, person=None)
    me = person.id
    results, profile, unfinished, finished = await site.store.run(
        lambda c: (
            results_of(c, me),
            profiles.profile_of(c, me),
            lists.unfinished(c, me),
            lists.finished(c, me),
        )
    )
    return await site.rendered(
        "me.html",
        error=error,
        person=person,
        page_mark=visit.mark,
        now=site.now(),
        profile=profile,
        result_at={row["token"]: row for row in results},
        unfinished=unfinished,
        finished=finished,
        places=await features_of(site).on_page("me", visit),
    )
