"""What the server stores about people, for how long, and who sees it."""

from __future__ import annotations

from fastapi.responses import HTMLResponse

from redouble.web.features.account.retention import COPY_DAYS
from redouble.web.features.company.reports import KEPT_DAYS
from redouble.web.features.company.sanctions import WARNING_DAYS
from redouble.web.features.signin import codes
from redouble.web.people.people import COOKIE, COOKIE_SECONDS
from redouble.web.visitor import SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router, costs

router = Router(include_in_schema=False)

DAY = 24 * 3600


@router.get("/privacy")
@costs(Cost.PAGE)
async def privacy(site: SiteOf, person: Visitor) -> HTMLResponse:
    """Show the page, with the times of this server."""
    return site.page(
        "privacy.html",
        person=person,
        operator=site.operator,
        limits=site.limits,
        cookie=COOKIE,
        cookie_days=COOKIE_SECONDS // DAY,
        code_minutes=codes.SECONDS // 60,
        shared=site.store.shared,
        report_days=KEPT_DAYS,
        warning_days=WARNING_DAYS,
        copy_days=COPY_DAYS if site.store.database.folder else 0,
    )
