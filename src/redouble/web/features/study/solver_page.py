"""The solver's answer about a table: a hint that keeps the win, or the move that lost it."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import HTMLResponse

from redouble.analysis.prepare import Purpose
from redouble.web.errors import NotFound, NotYours
from redouble.web.features.study.solver import SolverAnswer, answer
from redouble.web.live.drawings import Slot
from redouble.web.visitor import SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)

_ANSWERS = Slot[None, SolverAnswer]()


@router.get("/t/{token}/solver", Cost.SEARCH)
async def solver_says(
    request: Request, token: str, site: SiteOf, person: Visitor, seat: int = 0
) -> HTMLResponse:
    """Show the solver's answer to the player of a solitaire, and to all once it is over.

    The solver knows every card, so nobody else may ask while the game runs.
    """
    live = await site.table(token, person)
    table = live.table
    if table.match.solver is None:
        raise NotFound(f"{table.game.title} has no solver for this table")
    mine = table.seats_of(person.id if person else None)
    if table.header.daily and not table.over:
        raise NotYours("a daily deal is played without the solver: ask it when the game is over")
    if not mine and not table.over:
        raise NotYours(
            "another player is playing this deal: you can ask the solver when it is over"
        )
    said = live.drawn.of(_ANSWERS).get(None)
    if said is None and site.compiler.is_ready(table.game, Purpose.SOLVER):
        said = await site.searches.run(answer, table.match.copy())
        if live.table is table:
            live.drawn.of(_ANSWERS)[None] = said
    live.helped |= said is not None and not table.over
    name = "study/solver_said.html" if "hx-request" in request.headers else "study/solver.html"
    return site.page(
        name,
        person=person,
        token=token,
        game=table.game,
        said=said,
        over=table.over,
        seat=seat,
    )
