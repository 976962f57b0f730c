"""Moves in advance: what a player decides for their next turns in a correspondence game."""

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import ValidationError
from starlette.datastructures import FormData

from redouble.contract.page import html
from redouble.contract.page.html import Html
from redouble.kernel import checks
from redouble.web.drawing.markup.forms import address
from redouble.web.errors import WebError
from redouble.web.feature import TableVisit
from redouble.web.features.premoves import premoves
from redouble.web.pages.table import AtTable
from redouble.web.site import At
from redouble.web.visitor import Fields, marked
from redouble.web.visitor.costs import Cost, Router

router = Router(prefix="/t/{token}/ahead", include_in_schema=False)
EMPTY_ROWS = 3
"""Rows of the form that wait for another move."""


@router.get("", Cost.PAGE)
async def show_premoves(at: AtTable) -> HTMLResponse:
    """Show the moves that a player has decided, with the form for more."""
    seat = premoves.check_allows_premoves(at.table, at.person.id)
    moves = await at.site.store.run(premoves.premoves_of, at.table.header.token, seat, at.person.id)
    return _page(at, seat, moves)


@router.post("", Cost.PAGE)
async def decide(request: Request, at: AtTable, form: Fields) -> Response:
    """Replace the moves in advance by those of the form."""
    seat = premoves.check_allows_premoves(at.table, at.person.id)
    moves: list[premoves.Premove] = []
    try:
        moves = _read(form)
        await premoves.decide_premoves(at, moves)
    except WebError as error:
        return marked(_page(at, seat, moves, error), request, error)
    return RedirectResponse(f"/t/{at.table.header.token}/ahead", 303)


async def menu(visit: TableVisit) -> Html | None:
    """Return the way to a player's moves in advance."""
    if visit.person is None or not premoves.allows_premoves(visit.table, visit.person.id):
        return None
    there = {"class": "btn", "href": f"{address(visit.table)}/ahead"}
    return html.p(html.a(there, "Moves in advance"))


def _read(form: FormData) -> list[premoves.Premove]:
    """Return the rows of a form that name a move. Raises :class:`WebError`."""
    columns = [form.getlist(name) for name in ("move", "number", "at_least", "at_most")]
    if len({len(column) for column in columns}) > 1:
        raise WebError("each move needs its number and bounds, which may be empty")
    found = []
    for move, number, at_least, at_most in zip(*columns, strict=True):
        if not move:
            continue
        given = {
            "move": checks.typed(move),
            "number": number,
            "at_least": at_least,
            "at_most": at_most,
        }
        try:
            found.append(
                premoves.Premove.model_validate({k: v for k, v in given.items() if v != ""})
            )
        except ValidationError as error:
            field = error.errors()[0]["loc"][0]
            raise WebError(
                f"{given[str(field)]!r} can't be used for {move}: give a number"
            ) from None
    return found


def _page(
    at: At, seat: int, moves: list[premoves.Premove], error: WebError | None = None
) -> HTMLResponse:
    table = at.table
    return at.site.page(
        "premoves/premoves.html",
        error=error,
        person=at.person,
        table=table,
        seat=seat,
        moves=moves,
        rows=[*moves, *[None] * min(EMPTY_ROWS, premoves.MAX_PREMOVES - len(moves))],
        choices=premoves.moves_to_choose(table, seat),
        numbers=premoves.numbers_at(table, seat),
    )
