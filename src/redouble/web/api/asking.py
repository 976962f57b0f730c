"""Who sends a request, and for which table."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from redouble.web.api.shapes import TableState
from redouble.web.api.state import state_of
from redouble.web.errors import Unknown
from redouble.web.live.live import Live
from redouble.web.people.people import Person
from redouble.web.site import At, Site, at_table
from redouble.web.table.acts.base import MAX_SEAT
from redouble.web.visitor import SiteOf, visitor

bearer = HTTPBearer(
    scheme_name="token",
    description="The token from POST /api/guests. A browser's cookie works, too.",
    auto_error=False,
)
Credentials = Annotated[HTTPAuthorizationCredentials | None, Security(bearer)]


async def asker(request: Request, credentials: Credentials) -> Person | None:
    """Return the sender; None for a spectator, who sends no token."""
    person = await visitor(request)
    if person is None and "authorization" in request.headers:
        raise Unknown("this token isn't valid on this server: get a new one from POST /api/guests")
    return person


Asker = Annotated[Person | None, Depends(asker)]


async def known(person: Asker) -> Person:
    """Return the sender. Raises :class:`Unknown` without a token."""
    if person is None:
        raise Unknown("this needs a token: get one from POST /api/guests")
    return person


Known = Annotated[Person, Depends(known)]
GameName = Annotated[str, Path(max_length=100, description="A name that `/api/games` lists.")]
Token = Annotated[str, Path(max_length=64, description="The table's token.")]
Seat = Annotated[
    int | None,
    Query(
        ge=0,
        le=MAX_SEAT,
        description="Which of your seats looks: by default the one to move.",
    ),
]


async def _at_table(table: Token, site: SiteOf, person: Known) -> At:
    return await at_table(site, table, person)


AtTable = Annotated[At, Depends(_at_table)]


async def state(
    site: Site, live: Live, person: Person | None, seat: int | None = None
) -> TableState:
    """Return the table, after the changes in progress are on disk."""
    async with live.lock:
        await site.tables.note_silence(live)
        return state_of(live, person, seat)
