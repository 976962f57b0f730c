"""Finding people, for programs."""

from typing import Annotated, Literal

from pydantic import Field

from redouble.web.api.asking import Asker, Known
from redouble.web.api.docs import about
from redouble.web.api.shapes import Answered, TableRow
from redouble.web.features.meeting.groups import LEASTS, SearchWishes
from redouble.web.features.meeting.meeting import Company, Meetings
from redouble.web.people.people import Person
from redouble.web.site import Site
from redouble.web.table.acts.base import Digits, Given
from redouble.web.visitor import SiteOf
from redouble.web.visitor.costs import Cost, Router

router = Router(prefix="/api", generate_unique_id_function=lambda route: route.name)

Kind = Literal["either", "rated", "casual"]
GameNames = Annotated[
    list[Annotated[str, Field(max_length=100)]], Field(min_length=1, max_length=50)
]


class Looking(Given):
    """What you look for."""

    games: GameNames
    """Names that `/api/games` lists: those that you would play."""
    least: Annotated[int, Field(ge=LEASTS[0], le=LEASTS[-1])] = LEASTS[0]
    """How many people have to play, at least."""
    kind: Kind = "either"
    """Whether you want a `rated` or a `casual` game. It is rated unless one of you wants a casual
    one."""
    bots: bool = False
    """Whether bots may take the seats of people who are missing. Ten seconds later the game begins
    with those who agree, even if that is you alone."""
    tell: bool = False
    """Whether you get a message when somebody comes after you have gone."""
    to: Annotated[str, Field(max_length=64)] = ""
    """The `id` of somebody whom you want to play with: you look for one of their games, too."""
    promise: Digits = ""
    """The SHA-256 of your share in a fair deal, which you reveal at the table."""


class SeekerState(Answered):
    """Somebody who looks for people."""

    id: str
    """Of this search."""
    name: str
    games: list[str]
    least: int
    kind: str
    bots: bool


class MeetingState(Answered):
    """Who looks for people now."""

    looking: bool
    """Whether you do, too. It ends 20 seconds after your last request."""
    table: str | None
    """The table that was found for you a moment ago: the game has begun."""
    people: list[SeekerState]
    """The others, those first who have waited longest."""
    tables: list[TableRow]
    """The public tables at which somebody waits now."""


@router.get(
    "/people",
    Cost.PAGE,
    **about("See who looks for people", "Who is online.", "people", 401, 503, anyone=True),
)
async def who_is_here(site: SiteOf, person: Asker) -> MeetingState:
    """While you look for people, ask at least every ten seconds."""
    return await _state(site, person)


@router.post(
    "/people",
    Cost.TABLE,
    **about("Look for people", "Who is online.", "people", 400, 401, 403, 404, 413, 422, 429, 503),
)
async def look_for_people(site: SiteOf, person: Known, given: Looking) -> MeetingState:
    """As soon as enough people are here who want the same, the game begins at a new table."""
    bots = site.now() if given.bots else None
    wishes = SearchWishes(frozenset(given.games), given.least, given.kind, bots)
    meetings = site.service(Meetings)
    await meetings.look(person, wishes, given.tell, given.promise, given.to)
    return await _state(site, person)


@router.post(
    "/people/stop", Cost.PAGE, **about("Look no more", "Who is online.", "people", 401, 403, 503)
)
async def stop_looking(site: SiteOf, person: Known) -> MeetingState:
    """You get no notifications about others, either."""
    await site.service(Meetings).stop(person)
    return await _state(site, person)


async def _state(site: Site, person: Person | None) -> MeetingState:
    meetings = site.service(Meetings)
    token = await meetings.settle(person.id) if person else ""
    meeting = await meetings.seen_by(person)
    return MeetingState(
        looking=meeting.search is not None,
        table=token or None,
        people=[_shown(one) for one in meeting.company],
        tables=[TableRow.model_validate(one) for one in meeting.tables],
    )


def _shown(one: Company) -> SeekerState:
    wishes = one.seeker.wishes
    return SeekerState(
        id=one.id,
        name=one.name,
        games=[game.name for game, _ in one.games],
        least=wishes.least,
        kind=wishes.kind,
        bots=wishes.bots is not None,
    )
