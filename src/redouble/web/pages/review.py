"""The review of a game that is over: asked for, waited for, looked at."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Form
from fastapi.responses import HTMLResponse, RedirectResponse

from redouble import shares
from redouble.web.film import Film
from redouble.web.graph import graph_of
from redouble.web.people import Person
from redouble.web.site import Site, SiteOf, Somebody, Visitor

router = APIRouter(include_in_schema=False)

Deed = Annotated[str, Form(max_length=20)]


@router.get("/t/{token}/review")
async def table_review(token: str, site: SiteOf, person: Visitor) -> HTMLResponse:
    """The review of a table that is over."""
    film = await site.table_film(token)
    return await _page(site, film, person, f"/t/{token}")


@router.post("/t/{token}/review")
async def ask_table_review(
    token: str, site: SiteOf, person: Somebody, deed: Deed = "begin"
) -> RedirectResponse:
    """Have it made, or give it up."""
    _do(site, await site.table_film(token), person, deed)
    return RedirectResponse(f"/t/{token}/review", 303)


@router.get("/r/{token}/review")
async def record_review(token: str, site: SiteOf, person: Visitor) -> HTMLResponse:
    """The review of a record that somebody brought along."""
    film = await site.record_film(token)
    return await _page(site, film, person, f"/r/{token}")


@router.post("/r/{token}/review")
async def ask_record_review(
    token: str, site: SiteOf, person: Somebody, deed: Deed = "begin"
) -> RedirectResponse:
    """Have it made, or give it up."""
    _do(site, await site.record_film(token), person, deed)
    return RedirectResponse(f"/r/{token}/review", 303)


def _do(site: Site, film: Film, person: Person, deed: str) -> None:
    if deed == "stop":
        site.reviews.stop(film, person.id)
    else:
        site.reviews.begin(film, person.id)


async def _page(site: Site, film: Film, person: Person | None, at: str) -> HTMLResponse:
    """The page as far as it is: the review, how far it has got, or the offer to make one."""
    table = at if at.startswith("/t/") else ""
    context: dict[str, Any] = {
        "film": film,
        "person": person,
        "here": f"{at}/review",
        "replay": f"{table}/replay" if table else at,
        "table": table,
    }
    if (found := site.reviews.found(film)) is not None:
        told = await asyncio.to_thread(film.told, None)
        return site.page(
            "review.html", **context, review=found, graph=graph_of(found), told=told, shares=shares
        )
    job = site.reviews.job(film)
    return site.page(
        "reviewing.html",
        **context,
        job=job,
        before=site.reviews.before(film) if job else 0,
        mine=job is not None and person is not None and job.person == person.id,
        problem=site.reviews.problem(film),
    )
