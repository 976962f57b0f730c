"""Reviews of finished games, for programs."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Path

from redouble.analysis.review import Review
from redouble.web.api import shapes
from redouble.web.api.asking import Asker, Known, Token
from redouble.web.api.docs import optional_token, problems
from redouble.web.features.study.queue import Job
from redouble.web.features.study.saved import SavedGame
from redouble.web.people.people import Person
from redouble.web.site import Site
from redouble.web.visitor import SiteOf
from redouble.web.visitor.costs import Cost, Router, costs

router = Router(prefix="/api", generate_unique_id_function=lambda route: route.name)

RecordToken = Annotated[str, Path(max_length=64, description="The record's token.")]


async def _table(table: Token, site: SiteOf, person: Asker) -> SavedGame:
    return await site.table_played(table, person)


async def _record(record: RecordToken, site: SiteOf, person: Asker) -> SavedGame:
    return await site.record_played(record, person)


Table = Annotated[SavedGame, Depends(_table)]
Record = Annotated[SavedGame, Depends(_record)]


def about(summary: str, *statuses: int) -> dict[str, Any]:
    """Return what these operations have in common in the OpenAPI."""
    return {
        "summary": summary,
        "tags": ["records"],
        "response_description": "Its progress, and the review when it is ready.",
        "responses": problems(400, 401, 403, 404, 422, 503, *statuses),
    }


@router.get(
    "/tables/{table}/review", **about("Read the review of a table"), openapi_extra=optional_token()
)
@costs(Cost.RENDERING)
async def table_review(played: Table, site: SiteOf) -> shapes.ReviewState:
    """`POST` to begin it. It shows hidden cards, so it is 403 before the game is over."""
    return await _state(site, played)


@router.post("/tables/{table}/review", **about("Review a table", 409, 429))
@costs(Cost.SEARCH)
async def review_table(person: Known, played: Table, site: SiteOf) -> shapes.ReviewState:
    """It takes several seconds: `GET` its progress. Each person can have one at a time."""
    return await _begun(site, played, person)


@router.get(
    "/records/{record}/review",
    **about("Read the review of a saved game"),
    openapi_extra=optional_token(),
)
@costs(Cost.RENDERING)
async def record_review(played: Record, site: SiteOf) -> shapes.ReviewState:
    """`POST` to begin it."""
    return await _state(site, played)


@router.post("/records/{record}/review", **about("Review a saved game", 409, 429))
@costs(Cost.SEARCH)
async def review_record(person: Known, played: Record, site: SiteOf) -> shapes.ReviewState:
    """It takes several seconds: `GET` its progress. Each person can have one at a time."""
    return await _begun(site, played, person)


async def _begun(site: Site, played: SavedGame, person: Person) -> shapes.ReviewState:
    await site.reviews.begin(played, person.id)
    return await _state(site, played)


async def _state(site: Site, played: SavedGame) -> shapes.ReviewState:
    match await site.reviews.state(played.replay):
        case Review() as found:
            return shapes.ReviewState(status="ready", percent=100, review=found.to_dict())
        case Job() as job:
            return shapes.ReviewState(status="running", percent=job.percent)
        case "":
            return shapes.ReviewState(status="none", percent=0)
        case problem:
            return shapes.ReviewState(status="impossible", percent=0, problem=problem)
