"""The daily puzzle: one try a day that counts, and its results."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form
from fastapi.responses import RedirectResponse, Response

from redouble.web.errors import NotFound, Stale, WebError
from redouble.web.features.daily.deals import PUZZLE, bar_groups, parse_day
from redouble.web.features.daily.page import TRIES
from redouble.web.features.daily.tries import Dailies
from redouble.web.features.puzzles.page import puzzle_context
from redouble.web.visitor import CurrentUser, SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)


@router.get("/daily/{day}/puzzle", Cost.PAGE)
async def show_daily_puzzle(day: str, site: SiteOf, person: Visitor) -> Response:
    """Show the puzzle of a day, with the answer once the try has ended."""
    on = parse_day(day)
    puzzle = site.service(Dailies).puzzle(on)
    if puzzle is None:
        raise NotFound("there are no puzzles for these games")
    mine = await site.service(Dailies).found(person, on, PUZZLE)
    finished = mine is not None and mine.finished
    if on < site.service(Dailies).today() and not finished:
        return RedirectResponse(f"/puzzles/{puzzle.game.name}/{puzzle.number}", 303)
    tried = mine.tried if mine is not None else ()
    context = await site.renderings.run(puzzle_context, puzzle, tried, finished)
    context |= {
        "daily": on,
        "here": f"/daily/{on.isoformat()}/puzzle",
        "is_open": site.service(Dailies).is_open(on),
    }
    if mine is not None and finished:
        everyone = await site.service(Dailies).results(on, PUZZLE)
        labeled = [(one, TRIES[one.rank - 1] if one.won else "Not found") for one in everyone]
        context |= {
            "players": len(everyone),
            "bars": bar_groups(labeled, mine.result),
        }
    return site.page("puzzles/puzzle.html", person=person, **context)


@router.post("/daily/{day}/puzzle", Cost.PAGE)
async def try_daily_puzzle(
    day: str,
    site: SiteOf,
    person: CurrentUser,
    move: Annotated[str, Form(max_length=200)] = "",
    show: Annotated[str, Form(max_length=20)] = "",
) -> RedirectResponse:
    """Try a move in today's puzzle, or ask for its answer."""
    on = parse_day(day)
    if on != site.service(Dailies).today():
        raise Stale("this day is over: solve today's puzzle")
    puzzle = site.service(Dailies).puzzle(on)
    if not show and (puzzle is None or move not in puzzle.view().legal_moves):
        raise WebError("that move isn't legal in this position: choose another")
    await site.service(Dailies).try_move(person, move, show=bool(show))
    return RedirectResponse(f"/daily/{on.isoformat()}/puzzle", 303)
