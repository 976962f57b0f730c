"""Fair deals: the check of a game's cards, and the server's list of commitments."""

import json
from dataclasses import asdict
from typing import Annotated

from fastapi import Query
from fastapi.responses import HTMLResponse, Response

from redouble.contract.page import html
from redouble.contract.page.html import Html
from redouble.match.record import Record
from redouble.match.verify import verify
from redouble.web.drawing.markup.forms import address
from redouble.web.feature import TableVisit
from redouble.web.features.study.saved import record_line
from redouble.web.live.fair import listed
from redouble.web.people.people import Person
from redouble.web.site import Site
from redouble.web.visitor import SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)

LAST = 2**31 - 1
"""Larger than the number of any commitment, and the largest that PostgreSQL compares them with."""
LISTED_ON_PAGE, LISTED_AS_LINES = 25, 200

Before = Annotated[int, Query(ge=1, le=LAST)]


@router.get("/t/{token}/deal", Cost.RENDERING)
async def table_deal(token: str, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Check the cards of a finished table."""
    record = await site.table_record(token, person)
    return await _checked(site, person, record, f"/t/{token}", f"/t/{token}/replay")


@router.get("/r/{token}/deal", Cost.RENDERING)
async def record_deal(token: str, site: SiteOf, person: Visitor) -> HTMLResponse:
    """Check the cards of an imported game."""
    record = Record.parse(await record_line(site, token, person))
    return await _checked(site, person, record, f"/r/{token}", f"/r/{token}")


@router.get("/fair", Cost.RENDERING)
async def fair_deals(site: SiteOf, person: Visitor, before: Before = LAST) -> HTMLResponse:
    """Say how cards are dealt, and list the server's commitments, the last one first."""
    found = await site.store.run(listed, before, LISTED_ON_PAGE)
    more = found[-1].number if found and found[-1].number > 1 else None
    return site.page("fair/fair.html", person=person, commitments=found, more=more)


@router.get("/fair/commitments", Cost.RENDERING)
async def commitment_lines(site: SiteOf, before: Before = LAST) -> Response:
    """Return up to 200 commitments as lines of JSON, the last one first."""
    found = await site.store.run(listed, before, LISTED_AS_LINES)

    def lines() -> Response:
        text = "".join(f"{json.dumps(asdict(one))}\n" for one in found)
        return Response(text, media_type="application/x-ndjson")

    return await site.renderings.run(lines)


async def ending(visit: TableVisit) -> Html | None:
    """Return the link to the check of a finished table's cards."""
    check = html.a({"href": f"{address(visit.table)}/deal"}, "Check the deal")
    return html.p({"class": "fair"}, check) if visit.table.match.fair else None


async def _checked(
    site: Site, person: Person | None, record: Record, at: str, replay: str
) -> HTMLResponse:
    verdict = None if record.fair is None else await site.renderings.run(verify, record)
    return site.page(
        "fair/checked_deal.html",
        person=person,
        verdict=verdict,
        record=record,
        at=at,
        replay=replay,
    )
