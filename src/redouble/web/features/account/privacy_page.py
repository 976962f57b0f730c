"""What the server stores about people, for how long, and who sees it."""

from __future__ import annotations

from fastapi.responses import HTMLResponse

from redouble.kernel.cores import IN_BROWSER
from redouble.web.feature import features_of
from redouble.web.features.account.retention import COPY_DAYS
from redouble.web.people.people import COOKIE, COOKIE_SECONDS
from redouble.web.visitor import SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)

DAY = 24 * 3600


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
