"""The list of puzzles, and a page for each that shows the answer once you choose a move.

A puzzle contains the whole deal, so the page draws only the view of the seat to move and the log
in that seat's words. The best move is sent only with an answer. The server stores the first tries
of people whom it knows; for other visitors, a script remembers them in the browser.
"""

from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from redouble.analysis.puzzle import (
    HARDNESS,
    NoPuzzle,
    Puzzle,
    number_of_puzzles,
    puzzle_numbered,
    puzzles_at,
    puzzles_of,
)
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.match.story import midsentence
from redouble.web.drawing.markup.prompt import draw_question
from redouble.web.drawing.markup.scenes import draw_scene
from redouble.web.drawing.scene import scene_of
from redouble.web.errors import NotFound, Stale, WebError
from redouble.web.features.daily.deals import PUZZLE, bar_groups, parse_day
from redouble.web.features.daily.page import TRIES
from redouble.web.features.daily.tries import Dailies
from redouble.web.features.puzzles.tries import next_puzzle, note_try, puzzle_rating, tries_of
from redouble.web.people.people import Person
from redouble.web.site import Site
from redouble.web.visitor import CurrentUser, FormText, SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router

router = Router(include_in_schema=False)
MAX_STARS = 5


@router.get("/puzzles", Cost.RENDERING)
async def list_puzzles(site: SiteOf, person: Visitor) -> HTMLResponse:
    """List all puzzles by game and difficulty."""
    tries = await _tries(site, person)
    found = [(game, by_stars(puzzles_of(game))) for game in GAMES.values()]
    shelves = [(game, rows) for game, rows in found if rows]
    return site.page(
        "puzzles/puzzles.html",
        person=person,
        shelves=shelves,
        difficulties=list(HARDNESS),
        rating=puzzle_rating(tries),
        known={(one["game"], one["number"]): one["right"] for one in tries},
    )


@router.get("/puzzles/next", Cost.PAGE)
async def next_for_me(site: SiteOf, person: Visitor, game: str = "") -> RedirectResponse:
    """Redirect to a puzzle that the person hasn't tried and that is as hard as they are strong."""
    if game and game not in GAMES:
        raise NotFound("there is no such game")
    puzzle = next_puzzle(await _tries(site, person), game)
    return RedirectResponse("/puzzles" if puzzle is None else address(puzzle), 303)


@router.get("/puzzles/any", Cost.PAGE)
async def any_puzzle(game: str = "", difficulty: str = "") -> RedirectResponse:
    """Redirect to a random puzzle."""
    chosen = GAMES[game] if game else None
    try:
        puzzle = puzzles_at(chosen, difficulty=difficulty or None)[0]
    except NoPuzzle as error:
        raise NotFound(str(error)) from None
    return RedirectResponse(address(puzzle), 303)


@router.get("/puzzles/{game}/{number}", Cost.PAGE)
async def show_puzzle(
    request: Request, game: str, number: str, site: SiteOf, person: Visitor
) -> Response:
    """Show a puzzle; with the best ``move``, the second or ``answer``, also the verdict on it."""
    puzzle = asked_for(GAMES[game], number)
    if await site.service(Dailies).is_trying(person, puzzle):
        return _to_daily(site)
    tried = [move for name in ("tried", "move") if (move := _move(request, name))]
    if any(move not in puzzle.view().legal_moves for move in tried):
        raise WebError("that move isn't legal in this position: choose another")
    tried = list(dict.fromkeys(tried))
    answered = puzzle.answer in tried or len(tried) > 1 or "answer" in request.query_params
    shown = bool(tried) and answered
    context = await site.renderings.run(puzzle_context, puzzle, tried, shown)
    rating = puzzle_rating(await _tries(site, person)) if "rated" in request.query_params else None
    return site.page("puzzles/puzzle.html", person=person, **context | {"rating": rating})


@router.post("/puzzles/{game}/{number}", Cost.PAGE)
async def try_puzzle(
    game: str,
    number: str,
    site: SiteOf,
    person: Visitor,
    move: FormText = "",
    tried: FormText = "",
) -> Response:
    """Choose a move. The first one at a puzzle counts for the rating of a person who is known."""
    puzzle = asked_for(GAMES[game], number)
    if await site.service(Dailies).is_trying(person, puzzle):
        return _to_daily(site)
    if move not in puzzle.view().legal_moves:
        raise WebError("that move isn't legal in this position: choose another")
    given = {"tried": tried, "move": move} if tried else {"move": move}
    if person is not None and not tried:
        await site.people.keep(person)
        right = move == puzzle.answer
        if await site.store.run(note_try, person.id, puzzle, right):
            given["rated"] = "1"
    return RedirectResponse(f"{address(puzzle)}?{urlencode(given)}", 303)


def _to_daily(site: Site) -> RedirectResponse:
    """Redirect to the puzzle of the day, whose answer the shelf would show."""
    return RedirectResponse(f"/daily/{site.service(Dailies).today().isoformat()}/puzzle", 303)


async def _tries(site: Site, person: Person | None) -> list[dict[str, Any]]:
    """Return the first tries of a visitor, oldest first."""
    if person is None:
        return []
    return await site.store.run(tries_of, person.id)


def _move(request: Request, name: str) -> str:
    return " ".join(request.query_params.get(name, "").replace("_", " ").split())


def puzzle_context(puzzle: Puzzle, tried: Sequence[str], answered: bool) -> dict[str, Any]:
    """Return the variables of a puzzle's page, with the verdict on the last try if ``answered``.

    After a wrong try without an answer the page asks again.
    """
    view, match = puzzle.view(), puzzle.match()
    verdict = puzzle.verdict(tried[-1] if tried else puzzle.answer) if answered else None
    scene = scene_of(view, puzzle.names, playable=True, describe=match.describe)
    scene.hint = verdict.answer if verdict else ""
    following = puzzle.number % number_of_puzzles(puzzle.game) + 1
    return {
        "drawn": draw_scene(puzzle.game, scene, draw_question(scene, "Which move is best?")),
        "tried": [(move, midsentence(match.describe(move))) for move in tried],
        "first_right": bool(tried) and tried[0] == puzzle.answer,
        "daily": None,
        "puzzle": puzzle,
        "rating": None,
        "verdict": verdict,
        "here": address(puzzle),
        "following": address(puzzle_numbered(puzzle.game, following)),
    }


def asked_for(game: Game, number: str) -> Puzzle:
    """Return the puzzle with this number. Raises :class:`NotFound`."""
    try:
        return puzzle_numbered(game, int(number) if number.isdecimal() and len(number) < 7 else 0)
    except NoPuzzle as error:
        raise NotFound(str(error)) from None


def address(puzzle: Puzzle) -> str:
    return f"/puzzles/{puzzle.game.name}/{puzzle.number}"


def by_stars(puzzles: tuple[Puzzle, ...]) -> list[tuple[int, list[Puzzle]]]:
    """Group puzzles by their number of stars, easiest first."""
    rows = [(n, [one for one in puzzles if one.stars == n]) for n in range(1, MAX_STARS + 1)]
    return [(stars, row) for stars, row in rows if row]


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
