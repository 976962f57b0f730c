"""Reviews of games that are over, for programs."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path

from redouble.web.api import shapes
from redouble.web.api.asking import Known, Token
from redouble.web.api.docs import problems
from redouble.web.film import Film
from redouble.web.site import Site, SiteOf

router = APIRouter(prefix="/api", generate_unique_id_function=lambda route: route.name)

RecordToken = Annotated[str, Path(max_length=64, description="The record's token.")]


def about(summary: str, *statuses: int) -> dict[str, Any]:
    """What these operations have in common in the OpenAPI."""
    return {
        "summary": summary,
        "tags": ["records"],
        "response_description": "How far it is, and the review when it is there.",
        "responses": problems(400, 403, 404, 422, 503, *statuses),
    }


@router.get("/tables/{table}/review", **about("The review of a table that is over"))
async def table_review(table: Token, site: SiteOf) -> shapes.ReviewState:
    """Ask for one first. It tells what was hidden: 403 before the game is over."""
    return _state(site, await site.table_film(table))


@router.post("/tables/{table}/review", **about("Have a table reviewed", 401, 409, 429))
async def review_table(table: Token, site: SiteOf, person: Known) -> shapes.ReviewState:
    """It takes some seconds; ask again how far it is. One at a time for each person."""
    film = await site.table_film(table)
    site.reviews.begin(film, person.id)
    return _state(site, film)


@router.get("/records/{record}/review", **about("The review of a record"))
async def record_review(record: RecordToken, site: SiteOf) -> shapes.ReviewState:
    """Ask for one first."""
    return _state(site, await site.record_film(record))


@router.post("/records/{record}/review", **about("Have a record reviewed", 401, 409, 429))
async def review_record(record: RecordToken, site: SiteOf, person: Known) -> shapes.ReviewState:
    """It takes some seconds; ask again how far it is. One at a time for each person."""
    film = await site.record_film(record)
    site.reviews.begin(film, person.id)
    return _state(site, film)


def _state(site: Site, film: Film) -> shapes.ReviewState:
    found, job = site.reviews.found(film), site.reviews.job(film)
    if found is not None:
        return shapes.ReviewState(status="ready", percent=100, review=found.to_dict())
    if problem := site.reviews.problem(film):
        return shapes.ReviewState(status="impossible", percent=0, problem=problem)
    if job is not None:
        return shapes.ReviewState(status="being made", percent=job.percent)
    return shapes.ReviewState(status="none", percent=0)
