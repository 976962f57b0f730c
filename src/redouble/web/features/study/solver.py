"""What a game's solver, which knows the hidden cards, says about deals and tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import Request
from fastapi.responses import HTMLResponse

from redouble.analysis.prepare import Purpose
from redouble.contract.game import Game
from redouble.match.match import Match
from redouble.web.errors import NotFound, NotYours
from redouble.web.live.live import Slot
from redouble.web.visitor import SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

if TYPE_CHECKING:
    from redouble.analysis.solve import Foresight, Solving

router = Router(include_in_schema=False)


DIFFICULTIES = ("any", "easy", "medium", "hard")
"""The difficulties that a player can ask of a deal; ``any`` is any deal that can be won."""
UNGRADED = ("any",)


@dataclass(frozen=True)
class SolverAnswer:
    """What the solver says about a table."""

    hint: str = ""
    """A move that keeps the win, in words; empty when none is known or the game is over."""
    left: int = 0
    """The number of moves to the win that begins with the hint."""
    foresight: Foresight | None = None
    """For a game that is over or cannot be won any more."""
    said: str = ""
    """What the foresight says, in a sentence."""


def difficulties(game: Game, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the difficulties to choose from with these checked options; none without a solver."""
    if game.solver is None:
        return ()
    return DIFFICULTIES if game.solver.graded(options) else UNGRADED


def solving(game: Game) -> Solving:
    """Return a game's solver. Its methods take a while: call them in a thread.

    Before the first call, wait until the site's compiler has loaded its code.
    """
    from redouble.analysis.solve import solving_for

    return solving_for(game)


def answer(match: Match) -> SolverAnswer:
    """Return what the solver says about a match as it stands."""
    solver = solving(match.game)
    if match.turn is not None:
        solution = solver.solve(match.state)
        if solution.winnable is not False:
            first = match.describe(solution.moves[0]) if solution.moves else ""
            return SolverAnswer(first, len(solution.moves))
    foresight = solver.foresight(match)
    return SolverAnswer(foresight=foresight, said=foresight.said(match))


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
