"""Moves in advance for programs."""

from typing import Annotated

from pydantic import Field

from redouble.web.api.asking import AtTable
from redouble.web.api.docs import about
from redouble.web.api.shapes import Answered
from redouble.web.features.premoves import premoves as ahead
from redouble.web.features.premoves.premoves import Premove
from redouble.web.site import At
from redouble.web.table.acts.base import Given
from redouble.web.visitor.costs import Cost, Router

router = Router(prefix="/api", generate_unique_id_function=lambda route: route.name)
_ABOUT = "Your moves in advance.", "play", 400, 401, 403, 404, 413, 422, 503


class NewPremoves(Given):
    """The moves that you want to make at your next turns, in this order."""

    premoves: Annotated[list[Premove], Field(max_length=ahead.MAX_PREMOVES)]


class Premoves(Answered):
    """Your moves in advance."""

    premoves: list[Premove]
    numbers: dict[str, int]
    """The numbers on the table that conditions can name, as they are now."""


@router.get("/tables/{table}/premoves", Cost.PAGE, **about("Read your moves in advance", *_ABOUT))
async def read_premoves(at: AtTable) -> Premoves:
    """Only you can read them."""
    seat = ahead.check_allows_premoves(at.table, at.person.id)
    return await _answer(at, seat)


@router.post("/tables/{table}/premoves", Cost.PAGE, **about("Decide moves in advance", *_ABOUT))
async def decide_premoves(at: AtTable, given: NewPremoves) -> Premoves:
    """Replace your moves in advance; an empty list deletes them. At your turn, the first one that
    is legal and whose condition holds is made within a minute, once. If there is none, or after a
    move of yours, an undo, a resignation or a bot that stands in, all are deleted for good.
    """
    return await _answer(at, await ahead.decide_premoves(at, given.premoves))


async def _answer(at: At, seat: int) -> Premoves:
    token, person = at.table.header.token, at.person.id
    found = await at.site.store.run(ahead.premoves_of, token, seat, person)
    return Premoves(premoves=found, numbers=ahead.numbers_at(at.table, seat))
