"""Records and reviews of finished games, for programs."""

from typing import Annotated, Any, Literal

from fastapi import Depends, Path, Response

from redouble.analysis.review import Review
from redouble.web.api import shapes
from redouble.web.api.asking import Asker, Known, Token
from redouble.web.api.docs import about
from redouble.web.api.routes import line_of
from redouble.web.features.study.queue import Job
from redouble.web.features.study.records import checked_record, save_record
from redouble.web.features.study.reviews import Reviews
from redouble.web.features.study.saved import SavedGame, record_line, record_played, table_played
from redouble.web.people.people import Person
from redouble.web.site import Site
from redouble.web.table.acts.base import Given
from redouble.web.visitor import SiteOf
from redouble.web.visitor.costs import Cost, Router

router = Router(prefix="/api", generate_unique_id_function=lambda route: route.name)

RecordToken = Annotated[str, Path(max_length=64, description="The record's token.")]


async def _table(table: Token, site: SiteOf, person: Asker) -> SavedGame:
    return await table_played(site, table, person)


async def _record(record: RecordToken, site: SiteOf, person: Asker) -> SavedGame:
    return await record_played(site, record, person)


Table = Annotated[SavedGame, Depends(_table)]
Record = Annotated[SavedGame, Depends(_record)]


class NewRecord(Given):
    """A record to save."""

    record: str
    """The line of JSON, as a string."""


class SavedRecord(shapes.Answered):
    """A record that was saved."""

    token: str
    url: str
    """The page that shows it; `GET /api/records/{record}` returns the record."""


@router.post(
    "/records",
    Cost.UPLOAD,
    status_code=201,
    **about("Save a record", "Where it is saved.", "records", 400, 401, 403, 413, 422, 429, 503),
)
async def new_record(site: SiteOf, person: Known, given: NewRecord) -> SavedRecord:
    """Save a record from anywhere, after checking that it can be replayed. Everyone with its token
    can read it.
    """
    line = await site.imports.run(checked_record, given.record, site.limits.record_bytes)
    token = await save_record(site, person, line)
    return SavedRecord(token=token, url=f"/r/{token}")


@router.get(
    "/records/{record}",
    Cost.RENDERING,
    response_model=shapes.RecordState,
    **about("Read a saved record", "The record.", "records", 401, 403, 404, 422, 503, anyone=True),
)
async def read_record(
    record: Annotated[str, Path(max_length=64, description="The record's token.")],
    site: SiteOf,
    person: Asker,
) -> Response:
    return line_of(await record_line(site, record, person))


class ReviewState(shapes.Answered):
    """A review, or its progress."""

    status: Literal["none", "running", "ready", "impossible"]
    """`none`: not begun; `impossible`: see `problem`."""
    percent: int
    problem: str = ""
    review: dict[str, Any] | None = None
    """As `redouble review --json -` prints it; docs/review.md explains the figures."""


PROGRESS = "Its progress, and the review when it is ready.", "records"
PROBLEMS = 400, 401, 403, 404, 422, 503


@router.get(
    "/tables/{table}/review",
    Cost.RENDERING,
    **about("Read the review of a table", *PROGRESS, *PROBLEMS, anyone=True),
)
async def table_review(played: Table, site: SiteOf) -> ReviewState:
    """`POST` to begin it. It shows hidden cards, so it is 403 before the game is over."""
    return await _state(site, played)


@router.post(
    "/tables/{table}/review", Cost.SEARCH, **about("Review a table", *PROGRESS, *PROBLEMS, 409, 429)
)
async def review_table(person: Known, played: Table, site: SiteOf) -> ReviewState:
    """It takes several seconds: `GET` its progress. Each person can have one at a time."""
    return await _begun(site, played, person)


@router.get(
    "/records/{record}/review",
    Cost.RENDERING,
    **about("Read the review of a saved game", *PROGRESS, *PROBLEMS, anyone=True),
)
async def record_review(played: Record, site: SiteOf) -> ReviewState:
    """`POST` to begin it."""
    return await _state(site, played)


@router.post(
    "/records/{record}/review",
    Cost.SEARCH,
    **about("Review a saved game", *PROGRESS, *PROBLEMS, 409, 429),
)
async def review_record(person: Known, played: Record, site: SiteOf) -> ReviewState:
    """It takes several seconds: `GET` its progress. Each person can have one at a time."""
    return await _begun(site, played, person)


async def _begun(site: Site, played: SavedGame, person: Person) -> ReviewState:
    await site.service(Reviews).begin(played, person.id)
    return await _state(site, played)


async def _state(site: Site, played: SavedGame) -> ReviewState:
    match await site.service(Reviews).state(played.replay):
        case Review() as found:
            return ReviewState(status="ready", percent=100, review=found.to_dict())
        case Job() as job:
            return ReviewState(status="running", percent=job.percent)
        case "":
            return ReviewState(status="none", percent=0)
        case problem:
            return ReviewState(status="impossible", percent=0, problem=problem)
